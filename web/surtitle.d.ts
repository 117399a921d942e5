// Types of surtitle.js. The messages are those of daemon/protocol/surtitle.v1.asyncapi.yaml, where their fields are
// described; tests/web/types.test.mjs compares both.

export interface TrackInfo {
  name: string;
  target: string;
  model: string;
  policy: string;
}

export interface Limits {
  message_bytes: number;
  sentence_words: number;
  sentence_tokens: number;
  queued_words: number;
  outgoing_messages: number;
  outgoing_bytes: number;
  silence_seconds: number;
  idle_seconds: number;
}

export interface Scores {
  al: number | null;
  laal: number | null;
  ap: number | null;
  dal: number | null;
  cw: number | null;
  atd: number | null;
  yaal: number | null;
  long_yaal: number | null;
}

export type SourceForm = 'written' | 'spoken';

// --- messages of the daemon ---

export interface ReadyMessage {
  type: 'ready';
  stream?: string;
  channel?: string;
  model?: string;
  policy?: string;
  warnings: string[];
  limits: Limits;
  tracks: TrackInfo[];
  title?: string;
  speaker?: string;
  interrupted?: number;
  resume?: { key: string; seconds: number; seq?: number };
  after?: number;
  backlog?: { stream: string; event: number; messages: number };
}

export interface AckMessage {
  type: 'ack';
  seq: number;
}

export interface SourceMessage {
  type: 'source';
  sentence: number;
  text: string;
  time?: number;
  taken: number;
  event?: number;
}

export interface WriteMessage {
  type: 'write';
  track?: string;
  sentence: number;
  index: number;
  text: string;
  read: number;
  words: number;
  time: number;
  source_time?: number;
  event?: number;
}

export interface DraftMessage {
  type: 'draft';
  track?: string;
  sentence: number;
  text: string;
}

export interface AttentionMessage {
  type: 'attention';
  track?: string;
  sentence: number;
  index: number;
  target: string;
  read: number;
  source_from: number;
  source: string[];
  layers: { weights: number[]; positions: number[] }[];
}

export interface SentenceMessage {
  type: 'sentence';
  track?: string;
  sentence: number;
  source: string;
  target: string;
  metrics: { words: Scores; tokens: Scores };
  event?: number;
  untranslated?: number;
}

export interface MetricsMessage {
  type: 'metrics';
  track?: string;
  sentence: number;
  al: number | null;
  ap: number | null;
  dal: number | null;
  cw: number | null;
  yaal: number | null;
  long_yaal: number | null;
  unit: 'words';
  stream: Omit<Scores, 'laal' | 'atd'> & { sentences: number };
}

export interface PolicyMessage {
  type: 'policy';
  track?: string;
  sentence: number;
  model: string;
  policy: string;
  by_lag: boolean;
  warnings: string[];
  event?: number;
}

export interface ViewersMessage {
  type: 'viewers';
  viewers: number;
}

export interface CatchUpMessage {
  type: 'catch_up';
  skipped: number;
}

export interface RevisionMessage {
  type: 'revision';
  sentence: number;
  committed: string;
  heard: string;
  event?: number;
}

export interface StateMessage {
  type: 'state';
  sender: boolean;
  model?: string;
  policy?: string;
  stream?: string;
  tracks?: TrackInfo[];
  title?: string;
  speaker?: string;
  interrupted?: number;
}

// The title and the speaker from now on; '' if there is none.
export interface HeadingMessage {
  type: 'heading';
  title: string;
  speaker: string;
  event?: number;
}

// The stream waits for its lost sender for these seconds; without them, the sender is back.
export interface InterruptionMessage {
  type: 'interruption';
  interrupted?: number;
}

export interface ErrorMessage {
  type: 'error';
  code: string;
  message: string;
  retry_seconds?: number;
}

export interface ByeMessage {
  type: 'bye';
  reason: 'finished' | 'draining' | 'sender-left' | 'error' | 'slow';
}

// The daemon's messages by type. Messages of types that are newer than this client are emitted, too.
export interface ServerMessages {
  ready: ReadyMessage;
  ack: AckMessage;
  source: SourceMessage;
  write: WriteMessage;
  draft: DraftMessage;
  attention: AttentionMessage;
  sentence: SentenceMessage;
  metrics: MetricsMessage;
  policy: PolicyMessage;
  viewers: ViewersMessage;
  catch_up: CatchUpMessage;
  revision: RevisionMessage;
  state: StateMessage;
  heading: HeadingMessage;
  interruption: InterruptionMessage;
  error: ErrorMessage;
  bye: ByeMessage;
}
export type ServerMessage = ServerMessages[keyof ServerMessages];

// --- clients ---

// `again`: there was a connection, or an attempt, before.
export type Connection =
  | { phase: 'connecting'; again: boolean }
  | { phase: 'open' }
  | { phase: 'waiting'; seconds: number };

export interface Refusal {
  code: string;
  message: string;
}

export interface StreamEvents extends ServerMessages {
  '*': ServerMessage;
  connection: Connection;
  close: SurtitleError | null;
}

export interface ChannelEvents extends ServerMessages {
  '*': ServerMessage;
  connection: Connection;
  refused: Refusal;
}

declare class Emitter<Events> {
  // Returns a function that removes the listener.
  on<Type extends keyof Events>(type: Type, listener: (value: Events[Type]) => void): () => void;
}

// The WebSocket of a browser, of Node 22 and later, or of the package ws.
export type WebSocketClass = new (url: string, protocol: string) => object;

export interface Platform {
  WebSocket?: WebSocketClass | undefined;
  setTimeout?: ((work: () => void, ms: number) => unknown) | undefined;
  clearTimeout?: ((timer: any) => void) | undefined;
}

export interface TrackRequest {
  name: string;
  target?: string | null | undefined;
  model?: string | null | undefined;
  policy?: string | null | undefined;
  glossary?: Glossary | null | undefined;
}

// Terms and their translations.
export type Glossary = [term: string, translation: string][];

export interface StreamStart {
  source: string;
  target: string;
  model?: string | null | undefined;
  policy?: string | null | undefined;
  channel?: string | null | undefined;
  agreement?: number | null | undefined;
  source_form?: SourceForm | null | undefined;
  tracks?: TrackRequest[] | null | undefined;
  attention?: boolean | null | undefined;
  echo?: boolean | null | undefined;
  silence?: number | null | undefined;
  target_prefix?: string | null | undefined;
  title?: string | null | undefined;
  speaker?: string | null | undefined;
  glossary?: Glossary | null | undefined;
}

export interface Change {
  track?: string | null | undefined;
  model?: string | null | undefined;
  policy?: string | null | undefined;
  source_form?: SourceForm | null | undefined;
  title?: string | null | undefined;
  speaker?: string | null | undefined;
  glossary?: Glossary | null | undefined;
}

// A stream that restore() continues. It can be stored as JSON; its contents are the client's own.
export interface StreamState {
  readonly start: object;
  readonly ready: ReadyMessage;
  readonly event: number;
  readonly acked: number;
  readonly unacked: object;
}

export class SurtitleError extends Error {
  constructor(error: Refusal & { retry_seconds?: number });
  // That of the protocol's `error`, or 'unauthorized', 'forbidden', 'rate-limited' or 'connection-lost'.
  code: string;
  retrySeconds: number | undefined;
}

// A sender's stream. It emits the daemon's messages, 'connection', and 'close' once.
export class Stream extends Emitter<StreamEvents> {
  private constructor();
  static open(address: string | URL, options: StreamStart & Platform & { token?: string | null | undefined }): Promise<Stream>;
  static restore(address: string | URL, state: StreamState, options?: Platform & { token?: string | null | undefined }): Stream;
  ready: ReadyMessage;
  keep: () => void;
  readonly state: StreamState | null;
  readonly deadline: number | null;
  check(): void;
  source(text: string, options?: { time?: number | undefined }): Promise<unknown>;
  hypothesis(text: string, options?: { final?: boolean | undefined }): void;
  taken(): Promise<unknown>;
  configure(change: Change): void;
  endSentence(): void;
  finish(): Promise<void>;
  close(): void;
  send(message: { type: string; [field: string]: unknown }): void;
}

export interface ChannelOptions extends Platform {
  track?: string | null | undefined;
  attention?: boolean | undefined;
  backlog?: number | null | undefined;
  token?: string | null | undefined;
  ask?: ((url: string) => Promise<Response>) | undefined;
  reach?: (() => Promise<unknown>) | undefined;
}

// A viewer of a channel. It emits the daemon's messages, 'connection' and 'refused'.
export class Channel extends Emitter<ChannelEvents> {
  constructor(address: string | URL, name: string, options?: ChannelOptions);
  track: string | null;
  readonly catchingUp: boolean;
  open(): void;
  close(): void;
  check(): Promise<void>;
}

// Returns the milliseconds before an attempt to connect.
export function backoffDelay(attempt: number, random?: number): number;

export {}; // the other declarations are private
