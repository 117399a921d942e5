// The state of a page in a few words.

// `connection`: the state that a Channel emits, or {phase: 'uninvited'}; `sender`: true if the channel has a sender; `problem`: the server's
// last error, or ''. Returns {kind, text}; the kind, for the colour, is live, wait or lost.
export function describe({ connection, sender, problem }) {
  switch (connection.phase) {
    case 'open':
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
