import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Outbox } from '../../web/console/outbox.js';

// A stream that acknowledges messages when the test calls take().
class FakeStream {
  said = [];
  #taken = [];

  #send(text) {
    this.said.push(text);
    return new Promise((resolve) => this.#taken.push(resolve));
  }

  source(text, { time }) {
    return this.#send(time === undefined ? text : `${text}@${time}`);
  }

  hypothesis(text, { final = false } = {}) {
    this.said.push(final ? `${text}|` : `${text}?`);
  }

  endSentence() {
    this.said.push('|');
  }

  taken() {
    return new Promise((resolve) => this.#taken.push(resolve));
  }

  // Acknowledges the next messages.
  async take(messages = this.#taken.length) {
    for (const resolve of this.#taken.splice(0, messages)) resolve();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('words wait for a stream, and for the end of a pause', async () => {
  const [outbox, stream] = [new Outbox(), new FakeStream()];
  outbox.words('Guten Morgen,');
  assert.deepEqual([outbox.standing.waiting, outbox.standing.text], [2, 'Guten Morgen,']);
  outbox.attach(stream);
  outbox.words('meine', 1.5);
  outbox.paused = true;
  outbox.words('Damen');
  outbox.endSentence();
  assert.deepEqual(stream.said, ['Guten Morgen,', 'meine@1.5']);
  assert.deepEqual([outbox.standing.waiting, outbox.standing.sent], [1, 3]);
  outbox.paused = false;
  assert.deepEqual(stream.said, ['Guten Morgen,', 'meine@1.5', 'Damen', '|']);
  await stream.take();
  assert.deepEqual([outbox.standing.waiting, outbox.standing.sent, outbox.standing.text], [0, 0, '']);
});

test('the mark of a pause is not sent again on the next stream', async () => {
  const outbox = new Outbox();
  const [first, second] = [new FakeStream(), new FakeStream()];
  outbox.attach(first);
  outbox.words('eins');
  outbox.announce('[‖ Pause]');
  outbox.attach(null);
  outbox.attach(second);
  assert.deepEqual([first.said, second.said], [['eins', '|', '[‖ Pause]', '|'], ['eins']]);
});

test('unacknowledged words of a lost stream are sent again on the next one, in order', async () => {
  const outbox = new Outbox();
  const [first, second] = [new FakeStream(), new FakeStream()];
  outbox.attach(first);
  for (const word of ['eins', 'zwei', 'drei']) outbox.words(word);
  outbox.hypothesis('vier fünf', true);
  await first.take(1);
  outbox.attach(null);
  outbox.words('sechs');
  assert.equal(outbox.standing.waiting, 5);
  outbox.attach(second);
  assert.deepEqual(second.said, ['zwei', 'drei', 'vier fünf|', 'sechs']);
  await first.take();
  assert.equal(outbox.standing.sent, 5, 'acknowledgements of the lost stream do not count');
  await second.take();
  assert.deepEqual([outbox.standing.waiting, outbox.standing.sent], [0, 0]);
});

test('only part of a long text is unacknowledged at a time, so that a pause takes effect soon', async () => {
  const [outbox, stream] = [new Outbox(), new FakeStream()];
  const text = Array.from({ length: 1000 }, (_, i) => `w${i}`).join(' ');
  outbox.attach(stream);
  outbox.words(text);
  const { sent, waiting } = outbox.standing;
  assert.ok(sent > 0 && sent < 100, `${sent}`);
  assert.equal(sent + waiting, 1000);
  outbox.paused = true;
  await stream.take();
  assert.deepEqual([outbox.standing.sent, outbox.standing.waiting], [0, waiting]);
  outbox.paused = false;
  while (outbox.standing.sent > 0) await stream.take();
  assert.equal(stream.said.join(' '), text);
});

test('after a pause only the last hypothesis is sent, after the words before it', async () => {
  const [outbox, stream] = [new Outbox(), new FakeStream()];
  outbox.attach(stream);
  outbox.hypothesis('guten', false);
  outbox.paused = true;
  outbox.hypothesis('guten mor', false);
  outbox.hypothesis('guten morgen', false);
  assert.equal(outbox.standing.text, 'guten morgen');
  assert.equal(outbox.standing.waiting, 2);
  outbox.paused = false;
  assert.deepEqual(stream.said, ['guten?', 'guten morgen?']);
  outbox.paused = true;
  outbox.hypothesis('guten morgen', true);
  outbox.hypothesis('und', false);
  outbox.paused = false;
  assert.deepEqual(stream.said.slice(2), ['guten morgen|', 'und?']);
});

test('the same words can be recognised again', () => {
  const [outbox, stream] = [new Outbox(), new FakeStream()];
  outbox.attach(stream);
  for (const final of [false, true, false]) outbox.hypothesis('ja', final);
  assert.deepEqual(stream.said, ['ja?', 'ja|', 'ja?']);
  outbox.paused = true;
  for (const final of [true, false]) outbox.hypothesis('ja', final);
  outbox.paused = false;
  assert.deepEqual(stream.said.slice(3), ['ja|', 'ja?']);
});

test('a hypothesis that was sent on a lost stream is sent again on the next one', () => {
  const outbox = new Outbox();
  outbox.attach(new FakeStream());
  outbox.hypothesis('guten', false);
  outbox.attach(null);
  assert.equal(outbox.standing.waiting, 1);
  const stream = new FakeStream();
  outbox.attach(stream);
  assert.deepEqual(stream.said, ['guten?']);
});

test('the end of a sentence is reported when it is sent', () => {
  const outbox = new Outbox();
  let ends = 0;
  outbox.onSentenceEnd = () => (ends += 1);
  outbox.endSentence();
  assert.equal(ends, 0);
  outbox.attach(new FakeStream());
  outbox.hypothesis('ja', true);
  assert.equal(ends, 2);
});

test('the lag is the time of the last acknowledgement, or the age of unacknowledged words', async () => {
  let now = 1000;
  const [outbox, stream] = [new Outbox(() => now), new FakeStream()];
  assert.equal(outbox.standing.lag, null);
  outbox.attach(stream);
  outbox.words('eins');
  now += 30;
  assert.equal(outbox.standing.lag, 30);
  await stream.take();
  assert.equal(outbox.standing.lag, 30);
  outbox.words('zwei');
  now += 500;
  assert.equal(outbox.standing.lag, 500);
});

test('a word that is too long for a message is left out, and the rest is sent', async () => {
  const [outbox, stream] = [new Outbox(), new FakeStream()];
  const problems = [];
  outbox.onProblem = (text) => problems.push(text);
  stream.source = (text) => {
    if (text === 'lang') throw new RangeError('a word does not fit into a message');
    stream.said.push(text);
    return Promise.resolve();
  };
  outbox.attach(stream);
  outbox.words('lang');
  outbox.words('kurz');
  await outbox.empty();
  assert.deepEqual([problems, stream.said], [['Left out: a word does not fit into a message.'], ['kurz']]);
});

test('the words of another page are taken over: those of its stream wait for its acknowledgement, or are sent again', async () => {
  const [outbox, first] = [new Outbox(), new FakeStream()];
  outbox.attach(first);
  outbox.words('eins');
  outbox.hypothesis('drei', false);
  outbox.paused = true;
  outbox.words('zwei');
  const stored = JSON.parse(JSON.stringify(outbox.state));
  const [resumed, stream] = [new Outbox(), new FakeStream()];
  resumed.restore(stored);
  resumed.resume(stream);
  assert.deepEqual(stream.said, ['zwei', 'drei|'], 'the stream sends its unacknowledged messages by itself');
  await stream.take();
  assert.deepEqual([resumed.standing.sent, resumed.standing.waiting], [0, 0]);
  const [lost, next] = [new Outbox(), new FakeStream()];
  lost.restore(stored);
  lost.attach(null);
  assert.equal(lost.standing.waiting, 3);
  lost.attach(next);
  assert.deepEqual(next.said, ['eins', 'zwei', 'drei|']);
});

test('words are kept before they are sent', () => {
  const [outbox, stream] = [new Outbox(), new FakeStream()];
  let kept = '';
  outbox.keep = () => (kept = JSON.stringify(outbox.state));
  stream.source = (text) => {
    assert.ok(kept.includes(text), text);
    return new Promise(() => {});
  };
  outbox.attach(stream);
  outbox.words('eins');
});
