// Prints the sentences of a channel as they are completed, without end:
//
//   npm ci
//   node watch.mjs http://127.0.0.1:8765/ main

import { Channel } from 'surtitle';
import WebSocket from 'ws';

const [address = 'http://127.0.0.1:8765/', name = 'main'] = process.argv.slice(2);
const channel = new Channel(address, name, { WebSocket });

channel.on('sentence', ({ source, target }) => console.log(`${source}\n  ${target}`));
channel.on('connection', ({ phase }) => console.error(phase));
channel.open();
