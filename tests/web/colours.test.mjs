import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contrast, mix, translucent } from '../../web/colours.js';

test('contrast is WCAG’s, in either order of the colours', () => {
  assert.equal(contrast('#000', '#ffffff'), 21);
  assert.equal(contrast('#fff', '#000000'), 21);
  assert.equal(contrast('#123456', '#123456'), 1);
  assert.equal(contrast('#777777', '#ffffff').toFixed(2), '4.48');
  assert.equal(contrast('#ff0000', '#ffffff').toFixed(2), '4.00');
});

test('colours are mixed and made translucent', () => {
  assert.equal(mix('#ffffff', '#000000', 0.75), '#bfbfbf');
  assert.equal(mix('#f00', '#0000ff', 0.5), '#800080');
  assert.equal(translucent('#0b0d11', 65), 'rgba(11, 13, 17, 0.65)');
  assert.equal(translucent('#fff', 0), 'rgba(255, 255, 255, 0)');
});
