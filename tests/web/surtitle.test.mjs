// The client module: a viewer on simulated sockets and timers, and a sender on a real daemon.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import WebSocket from 'ws';
import { Channel, Stream, SurtitleError, backoffDelay } from '../../web/surtitle.js';
import { Daemon } from './support/daemon.mjs';

// Sockets and timers that the test controls.
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

      deliver(message) {
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
    assert.equal(this.timers.length, 1, 'there is one timer at a time');
    return this.timers.shift().work();
  }

  get socket() {
    return this.sockets.at(-1);
  }
}

function connect({ reach = () => Promise.resolve(), track, attention, address = 'http://host/' } = {}) {
  const platform = new Platform();
  const messages = [];
  const states = [];
  const all = [];
  const channel = new Channel(address, 'main', {
    track,
    attention,
    reach,
    WebSocket: platform.WebSocket,
    setTimeout: (...timer) => platform.setTimeout(...timer),
    clearTimeout: (timer) => platform.clearTimeout(timer),
  });
  channel.on('*', (message) => messages.push(message));
  channel.on('connection', (state) => {
    states.push(state.phase);
    all.push(state);
  });
  channel.open();
  return { platform, messages, states, all, channel };
}

test('messages and the state are emitted', () => {
  const { platform, messages, states } = connect();
  assert.equal(platform.socket.subprotocol, 'surtitle.v1');
  assert.equal(platform.socket.url, 'ws://host/v1/channels/main');
  platform.socket.dispatchEvent(new Event('open'));
  assert.deepEqual(states, ['connecting'], 'the server may still reject the viewer');
  platform.socket.deliver({ type: 'ready' });
  assert.deepEqual(messages, [{ type: 'ready' }]);
  assert.deepEqual(states, ['connecting', 'open']);
});

test('`again` tells the first attempt from later ones', () => {
  const { platform, all } = connect();
  platform.socket.dispatchEvent(new Event('close'));
  platform.fire();
  assert.deepEqual([all[0], all[2]], [{ phase: 'connecting', again: false }, { phase: 'connecting', again: true }]);
});

test('pauses double from half a second to ten, and are random', () => {
  const longest = [0, 1, 2, 3, 4, 5, 6, 60].map((attempt) => backoffDelay(attempt, 1));
  assert.deepEqual(longest, [500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000]);
  assert.equal(backoffDelay(3, 0), 2000);
  for (let i = 0; i < 100; i += 1) assert.ok(backoffDelay(2) >= 1000 && backoffDelay(2) <= 2000);
});

test('a channel reconnects after a loss, with pauses that grow until the server is ready', () => {
  const { platform, states } = connect();
  const waits = [];
  for (let i = 0; i < 3; i += 1) {
    platform.socket.dispatchEvent(new Event('close'));
    waits.push(platform.timers[0].ms);
    platform.fire();
  }
  assert.ok(waits[0] <= 500 && waits[1] >= 500 && waits[2] >= 1000, `${waits}`);
  platform.socket.dispatchEvent(new Event('open'));
  platform.socket.deliver({ type: 'ready' });
  platform.socket.dispatchEvent(new Event('close'));
  assert.ok(platform.timers[0].ms <= 500);
  assert.equal(states.at(-1), 'waiting');
});

test('events of an abandoned socket are ignored', () => {
  const { platform, messages } = connect();
  const old = platform.socket;
  platform.socket.dispatchEvent(new Event('close'));
  assert.ok(old.closed);
  platform.fire();
  old.deliver({ type: 'ready' });
  old.dispatchEvent(new Event('close'));
  assert.deepEqual(messages, []);
  assert.deepEqual([platform.sockets.length, platform.socket.closed], [2, false]);
});

test('a change of the network reconnects at once if the channel was waiting, otherwise not', async () => {
  const { platform, channel } = connect();
  await channel.check();
  assert.equal(platform.sockets.length, 1);
  platform.socket.dispatchEvent(new Event('close'));
  await channel.check();
  assert.equal(platform.sockets.length, 2);
  assert.equal(platform.timers.length, 1, 'no second attempt is scheduled');
  await channel.check();
  assert.equal(platform.sockets.length, 2);
});

test('silence is no loss while the server can be reached', async () => {
  const { platform } = connect();
  platform.socket.dispatchEvent(new Event('open'));
  await platform.fire();
  assert.equal(platform.sockets.length, 1);
  assert.ok(!platform.socket.closed);
  assert.equal(platform.timers.length, 1);
});

test('a connection that never opens is lost if the server cannot be reached', async () => {
  const { platform, states } = connect({ reach: () => Promise.reject(new Error('unreachable')) });
  await platform.fire();
  assert.ok(platform.socket.closed);
  assert.deepEqual(states, ['connecting', 'waiting']);
});

test('a change of the network is a loss only if the server cannot be reached', async () => {
  let reachable = true;
  const probe = () => (reachable ? Promise.resolve() : Promise.reject(new Error('unreachable')));
  const { platform, states, channel } = connect({ reach: probe });
  platform.socket.deliver({ type: 'ready' });
  await channel.check();
  assert.deepEqual([platform.sockets.length, platform.socket.closed], [1, false]);
  reachable = false;
  await channel.check();
  assert.ok(platform.socket.closed);
  assert.deepEqual(states, ['connecting', 'open', 'waiting']);
});

test('silence is a loss if the server cannot be reached', async () => {
  const { platform, states } = connect({ reach: () => Promise.reject(new Error('unreachable')) });
  platform.socket.dispatchEvent(new Event('open'));
  await platform.fire();
  assert.ok(platform.socket.closed);
  assert.equal(states.at(-1), 'waiting');
});

test('attention is requested, with a track and without', () => {
  const { platform, channel } = connect({ attention: true });
  assert.equal(platform.socket.url, 'ws://host/v1/channels/main?attention=1');
  channel.track = 'fr';
  channel.open();
  assert.equal(platform.socket.url, 'ws://host/v1/channels/main?track=fr&attention=1');
});

test('an address may be secure and have a path prefix, and a track can be requested', () => {
  const { platform, channel } = connect({ address: new URL('https://host/folder'), track: 'zh Hant' });
  assert.equal(platform.socket.url, 'wss://host/folder/v1/channels/main?track=zh%20Hant');
  channel.track = null;
  channel.open();
  assert.equal(platform.socket.url, 'wss://host/folder/v1/channels/main');
  assert.deepEqual(platform.sockets.map(({ closed }) => closed), [true, false]);
});

test('a channel that was closed stays closed', () => {
  const { platform, messages, channel } = connect();
  channel.close();
  platform.socket.deliver({ type: 'ready' });
  platform.socket.dispatchEvent(new Event('close'));
  assert.deepEqual([messages, platform.timers, platform.socket.closed], [[], [], true]);
});

test('messages of unknown types are emitted to their listeners', () => {
  const { platform, messages, channel } = connect();
  const received = [];
  const end = channel.on('revision', (message) => received.push(message.words));
  platform.socket.deliver({ type: 'revision', words: 2 });
  end();
  platform.socket.deliver({ type: 'revision', words: 3 });
  assert.deepEqual(received, [2]);
  assert.equal(messages.length, 2);
});

let daemon;

before(async () => {
  daemon = await Daemon.scripted({ flags: ['--limits-queued-words', '200', '--sentence-words', '50'] });
});

after(() => daemon.stop());

function open(more = {}) {
  return Stream.open(daemon.url, { WebSocket, source: 'de', target: 'en', ...more });
}

test('a stream is translated to its end', async () => {
  const stream = await open({ policy: 'wait-k:k=2' });
  assert.equal(stream.ready.policy, 'wait-k:k=2');
  const written = [];
  const targets = [];
  stream.on('write', ({ text }) => written.push(text));
  stream.on('sentence', ({ target }) => targets.push(target));
  await stream.source('Guten Morgen. Wie', { time: 1.5 });
  stream.hypothesis('geht es');
  stream.hypothesis('geht es Ihnen', { final: true });
  await stream.source('Und');
  stream.endSentence();
  await stream.finish();
  assert.deepEqual(targets, ['GUTEN MORGEN.', 'WIE GEHT ES IHNEN', 'UND']);
  assert.equal(written.join(''), targets.join(''));
});

test('too many words for one message are sent in several', async () => {
  const stream = await open();
  const words = Array.from({ length: 450 }, (_, i) => `Wort${i}${i % 9 === 8 ? '.' : ''}`);
  const acks = [];
  const targets = [];
  stream.on('ack', ({ seq }) => acks.push(seq));
  stream.on('sentence', ({ target }) => targets.push(target));
  await stream.source(words.join('\n'));
  assert.deepEqual(acks, [1, 2, 3]);
  await stream.finish();
  assert.equal(targets.join(' '), words.join(' ').toUpperCase());
  const { message_bytes: limit } = stream.ready.limits;
  const bytes = await open();
  await bytes.source(`${'x'.repeat(limit / 2)} ${'"'.repeat(limit / 3)} Schluss.`);
  assert.throws(() => bytes.source('ä'.repeat(limit)), RangeError);
  bytes.close();
});

test('taken() waits for all sent messages, hypotheses included', async () => {
  const stream = await open({ echo: true, agreement: 1 });
  const committed = [];
  stream.on('source', ({ text }) => committed.push(text));
  stream.hypothesis('guten morgen liebe');
  await stream.taken();
  assert.deepEqual(committed, ['guten morgen']);
  stream.close();
});

test('a configuration applies from the next sentence on; a notice does not become the reason of the end', async () => {
  const stream = await open();
  const changed = new Promise((resolve) => stream.on('policy', resolve));
  stream.configure({ policy: 'gma:delta=2' });
  assert.equal((await changed).policy, 'gma:delta=2');
  const notice = new Promise((resolve) => stream.on('error', resolve));
  stream.configure({ model: 'unknown' });
  assert.equal((await notice).code, 'not-configured');
  const closed = new Promise((resolve) => stream.on('close', resolve));
  stream.close();
  assert.equal((await closed).code, 'connection-lost');
});

test('an error of the daemon is reported when a stream is opened and while it runs', async () => {
  const refused = await open({ target: 'xx' }).catch((error) => error);
  assert.ok(refused instanceof SurtitleError);
  assert.equal(refused.code, 'unsupported-languages');
  const first = await open({ channel: 'taken' });
  await assert.rejects(open({ channel: 'taken' }), { code: 'channel-busy' });
  const closed = new Promise((resolve) => first.on('close', resolve));
  first.source('xx-refuse');
  assert.equal((await closed).code, 'internal');
  assert.throws(() => first.source('weiter'), SurtitleError);
  await assert.rejects(first.finish(), SurtitleError);
});

test('an overloaded daemon reports when to try again', async () => {
  const full = await Daemon.scripted({ models: 'slow', flags: ['--admission-max-delay-p95', '10000', '--admission-max-load', '0.01'] });
  const begin = () => Stream.open(full.url, { WebSocket, source: 'de', target: 'en' });
  const first = await begin();
  await assert.rejects(begin(), (error) => {
    assert.ok(error instanceof SurtitleError);
    assert.equal(error.code, 'overloaded');
    assert.ok(error.retrySeconds >= 5);
    return true;
  });
  first.close();
  await full.stop();
});

test('a daemon that shuts down translates acknowledged words and ends the stream with `draining`', async () => {
  const leaving = await Daemon.scripted();
  const stream = await Stream.open(leaving.url, { WebSocket, source: 'de', target: 'en' });
  const targets = [];
  stream.on('sentence', ({ target }) => targets.push(target));
  const closed = new Promise((resolve) => stream.on('close', resolve));
  await stream.source('Guten Morgen');
  assert.equal(await leaving.stop(), 0);
  assert.equal((await closed).code, 'draining');
  assert.deepEqual(targets, ['GUTEN MORGEN']);
});

test('an unreachable daemon is an error, not the end of the program', async () => {
  const unreachable = Stream.open('http://127.0.0.1:9/', { WebSocket, source: 'de', target: 'en' });
  await assert.rejects(unreachable, { code: 'connection-lost' });
});

test('a viewer in Node reconnects to a restarted daemon', async () => {
  const gone = await Daemon.scripted();
  const channel = new Channel(gone.url, 'main', { WebSocket });
  const phases = [];
  const phase = (wanted) => new Promise((resolve) => channel.on('connection', ({ phase: now }) => now === wanted && resolve()));
  channel.on('connection', (state) => phases.push(state.phase));
  const opened = phase('open');
  channel.open();
  await opened;
  const waiting = phase('waiting');
  await gone.stop('SIGKILL');
  await waiting;
  const back = phase('open');
  const again = await Daemon.scripted({ port: gone.port });
  await back;
  channel.close();
  assert.equal(await again.stop(), 0);
});
