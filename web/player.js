// The player: a video of the viewer's own with subtitles over it, from a file or from what a channel's daemon wrote
// down. ?channel=NAME begins with that channel's.

import { LocalFile } from './local_file.js';
import { parseSubtitles } from './subtitle_file.js';
import { token } from './token.js';
import { endpoint } from './wire.js';

const home = new URL('.', import.meta.url);
const find = (selector) => document.querySelector(selector);
const video = find('video');
const track = video.addTextTrack('subtitles', 'Subtitles');
const file = new LocalFile(home);
let cues = [];

function tell(kind, text) {
  find('#state').dataset.kind = kind;
  find('#state').textContent = text;
}

// What goes wrong is told in place of the last good news.
async function attempt(work) {
  try {
    await work();
  } catch (error) {
    tell('lost', error.message);
  }
}

function showCues() {
  const shift = Number(find('#shift').value);
  track.mode = 'showing';
  for (const cue of [...track.cues]) track.removeCue(cue);
  for (const { start, end, text } of cues) {
    if (end + shift > 0) track.addCue(new VTTCue(Math.max(0, start + shift), end + shift, text));
  }
}

function take(name, text) {
  cues = parseSubtitles(name, text);
  showCues();
  tell('live', `${name}: ${cues.length} ${cues.length === 1 ? 'subtitle' : 'subtitles'}`);
}

async function loadChannel(name) {
  const answer = await fetch(endpoint(home, `v1/channels/${encodeURIComponent(name)}/transcript.vtt`, 'http', { token }));
  if (!answer.ok) throw new Error(`Channel ${name} has no transcript: ${(await answer.text()).trim()}`);
  take(`channel ${name}`, await answer.text());
}

find('#video').addEventListener('change', ({ target }) =>
  attempt(async () => {
    if (target.files[0]) video.src = await file.address(target.files[0]);
  }),
);
find('#subtitles').addEventListener('change', ({ target }) =>
  attempt(async () => {
    if (target.files[0]) take(target.files[0].name, await target.files[0].text());
  }),
);
find('#choice').addEventListener('submit', (event) => {
  event.preventDefault();
  attempt(() => loadChannel(find('#channel').value));
});
find('#shift').addEventListener('input', showCues);
video.addEventListener('error', () => tell('lost', `This browser cannot play the video: ${video.error.message || 'unknown format'}`));

find('#channel').value = new URLSearchParams(location.search).get('channel') ?? '';
if (find('#channel').value !== '') attempt(() => loadChannel(find('#channel').value));
