// What a test opened and did not close, because it failed, is closed behind it: a sender left on a channel would
// keep the next test's sender out, and a process left running would keep the run from ending.

const open = new Set();

// `close` is called by closeRest() unless forget() was called with the same thing before.
export function remember(thing, close) {
  open.add({ thing, close });
}

export function forget(thing) {
  for (const entry of open) {
    if (entry.thing === thing) open.delete(entry);
  }
}

export async function closeRest() {
  const rest = [...open].reverse();
  open.clear();
  for (const { close } of rest) await close();
}
