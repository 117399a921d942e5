// A recogniser's server on the loopback, whose words come from the test. It answers as WhisperLiveKit does.

import { once } from 'node:events';
import { WebSocketServer } from 'ws';
import { forget, remember } from './cleanup.mjs';

export class Recogniser {
  #server;
  #socket = null;
  #lines = [];
  #waiting = [];
  pieces = []; // of speech, each a Buffer

  static async start(port = 0) {
    const recogniser = new Recogniser();
    recogniser.#server = new WebSocketServer({ host: '127.0.0.1', port });
    recogniser.#server.on('connection', (socket) => recogniser.#serve(socket));
    await once(recogniser.#server, 'listening');
    remember(recogniser, () => recogniser.stop());
    recogniser.port = recogniser.#server.address().port;
    recogniser.url = `ws://127.0.0.1:${recogniser.port}/asr`;
    return recogniser;
  }

  #serve(socket) {
    this.#socket = socket;
    this.#lines = [];
    socket.send(JSON.stringify({ type: 'config', useAudioWorklet: true }));
    socket.on('message', (data) => {
      if (data.length > 0) this.pieces.push(data);
      else this.#end();
      for (const check of this.#waiting) check();
    });
  }

  // The server still sends words that it had heard.
  #end() {
    this.say('Zum Schluss.');
    this.#socket.send(JSON.stringify({ type: 'ready_to_stop' }));
  }

  // Resolves when the pieces of speech meet a condition.
  heard(condition) {
    return new Promise((resolve) => {
      const check = () => condition(this.pieces) && resolve();
      this.#waiting.push(check);
      check();
    });
  }

  say(text, unstable = '') {
    this.#lines = [{ speaker: 1, text: `${this.#lines[0]?.text ?? ''} ${text}`, start: '0:00:00', end: '0:00:01' }];
    this.#socket.send(JSON.stringify({ lines: this.#lines, buffer_transcription: unstable, buffer_diarization: '' }));
  }

  cut() {
    this.#socket.terminate();
  }

  async stop() {
    forget(this);
    for (const socket of this.#server.clients) socket.terminate();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
