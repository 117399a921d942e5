// Translates standard input, line by line, to standard output:
//
//   npm ci
//   echo 'Guten Morgen, meine Damen und Herren.' | node translate.mjs http://127.0.0.1:8765/ de en main
//
// Viewers of the channel, the fourth argument, see the words too. If the daemon requires a token, the address has it:
// http://127.0.0.1:8765/?token=...

import { createInterface } from 'node:readline';
import { Stream } from 'surtitle';
import WebSocket from 'ws';

const [address = 'http://127.0.0.1:8765/', source = 'de', target = 'en', channel] = process.argv.slice(2);
const [home, query] = address.split('?');
const token = new URLSearchParams(query).get('token');

try {
  const stream = await Stream.open(home, { WebSocket, token, source, target, channel });
  stream.on('write', ({ text }) => process.stdout.write(text));
  stream.on('sentence', () => process.stdout.write('\n'));
  for await (const line of createInterface({ input: process.stdin })) await stream.source(line);
  await stream.finish();
} catch (error) {
  console.error(`translate: ${error.message}`);
  process.exitCode = 1;
}
