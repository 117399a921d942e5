import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Connection, waitBefore } from '../../web/connection.js';

// Sockets and timers that do nothing until the test says so.
class Platform {
  sockets = [];
  timers = [];

  constructor() {
    const { sockets } = this;
    this.WebSocket = class extends EventTarget {
      closed = false;

      constructor(url, subprotocol) {
        super();
        Object.assign(this, { url, subprotocol });
        sockets.push(this);
      }

      close() {
        this.closed = true;
      }

      says(message) {
        this.dispatchEvent(Object.assign(new Event('message'), { data: JSON.stringify(message) }));
      }
    };
  }

  setTimeout(work, ms) {
    const timer = { work, ms };
    this.timers.push(timer);
    return timer;
  }

  clearTimeout(timer) {
    this.timers = this.timers.filter((other) => other !== timer);
  }

  fire() {
    assert.equal(this.timers.length, 1, 'one timer at a time');
    return this.timers.shift().work();
  }

  get socket() {
    return this.sockets.at(-1);
  }
}

function connect({ probe = () => Promise.resolve() } = {}) {
  const platform = new Platform();
  const messages = [];
  const states = [];
  const all = [];
  const handlers = {
    onMessage: (message) => messages.push(message),
    onState: (state) => {
      states.push(state.phase);
      all.push(state);
    },
    probe,
  };
  const connection = new Connection('ws://host/v1/channels/main', handlers, platform);
  connection.open();
  return { platform, messages, states, all, connection };
}

test('messages come through and the state is told', () => {
  const { platform, messages, states } = connect();
  assert.equal(platform.socket.subprotocol, 'surtitle.v1');
  platform.socket.dispatchEvent(new Event('open'));
  assert.deepEqual(states, ['connecting'], 'the server may still say no');
  platform.socket.says({ type: 'ready' });
  assert.deepEqual(messages, [{ type: 'ready' }]);
  assert.deepEqual(states, ['connecting', 'open']);
});

test('whether it was tried before is told', () => {
  const { platform, all } = connect();
  platform.socket.dispatchEvent(new Event('close'));
  platform.fire();
  assert.deepEqual([all[0], all[2]], [{ phase: 'connecting', again: false }, { phase: 'connecting', again: true }]);
});

test('waits double from half a second to ten, and differ', () => {
  const longest = [0, 1, 2, 3, 4, 5, 6, 60].map((attempt) => waitBefore(attempt, 1));
  assert.deepEqual(longest, [500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000]);
  assert.equal(waitBefore(3, 0), 2000);
  for (let i = 0; i < 100; i += 1) assert.ok(waitBefore(2) >= 1000 && waitBefore(2) <= 2000);
});

test('a lost connection is opened again, later each time, until the server is ready', () => {
  const { platform, states } = connect();
  const waits = [];
  for (let i = 0; i < 3; i += 1) {
    platform.socket.dispatchEvent(new Event('close'));
    waits.push(platform.timers[0].ms);
    platform.fire();
  }
  assert.ok(waits[0] <= 500 && waits[1] >= 500 && waits[2] >= 1000, `${waits}`);
  platform.socket.dispatchEvent(new Event('open'));
  platform.socket.says({ type: 'ready' });
  platform.socket.dispatchEvent(new Event('close'));
  assert.ok(platform.timers[0].ms <= 500);
  assert.equal(states.at(-1), 'waiting');
});

test('an event of a socket that was given up is nobody’s', () => {
  const { platform, messages, connection } = connect();
  const old = platform.socket;
  connection.lost();
  assert.ok(old.closed);
  platform.fire();
  old.says({ type: 'ready' });
  old.dispatchEvent(new Event('close'));
  assert.deepEqual(messages, []);
  assert.deepEqual([platform.sockets.length, platform.socket.closed], [2, false]);
});

test('a change of the network opens at once where it waited, and only there', async () => {
  const { platform, connection } = connect();
  await connection.check();
  assert.equal(platform.sockets.length, 1);
  platform.socket.dispatchEvent(new Event('close'));
  await connection.check();
  assert.equal(platform.sockets.length, 2);
  assert.equal(platform.timers.length, 1, 'no second try is left behind');
  await connection.check();
  assert.equal(platform.sockets.length, 2);
});

test('silence alone is no loss while the server can be reached', async () => {
  const { platform } = connect();
  platform.socket.dispatchEvent(new Event('open'));
  await platform.fire();
  assert.equal(platform.sockets.length, 1);
  assert.ok(!platform.socket.closed);
  assert.equal(platform.timers.length, 1);
});

test('a server that never answers is given up when it cannot be reached', async () => {
  const { platform, states } = connect({ probe: () => Promise.reject(new Error('unreachable')) });
  await platform.fire();
  assert.ok(platform.socket.closed);
  assert.deepEqual(states, ['connecting', 'waiting']);
});

test('a change of the network is a loss only where the server is out of reach', async () => {
  let reachable = true;
  const probe = () => (reachable ? Promise.resolve() : Promise.reject(new Error('unreachable')));
  const { platform, states, connection } = connect({ probe });
  platform.socket.says({ type: 'ready' });
  await connection.check();
  assert.deepEqual([platform.sockets.length, platform.socket.closed], [1, false]);
  reachable = false;
  await connection.check();
  assert.ok(platform.socket.closed);
  assert.deepEqual(states, ['connecting', 'open', 'waiting']);
});

test('silence and a server out of reach is a loss', async () => {
  const { platform, states } = connect({ probe: () => Promise.reject(new Error('unreachable')) });
  platform.socket.dispatchEvent(new Event('open'));
  await platform.fire();
  assert.ok(platform.socket.closed);
  assert.equal(states.at(-1), 'waiting');
});
