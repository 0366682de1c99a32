import type { Message } from '@parley/protocol';
import type { Client } from '@parley/sdk';
import { ConnectionError, ParleyError } from '@parley/sdk';
import { expect, test } from 'vitest';
import { createStore } from '../lib/store.ts';
import { message, stateOf, timeline } from '../../test/fixtures.ts';
import type { State } from './model.ts';
import { createOutbox } from './outbox.ts';

interface Posted {
  name: string;
  conversationId: string | undefined;
  body: string | undefined;
  confirmAll: number | undefined;
  key: string | undefined;
  answer: (value: unknown) => void;
  fail: (error: Error) => void;
}

/** A client whose answers the test gives by hand, in whatever order it likes. */
function setup(initial: Partial<State> = {}) {
  const store = createStore(stateOf({ timelines: { con: timeline([]) }, ...initial }));
  const calls: Posted[] = [];
  const call = (
    name: string,
    input: { params?: { conversationId?: string }; body?: { body?: string; confirmAll?: number } },
    options?: { idempotencyKey?: string },
  ) =>
    new Promise((answer, fail) => {
      calls.push({
        name,
        conversationId: input.params?.conversationId,
        body: input.body?.body,
        confirmAll: input.body?.confirmAll,
        key: options?.idempotencyKey,
        answer,
        fail,
      });
    });
  const outbox = createOutbox({ call } as unknown as Client, store, async () => {});
  const send = (body: string, root: string | null = null) =>
    outbox.send({ conversationId: root ? null : 'con', root, body, attachments: [] });
  const mine = (id: string, seq: number, extra: Partial<Message> = {}) => message(id, seq, { authorId: 'ada', ...extra });
  return { store, calls, outbox, send, mine };
}
const soon = () => new Promise((resolve) => setTimeout(resolve, 0));

test('[C2A-21] a reaction that came before the answer to the message stays', async () => {
  const { store, calls, send, mine } = setup();
  send('hello');
  const reactions = [{ emoji: '✅', memberIds: ['bot'], signal: 'done' as const }];
  store.update((state) => ({ ...state, timelines: { con: timeline([mine('m1', 1, { reactions })]) } }));
  calls[0]!.answer(mine('m1', 1));
  await soon();
  expect(store.get().pending).toEqual([]);
  expect(store.get().timelines['con']?.messages['m1']?.reactions).toEqual(reactions);
});

test('a message is pending until it is answered, and never both', async () => {
  const { store, calls, send, mine } = setup();
  const seen: number[] = [];
  store.subscribe(() => seen.push(store.get().pending.length + (store.get().timelines['con']?.ids.length ?? 0)));
  send('hello');
  expect(store.get().pending).toMatchObject([{ body: 'hello', failed: null }]);
  calls[0]!.answer(mine('m1', 1));
  await soon();
  expect(store.get().pending).toEqual([]);
  expect(store.get().timelines['con']?.ids).toEqual(['m1']);
  expect(new Set(seen)).toEqual(new Set([1]));
});

test('messages go out one after the other, in the order they were written', async () => {
  const { calls, send, mine } = setup();
  send('one');
  send('two');
  await soon();
  expect(calls.map((item) => item.body)).toEqual(['one']);
  calls[0]!.answer(mine('m1', 1));
  await soon();
  expect(calls.map((item) => item.body)).toEqual(['one', 'two']);
});

test('a refused message says why and holds back the rest; a retry has the same key', async () => {
  const { store, calls, outbox, send } = setup();
  send('one');
  send('two');
  calls[0]!.fail(new ParleyError('archived'));
  await soon();
  expect(store.get().pending.map((item) => item.failed)).toEqual([expect.stringContaining('archived'), null]);
  expect(calls).toHaveLength(1);
  outbox.retry(store.get().pending[0]!.key);
  expect(calls[1]?.key).toBe(calls[0]?.key);
  calls[1]!.fail(new ParleyError('archived'));
  await soon();
  outbox.discard(store.get().pending[0]!.key);
  expect(calls[2]?.body).toBe('two');
});

test('what a lost connection held up goes out by itself when it is back; a refusal does not', async () => {
  const { calls, outbox, send } = setup();
  send('one');
  calls[0]!.fail(new ConnectionError('network', 'gone'));
  await soon();
  outbox.retryLost();
  await soon();
  expect(calls.map((item) => item.key)).toEqual([calls[0]?.key, calls[0]?.key]);
  calls[1]!.fail(new ParleyError('forbidden'));
  await soon();
  outbox.retryLost();
  await soon();
  expect(calls).toHaveLength(2);
});

test('the first reply opens the thread, and those behind it follow there', async () => {
  const { store, calls, send, mine } = setup({ timelines: { con: timeline([message('root', 1)]) } });
  send('one', 'root');
  send('two', 'root');
  expect(calls.map((item) => item.name)).toEqual(['openThread']);
  calls[0]!.answer({ id: 'thread', kind: 'thread', parentId: 'con', rootMessageId: 'root' });
  await soon();
  expect(store.get().timelines['con']?.messages['root']?.threadId).toBe('thread');
  expect(calls[1]).toMatchObject({ name: 'postMessage', conversationId: 'thread', body: 'one' });
  calls[1]!.answer(mine('m2', 2, { conversationId: 'thread' }));
  await soon();
  expect(store.get().timelines['thread']?.ids).toEqual(['m2']);
});

test('[PAP-3] ^ALL over the limit waits for a second confirmation, and goes out again with it under a key of its own', async () => {
  const { store, calls, outbox, send, mine } = setup();
  send('^ALL hands');
  const problems = [{ field: 'confirmAll', message: 'Estimated cost: $0.12, from their past turns.' }];
  calls[0]!.fail(new ParleyError('confirm_all', 'many', { reason: '12', problems }));
  await soon();
  const [waiting] = store.get().pending;
  expect(waiting).toMatchObject({ asksFor: 12, confirmAll: null, cost: 'Estimated cost: $0.12, from their past turns.' });
  outbox.confirm(waiting!.key);
  await soon();
  expect(calls[1]).toMatchObject({ body: '^ALL hands', confirmAll: 12 });
  expect(calls[1]!.key).not.toBe(calls[0]!.key);
  calls[1]!.answer(mine('m1', 1));
  await soon();
  expect(store.get().pending).toEqual([]);
});

test('[PAP-3] a no lets it go, and nobody was woken', async () => {
  const { store, calls, outbox, send } = setup();
  send('^ALL hands');
  calls[0]!.fail(new ParleyError('confirm_all', 'many', { reason: '12' }));
  await soon();
  outbox.discard(store.get().pending[0]!.key);
  await soon();
  expect([store.get().pending, calls.length]).toEqual([[], 1]);
});
