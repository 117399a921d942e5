// Prints the sentences of a channel as they are completed, without end:
//
//   npm ci
//   node watch.mjs http://127.0.0.1:8765/ main
//
// If the daemon requires a token, the address has it: http://127.0.0.1:8765/?token=...

import { Channel } from 'surtitle';
import WebSocket from 'ws';

const [address = 'http://127.0.0.1:8765/', name = 'main'] = process.argv.slice(2);
const [home, query] = address.split('?');
const token = new URLSearchParams(query).get('token');
const channel = new Channel(home, name, { WebSocket, token });

channel.on('sentence', ({ source, target }) => console.log(`${source}\n  ${target}`));
channel.on('connection', ({ phase }) => console.error(phase));
channel.on('refused', ({ code, message }) => {
  console.error(`watch: ${message}`);
  if (code === 'rate-limited') return; // the channel tries again
  channel.close();
  process.exitCode = 1;
});
channel.open();
