// The state of a page in a few words.

import { PAUSE } from './pause.js';
import { phrase } from './strings.js';

// `connection`: the state that a Channel emits, or {phase: 'uninvited'}; `sender`: true if the channel has a sender;
// `problem`: the server's last error, or ''; `pause`: pauseText() of the last message;
// `ended`: true if the last sender has left; `interrupted`: true if the sender is lost and its stream waits for it. Returns {kind, text}; the kind, for
// the colour, is live, wait or lost.
export function describe({ connection, sender, problem, pause = null, ended = false, interrupted = false }) {
  switch (connection.phase) {
    case 'open':
      if (sender && pause) return { kind: 'wait', text: pause === PAUSE ? phrase('state.pause') : phrase('state.paused', { text: pause }) };
      if (sender && interrupted) return { kind: 'wait', text: phrase('state.interrupted') };
      if (sender) return { kind: 'live', text: phrase('state.live') };
      return { kind: 'wait', text: phrase(ended ? 'state.ended' : 'state.waiting') };
    case 'uninvited':
      return { kind: 'lost', text: phrase('state.uninvited') };
    case 'waiting':
      return { kind: 'lost', text: phrase('state.next-try', { problem: problem || phrase('state.lost'), seconds: connection.seconds }) };
    default:
      // The colour does not change between two attempts.
      return connection.again
        ? { kind: 'lost', text: phrase('state.trying', { problem: problem || phrase('state.lost') }) }
        : { kind: 'wait', text: phrase('state.connecting') };
  }
}

// Returns the operator's text for a pause if the message is its sentence, null for other words, otherwise `before`.
export function pauseText({ type, source = '' }, before) {
  if (type === 'sentence') return /^\[‖ (.*)\]$/u.exec(source)?.[1] ?? null;
  return type === 'source' || type === 'state' ? null : before;
}
