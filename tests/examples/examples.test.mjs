// The examples as processes, with a real daemon.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { build, Daemon, root } from '../web/support/daemon.mjs';

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

test('both take the token of their address, and end with the reason if it is refused', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'surtitle-examples-')), 'tokens');
  const token = execFileSync(join(build, 'surtitle'), ['token', '--name', 'a', '--role', 'send,view', '--add', file], { encoding: 'utf8' }).trim();
  const closed = await Daemon.scripted({ flags: ['--access-tokens', file] });
  const address = `${closed.url}?token=${token}`;
  const watching = run('watch.mjs', address, 'hall');
  for await (const phase of createInterface({ input: watching.stderr })) if (phase === 'open') break;
  run('translate.mjs', address, 'de', 'en', 'hall').stdin.end('Guten Morgen.');
  const lines = [];
  for await (const line of createInterface({ input: watching.stdout })) if (lines.push(line) === 2) break;
  assert.deepEqual(lines, ['Guten Morgen.', '  GUTEN MORGEN.']);
  watching.kill();
  for (const [example, query, reason] of [
    ['translate', '', 'This daemon requires a token'],
    ['watch', '', 'This daemon requires a token'],
    ['watch', `?token=${token}x`, 'The token is not valid for this daemon'],
  ]) {
    const process = run(`${example}.mjs`, closed.url + query);
    const [err, [code]] = await Promise.all([text(process.stderr), once(process, 'exit')]);
    assert.match(err, new RegExp(`^${example}: ${reason}`, 'mu'));
    assert.equal(code, 1);
  }
  assert.equal(await closed.stop(), 0);
});
