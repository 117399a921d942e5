// Changes the sample rate of sound that arrives in pieces, with a low-pass filter below half of the lower rate.

const LOBES = 16; // zeros of the filter on each side of its middle
const PHASES = 256; // positions between two samples for which the filter is computed

export class Resampler {
  #step; // samples of the input for one of the output
  #reach; // samples of the input on each side of a sample of the output
  #filters = [];
  #kept = new Float32Array(0); // the end of the input that later output needs
  #at; // the position of the next output in `kept`

  constructor(from, to) {
    this.#step = from / to;
    const cutoff = Math.min(1, to / from);
    this.#reach = Math.ceil(LOBES / cutoff);
    this.#at = this.#reach;
    this.#kept = new Float32Array(this.#reach);
    for (let phase = 0; phase < PHASES; phase += 1) this.#filters.push(makeFilter(this.#reach, cutoff, phase / PHASES));
  }

  // Returns the output, a Float32Array, that the input so far allows.
  push(samples) {
    const input = new Float32Array(this.#kept.length + samples.length);
    input.set(this.#kept);
    input.set(samples, this.#kept.length);
    const output = [];
    for (; Math.floor(this.#at) + this.#reach + 1 < input.length; this.#at += this.#step) output.push(this.#sample(input));
    const used = Math.max(0, Math.floor(this.#at) - this.#reach);
    this.#kept = input.slice(used);
    this.#at -= used;
    return Float32Array.from(output);
  }

  #sample(input) {
    const whole = Math.floor(this.#at);
    const filter = this.#filters[Math.floor((this.#at - whole) * PHASES)];
    let sum = 0;
    for (let i = 0; i < filter.length; i += 1) sum += input[whole - this.#reach + 1 + i] * filter[i];
    return sum;
  }
}

// Returns the weights of the samples from 1 - reach to reach around a position `phase` after sample 0.
function makeFilter(reach, cutoff, phase) {
  const weights = Array.from({ length: 2 * reach }, (_, i) => {
    const distance = i + 1 - reach - phase;
    const x = Math.PI * cutoff * distance;
    const window = 0.5 + 0.5 * Math.cos((Math.PI * distance) / (reach + 1));
    return (Math.abs(x) < 1e-9 ? 1 : Math.sin(x) / x) * window;
  });
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return Float32Array.from(weights, (weight) => weight / sum);
}
