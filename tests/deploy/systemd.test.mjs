// The systemd units, as they are installed: systemd takes them, and what they say fits the daemon. What the daemon tells
// systemd, and what becomes of its socket, is in tests/daemon/systemd.

import test, { before, after } from 'node:test';
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { build } from '../web/support/daemon.mjs';
import { run } from './support/exec.mjs';

// Exposure as `systemd-analyze security` has it, from 0 to 100: what is left is the network, and a root folder that is the
// machine's (read-only).
const MAX_EXPOSURE = '12';

const folder = mkdtempSync(join(tmpdir(), 'surtitle-systemd-'));
const prefix = join(folder, 'usr');
const unit = (name) => join(prefix, 'lib/systemd/system', name);
const daemon = join(prefix, 'bin/surtitled');
const setting = (name, key) => readFileSync(unit(name), 'utf8').match(new RegExp(`^${key}=(.*)$`, 'm'))?.[1];
const verify = (...units) => run('systemd-analyze', ['verify', '--man=no', ...units]);

before(() => run('cmake', ['--install', build, '--component', 'daemon', '--prefix', prefix]));
after(() => rmSync(folder, { recursive: true }));

test('systemd takes them', async () => {
  assert.equal(await verify(unit('surtitled.service'), unit('surtitled.socket')), '');
});

test('a mistake in one is found', async () => {
  const broken = join(folder, 'surtitled.service');
  writeFileSync(broken, readFileSync(unit('surtitled.service'), 'utf8').replace('WatchdogSec=30', 'WatchdogSecs=30'));
  assert.match(await verify(broken, unit('surtitled.socket')), /WatchdogSecs/);
});

test('little is left that the daemon may do', async () => {
  const args = ['security', '--offline=true', '--no-pager', `--threshold=${MAX_EXPOSURE}`, unit('surtitled.service')];
  assert.match(await run('systemd-analyze', args), /Overall exposure level/);
});

test('the daemon that is started is the one that is installed, with its configuration', async () => {
  const [program, ...args] = setting('surtitled.service', 'ExecStart').split(' ');
  assert.equal(program, daemon);
  const printed = parse(await run(program, [...args, '--print-config']));
  const [address, port] = setting('surtitled.socket', 'ListenStream').split(':');
  assert.deepEqual([printed.address, printed.port], [address, Number(port)], 'the socket is where the daemon would be');
  assert.ok(Number(setting('surtitled.service', 'TimeoutStopSec')) >= printed.drain.timeout + 10);
  const connections = printed.limits.streams + printed.limits.viewers + 256;
  assert.ok(Number(setting('surtitled.service', 'LimitNOFILE')) > connections);
});

test('a daemon that cannot start is tried again for ever, so that its socket stays open', () => {
  assert.equal(setting('surtitled.service', 'StartLimitIntervalSec'), '0');
});

test('a reload takes no program that a small system lacks', () => {
  const [program] = setting('surtitled.service', 'ExecReload').split(' ');
  assert.equal(program, 'sh', 'kill is in procps, on which the package does not depend');
});
