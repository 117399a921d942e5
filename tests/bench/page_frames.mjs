// Measures the frames of the viewer page while words arrive, in headless Chromium with the scripted daemon.
//
//   node tests/bench/page_frames.mjs [--words-per-second 10] [--seconds 30] [--query 'c/main?lines=2'] [--trace FILE]
//
// It needs the same packages as tests/web; SURTITLE_BUILD is the build folder, by default build/. It prints one JSON
// object. FILE opens in Chromium's developer tools. Frames are the calls of requestAnimationFrame, and the dropped
// frames of the trace. `still` is the same page before the first word, as the limit of the machine.

import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setInterval, setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { launch, Viewer } from '../web/support/browser.mjs';
import { Daemon, root } from '../web/support/daemon.mjs';
import { Sender } from '../web/support/sender.mjs';

const { values } = parseArgs({
  options: {
    'words-per-second': { type: 'string', default: '10' },
    seconds: { type: 'string', default: '30' },
    query: { type: 'string', default: 'c/main' },
    trace: { type: 'string' },
  },
});
const rate = Number(values['words-per-second']);
const CATEGORIES = ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'disabled-by-default-devtools.timeline.frame'];
const FRAME = 1000 / 60; // ms

const log = readFileSync(join(root, 'tests/data/demo/europarl.jsonl'), 'utf8').trim().split('\n');
const words = Array.from({ length: rate * Number(values.seconds) }, (_, i) => JSON.parse(log[i % log.length]).text);

// Runs in the page: records the times of all frames.
function countFrames() {
  const times = [];
  let next = 0;
  const tick = (time) => {
    times.push(time);
    next = requestAnimationFrame(tick);
  };
  next = requestAnimationFrame(tick);
  window.stopFrames = () => cancelAnimationFrame(next) ?? times;
}

function round(value) {
  return Math.round(value * 100) / 100;
}

function percentile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

// Returns the durations (ms) of all tasks on the threads that run the page's scripts and layout.
function mainTasks(events) {
  const threads = new Set(
    events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(({ pid, tid }) => `${pid}.${tid}`),
  );
  return events.filter(({ name, ph, pid, tid }) => name === 'RunTask' && ph === 'X' && threads.has(`${pid}.${tid}`)).map(({ dur }) => dur / 1000);
}

const daemon = await Daemon.scripted();
const browser = await launch();
const viewer = await Viewer.open(browser, daemon, { query: values.query });
const sender = await Sender.open(daemon);
// Returns the frames and tasks during `work`.
async function measure(work) {
  await viewer.page.evaluate(countFrames);
  await browser.startTracing(viewer.page, { categories: CATEGORIES });
  const begin = performance.now();
  await work();
  const seconds = (performance.now() - begin) / 1000;
  const trace = await browser.stopTracing();
  const times = await viewer.page.evaluate(() => window.stopFrames());
  return { trace, ...summary(seconds, times, JSON.parse(trace).traceEvents) };
}

function summary(seconds, times, events) {
  const within = times.filter((time) => time <= times[0] + seconds * 1000);
  const intervals = within.slice(1).map((time, i) => time - within[i]).sort((a, b) => a - b);
  const tasks = mainTasks(events).sort((a, b) => a - b);
  const count = (event) => events.filter(({ name }) => name === event).length;
  return {
    seconds: round(seconds),
    frames_per_second: round((within.length - 1) / ((within.at(-1) - within[0]) / 1000)),
    interval_ms: { p50: round(percentile(intervals, 0.5)), p99: round(percentile(intervals, 0.99)), longest: round(intervals.at(-1)) },
    late_frames: intervals.filter((interval) => interval > 1.5 * FRAME).length,
    dropped_in_trace: count('DroppedFrame'),
    main_thread_ms: { p99: round(percentile(tasks, 0.99)), longest: round(tasks.at(-1)) },
    main_thread_busy: round(tasks.reduce((sum, task) => sum + task, 0) / (seconds * 1000)),
    load: round(loadavg()[0]),
  };
}

async function sendWords() {
  let sent = 0;
  for await (const _ of setInterval(1000 / rate)) {
    await sender.source(words[sent]);
    if ((sent += 1) === words.length) break;
  }
}

const { trace: _, ...still } = await measure(() => setTimeout(Math.min(10, Number(values.seconds)) * 1000));
const { trace, ...speaking } = await measure(sendWords);
await sender.finish();
await browser.close();
await daemon.stop();

if (values.trace) writeFileSync(values.trace, trace);
console.log(JSON.stringify({ words_per_second: round(words.length / speaking.seconds), speaking, still }));
