// Headless Chromium of Debian, and a viewer in it.

import assert from 'node:assert/strict';
import { chromium } from 'playwright-core';
import { forget, remember } from './cleanup.mjs';

export const WIDE = { width: 1920, height: 1080 };
export const PHONE = { width: 390, height: 844 };

const MORNING = new Date('2026-01-01T08:00:00Z');
const NOON = new Date('2026-01-01T12:00:00Z');

export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

// Resolves when all animations have ended. An animation rejects if another replaces it or its element is removed.
export async function rolled(viewer) {
  await viewer.page.evaluate(async () => {
    for (let moving; (moving = document.getAnimations()).length > 0; ) {
      await Promise.allSettled(moving.map((animation) => animation.finished));
    }
  });
}

// Runs in the page: joins the sentences of an element.
function readText() {
  window.readText = (selector) =>
    Array.from(document.querySelectorAll(`${selector} .sentence`), (sentence) => sentence.textContent).join(' ');
}

// A page in its own browser context, by default that of a channel's viewer. With `clock`, the page's time is stopped
// and page.clock moves it. close() fails if the page sent a request to another host or logged an error.
export class Viewer {
  #context;
  #problems = [];

  static async open(browser, daemon, { viewport = WIDE, query = '', locale = 'en-US', clock = false, watch = () => {}, listen = () => {} } = {}) {
    const viewer = new Viewer();
    viewer.#context = await browser.newContext({ viewport, locale });
    remember(viewer, () => viewer.#context.close());
    viewer.page = await viewer.#context.newPage();
    viewer.#listen(new URL(daemon.url).host);
    listen(viewer.page);
    if (clock) await viewer.page.clock.install({ time: MORNING });
    await viewer.page.addInitScript(readText);
    await viewer.page.addInitScript(watch);
    await viewer.page.goto(daemon.url + (query || 'c/main'));
    // A viewer that is not connected yet would miss the first messages of the test.
    await viewer.page.locator('#state').filter({ hasNotText: /Connecting|Verbindung wird/u }).waitFor({ state: 'attached' });
    if (clock) await viewer.page.clock.pauseAt(NOON);
    return viewer;
  }

  #listen(host) {
    const foreign = (url) => {
      if (new URL(url).host !== host) this.#problems.push(`the page requested ${url}`);
    };
    this.page.on('request', (request) => foreign(request.url()));
    this.page.on('websocket', (socket) => foreign(socket.url()));
    this.page.on('pageerror', (error) => this.#problems.push(`${error}`));
    this.page.on('dialog', (dialog) => this.#problems.push(`a dialog: ${dialog.message()}`));
    this.page.on('console', (message) => {
      if (message.type() === 'error') this.#problems.push(message.text());
    });
  }

  // `expected`: a regular expression of problems that are allowed.
  async close({ expected = /^$/u } = {}) {
    forget(this);
    await this.#context.close();
    assert.deepEqual(this.#problems.filter((problem) => !expected.test(problem)), []);
  }

  // Waits for the element to show the text; white space counts as one space.
  async shows(selector, text) {
    await this.page.locator(selector).filter({ hasText: text }).waitFor({ state: 'attached' });
  }

  // Waits until the sentences of an element contain `text`.
  async reads(selector, text) {
    await this.page.waitForFunction(([where, what]) => window.readText(where).includes(what), [selector, text]);
  }

  // Returns the sentences of an element as one text.
  text(selector) {
    return this.page.evaluate((where) => window.readText(where), selector);
  }

  // Returns the sentences of an element, each of which begins a line.
  lines(selector) {
    return this.page.locator(`${selector} .sentence`).allTextContents();
  }

  setOffline(offline) {
    return this.#context.setOffline(offline);
  }
}
