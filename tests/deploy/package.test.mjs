// The Debian packages: their contents, lintian's findings, and the programs in any folder.

import test, { before, after } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import WebSocket from 'ws';
import { build } from '../web/support/daemon.mjs';
import { run } from './support/exec.mjs';

const folder = mkdtempSync(join(tmpdir(), 'surtitle-package-'));
const unpacked = join(folder, 'root');
let packages; // {name: file}

const field = async (name, what) => (await run('dpkg-deb', ['--field', packages[name], what])).trim();
const contents = async (name) =>
  (await run('dpkg-deb', ['--contents', packages[name]])).trim().split('\n').map((line) => {
    const [mode, owner, , , , path] = line.split(/\s+/);
    return { mode, owner, path: path.replace(/^\./, '') };
  });

before(async () => {
  await run('cpack', ['-G', 'DEB', '-B', join(folder, 'packages')], { cwd: build });
  packages = {};
  for (const file of readdirSync(join(folder, 'packages')).filter((name) => name.endsWith('.deb'))) {
    packages[file.split('_')[0]] = join(folder, 'packages', file);
  }
  for (const file of Object.values(packages)) await run('dpkg-deb', ['--extract', file, unpacked]);
});
after(() => rmSync(folder, { recursive: true }));

test('there is a package for the programs and one for the models', async () => {
  assert.ok(packages.surtitle && packages['surtitle-models']);
  assert.equal(await field('surtitle-models', 'Architecture'), 'all');
  assert.notEqual(await field('surtitle', 'Architecture'), 'all');
  assert.equal(await field('surtitle', 'Recommends'), 'surtitle-models');
  const depends = await field('surtitle', 'Depends');
  for (const library of ['libc6', 'libsentencepiece0', 'libyaml-cpp', 'libsqlite3-0', 'libssl3']) {
    assert.ok(depends.includes(library), `depends on ${library}: ${depends}`);
  }
});

test('every file belongs to root, and is in a folder of Debian\'s policy', async () => {
  for (const name of Object.keys(packages)) {
    for (const { owner, mode, path } of await contents(name)) {
      assert.equal(owner, 'root/root', path);
      assert.ok(mode[8] !== 'w' && mode[5] !== 'w', `${path} is ${mode}`);
      assert.match(path, /^\/((etc|usr)\/)?$|^\/(etc\/surtitle|usr\/(bin|lib|share))\//);
    }
  }
  const control = join(folder, 'control');
  await run('dpkg-deb', ['--control', packages.surtitle, control]);
  const conffiles = readFileSync(join(control, 'conffiles'), 'utf8').trim().split('\n');
  for (const file of conffiles) statSync(join(unpacked, file));
  for (const script of ['postinst', 'prerm', 'postrm']) await run('sh', ['-n', join(control, script)]);
});

test('lintian finds nothing', async () => {
  const strict = ['--allow-root', '--fail-on=error,warning', '--tag-display-limit=0'];
  const found = await run('lintian', [...strict, ...Object.values(packages)]);
  assert.doesNotMatch(found, /^[EW]:/m);
});

test('the daemon runs from any folder, with its pages and models', async () => {
  const program = join(unpacked, 'usr/bin/surtitled');
  const flags = ['--config', join(unpacked, 'etc/surtitle/surtitled.yaml'), '--port', '0', '--journal-path', 'none', '--models', 'de-en-gma'];
  const daemon = spawn(program, flags, { stdio: ['ignore', 'pipe', 'inherit'], cwd: '/' });
  try {
    let url;
    for await (const line of createInterface({ input: daemon.stdout })) {
      [, url] = line.match(/^surtitled ready on (.*)$/) ?? [];
      break;
    }
    for (const page of ['c/main', 'console', 'inside', 'main.js', 'node_modules/echarts/dist/echarts.esm.min.mjs']) {
      assert.equal((await fetch(url + page)).status, 200, page);
    }
    const socket = new WebSocket(`${url.replace('http', 'ws')}v1/stream`, 'surtitle.v1');
    await once(socket, 'open');
    for (const message of [{ type: 'start', source: 'de', target: 'en' }, { type: 'source', seq: 1, text: 'Guten Morgen.' }, { type: 'finish' }]) {
      socket.send(JSON.stringify(message));
    }
    const received = [];
    socket.on('message', (text) => received.push(JSON.parse(text)));
    await once(socket, 'close');
    assert.match(received.find(({ type }) => type === 'sentence').target, /^Good morning/);
  } finally {
    daemon.kill('SIGTERM');
    await once(daemon, 'exit');
  }
});

test('without the models the error has their expected folder', async () => {
  await run('mv', [join(unpacked, 'usr/share/surtitle/model'), join(folder, 'model')]);
  const start = run(join(unpacked, 'usr/bin/surtitled'), ['--port', '0', '--journal-path', 'none']);
  const place = join(unpacked, 'usr/share/surtitle/model/pretrained');
  await assert.rejects(start, new RegExp(`surtitled: cannot find the folder model/pretrained; it must be at ${place}\n`));
});
