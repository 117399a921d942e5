// Closes things that a failed test has left open.
//
// A sender left on a channel would block the sender of the next test, and a process left running would block the end of
// the run.

const open = new Set();

// Makes closeRest() call `close`, unless forget() is called with the same thing before.
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
