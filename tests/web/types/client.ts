// A program in TypeScript on the client module. It is compiled and not run; types.test.mjs explains it.

import { Channel, Stream, SurtitleError, backoffDelay } from 'surtitle';
import type { ServerMessage, StreamState, WriteMessage } from 'surtitle';
import WebSocket from 'ws';

const address = 'http://127.0.0.1:8765/';

export async function send(): Promise<StreamState | null> {
  const token: string | undefined = process.env.TOKEN;
  const stream = await Stream.open(address, {
    source: 'de', target: 'en', channel: null, WebSocket, token, source_form: 'spoken', tracks: [{ name: 'fr', target: 'fr' }],
  });
  const stopListening: () => void = stream.on('write', ({ text, index }) => console.log(text.trim(), index + 1));
  stream.on('*', (message: ServerMessage) => {
    if (message.type === 'sentence') console.log(message.target, message.metrics.words.al?.toFixed(2));
  });
  stream.on('connection', (state) => state.phase === 'waiting' && console.log(state.seconds));
  stream.on('close', (failure) => console.log(failure?.code, failure?.retrySeconds));
  stream.hypothesis('Guten', { final: true });
  stream.configure({ policy: 'gma:delta=2' });
  stream.endSentence();
  await stream.source('Guten Morgen.', { time: 1.5 });
  stopListening();
  stream.send({ type: 'tail', text: 'Ja' });
  const seconds: number | undefined = stream.ready.resume?.seconds;
  console.log(seconds, stream.deadline);

  // @ts-expect-error: a start needs a target
  await Stream.open(address, { source: 'de' });
  // @ts-expect-error: there is no such message
  stream.on('writes', console.log);
  // @ts-expect-error: a text is no number
  stream.on('write', ({ text }) => text.toFixed(2));
  // @ts-expect-error: streams are opened or restored
  new Stream();
  // @ts-expect-error: there is no such form
  stream.configure({ source_form: 'sung' });
  await stream.finish();
  return stream.state;
}

export function watch(state: StreamState): void {
  const channel = new Channel(new URL(address), 'main', { WebSocket, attention: true, backlog: 1000 });
  channel.on('write', (message: WriteMessage) => console.log(message.track ?? 'first', message.read));
  channel.on('refused', ({ code, message }) => console.log(code, message));
  channel.on('state', ({ sender, tracks }) => console.log(sender, tracks?.map(({ name }) => name)));
  channel.open();
  // @ts-expect-error: only a stream ends
  channel.on('close', console.log);
  setTimeout(() => Stream.restore(address, JSON.parse(JSON.stringify(state))), backoffDelay(0));
  if (channel.catchingUp) throw new SurtitleError({ code: 'slow', message: 'too slow' });
}
