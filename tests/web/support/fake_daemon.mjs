// A fake daemon: the pages of web/, and a WebSocket whose messages come from the test.
//
// It sends messages that the scripted daemon cannot send, such as those of a language that is written from right to
// left.

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { WebSocketServer } from 'ws';
import { forget, remember } from './cleanup.mjs';
import { root } from './daemon.mjs';

const TYPES = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript', '.mjs': 'text/javascript', '.svg': 'image/svg+xml' };
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
  "media-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

// What the console asks for its links, and a projector for the title.
const SHARE = { '/v1/channels': '[]', '/v1/admin/addresses': '{"addresses": []}', '/v1/qr.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>' };

export class FakeDaemon {
  #http;
  #sockets;
  #files;
  // Connected clients in order of arrival: {track, sends: whether it is a sender, received: its messages so far,
  // receives(type), send(message), end()}. receives() waits for the first message of that type from the client.
  viewers = [];

  // greet(viewer): returns the first messages for a new client; `files`: path -> text, beside those of web/.
  static async start(greet, { files = {}, models = [] } = {}) {
    const daemon = new FakeDaemon();
    const transcripts = JSON.stringify({ channel: 'main', streams: [], all: {} });
    const kept = { '/branding.css': '' };
    for (const channel of ['main', 'hall']) kept[`/v1/channels/${channel}/transcripts`] = transcripts;
    daemon.#files = { '/v1/models': JSON.stringify(models), '/healthz': 'ok', ...SHARE, ...kept, ...files };
    daemon.#http = createServer((request, response) => daemon.#answer(request, response));
    daemon.#sockets = new WebSocketServer({ server: daemon.#http });
    daemon.#sockets.on('connection', (socket, request) => {
      const { pathname, searchParams } = new URL(request.url, 'http://localhost');
      const viewer = { track: searchParams.get('track'), sends: pathname === '/v1/stream', ...listen(socket), send: (message) => socket.send(JSON.stringify(message)), end: () => socket.terminate() };
      daemon.viewers.push(viewer);
      for (const message of greet(viewer)) viewer.send(message);
    });
    remember(daemon, () => daemon.stop());
    daemon.#http.listen(0, '127.0.0.1');
    await once(daemon.#http, 'listening');
    daemon.url = `http://127.0.0.1:${daemon.#http.address().port}/`;
    return daemon;
  }

  async stop() {
    forget(this);
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#http.close();
    this.#http.closeAllConnections();
    await once(this.#http, 'close');
  }

  async #answer(request, response) {
    const { pathname } = new URL(request.url, 'http://localhost');
    const isFile = pathname in this.#files || extname(pathname) !== '';
    const path = pathname.startsWith('/c/') ? '/viewer.html' : isFile ? pathname : `${pathname}.html`;
    try {
      const content = this.#files[path] ?? (await readFile(join(root, 'web', normalize(path))));
      response.setHeader('Content-Type', TYPES[extname(path)] ?? 'text/plain');
      response.setHeader('Content-Security-Policy', POLICY);
      response.end(content);
    } catch {
      response.statusCode = 404;
      response.end();
    }
  }
}

function listen(socket) {
  const received = [];
  socket.on('message', (data) => received.push(JSON.parse(data)));
  const receives = async (type) => {
    while (!received.some((message) => message.type === type)) await once(socket, 'message');
    return received.find((message) => message.type === type);
  };
  return { received, receives };
}
