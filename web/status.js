// The state of a page in a few words.

// `connection`: the state that a Channel emits, or {phase: 'uninvited'}; `sender`: true if the channel has a sender;
// `problem`: the server's last error, or ''; `pause`: pauseText() of the last message. Returns {kind, text}; the kind, for
// the colour, is live, wait or lost.
export function describe({ connection, sender, problem, pause = null }) {
  switch (connection.phase) {
    case 'open':
      if (sender && pause) return { kind: 'wait', text: `Paused · ${pause}` };
      return sender ? { kind: 'live', text: 'Live' } : { kind: 'wait', text: 'Waiting for a speaker' };
    case 'uninvited':
      return { kind: 'lost', text: 'No invitation' };
    case 'waiting':
      return { kind: 'lost', text: `${problem || 'No connection'} · next try in ${connection.seconds} s` };
    default:
      // The colour does not change between two attempts.
      return connection.again
        ? { kind: 'lost', text: `${problem || 'No connection'} · trying again` }
        : { kind: 'wait', text: 'Connecting' };
  }
}

// Returns the operator's text for a pause if the message is its sentence, null for other words, otherwise `before`.
export function pauseText({ type, source = '' }, before) {
  if (type === 'sentence') return /^\[‖ (.*)\]$/u.exec(source)?.[1] ?? null;
  return type === 'source' || type === 'state' ? null : before;
}
