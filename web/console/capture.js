// The sound of a microphone, as pieces of 16-bit samples, one channel, 16 kHz. It stays in the page.

// The sentences for an operator, as keys without `microphone.`, by the name of the browser's error.
const PROBLEMS = {
  NotAllowedError: 'not-allowed',
  NotFoundError: 'none',
  OverconstrainedError: 'gone',
  NotReadableError: 'busy',
};

export class CaptureError extends Error {
  // `key`: as in PROBLEMS; `detail`: the browser's own words.
  constructor(key, detail = '') {
    super(detail || key);
    this.key = key;
  }
}

export class Capture {
  #stream;
  #context;

  // `device`: its id, or '' for the system's choice. onPiece({samples, level}); onEnd(): the device was unplugged. Throws
  // CaptureError.
  static async open(device, { onPiece, onEnd }) {
    const { mediaDevices } = navigator;
    if (mediaDevices === undefined) throw new CaptureError('insecure');
    const capture = new Capture();
    try {
      // Recognisers are trained on unprocessed speech.
      const processing = { echoCancellation: false, noiseSuppression: false };
      const audio = { channelCount: 1, ...processing, ...(device && { deviceId: { exact: device } }) };
      capture.#stream = await mediaDevices.getUserMedia({ audio });
      capture.#context = new AudioContext();
      await capture.#context.audioWorklet.addModule(new URL('./capture_worklet.js', import.meta.url));
      await capture.#context.resume();
    } catch (error) {
      capture.close();
      throw new CaptureError(PROBLEMS[error.name] ?? 'failed', error.message);
    }
    const [track] = capture.#stream.getAudioTracks();
    track.addEventListener('ended', onEnd);
    const processor = new AudioWorkletNode(capture.#context, 'surtitle-capture', { numberOfOutputs: 0, channelCount: 1, channelCountMode: 'explicit' });
    processor.port.onmessage = ({ data }) => onPiece(data);
    capture.#context.createMediaStreamSource(capture.#stream).connect(processor);
    return capture;
  }

  // Returns [{id, label}] of the microphones. Browsers tell their names only after the first use of one.
  static async devices() {
    const all = (await navigator.mediaDevices?.enumerateDevices()) ?? [];
    const named = all.filter(({ kind, deviceId, label }) => kind === 'audioinput' && label !== '' && deviceId !== 'default');
    return named.map(({ deviceId, label }) => ({ id: deviceId, label }));
  }

  close() {
    for (const track of this.#stream?.getTracks() ?? []) track.stop();
    this.#context?.close();
  }
}
