// The state of the stream in a few words, for the operator.

import { phrase } from '../strings.js';

const LATE = 5000; // ms without an acknowledgement

const KINDS = { resuming: 'warn', running: 'live', refused: 'lost', lost: 'lost' }; // of other phases: wait

// `deadline` and `now`: ms since 1970; the deadline is null while there is a connection. `outbox`: its `standing`.
// Returns {kind, text, more}; the kind, for the colour, is live, warn, wait or lost. `more` changes each second, and is
// therefore not for screen readers.
export function describe({ phase, problem, deadline, now, outbox }) {
  const count = outbox.waiting + outbox.sent; // words that are kept
  if (deadline !== null) {
    const seconds = Math.max(0, Math.ceil((deadline - now) / 1000));
    const text = phrase(phase === 'resuming' ? 'run.resuming' : 'state.lost');
    return { kind: 'warn', text, more: phrase('run.waiting', { seconds, count }) };
  }
  if (phase === 'running' && outbox.sent > 0 && outbox.lag > LATE) {
    const seconds = Math.floor(outbox.lag / 1000);
    return { kind: 'warn', text: phrase('run.unconfirmed'), more: phrase('run.unconfirmed-since', { seconds, count }) };
  }
  return { kind: KINDS[phase] ?? 'wait', text: phrase(`run.${phase}`, { problem }), more: '' };
}
