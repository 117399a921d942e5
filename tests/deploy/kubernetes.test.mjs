// The Kubernetes manifests: they conform to the API, agree with each other, and agree with the daemon.

import test, { before, after } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { Daemon, build, root } from '../web/support/daemon.mjs';
import { run } from './support/exec.mjs';

const folder = join(root, 'deploy/kubernetes');
const read = (name) => parse(readFileSync(join(folder, name), 'utf8'), { merge: true });
const kustomization = read('kustomization.yaml');
const config = read('surtitled.yaml');
const objects = kustomization.resources.map(read);
const one = (kind) => objects.find((object) => object.kind === kind);

const deployment = one('Deployment');
const pod = deployment.spec.template;
const container = pod.spec.containers[0];
const labels = pod.metadata.labels;
const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];

// Returns the compiler's errors for the objects with the types of Kubernetes' API, such as unknown fields or wrong
// types; '' if there are none.
async function violations(objects) {
  const own = fileURLToPath(new URL('.', import.meta.url));
  const file = join(own, 'node_modules/surtitle-manifests.ts');
  const typed = objects.map(
    ({ apiVersion, kind, ...rest }, index) =>
      `import type { I${kind} as I${index} } from 'kubernetes-models/${apiVersion}';\n` +
      `export const object${index}: I${index} = ${JSON.stringify({ apiVersion, kind, ...rest })};\n`,
  );
  writeFileSync(file, typed.join(''));
  const tsc = join(own, 'node_modules/typescript/bin/tsc');
  try {
    const checks = ['--noEmit', '--strict', '--skipLibCheck'];
    await run(process.execPath, [tsc, ...checks, '--module', 'esnext', '--moduleResolution', 'bundler', file]);
    return '';
  } catch (error) {
    return error.message;
  } finally {
    rmSync(file);
  }
}

let daemon;
before(async () => {
  daemon = await Daemon.scripted();
});
after(() => daemon?.stop());

test('each manifest conforms to the API', async () => {
  assert.equal(await violations(objects), '');
});

test('a mistake in a manifest is found', async () => {
  const broken = structuredClone(deployment);
  broken.spec.template.spec.containers[0].livenessProbe.httpGet.pathh = '/livez';
  assert.match(await violations([broken]), /"pathh"' does not exist/);
  const wrong = structuredClone(deployment);
  wrong.spec.template.spec.terminationGracePeriodSeconds = '60';
  assert.match(await violations([wrong]), /Type 'string' is not assignable to type 'number'/);
});

test('the kustomization lists all manifests', () => {
  const others = ['kustomization.yaml', 'surtitled.yaml', 'prometheus-adapter.yaml'];
  const files = readdirSync(folder).filter((name) => !others.includes(name));
  assert.deepEqual([...kustomization.resources].sort(), files.sort());
  assert.deepEqual(kustomization.configMapGenerator, [{ name: 'surtitle', files: ['surtitled.yaml'] }]);
});

test('the image has this version', () => {
  const [, version] = readFileSync(join(root, 'CMakeLists.txt'), 'utf8').match(/project\(surtitle VERSION (\S+)/);
  assert.deepEqual(kustomization.images, [{ name: container.image, newTag: version }]);
});

test('selectors match the pods', () => {
  for (const selector of [
    deployment.spec.selector.matchLabels,
    one('Service').spec.selector,
    one('PodDisruptionBudget').spec.selector.matchLabels,
    one('NetworkPolicy').spec.podSelector.matchLabels,
    pod.spec.topologySpreadConstraints[0].labelSelector.matchLabels,
  ]) {
    assert.deepEqual(selector, labels);
  }
  const { apiVersion, kind, name } = one('HorizontalPodAutoscaler').spec.scaleTargetRef;
  assert.deepEqual([apiVersion, kind, name], [deployment.apiVersion, deployment.kind, deployment.metadata.name]);
  assert.equal(deployment.spec.replicas, undefined, 'only the autoscaler sets the number of replicas');
});

test('ports and hosts agree', () => {
  const port = container.ports[0];
  assert.equal(port.containerPort, config.port);
  const service = one('Service').spec.ports[0];
  assert.equal(service.targetPort, port.name);
  for (const probe of probes) assert.equal(probe.httpGet.port, port.name);
  for (const rule of one('Ingress').spec.rules) {
    assert.ok(config.allowed_hosts.includes(rule.host), `the daemon accepts the name ${rule.host}`);
    assert.ok(one('Ingress').spec.tls.some(({ hosts }) => hosts.includes(rule.host)), `${rule.host} has TLS`);
    for (const { backend } of rule.http.paths) {
      assert.deepEqual(backend.service, { name: one('Service').metadata.name, port: { name: service.name } });
    }
  }
  assert.equal(one('NetworkPolicy').spec.ingress[0].ports[0].port, port.name);
});

test('the daemon answers the probes', async () => {
  for (const { httpGet } of probes) {
    const answer = await fetch(new URL(httpGet.path, daemon.url));
    assert.equal(answer.status, 200, httpGet.path);
  }
});

test('the grace period is longer than the pause and the drain', () => {
  const [, pause] = container.lifecycle.preStop.exec.command;
  const { terminationGracePeriodSeconds } = pod.spec;
  assert.ok(terminationGracePeriodSeconds >= Number(pause) + config.drain.timeout + 10);
});

test('the daemon accepts the configuration and the arguments', async () => {
  const file = join(folder, 'surtitled.yaml');
  const mounted = container.volumeMounts.find(({ name }) => name === 'config').mountPath;
  const args = container.args.map((arg) => (arg === `${mounted}/surtitled.yaml` ? file : arg));
  assert.ok(args.includes(file), 'the arguments name the file of the ConfigMap');
  const printed = parse(await run(join(build, 'surtitled_scripted'), [...args, '--print-config']));
  assert.equal(printed.port, config.port);
  assert.equal(printed.drain.timeout, config.drain.timeout);
});

test('files of the configuration are in mounted volumes', () => {
  const mount = (file) => container.volumeMounts.find(({ mountPath }) => file.startsWith(`${mountPath}/`));
  assert.equal(mount(config.access.tokens).name, 'access');
  assert.equal(mount(config.access.key).name, 'access');
  assert.ok(!mount(config.journal.path).readOnly, 'the journal can be written');
  const volumes = pod.spec.volumes.map(({ name }) => name).sort();
  assert.deepEqual(container.volumeMounts.map(({ name }) => name).sort(), volumes);
});

test('the autoscaler uses the number of streams, which is a metric of the daemon', async () => {
  const metric = one('HorizontalPodAutoscaler').spec.metrics[0].pods.metric.name;
  const exposition = await (await fetch(new URL('metrics', daemon.url))).text();
  assert.match(exposition, new RegExp(`^${metric} \\d`, 'm'));
  const [rule] = read('prometheus-adapter.yaml').rules.custom;
  assert.equal(rule.name.matches, metric);
  assert.ok(Number(one('HorizontalPodAutoscaler').spec.metrics[0].pods.target.averageValue) < config.limits.streams);
});

test('no process runs as root or can become root', () => {
  assert.equal(pod.spec.securityContext.runAsNonRoot, true);
  assert.equal(container.securityContext.readOnlyRootFilesystem, true);
  assert.equal(container.securityContext.allowPrivilegeEscalation, false);
  assert.deepEqual(container.securityContext.capabilities, { drop: ['ALL'] });
  assert.equal(pod.spec.automountServiceAccountToken, false);
});
