// Keeps the screen lit while the page is looked at: a phone in the hall would go dark in the middle of a sentence.
//
// The browser takes the lock back whenever the page is hidden. It may refuse, to save its battery or because the
// page did not come over HTTPS; the page works all the same.

export function keepAwake(document, wakeLock = globalThis.navigator?.wakeLock) {
  const ask = () => {
    if (document.visibilityState === 'visible') wakeLock?.request('screen').catch(() => {});
  };
  document.addEventListener('visibilitychange', ask);
  ask();
}
