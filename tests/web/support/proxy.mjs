// A proxy between clients and a daemon that can reset or silence their connections.

import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { forget, remember } from './cleanup.mjs';

export class Proxy {
  #server;
  #pairs = new Set();
  cuts = 0;

  static async start({ port }, own = 0) {
    const proxy = new Proxy();
    proxy.#server = createServer((near) => proxy.#join(near, connect(port, '127.0.0.1')));
    remember(proxy, () => proxy.stop());
    proxy.#server.listen(own, '127.0.0.1');
    await once(proxy.#server, 'listening');
    proxy.port = proxy.#server.address().port;
    proxy.url = `http://127.0.0.1:${proxy.port}/`;
    return proxy;
  }

  #join(near, far) {
    const pair = { near, far, silent: false, mute: false };
    this.#pairs.add(pair);
    for (const [from, to] of [[near, far], [far, near]]) {
      from.on('error', () => {});
      from.on('data', (data) => pair.silent || (pair.mute && from === far) || to.write(data));
      from.on('close', () => {
        this.#pairs.delete(pair);
        if (!pair.silent) to.destroy();
      });
    }
  }

  // Resets all connections; both ends notice it at once.
  reset() {
    this.cuts += 1;
    for (const { near, far } of this.#pairs) {
      near.resetAndDestroy();
      far.resetAndDestroy();
    }
  }

  // Discards all further data of the present connections; neither end notices it.
  silence() {
    this.cuts += 1;
    for (const pair of this.#pairs) pair.silent = true;
  }

  // Discards all further data from the daemon; data to the daemon passes, also the end of a connection.
  mute() {
    this.cuts += 1;
    for (const pair of this.#pairs) pair.mute = true;
  }

  async stop() {
    forget(this);
    for (const { near, far } of this.#pairs) {
      near.destroy();
      far.destroy();
    }
    this.#server.close();
    await once(this.#server, 'close');
  }
}
