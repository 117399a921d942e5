// The examples as processes, with a real daemon.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { Daemon, root } from '../web/support/daemon.mjs';

let daemon;

before(async () => {
  daemon = await Daemon.scripted();
});

after(async () => {
  assert.equal(await daemon.stop(), 0);
});

function run(example, ...args) {
  return spawn(process.execPath, [join(root, 'examples', example), ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
}

test('translate.mjs writes the translation of its input, a line for each sentence', async () => {
  const process = run('translate.mjs', daemon.url, 'de', 'en');
  process.stdin.end('Guten Morgen. Wie geht\nes Ihnen?\nGut');
  const [out, err, [code]] = await Promise.all([text(process.stdout), text(process.stderr), once(process, 'exit')]);
  assert.deepEqual([out, err, code], ['GUTEN MORGEN.\nWIE GEHT ES IHNEN?\nGUT\n', '', 0]);
});

test('translate.mjs prints the error of a rejected stream', async () => {
  const process = run('translate.mjs', daemon.url, 'de', 'xx');
  process.stdin.end('Guten Morgen.');
  const [out, err, [code]] = await Promise.all([text(process.stdout), text(process.stderr), once(process, 'exit')]);
  assert.deepEqual([out, code], ['', 1]);
  assert.match(err, /^translate: .*xx.*\n$/u);
});

test('watch.mjs prints the sentences of a channel', async () => {
  const watching = run('watch.mjs', daemon.url, 'hall');
  for await (const phase of createInterface({ input: watching.stderr })) if (phase === 'open') break;
  const sending = run('translate.mjs', daemon.url, 'de', 'en', 'hall');
  sending.stdin.end('Guten Morgen.');
  const lines = [];
  for await (const line of createInterface({ input: watching.stdout })) if (lines.push(line) === 2) break;
  assert.deepEqual(lines, ['Guten Morgen.', '  GUTEN MORGEN.']);
  watching.kill();
  await once(watching, 'exit');
});
