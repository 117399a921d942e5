import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readInvitation } from '../../web/invitation.js';
import { maySend } from '../../web/rights.js';

const HOME = 'https://talk.example/daemon/';

test('an invitation is a code, or a link of this event', () => {
  assert.deepEqual(readInvitation('  sl.view.1795500000.hall.x-Y_9 ', HOME), { token: 'sl.view.1795500000.hall.x-Y_9', path: null });
  assert.deepEqual(readInvitation('https://talk.example/daemon/c/hall?lines=3&token=st.a.b', HOME), { token: 'st.a.b', path: '/c/hall' });
  assert.deepEqual(readInvitation('https://talk.example/?token=st.a.b', HOME), { token: 'st.a.b', path: null });
});

test('anything else is refused with a sentence', () => {
  for (const [text, problem] of [
    ['', 'Please enter the link or the code of your invitation.'],
    ['   ', 'Please enter the link or the code of your invitation.'],
    ['höre zu', '“höre zu” is neither a link that begins with https:// nor a code.'],
    ['ü', '“ü” is no code: a code has only letters, digits, points, - and _.'],
    ['https://talk.example/c/hall', 'This link has no invitation: it must contain token= and a code.'],
    ['https://talk.example/c/hall?token=', 'This link has no invitation: it must contain token= and a code.'],
    ['https://other.example/c/hall?token=x', 'This link leads to another event, at other.example.'],
    ['javascript:alert(1)//?token=x', '“javascript:alert(1)//?token=x” is neither a link that begins with https:// nor a code.'],
    [`/${'x'.repeat(90)}`, `“/${'x'.repeat(39)}…” is neither a link that begins with https:// nor a code.`],
  ]) {
    assert.deepEqual(readInvitation(text, HOME), { problem }, text);
  }
});

test('the role of a link is in its token, and a page without a token has every right', async () => {
  assert.equal(await maySend(HOME, null), true);
  assert.equal(await maySend(HOME, 'sl.send.1.hall.x'), true);
  assert.equal(await maySend(HOME, 'sl.view.1.hall.x'), false);
});
