// The daemon's WebSocket server with two independent implementations: npm's ws and Chromium (tests/RELIABILITY.md).

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import WebSocket from 'ws';
import { browser, daemon } from './support/stage.mjs';

const START = JSON.stringify({ type: 'start', source: 'de', target: 'en' });
const address = () => `${daemon.url.replace('http:', 'ws:')}v1/stream`;

async function connect(options = {}) {
  const socket = new WebSocket(address(), ['other', 'surtitle.v1'], options);
  socket.kinds = [];
  socket.on('message', (text) => socket.kinds.push(JSON.parse(text).type));
  socket.ends = once(socket, 'close').then(([code, reason]) => ({ kinds: socket.kinds, code, reason: `${reason}` }));
  await once(socket, 'open');
  return socket;
}

test('ws: the subprotocol is chosen, an offer of permessage-deflate is not', async () => {
  const socket = await connect({ perMessageDeflate: { threshold: 0 } });
  assert.equal(socket.protocol, 'surtitle.v1');
  assert.equal(socket.extensions, '');
  socket.close(1000);
  await socket.ends;
});

test('ws: a message is accepted in fragments with pings of 125 bytes between them', async () => {
  const socket = await connect();
  const payload = Buffer.alloc(125, 'p');
  for (let at = 0; at < START.length; at += 7) {
    socket.send(START.slice(at, at + 7), { fin: at + 7 >= START.length });
    socket.ping(payload);
    const [pong] = await once(socket, 'pong');
    assert.deepEqual(pong, payload);
  }
  if (socket.kinds.length === 0) await once(socket, 'message');
  socket.close(1000);
  assert.deepEqual((await socket.ends).kinds, ['ready']);
});

for (const code of [1000, 1001, 1007, 1008, 1011, 3000, 4999]) {
  test(`ws: a close with ${code} is answered with the same code`, async () => {
    const socket = await connect();
    socket.close(code, 'r'.repeat(123));
    assert.deepEqual(await socket.ends, { kinds: [], code, reason: '' });
  });
}

for (const [name, message, code] of [
  ['broken JSON', '{', 4400],
  ['a binary message', Buffer.from('{}'), 4400],
  ['a message that is too large', ' '.repeat(70000), 1009],
]) {
  test(`ws: ${name} is reported and closes the connection`, async () => {
    const socket = await connect();
    socket.send(message);
    assert.deepEqual(await socket.ends, { kinds: ['error', 'bye'], code, reason: '' });
  });
}

test('ws: both ends may close at the same time', async () => {
  const socket = await connect();
  socket.send('{');
  socket.close(1000);
  assert.ok([1000, 4400].includes((await socket.ends).code));
});

// Connects in a page, sends `messages` once the socket is open, and closes it with `close` if given. Returns what the
// socket received.
async function inChromium({ messages = [], close = null, protocols = ['surtitle.v1'] }) {
  const page = await browser.newPage();
  await page.goto(daemon.url);
  const result = await page.evaluate(
    ([url, what]) =>
      new Promise((resolve) => {
        const socket = new WebSocket(url, what.protocols);
        const kinds = [];
        let chosen = null;
        socket.onopen = () => {
          chosen = [socket.protocol, socket.extensions];
          for (const message of what.messages) socket.send(message);
          if (what.close) socket.close(...what.close);
        };
        socket.onmessage = ({ data }) => {
          kinds.push(JSON.parse(data).type);
          if (kinds.at(-1) === 'ready') socket.close(1000);
        };
        socket.onclose = ({ code, reason, wasClean }) => resolve({ chosen, kinds, code, reason, wasClean });
      }),
    [address(), { messages, close, protocols }],
  );
  await page.close();
  return result;
}

test('Chromium: a stream starts and closes, without an extension', async () => {
  assert.deepEqual(await inChromium({ messages: [START] }), {
    chosen: ['surtitle.v1', ''],
    kinds: ['ready'],
    code: 1000,
    reason: '',
    wasClean: true,
  });
});

test('Chromium: a close with a code of the page is answered', async () => {
  const { code, wasClean } = await inChromium({ close: [4999, 'r'.repeat(123)] });
  assert.deepEqual([code, wasClean], [4999, true]);
});

test('Chromium: an error is reported before the daemon closes', async () => {
  for (const [message, expected] of [['{', 4400], [' '.repeat(70000), 1009]]) {
    const { kinds, code, wasClean } = await inChromium({ messages: [message] });
    assert.deepEqual([kinds, code, wasClean], [['error', 'bye'], expected, true]);
  }
});

test('Chromium: an unknown subprotocol ends the attempt', async () => {
  const { chosen, code } = await inChromium({ protocols: ['other'] });
  assert.deepEqual([chosen, code], [null, 1006]);
});
