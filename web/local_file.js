// Serves the viewer's own file under an address of the daemon.
//
// The page's security policy forbids blob addresses. local_file_worker.js, a service worker, therefore answers requests
// for that address, and gets the file from the page. No data leaves the browser.

import { phrase } from './strings.js';

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
      throw new Error(phrase('player.insecure'));
    }
    await this.#control();
    this.#file = file;
    return new URL(`player/file/${(this.#count += 1)}`, this.#home).href;
  }

  // Resolves when the worker handles the requests of this page.
  async #control() {
    const { serviceWorker } = navigator;
    const controlled = new Promise((resolve) => {
      serviceWorker.addEventListener('controllerchange', resolve, { once: true });
    });
    await serviceWorker.register(new URL('local_file_worker.js', this.#home), { scope: new URL('player', this.#home).pathname });
    if (serviceWorker.controller === null) await controlled;
  }
}
