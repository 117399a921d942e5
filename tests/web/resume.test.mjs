// Senders and viewers of the client module through losses at random moments.
//
// They must receive the same messages as those of an undisturbed run.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import WebSocket from 'ws';
import { Channel, Stream } from '../../web/surtitle.js';
import { closeRest } from './support/cleanup.mjs';
import { Daemon } from './support/daemon.mjs';
import { Proxy } from './support/proxy.mjs';

const WORDS = 240;
const HASTE = 40; // factor by which a client's timers are faster
const fast = { WebSocket, setTimeout: (work, ms) => setTimeout(work, ms / HASTE), clearTimeout };
const kinds = ['source', 'write', 'sentence', 'policy', 'revision'];

afterEach(closeRest);

// Keeps the final messages of a client, and errors in their order.
class Witness {
  messages = [];
  faults = [];
  #event = 0;

  add(message) {
    if (message.type === 'state') this.#event = 0;
    if (!kinds.includes(message.type)) return;
    if (!(message.event > this.#event)) this.faults.push(`${message.type} ${message.event} after ${this.#event}`);
    this.#event = message.event;
    this.messages.push(message);
  }

  texts(type, field) {
    const all = this.messages.filter((message) => message.type === type);
    return all.map((message) => message[field]).join(type === 'write' ? '' : ' ').replaceAll(/\s+/gu, ' ');
  }
}

function watch(url, platform = fast) {
  const witness = new Witness();
  const channel = new Channel(url, 'main', platform);
  witness.starts = 0; // from the present state
  channel.on('*', (message) => witness.add(message));
  channel.on('ready', ({ after }) => (witness.starts += after === undefined ? 1 : 0));
  witness.all = new Promise((resolve) => channel.on('sentence', ({ source }) => source.endsWith(words.at(-1)) && resolve()));
  witness.open = new Promise((resolve) => channel.on('connection', ({ phase }) => phase === 'open' && resolve()));
  witness.close = () => channel.close();
  channel.open();
  return witness;
}

const words = Array.from({ length: WORDS }, (_, i) => `Wort${i}${i % 7 === 6 ? '.' : ''}`);

// Sends the words, some as source and some as a recogniser's hypotheses.
async function sendWords(stream, pause) {
  for (let i = 0; i < WORDS; i += 4) {
    const some = words.slice(i, i + 4);
    if (i % 3 === 0) {
      stream.hypothesis(some.slice(0, 2).join(' '));
      stream.hypothesis(some.slice(0, 3).join(' '));
      stream.hypothesis(some.join(' '), { final: true });
    } else {
      stream.source(some.join(' '));
    }
    if (i === 120) stream.configure({ policy: 'gma:delta=2' });
    await pause(i);
  }
  stream.endSentence();
  await stream.finish();
}

// Compares texts as a whole, because replayed pieces may be divided differently.
function check(witness, undisturbed) {
  assert.deepEqual(witness.faults, []);
  assert.equal(witness.texts('sentence', 'target'), undisturbed.texts('sentence', 'target'));
  assert.equal(witness.texts('write', 'text'), undisturbed.texts('write', 'text'));
  assert.equal(witness.texts('source', 'text'), words.join(' '));
  assert.ok(witness.messages.some(({ type, policy }) => type === 'policy' && policy === 'gma:delta=2'));
}

async function undisturbed() {
  const daemon = await Daemon.scripted();
  const viewer = watch(daemon.url);
  await viewer.open;
  const stream = await Stream.open(daemon.url, { WebSocket, source: 'de', target: 'en', channel: 'main' });
  await sendWords(stream, () => {});
  await viewer.all;
  viewer.close();
  assert.equal(await daemon.stop(), 0);
  return viewer;
}

for (const [how, flags] of [['reset', []], ['silence', ['--timeouts-idle', '0.3']]]) {
  test(`no message is lost or repeated if connections end by ${how}`, async () => {
    const expected = await undisturbed();
    const daemon = await Daemon.scripted({ flags });
    const proxy = await Proxy.start(daemon);
    const viewer = watch(proxy.url);
    await viewer.open;
    const stream = await Stream.open(proxy.url, { ...fast, source: 'de', target: 'en', channel: 'main', echo: true });
    const sender = new Witness();
    const phases = new Set();
    stream.on('*', (message) => sender.add(message));
    stream.on('connection', ({ phase }) => phases.add(phase));
    await sendWords(stream, async (sent) => {
      await sleep(Math.random() * 8);
      if (sent === 80 || Math.random() < (how === 'reset' ? 0.2 : 0.05)) proxy[how]();
    });
    await viewer.all;
    viewer.close();
    await proxy.stop();
    assert.ok(proxy.cuts > 0);
    assert.deepEqual([...phases].sort(), ['connecting', 'open', 'waiting']);
    assert.equal(viewer.starts, 1, 'the viewer starts from the present state only once');
    check(viewer, expected);
    check(sender, expected);
    assert.equal(await daemon.stop(), 0);
  });
}

test('no message is lost or repeated if the daemon is killed and restarted', async () => {
  const expected = await undisturbed();
  let daemon = await Daemon.scripted();
  const viewer = watch(daemon.url);
  await viewer.open;
  const stream = await Stream.open(daemon.url, { ...fast, source: 'de', target: 'en', channel: 'main', echo: true });
  const sender = new Witness();
  stream.on('*', (message) => sender.add(message));
  let kills = 0;
  await sendWords(stream, async () => {
    await sleep(Math.random() * 8);
    if (Math.random() > 0.1 && kills > 0) return;
    kills += 1;
    const { port, journal } = daemon;
    await daemon.stop('SIGKILL');
    daemon = await Daemon.scripted({ port, journal });
  });
  await viewer.all;
  viewer.close();
  assert.equal(viewer.starts, 1, 'the viewer starts from the present state only once');
  check(viewer, expected);
  check(sender, expected);
  assert.equal(await daemon.stop(), 0);
});

test('a client that gives a silent connection up and closes it keeps its stream', async () => {
  const daemon = await Daemon.scripted();
  const proxy = await Proxy.start(daemon);
  const stream = await Stream.open(proxy.url, { ...fast, source: 'de', target: 'en', channel: 'main' });
  const sentences = [];
  stream.on('sentence', ({ target }) => sentences.push(target));
  const again = new Promise((resolve, reject) => {
    stream.on('connection', ({ phase }) => phase === 'open' && resolve());
    stream.on('close', reject);
  });
  proxy.mute();
  stream.check();
  await again;
  await stream.source('Noch da.');
  await stream.finish();
  assert.deepEqual(sentences, ['NOCH DA.']);
  await proxy.stop();
  assert.equal(await daemon.stop(), 0);
});

test('a stream that is taken over, unknown or out of time is reported', async () => {
  const daemon = await Daemon.scripted({ flags: ['--resume-timeout', '0.5'] });
  const proxy = await Proxy.start(daemon);
  const open = (start) => Stream.open(proxy.url, { ...fast, source: 'de', target: 'en', ...start });
  const closed = (stream) => new Promise((resolve) => stream.on('close', resolve));
  const taken = await open();
  const { stream: name, resume } = taken.ready;
  const end = closed(taken);
  const other = await open({ resume: { stream: name, key: resume.key, seq: 0, event: 0 } });
  assert.equal((await end).code, 'taken-over');
  const gone = closed(other);
  const { port } = daemon;
  await daemon.stop('SIGKILL');
  const forgetful = await Daemon.scripted({ port, flags: ['--resume-timeout', '0.5'] });
  assert.equal((await gone).code, 'resume-unavailable');
  const late = await Stream.open(proxy.url, { WebSocket, source: 'de', target: 'en', channel: 'late' });
  const over = closed(late);
  await forgetful.stop('SIGKILL');
  assert.equal((await over).code, 'connection-lost');
  assert.throws(() => late.source('zu spät'), { code: 'out-of-order' });
});

test('a stream continues from its stored state: words that were kept but not sent arrive once, and in order', async () => {
  const expected = await undisturbed();
  const daemon = await Daemon.scripted();
  const viewer = watch(daemon.url);
  await viewer.open;
  let proxy = await Proxy.start(daemon);
  let stream = await Stream.open(proxy.url, { WebSocket, source: 'de', target: 'en', channel: 'main', echo: true });
  const sender = new Witness();
  let stored;
  const follow = () => {
    stream.keep = () => (stored = JSON.stringify(stream.state));
    stream.on('*', (message) => sender.add(message));
  };
  follow();
  // As after a crash, the daemon has received a message or not, and its answers are lost.
  const moments = { lost: 40, received: 80, answered: 140 };
  const crash = async (moment) => {
    const { state } = stream;
    if (moment === 'answered') await stream.taken();
    await proxy.stop(); // the page has crashed, and closes nothing
    stream.close();
    proxy = await Proxy.start(daemon);
    stream = Stream.restore(proxy.url, JSON.parse(moment === 'answered' ? stored : JSON.stringify(state)), { WebSocket });
    follow();
    if (moment === 'received') await new Promise((resolve) => stream.on('ready', resolve));
  };
  await sendWords({
    source: (text) => stream.source(text),
    hypothesis: (...all) => stream.hypothesis(...all),
    configure: (change) => stream.configure(change),
    endSentence: () => stream.endSentence(),
    finish: () => stream.finish(),
  }, async (sent) => {
    for (const [moment, at] of Object.entries(moments)) if (sent === at) await crash(moment);
  });
  assert.equal(stream.state, null, 'a stream that has finished cannot be resumed');
  await viewer.all;
  viewer.close();
  check(viewer, expected);
  check(sender, expected);
  assert.equal(await daemon.stop(), 0);
});

test('a stored stream that the daemon does not know is over', async () => {
  const daemon = await Daemon.scripted();
  const stream = await Stream.open(daemon.url, { WebSocket, source: 'de', target: 'en' });
  const { state } = stream;
  await stream.finish();
  const restore = (change) => {
    const restored = Stream.restore(daemon.url, { ...state, ready: { ...state.ready, ...change } }, { WebSocket });
    return new Promise((resolve) => restored.on('close', resolve));
  };
  assert.equal(await restore({}), null, 'it had finished');
  assert.equal((await restore({ stream: 'unknown' })).code, 'resume-unavailable');
  assert.equal(await daemon.stop(), 0);
});

test('without a connection the number of kept words is limited', async () => {
  const daemon = await Daemon.scripted({ flags: ['--limits-queued-words', '100', '--sentence-words', '50'] });
  const stream = await Stream.open(daemon.url, { ...fast, source: 'de', target: 'en' });
  const { port, journal } = daemon;
  const lost = new Promise((resolve) => stream.on('connection', ({ phase }) => phase === 'waiting' && resolve()));
  await daemon.stop('SIGKILL');
  await lost;
  stream.source(words.slice(0, 98).join(' '));
  assert.throws(() => stream.source('drei Worte mehr'), RangeError);
  const targets = [];
  stream.on('sentence', ({ target }) => targets.push(target));
  const again = await Daemon.scripted({ port, journal });
  await stream.finish();
  assert.equal(targets.join(' '), words.slice(0, 98).join(' ').toUpperCase());
  assert.equal(await again.stop(), 0);
});
