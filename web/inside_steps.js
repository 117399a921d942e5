// The reads and writes of a channel's tracks, step by step, made from the protocol's messages. No DOM.
//
// A sentence is {number, pieces, words, steps, complete}:
//   pieces  the source's tokens; a hole if a token has not been received
//   words   the source's words, [{text, taken}]
//   steps   by target token: {text, piece, read, words, time, delay, layers}; a hole if nothing has been received
// `delay`: ms from the last source word that a step needed to its write, or null if either time is unknown. `layers`:
// {weights, positions} of each decoder layer, if the stream sends its attention; otherwise missing.

import { phrase } from './strings.js';
import { splitWords } from './words.js';

const KEPT = 30; // sentences of a track
const POINTS = 400; // of its curves
export const SCORES = ['al', 'ap', 'dal', 'cw'];

class Track {
  sentences = new Map(); // by number
  points = []; // of the curves: {time, sentence} with scores after a target word, or with the delay of a step
  scores = null; // the last ones
  mean = null; // over the stream so far
  time = 0; // of the last write

  get last() {
    return [...this.sentences.values()].findLast(({ steps }) => steps.length > 0) ?? null;
  }

  sentence(number) {
    if (!this.sentences.has(number)) {
      this.sentences.set(number, { number, pieces: [], words: [], steps: [], complete: false });
      if (this.sentences.size > KEPT) this.sentences.delete(this.sentences.keys().next().value);
    }
    return this.sentences.get(number);
  }

  point(more) {
    this.points.push({ time: this.time, ...more });
    if (this.points.length > POINTS) this.points.splice(0, this.points.length - POINTS);
  }
}

export class Steps {
  #tracks = new Map(); // by name; that of the first track is ''
  #listed = []; // tracks as in `ready`
  #stream = null;
  #words = new Map(); // sentence -> [{text, taken}], shared by all tracks
  #again = new Set(); // sentences whose source words the server sends again

  // [{name, label}], in the server's order.
  get tracks() {
    const names = this.#listed.length > 0 ? this.#listed.map(({ name }) => name) : [...this.#tracks.keys()];
    return names.map((name) => {
      const known = this.#listed.find((one) => one.name === name);
      return { name, label: [name || phrase('inside.first-track'), known?.target, known?.model, known?.policy].filter(Boolean).join(' · ') };
    });
  }

  track(name) {
    if (!this.#tracks.has(name)) this.#tracks.set(name, new Track());
    return this.#tracks.get(name);
  }

  reset() {
    this.#tracks.clear();
    this.#words.clear();
    this.#again.clear();
  }

  // Applies a message of the server. Returns true if its type is one of those that matter here.
  take(message) {
    const handler = {
      ready: () => this.#begin(message),
      state: () => message.sender && this.#begin(message),
      catch_up: () => this.#expectRepetition(),
      source: () => this.#source(message),
      write: () => this.#write(message),
      attention: () => this.#attention(message),
      metrics: () => this.#metrics(message),
      sentence: () => this.#complete(message),
      policy: () => this.#policy(message),
    }[message.type];
    handler?.();
    return handler !== undefined;
  }

  #begin({ stream, tracks, after }) {
    if (stream === undefined) return;
    if (after !== undefined) return; // the server continues after the last message
    if (stream !== this.#stream) this.reset();
    this.#stream = stream;
    this.#listed = (tracks ?? []).map((track) => ({ ...track }));
    this.#expectRepetition();
  }

  // The server sends sentences again, finished ones in one piece.
  #expectRepetition() {
    this.#again = new Set(this.#words.keys());
  }

  #of({ track = '', sentence }) {
    const found = this.track(track).sentence(sentence);
    found.words = this.#wordsOf(sentence);
    return found;
  }

  #wordsOf(sentence) {
    if (!this.#words.has(sentence)) {
      this.#words.set(sentence, []);
      if (this.#words.size > KEPT + 10) this.#words.delete(this.#words.keys().next().value);
    }
    return this.#words.get(sentence);
  }

  #source({ sentence, text, taken }) {
    const words = this.#wordsOf(sentence);
    if (this.#again.delete(sentence)) words.length = 0;
    words.push(...splitWords(text).map((word) => ({ text: word, taken })));
  }

  #write(message) {
    const { track = '', index, text, read, words, time } = message;
    const sentence = this.#of(message);
    if (sentence.complete) return; // a repetition
    const known = sentence.steps[index]?.time !== undefined;
    const delay = time - sentence.words[words - 1]?.taken;
    sentence.steps[index] = {
      ...sentence.steps[index], text, read, words, time, delay: Number.isFinite(delay) ? Math.max(0, delay) : null,
    };
    const of = this.track(track);
    of.time = time;
    if (!known && sentence.steps[index].delay !== null) of.point({ sentence: sentence.number, delay: sentence.steps[index].delay });
  }

  #attention(message) {
    const { index, target, read, source_from: from, source, layers } = message;
    const sentence = this.#of(message);
    source.forEach((piece, i) => {
      sentence.pieces[from + i] = piece;
    });
    sentence.steps[index] = { ...sentence.steps[index], piece: target, read, layers };
  }

  #metrics(message) {
    const track = this.track(message.track ?? '');
    track.scores = scoresOf(message);
    if (message.stream?.sentences > 0) track.mean = scoresOf(message.stream);
    track.point({ sentence: message.sentence, scores: track.scores });
  }

  #complete(message) {
    const track = this.track(message.track ?? '');
    const sentence = this.#of(message);
    sentence.steps = sentence.steps.map((step) => (isWhole(step, message.target) ? undefined : step));
    if (!sentence.steps.some((step) => step)) sentence.steps = [];
    if (!sentence.complete && sentence.steps.length > 0) {
      track.scores = scoresOf(message.metrics.words);
      track.point({ sentence: sentence.number, scores: track.scores });
    }
    sentence.complete = true;
  }

  #policy({ track = '', model, policy }) {
    const listed = this.#listed.find(({ name }) => name === track);
    if (listed) Object.assign(listed, { model, policy });
  }
}

// A late viewer receives a finished sentence as one write.
function isWhole(step, target) {
  return step?.text === target && /\S\s+\S/u.test(target);
}

function scoresOf(message) {
  return Object.fromEntries(SCORES.map((name) => [name, message[name] ?? null]));
}

const WORD = '\u2581'; // a model's word mark, before or after a token

// Returns a sentence as a table:
//   {unit, columns: [{label, begins}], rows: [{label, begins, read, weights, positions, ...step}], layers: their number}
// Columns are source tokens, or words if the stream sends no attention. Rows are steps. `layer`: the decoder layer
// whose `weights` (by column) and `positions` the rows have, or null for the mean of all layers.
export function tableOf(sentence, layer = null) {
  const shown = sentence.steps.some((step) => step?.layers);
  const steps = sentence.steps.filter((step) => step !== undefined && (shown || step.text !== undefined));
  const rows = [];
  let furthest = 0;
  for (const step of steps) {
    furthest = Math.max(furthest, shown ? step.read : step.words);
    rows.push({ ...step, read: furthest, ...look(step.layers, layer) });
  }
  const named = label(rows.map(({ piece, text }) => piece ?? text ?? ''), rows.map(({ piece }) => piece === undefined));
  rows.forEach((row, i) => Object.assign(row, named[i]));
  const texts = shown ? Array.from(sentence.pieces) : sentence.words.map(({ text }) => text);
  while (texts.length < furthest) texts.push(undefined);
  const columns = shown ? label(texts) : texts.map((text) => ({ label: text ?? '?', begins: true }));
  return { unit: shown ? 'tokens' : 'words', columns, rows, layers: steps.find((step) => step.layers)?.layers.length ?? 0 };
}

// Returns the attention of a step in one layer, or the mean of all layers.
function look(layers, layer) {
  if (!layers) return { weights: null, positions: [] };
  const chosen = layer === null || layer >= layers.length ? layers : [layers[layer]];
  const weights = Array.from({ length: Math.max(...chosen.map((one) => one.weights.length)) }, (_, j) =>
    chosen.reduce((sum, one) => sum + (one.weights[j] ?? 0), 0) / chosen.length);
  return { weights, positions: chosen.flatMap((one) => one.positions) };
}

// Returns the tokens without their word mark, and whether each begins a word. `plain`: true for each text of a `write`,
// which has a space before a word instead of a mark.
function label(texts, plain = []) {
  const marked = texts.filter((text, i) => text !== undefined && !plain[i]);
  const marksEnds = marked.some((text) => text.endsWith(WORD)) && !marked.some((text) => text.startsWith(WORD));
  return texts.map((text, i) => {
    if (text === undefined) return { label: '?', begins: true };
    const end = text === '</s>';
    const mark = marksEnds ? i === 0 || texts[i - 1]?.endsWith(WORD) : text.startsWith(WORD);
    const begins = i === 0 || end || (plain[i] ? /^\s/u.test(text) : mark);
    return { label: text.replaceAll(WORD, '').trim() || WORD, begins };
  });
}
