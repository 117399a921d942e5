// Keeps the screen on while the page is visible: a phone would turn it off in the middle of a sentence.
//
// The browser releases the lock when the page is hidden. It may refuse it, to save its battery or because the page was
// not loaded over HTTPS. The page works without it.

export function keepAwake(document, wakeLock = globalThis.navigator?.wakeLock) {
  const ask = () => {
    if (document.visibilityState === 'visible') wakeLock?.request('screen').catch(() => {});
  };
  document.addEventListener('visibilitychange', ask);
  ask();
}
