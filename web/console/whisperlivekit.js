// The messages of WhisperLiveKit's WebSocket, /asr, in either of its modes, as timed texts: of a log or as they arrive.
//
// daemon/recognisers/whisperlivekit.cpp describes the messages. Lines have the words that the server has committed; what
// follows them may change, and counts only at the end.

// Returns the messages of a log, or null if it is none of WhisperLiveKit's.
export function messagesOfWhisperLiveKit(content) {
  const messages = [];
  for (const line of content.split('\n')) {
    try {
      messages.push(JSON.parse(line));
    } catch {
      // A line between the messages.
    }
  }
  const known = (message) => message?.buffer_transcription !== undefined || message?.useAudioWorklet !== undefined;
  return messages.some(known) ? messages.filter((message) => message !== null && typeof message === 'object') : null;
}

// Returns [{time, text, end, clock}], as timed_transcript.js has them, from the messages.
export function textsOfWhisperLiveKit(messages) {
  const transcript = new Transcript();
  for (const message of messages) transcript.read(message);
  transcript.endSession();
  return transcript.texts;
}

class Transcript {
  texts = [];
  #time = 0; // of the last text
  #lines = [];
  #sent = ''; // the text of these lines
  #rest = ''; // the words after them
  #word = null; // the last word, which may continue

  // The words that may still change.
  get rest() {
    return this.#rest.trim();
  }

  read(message) {
    if (message.type === 'config' || message.type === 'ready_to_stop') return this.endSession();
    if (message.type === 'diff') return this.#readState(this.#changed(message), message);
    if (Array.isArray(message.lines)) this.#readState(message.lines, message);
  }

  endSession() {
    this.#endWord();
    if (this.#rest.trim() !== '') this.#add(this.#rest, this.#lines.at(-1)?.end);
    this.#endSentence();
    this.#lines = [];
    this.#sent = '';
    this.#rest = '';
  }

  #changed({ n_lines: total = 0, lines_pruned: pruned = 0, new_lines: added = [] }) {
    const kept = this.#lines.slice(pruned).slice(0, Math.max(0, total - added.length));
    return [...kept, ...added];
  }

  #readState(lines, { buffer_diarization: unassigned, buffer_transcription: unstable }) {
    const text = lines.map((line) => line.text ?? '').join('');
    let sent = this.#continuation(text, lines[0]?.start === this.#lines[0]?.start);
    let { speaker } = lines[0] ?? {};
    for (const line of lines) {
      if (line.speaker !== speaker && sent <= 0) this.#endSentence();
      ({ speaker } = line);
      this.#add((line.text ?? '').slice(Math.max(0, sent)), line.end);
      sent -= (line.text ?? '').length;
    }
    this.#lines = lines;
    this.#sent = text;
    this.#rest = (unassigned ?? '') + (unstable ?? '');
    if (/^\s/u.test(this.#rest)) this.#endWord();
  }

  // Returns the number of characters of `text` whose words were sent.
  #continuation(text, sameBeginning) {
    if (text.startsWith(this.#sent)) return this.#sent.length;
    if (sameBeginning) {
      const rest = text.slice(this.#sent.length).search(/\s/u);
      return rest < 0 ? text.length : this.#sent.length + rest;
    }
    let begin = 0;
    while (!text.startsWith(this.#sent.slice(begin))) begin += 1;
    return this.#sent.length - begin;
  }

  // A text that does not begin with white space continues the last word.
  #add(text, end) {
    const time = secondsOf(end);
    for (const part of text.split(/(\s+)/u)) {
      if (part.trim() === '') {
        if (part !== '') this.#endWord();
      } else {
        this.#word = { text: (this.#word?.text ?? '') + part, time };
      }
    }
  }

  #endWord() {
    if (this.#word === null) return;
    const time = Math.max(this.#word.time ?? 0, this.#time);
    this.#time = time;
    this.texts.push({ time, text: this.#word.text, end: false, clock: time });
    this.#word = null;
  }

  #endSentence() {
    this.#endWord();
    this.markEnd();
  }

  markEnd() {
    if (this.texts.length > 0) this.texts.at(-1).end = true;
  }
}

// The words of a connection. Their times begin again with each connection.
export class LiveTranscript extends Transcript {
  #open = false; // the last text that was taken did not end its sentence

  // Returns the texts since the last call. The end of a sentence whose words were taken before is a text without words.
  take() {
    const texts = this.texts.splice(0);
    if (texts.length > 0) this.#open = !texts.at(-1).end;
    return texts;
  }

  markEnd() {
    super.markEnd();
    if (this.texts.length === 0 && this.#open) this.texts.push({ time: 0, text: '', end: true });
  }
}

// Returns the seconds of "0:01:02.50".
function secondsOf(time) {
  const seconds = String(time ?? '').split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  return Number.isFinite(seconds) ? seconds : undefined;
}
