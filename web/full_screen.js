// The button that shows the page on the full screen. Browsers of some phones cannot.

export function offerFullScreen(document) {
  const button = document.querySelector('#full-screen');
  button.hidden = !document.fullscreenEnabled;
  const show = () => {
    button.textContent = document.fullscreenElement ? 'Leave full screen' : 'Full screen';
  };
  button.addEventListener('click', () => {
    const done = document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen();
    done.catch((error) => console.warn('cannot change to or from the full screen:', error));
  });
  document.addEventListener('fullscreenchange', show);
  show();
}
