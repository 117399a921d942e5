import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepAwake } from '../../web/awake.js';

class Page extends EventTarget {
  visibilityState = 'visible';

  becomes(visibilityState) {
    this.visibilityState = visibilityState;
    this.dispatchEvent(new Event('visibilitychange'));
  }
}

test('the screen stays on, and the lock is requested again when the page is visible again', () => {
  const page = new Page();
  const asked = [];
  keepAwake(page, { request: (what) => Promise.resolve(asked.push(what)) });
  assert.deepEqual(asked, ['screen']);
  page.becomes('hidden');
  assert.equal(asked.length, 1, 'a hidden page requests no lock');
  page.becomes('visible');
  assert.deepEqual(asked, ['screen', 'screen']);
});

test('a browser that refuses or lacks the lock causes no error and no retry', async () => {
  let refused = 0;
  const request = () => {
    refused += 1;
    return Promise.reject(new Error('low battery'));
  };
  keepAwake(new Page(), { request });
  keepAwake(new Page(), undefined);
  await Promise.resolve();
  assert.equal(refused, 1);
});
