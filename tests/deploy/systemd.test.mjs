// The installed systemd units: systemd accepts them, and they agree with the daemon. tests/daemon/systemd tests the
// daemon's notifications and its sockets.

import test, { before, after } from 'node:test';
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { build } from '../web/support/daemon.mjs';
import { run } from './support/exec.mjs';

// Exposure by `systemd-analyze security`, from 0 to 100. The rest is the network, and the machine's root folder
// (read-only).
const MAX_EXPOSURE = '12';

const folder = mkdtempSync(join(tmpdir(), 'surtitle-systemd-'));
const prefix = join(folder, 'usr');
const unit = (name) => join(prefix, 'lib/systemd/system', name);
const daemon = join(prefix, 'bin/surtitled');
const setting = (name, key) => readFileSync(unit(name), 'utf8').match(new RegExp(`^${key}=(.*)$`, 'm'))?.[1];
const verify = (...units) => run('systemd-analyze', ['verify', '--man=no', ...units]);

before(() => run('cmake', ['--install', build, '--component', 'daemon', '--prefix', prefix]));
after(() => rmSync(folder, { recursive: true }));

test('systemd accepts the units', async () => {
  assert.equal(await verify(unit('surtitled.service'), unit('surtitled.socket')), '');
});

test('a mistake in a unit is found', async () => {
  const broken = join(folder, 'surtitled.service');
  writeFileSync(broken, readFileSync(unit('surtitled.service'), 'utf8').replace('WatchdogSec=30', 'WatchdogSecs=30'));
  assert.match(await verify(broken, unit('surtitled.socket')), /WatchdogSecs/);
});

test('the daemon has few rights', async () => {
  const args = ['security', '--offline=true', '--no-pager', `--threshold=${MAX_EXPOSURE}`, unit('surtitled.service')];
  assert.match(await run('systemd-analyze', args), /Overall exposure level/);
});

test('the unit starts the installed daemon with its configuration', async () => {
  const [program, ...args] = setting('surtitled.service', 'ExecStart').split(' ');
  assert.equal(program, daemon);
  const printed = parse(await run(program, [...args, '--print-config']));
  const [address, port] = setting('surtitled.socket', 'ListenStream').split(':');
  assert.deepEqual([printed.address, printed.port], [address, Number(port)], 'the socket has the daemon\'s own address');
  assert.ok(Number(setting('surtitled.service', 'TimeoutStopSec')) >= printed.drain.timeout + 10);
  const connections = printed.limits.streams + printed.limits.viewers + 256;
  assert.ok(Number(setting('surtitled.service', 'LimitNOFILE')) > connections);
});

test('if the daemon cannot start, systemd retries without limit, so that the socket stays open', () => {
  assert.equal(setting('surtitled.service', 'StartLimitIntervalSec'), '0');
});

test('a reload needs no program that a small system lacks', () => {
  const [program] = setting('surtitled.service', 'ExecReload').split(' ');
  assert.equal(program, 'sh', 'kill is in procps, on which the package does not depend');
});
