// Runs on the browser's audio thread: sends the microphone's sound to capture.js in pieces of a tenth of a second, as
// 16-bit samples, one channel, 16 kHz. The loudest sample of each piece is its level.

import { Resampler } from './resampler.js';

const RATE = 16_000;
const PIECE = RATE / 10;

class CaptureProcessor extends AudioWorkletProcessor {
  #resampler = new Resampler(sampleRate, RATE);
  #piece = new Int16Array(PIECE);
  #filled = 0;

  process([[channel]]) {
    if (channel) for (const sample of this.#resampler.push(channel)) this.#add(sample);
    return true;
  }

  #add(sample) {
    this.#piece[this.#filled] = Math.round(Math.max(-1, Math.min(1, sample)) * 32_767);
    this.#filled += 1;
    if (this.#filled < PIECE) return;
    const level = this.#piece.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 32_768;
    this.port.postMessage({ samples: this.#piece, level }, [this.#piece.buffer]);
    this.#piece = new Int16Array(PIECE);
    this.#filled = 0;
  }
}

registerProcessor('surtitle-capture', CaptureProcessor);
