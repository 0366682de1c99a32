// Following the hub. Backfill → ready → live is the hub's affair; ours is that no fact is handled twice, none
// is skipped, and a lost connection is picked up where it broke:
// - Facts pass through one queue and are handled in order, each to the end before the next.
// - A reconnect resumes after the last fact *received*. Received facts wait in the queue and outlive the
//   connection, so resuming earlier would only fetch them again.
// - `stream.cursor` is the last fact *handled*: what an app may store and come back with after a crash.

import { backoffDelay, closeCodes, formatCursor, parseCursor } from '@parley/protocol';
import type { CursorParts, SocketCommand, StreamEvent } from '@parley/protocol';
import type { ClientClock } from './clock.ts';
import { apiUrl } from './request-url.ts';
import { sseConnect, connectWebSocket, type Connect, type Transport } from './transport.ts';

export type StreamState =
  | { status: 'connecting' }
  /** Connected; facts from before now are still coming. */
  | { status: 'catching_up' }
  | { status: 'live' }
  | { status: 'waiting'; retryAt: number; reason: string }
  | { status: 'stopped'; why: 'closed' | 'unauthenticated' }
  /** `onEvent` threw. Going on would leave a gap, so nothing more is handled. */
  | { status: 'stopped'; why: 'handler_failed'; error: unknown };

export interface StreamOptions {
  /** The cursor of a snapshot (`getSession`, `listConversations`), so that the stream misses nothing after it. */
  cursor: string;
  /** Facts and signs, in order. On `reset` the hub could not resume: take a new snapshot; what follows waits for the promise. */
  onEvent: (event: StreamEvent) => void | Promise<void>;
  onState?: (state: StreamState) => void;
  transport?: 'websocket' | 'sse';
}

export interface Stream {
  /** The last cursor handled. */
  readonly cursor: string;
  readonly state: StreamState;
  /** Says that you are typing. Not kept, so it is dropped when there is no connection. */
  typing(conversationId: string): void;
  /** Ends a wait at once: the network came back, or somebody clicked. */
  retryNow(): void;
  close(): void;
}

export interface StreamDependencies {
  baseUrl: string;
  token: string | undefined;
  fetch: typeof fetch;
  connect: Connect | undefined;
  clock: ClientClock;
  random: () => number;
  /** Asked when a socket was refused: browsers hide the status, and a revoked session would be retried for ever. */
  isSignedOut: () => Promise<boolean>;
}

const pingMs = 25_000;
const backoff = { firstMs: 500, maxMs: 10_000 };

/** Within an epoch a cursor never goes back; another epoch is another line of history. */
const later = (a: CursorParts, b: CursorParts): CursorParts => (a.epoch === b.epoch && a.seq > b.seq ? a : b);

export function followStream(deps: StreamDependencies, options: StreamOptions): Stream {
  const { clock } = deps;
  // A platform socket cannot carry a token, so a client with one listens by SSE unless its options say otherwise.
  const kind = options.transport ?? (deps.token !== undefined && !deps.connect ? 'sse' : 'websocket');
  const connect = kind === 'sse' ? sseConnect(deps.fetch) : (deps.connect ?? connectWebSocket);

  let received: CursorParts = parseCursor(options.cursor);
  let handled: CursorParts = received;
  let state: StreamState = { status: 'connecting' };
  let attempt = 0;
  let transport: Transport | undefined;
  /** The number of the current connection: late events of an earlier one must not touch it. */
  let generation = 0;
  let cancelTimer = () => {};
  let queue: StreamEvent[] = [];
  let handling = false;

  const stopped = () => state.status === 'stopped';
  const setState = (next: StreamState) => {
    state = next;
    options.onState?.(next);
  };

  function stop(final: StreamState & { status: 'stopped' }) {
    if (stopped()) return;
    queue = [];
    disconnect();
    setState(final);
  }

  function disconnect() {
    generation += 1;
    cancelTimer();
    transport?.close();
    transport = undefined;
  }

  async function handleQueue() {
    if (handling) return;
    handling = true;
    try {
      for (let event = queue.shift(); event; event = queue.shift()) {
        await options.onEvent(event);
        if ('cursor' in event) handled = later(handled, parseCursor(event.cursor));
      }
    } catch (error) {
      stop({ status: 'stopped', why: 'handler_failed', error });
    } finally {
      handling = false;
    }
  }

  function receive(event: StreamEvent) {
    if ('cursor' in event) {
      const at = parseCursor(event.cursor);
      if (event.type !== 'reset') {
        // Another line of history without a reset: our cursor tells the hub so, and it will send one.
        if (at.epoch !== received.epoch) return reconnect('the hub changed its epoch');
        if (event.type !== 'ready' && at.seq <= received.seq) return;
      }
      received = later(received, at);
    }
    queue.push(event);
    void handleQueue();
    if (event.type === 'ready') {
      attempt = 0;
      setState({ status: 'live' });
    }
  }

  function open() {
    disconnect();
    const mine = generation;
    const current = () => mine === generation && !stopped();
    let opened = false;
    setState({ status: 'connecting' });
    const path = kind === 'sse' ? '/stream' : '/socket';
    const url = new URL(`${apiUrl(deps.baseUrl)}${path}`);
    if (kind === 'websocket') url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    url.searchParams.set('cursor', formatCursor(received));
    transport = connect(
      { url: url.toString(), token: deps.token },
      {
        onOpen() {
          if (!current()) return;
          opened = true;
          setState({ status: 'catching_up' });
          keepAlive(clock.now());
        },
        onText(text) {
          if (!current()) return;
          let event: StreamEvent;
          try {
            event = JSON.parse(text) as StreamEvent;
          } catch {
            return reconnect('the hub sent something that is not JSON');
          }
          receive(event);
        },
        onClose({ code, reason }) {
          if (!current()) return;
          if (code === closeCodes.unauthenticated) return stop({ status: 'stopped', why: 'unauthenticated' });
          if (opened) return reconnect(reason, code === closeCodes.slow ? 0 : undefined);
          void refused(reason, current);
        },
      },
    );
  }

  async function refused(reason: string, current: () => boolean) {
    const signedOut = await deps.isSignedOut();
    if (!current()) return;
    if (signedOut) stop({ status: 'stopped', why: 'unauthenticated' });
    else reconnect(reason);
  }

  function reconnect(reason: string, delay = backoffDelay(attempt, deps.random, backoff)) {
    disconnect();
    attempt += 1;
    cancelTimer = clock.after(delay, open);
    setState({ status: 'waiting', retryAt: clock.now() + delay, reason });
  }

  /** A machine that slept wakes with a socket that looks open and is not; the gap in our own ticks gives it away. */
  function keepAlive(last: number) {
    cancelTimer = clock.after(pingMs, () => {
      const now = clock.now();
      if (now - last > pingMs * 2) return reconnect('this machine was asleep', 0);
      tell({ type: 'ping' });
      keepAlive(now);
    });
  }

  const tell = (command: SocketCommand) => transport?.send?.(JSON.stringify(command));

  open();
  return {
    get cursor() {
      return formatCursor(handled);
    },
    get state() {
      return state;
    },
    typing: (conversationId) => tell({ type: 'typing', conversationId }),
    retryNow() {
      if (state.status === 'waiting') open();
    },
    close: () => stop({ status: 'stopped', why: 'closed' }),
  };
}
