// The button that shows the page on the full screen. Browsers of some phones cannot.

import { phrase } from './strings.js';

export function offerFullScreen(document) {
  const button = document.querySelector('#full-screen');
  button.hidden = !document.fullscreenEnabled;
  const show = () => {
    button.textContent = phrase(document.fullscreenElement ? 'viewer.leave-full-screen' : 'viewer.full-screen');
  };
  button.addEventListener('click', () => {
    const done = document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen();
    done.catch((error) => console.warn('cannot change to or from the full screen:', error));
  });
  document.addEventListener('fullscreenchange', show);
  show();
}
