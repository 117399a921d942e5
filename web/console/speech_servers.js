// The protocols by which recognisers' servers receive speech over a WebSocket. daemon/pipe/speech_protocol.cpp has the
// same ones for `surtitle listen`, and daemon/recognisers/ describes the messages with the words.
//
// An object serves one connection. Its messages are sent in this order: `opening`, if any; speech(samples) for each piece,
// once `ready`; end(). All messages of the server pass through receive(). Words go to the sink:
//   words(text, time), endSentence()   committed words
//   hypothesis(text, final)            the whole text since the last final one

import { LiveTranscript } from './whisperlivekit.js';

// Returns the message as an object, which is empty if it is no object in JSON.
function parse(message) {
  try {
    return Object(JSON.parse(message));
  } catch {
    return {};
  }
}

// The server's first message is {type: 'config', useAudioWorklet}: true asks for the bare samples (--pcm-input), false for
// a file in any format of ffmpeg. An empty message ends the speech, and {type: 'ready_to_stop'} follows the last words.
class WhisperLiveKit {
  ready = false;
  done = false;
  opening = null;
  #sink;
  #transcript = new LiveTranscript();
  #header = new Uint8Array(0); // to send before the first samples

  constructor(sink) {
    this.#sink = sink;
  }

  // The words that may still change, for the operator only.
  get heard() {
    return this.#transcript.rest;
  }

  speech(samples) {
    const bytes = new Uint8Array(this.#header.length + samples.byteLength);
    bytes.set(this.#header);
    bytes.set(new Uint8Array(samples.buffer), this.#header.length);
    this.#header = new Uint8Array(0);
    return bytes;
  }

  end() {
    return new Uint8Array(0);
  }

  receive(text) {
    const message = parse(text);
    if (message.type === 'config' && !this.ready) {
      this.ready = true;
      if (message.useAudioWorklet !== true) this.#header = wavHeader();
    }
    this.done ||= message.type === 'ready_to_stop';
    this.#transcript.read(message);
    this.#pass();
  }

  // The connection was cut: words that the server has not committed are the last ones that it knows.
  close() {
    this.#transcript.endSession();
    this.#pass();
  }

  #pass() {
    for (const { text, time, end } of this.#transcript.take()) {
      if (text !== '') this.#sink.words(text, time);
      if (end) this.#sink.endSentence();
    }
  }
}

// Returns the header of a WAV file of unknown length.
function wavHeader() {
  const view = new DataView(new ArrayBuffer(44));
  const text = (at, characters) => [...characters].forEach((one, i) => view.setUint8(at + i, one.charCodeAt(0)));
  const unknown = 0xffffffff;
  text(0, 'RIFF');
  view.setUint32(4, unknown, true);
  text(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true); // PCM
  view.setUint16(22, 1, true); // channels
  view.setUint32(24, 16_000, true);
  view.setUint32(28, 32_000, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, 'data');
  view.setUint32(40, unknown, true);
  return new Uint8Array(view.buffer);
}

// Recognisers that send the whole text since the last final one.
class Hypotheses {
  ready = true;
  done = false;
  heard = '';
  #sink;

  constructor(sink) {
    this.#sink = sink;
  }

  // The next session does not repeat an open text, which therefore counts as final.
  close() {
    if (this.heard !== '') this.hear(this.heard, true);
  }

  hear(text, final) {
    if (text === '' && this.heard === '') return;
    this.heard = final ? '' : text;
    this.#sink.hypothesis(text, final);
  }
}

// Each binary message is answered by one text. The server in Python closes the connection after its answer to the end, the
// one in C++ answers the configuration as well and waits for the client to close.
class Vosk extends Hypotheses {
  opening = '{"config" : {"sample_rate" : 16000, "words" : true}}';
  #sent = 0;
  #answers = 0;
  #ended = false;

  speech(samples) {
    this.#sent += 1;
    return samples;
  }

  end() {
    this.#ended = true;
    return '{"eof" : 1}';
  }

  receive(text) {
    const { partial, text: final, alternatives } = parse(text);
    this.#answers += 1;
    this.done = this.#ended && this.#answers === this.#sent + 2;
    if (typeof partial === 'string') this.hear(partial, false);
    else if (typeof final === 'string') this.hear(final, true);
    else if (Array.isArray(alternatives)) this.hear(`${alternatives[0]?.text ?? ''}`, true);
  }
}

// Samples are 32-bit floating-point numbers from -1 to 1. The server in C++ sends "Done!" after the last words, the one in
// Python closes the connection.
class SherpaOnnx extends Hypotheses {
  opening = null;
  #segment = 0;

  speech(samples) {
    return Float32Array.from(samples, (sample) => sample / 32_768);
  }

  end() {
    return 'Done';
  }

  receive(message) {
    this.done ||= message === 'Done!';
    const { text, segment = this.#segment, is_final: final, is_eof: last } = parse(message);
    if (typeof text !== 'string') return;
    if (segment !== this.#segment) this.close();
    this.#segment = segment;
    this.hear(text, Boolean(final || last));
  }
}

// name -> {label, address: where it usually is, command: starts it, speech(sink): makes the object of a connection}
export const SPEECH_SERVERS = {
  whisperlivekit: {
    label: 'WhisperLiveKit',
    address: 'ws://127.0.0.1:8000/asr',
    command: (language) =>
      `pip install whisperlivekit && whisperlivekit-server --model base --lan ${language} --pcm-input --backend faster-whisper --backend-policy localagreement`,
    speech: (sink) => new WhisperLiveKit(sink),
  },
  vosk: {
    label: 'Vosk',
    address: 'ws://127.0.0.1:2700',
    command: (language) => `docker run -p 127.0.0.1:2700:2700 alphacep/kaldi-${language}`,
    speech: (sink) => new Vosk(sink),
  },
  'sherpa-onnx': {
    label: 'sherpa-onnx',
    address: 'ws://127.0.0.1:6006',
    command: () => 'sherpa-onnx-online-websocket-server --port=6006 --tokens=… --encoder=… --decoder=… --joiner=…',
    speech: (sink) => new SherpaOnnx(sink),
  },
};
