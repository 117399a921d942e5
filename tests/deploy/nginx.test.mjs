// The nginx example with addresses of the test: nginx accepts it, and passes words on at once.

import test, { before, after } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import https from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import WebSocket from 'ws';
import { Daemon, root } from '../web/support/daemon.mjs';
import { run } from './support/exec.mjs';

const example = readFileSync(join(root, 'deploy/nginx/surtitle.conf'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'surtitle-nginx-'));
let daemon;
let nginx;
let port;
let certificate;

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: free } = server.address();
  server.close();
  await once(server, 'close');
  return free;
}

// Returns the example with the addresses and paths of the test. Fails if one of them is not in the example.
function adapted(text, replacements) {
  for (const [from, to] of replacements) {
    assert.ok(text.includes(from), `the example has ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}

before(async () => {
  daemon = await Daemon.scripted({
    flags: [
      ...['--trusted-proxies', '127.0.0.1', '--allowed-hosts', 'subtitles.example.org'],
      ...['--per-address-streams', '1', '--per-address-exempt', ''],
    ],
  });
  port = await freePort();
  mkdirSync(join(folder, 'log'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=subtitles.example.org', '-addext', 'subjectAltName=DNS:subtitles.example.org'];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  await run('openssl', ['req', '-x509', ...kind, '-keyout', key, '-out', cert, ...subject]);
  certificate = readFileSync(cert);
  const site = adapted(example, [
    ['127.0.0.1:8765', `127.0.0.1:${daemon.port}`],
    ['    listen [::]:443 ssl;\n', ''],
    ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
    ['/etc/surtitle/fullchain.pem', cert],
    ['/etc/surtitle/privkey.pem', key],
    ['/var/log/nginx/surtitle.log', join(folder, 'log/surtitle.log')],
  ]);
  writeFileSync(join(folder, 'site.conf'), site);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/${kind};`);
  writeFileSync(
    join(folder, 'nginx.conf'),
    `worker_processes 1; daemon off; pid ${folder}/pid; error_log ${folder}/log/error.log notice; worker_shutdown_timeout 30s;
     events {} http { ${temporary.join(' ')} include ${folder}/site.conf; }\n`,
  );
});
after(async () => {
  if (nginx) {
    nginx.kill('SIGTERM');
    await once(nginx, 'exit');
  }
  await daemon?.stop();
  rmSync(folder, { recursive: true });
});

const log = (name) => readFileSync(join(folder, 'log', name), 'utf8');

// Waits until a log file of nginx matches the pattern.
async function logged(name, pattern) {
  while (!pattern.test(log(name))) await new Promise((resolve) => setTimeout(resolve, 5));
}

const name = 'subtitles.example.org';
const options = () => ({ ca: certificate, servername: name, host: '127.0.0.1', port, headers: { host: name } });

function get(path) {
  return new Promise((resolve, reject) => {
    https
      .get({ ...options(), path, agent: false }, async (response) => {
        let body = '';
        for await (const part of response) body += part;
        resolve({ status: response.statusCode, headers: response.headers, body });
      })
      .on('error', reject);
  });
}

function stream(localAddress = '127.0.0.1') {
  const address = `wss://127.0.0.1:${port}/v1/stream?token=secret`;
  const socket = new WebSocket(address, 'surtitle.v1', { ...options(), localAddress });
  const received = [];
  socket.on('message', (text) => received.push(JSON.parse(text)));
  const until = async (type) => {
    while (!received.some((message) => message.type === type)) await once(socket, 'message');
    return received.find((message) => message.type === type);
  };
  return { socket, until, send: (message) => socket.send(JSON.stringify(message)) };
}

test('nginx accepts the example', async () => {
  await run('nginx', ['-t', '-p', folder, '-c', join(folder, 'nginx.conf')]);
});

test('nginx rejects the example with a mistake', async () => {
  const broken = join(folder, 'broken.conf');
  writeFileSync(broken, readFileSync(join(folder, 'nginx.conf'), 'utf8').replace('site.conf', 'broken_site.conf'));
  const site = readFileSync(join(folder, 'site.conf'), 'utf8');
  writeFileSync(join(folder, 'broken_site.conf'), site.replace('proxy_http_version', 'proxy_http_verzion'));
  await assert.rejects(run('nginx', ['-t', '-p', folder, '-c', broken]), /proxy_http_verzion/);
});

test('nginx passes pages and words on', async () => {
  nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'inherit' });
  await logged('error.log', /start worker processes/);

  const page = await get('/c/main');
  assert.equal(page.status, 200);
  assert.match(page.headers['content-security-policy'], /default-src 'none'/);
  for (const path of ['/metrics', '/livez', '/healthz', '/readyz']) assert.equal((await get(path)).status, 404, path);

  const sender = stream();
  await once(sender.socket, 'open');
  assert.equal(sender.socket.protocol, 'surtitle.v1');
  sender.send({ type: 'start', source: 'de', target: 'en', channel: 'main' });
  await sender.until('ready');
  sender.send({ type: 'source', seq: 1, text: 'guten lieben' });
  assert.equal((await sender.until('write')).text, 'GUTE', 'word by word, while the sentence is open');

  sender.socket.close();
  await logged('surtitle.log', /GET \/v1\/stream/);
  assert.doesNotMatch(log('surtitle.log'), /secret/, 'a token is in no log');
});

test('each address has limits of its own', async () => {
  const first = stream('127.0.0.2');
  await once(first.socket, 'open');
  const other = stream('127.0.0.3');
  await once(other.socket, 'open');
  const second = stream('127.0.0.2'); // accepted, because it may be the first sender after a lost connection
  await once(second.socket, 'open');
  const [error] = await once(stream('127.0.0.2').socket, 'error');
  assert.match(error.message, /429/);
  for (const { socket } of [first, second, other]) socket.close();
});
