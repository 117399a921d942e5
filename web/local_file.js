// Gives a file that the viewer has chosen an address of our own, so that the page's policy can stay as strict as it is:
// local_file_worker.js answers there, and asks the page for the file. Nothing leaves the browser.

export class LocalFile {
  #home;
  #file = null;
  #count = 0;

  constructor(home) {
    this.#home = home;
    navigator.serviceWorker?.addEventListener('message', ({ ports }) => ports[0].postMessage(this.#file));
  }

  async address(file) {
    if (!navigator.serviceWorker) {
      throw new Error('A video can be played where this page comes over HTTPS, or from this machine itself.');
    }
    await this.#control();
    this.#file = file;
    return new URL(`player/file/${(this.#count += 1)}`, this.#home).href;
  }

  // Done when the worker answers for this page.
  async #control() {
    const { serviceWorker } = navigator;
    const controlled = new Promise((resolve) => {
      serviceWorker.addEventListener('controllerchange', resolve, { once: true });
    });
    await serviceWorker.register(new URL('local_file_worker.js', this.#home), { scope: new URL('player', this.#home).pathname });
    if (serviceWorker.controller === null) await controlled;
  }
}
