// The state of the stream in a few words, for the operator.

import { count } from './numbers.js';

const LATE = 5000; // ms without an acknowledgement

const PHASES = {
  idle: () => ['wait', 'Not started'],
  starting: () => ['wait', 'Starting'],
  resuming: () => ['warn', 'Resuming the stream of the closed page'],
  running: () => ['live', 'On air'],
  paused: () => ['wait', 'Paused'],
  finishing: () => ['wait', 'Finishing'],
  finished: () => ['wait', 'Finished'],
  refused: (problem) => ['lost', `Not started: ${problem}`],
  lost: (problem) => ['lost', `The stream is lost: ${problem}`],
};

// `deadline` and `now`: ms since 1970; the deadline is null while there is a connection. `outbox`: its `standing`.
// Returns {kind, text, more}; the kind, for the colour, is live, warn, wait or lost. `more` changes each second, and is
// therefore not for screen readers.
export function describe({ phase, problem, deadline, now, outbox }) {
  const kept = `${count(outbox.waiting + outbox.sent, 'word')} kept`;
  if (deadline !== null) {
    const left = Math.max(0, Math.ceil((deadline - now) / 1000));
    const text = phase === 'resuming' ? PHASES.resuming()[1] : 'No connection';
    return { kind: 'warn', text, more: `The daemon waits ${left} s more · ${kept}` };
  }
  const [kind, text] = PHASES[phase](problem);
  if (phase === 'running' && outbox.sent > 0 && outbox.lag > LATE) {
    return { kind: 'warn', text: 'On air, without confirmation', more: `For ${Math.floor(outbox.lag / 1000)} s · ${kept}` };
  }
  return { kind, text, more: '' };
}
