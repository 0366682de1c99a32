// Fills a hub through its own engine, in groups as large as it takes: what is measured was made the ordinary way.

import { setTimeout as sleep } from 'node:timers/promises';
import { hashSecret } from '../../packages/hub/src/engine/auth.ts';
import { type By, operator } from '../../packages/hub/src/engine/command.ts';
import type { Kernel } from '../../packages/hub/src/index.ts';
import type { ProvokeKind, Trigger } from '../../packages/protocol/src/index.ts';

export interface Crowd {
  prefix: string;
  count: number;
  /** Sets of channels; the first `members` people are in `each` channels of the set, evenly spread. */
  sets: { channels: number; members: number; each: number }[];
}
export interface Person {
  memberId: string;
  tokenId: string;
  token: string;
  /** Per set, where they are. */
  channels: string[][];
}
export interface People {
  sets: string[][];
  people: Person[];
}

export const text =
  'The quarterly numbers are in, and the second chart is the one to look at: the trend holds even without the two outliers.';

/** Waves of so many at once, until `count` are done; `work` gets the number of each. */
async function inWaves(count: number, size: number, work: (i: number) => Promise<unknown>): Promise<void> {
  for (let done = 0; done < count; done += size) await times(Math.min(size, count - done), (i) => work(done + i));
}

async function addHuman({ engine }: Kernel, handle: string, role: 'member' | 'owner' = 'member'): Promise<string> {
  const named = { kind: 'human', handle, displayName: handle, about: '', role } as const;
  return (await engine.submit({ type: 'member.add', by: operator, ...named })).member.id;
}

async function addAgent({ engine }: Kernel, handle: string, ownerId: string): Promise<string> {
  const named = { kind: 'agent', handle, displayName: handle, about: '', role: 'member', ownerId } as const;
  return (await engine.submit({ type: 'member.add', by: operator, ...named })).member.id;
}

type TokenOptions = { kind: 'person' | 'agent' | 'source'; source?: string };
async function addToken({ engine, ids }: Kernel, memberId: string, options: TokenOptions): Promise<{ token: string; tokenId: string }> {
  const token = ids.secret('pt');
  const { token: row } = await engine.submit({
    type: 'token.create',
    by: operator,
    hash: hashSecret(token),
    memberId,
    label: 'bench',
    ...options,
  });
  return { token, tokenId: row.id };
}

const times = <T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)));

export async function people(kernel: Kernel, { prefix, count, sets: wanted }: Crowd): Promise<People> {
  const { engine } = kernel;
  const settings = { topic: '', visibility: 'public', floor: 'polite', history: 'all' } as const;
  const sets = await Promise.all(
    wanted.map((set, s) =>
      times(set.channels, async (i) => {
        const made = await engine.submit({ type: 'channel.create', by: operator, name: `${prefix}-${s}-${i}`, ...settings });
        return made.conversation.id;
      }),
    ),
  );
  const made = await times(count, async (i): Promise<Person> => {
    const memberId = await addHuman(kernel, `${prefix}${i}`);
    const { token, tokenId } = await addToken(kernel, memberId, { kind: 'person' });
    const by = { memberId, tokenId };
    const channels = wanted.map(({ members, each }, s) =>
      i < members ? Array.from({ length: each }, (_, k) => sets[s]![(i * each + k) % sets[s]!.length]!) : [],
    );
    await Promise.all(channels.flat().map((conversationId) => engine.submit({ type: 'conversation.join', by, conversationId })));
    return { ...by, token, channels };
  });
  await settled(kernel);
  return { sets, people: made };
}

export interface Joining {
  people: { memberId: string; tokenId: string }[];
  channels: string[];
}
/** Every one of them into every one of these. */
export async function join(kernel: Kernel, { people: all, channels }: Joining): Promise<void> {
  await Promise.all(
    all.flatMap((by) => channels.map((conversationId) => kernel.engine.submit({ type: 'conversation.join', by, conversationId }))),
  );
  await settled(kernel);
}

/** So many agents in one channel. */
export async function agents(
  kernel: Kernel,
  { prefix, count, channel }: { prefix: string; count: number; channel: string },
): Promise<void> {
  const { engine } = kernel;
  const ownerId = await addHuman(kernel, `${prefix}owner`);
  await inWaves(count, 1000, async (i) => {
    const memberId = await addAgent(kernel, `${prefix}${i}`, ownerId);
    await engine.submit({ type: 'conversation.add', by: operator, conversationId: channel, memberId });
  });
  await settled(kernel);
}

export interface Hand {
  memberId: string;
  handle: string;
  token: string;
}
/** Agents of somebody's, with a token each, in one channel where they are asked. */
export interface Hands {
  person: { memberId: string; tokenId: string };
  channel: string;
  agents: Hand[];
}
export async function hands(kernel: Kernel, { prefix, count }: { prefix: string; count: number }): Promise<Hands> {
  const { engine } = kernel;
  const made = await people(kernel, { prefix: `${prefix}-person`, count: 1, sets: [{ channels: 1, members: 1, each: 1 }] });
  const { memberId: ownerId, tokenId, channels } = made.people[0]!;
  const channel = channels[0]![0]!;
  const by = operator;
  const all = await times(count, async (i): Promise<Hand> => {
    const handle = `${prefix}-${i}`;
    const memberId = await addAgent(kernel, handle, ownerId);
    const { token } = await addToken(kernel, memberId, { kind: 'agent' });
    await engine.submit({ type: 'agent.edit', by, memberId, change: { maxConcurrent: 16 } });
    await engine.submit({ type: 'conversation.add', by, conversationId: channel, memberId });
    return { memberId, handle, token };
  });
  await settled(kernel);
  return { person: { memberId: ownerId, tokenId }, channel, agents: all };
}

export interface Requests extends Pick<Hands, 'person' | 'channel'> {
  /** The agents that are asked, each in a message of its own. */
  handles: string[];
}
export async function request(kernel: Kernel, { person: by, channel: conversationId, handles }: Requests): Promise<void> {
  await Promise.all(
    handles.map((handle, i) =>
      kernel.engine.submit({ type: 'message.post', by, conversationId, body: `^${handle} please, ${i}`, attachmentIds: [] }),
    ),
  );
}

/** `count` messages of fifty people in twenty channels. */
export async function messages(kernel: Kernel, count: number): Promise<void> {
  const { people: authors } = await people(kernel, { prefix: 'author', count: 50, sets: [{ channels: 20, members: 50, each: 20 }] });
  await inWaves(count, 2048, (i) => {
    const { memberId, tokenId, channels } = authors[i % authors.length]!;
    const conversationId = channels[0]![i % channels[0]!.length]!;
    const message = { conversationId, body: `${i}: ${text}`, attachmentIds: [] };
    return kernel.engine.submit({ type: 'message.post', by: { memberId, tokenId }, ...message });
  });
  await settled(kernel);
}

export interface Writing {
  by: { memberId: string; tokenId: string };
  conversationId: string;
  count: number;
  length: number;
}
/** Messages of one author in one conversation, each as long as said. */
export async function write(kernel: Kernel, { by, conversationId, count, length }: Writing): Promise<void> {
  const wave = Math.min(2048, Math.ceil(10_000_000 / length));
  await inWaves(count, wave, (i) => {
    const body = `${i} word `.padEnd(length, 'lorem ');
    return kernel.engine.submit({ type: 'message.post', by, conversationId, body, attachmentIds: [] });
  });
  await settled(kernel);
}

export interface Monitors {
  count: number;
  triggers: Trigger[];
}
/**
 * Tokens of monitors that may emit everything, and triggers that wait for it. Their invocations wait, since everything is
 * stopped: only accepting is measured.
 */
export async function monitors(kernel: Kernel, { count, triggers: all }: Monitors): Promise<string[]> {
  const memberId = await addHuman(kernel, 'monitored', 'owner');
  await kernel.engine.submit({ type: 'workspace.halt', by: operator, halted: true });
  await put(kernel, operator, 'source', { id: 'monitors', types: ['*'] });
  await triggers(kernel, { by: operator, triggers: all });
  return times(count, async () => (await addToken(kernel, memberId, { kind: 'source', source: 'monitors' })).token);
}

const put = ({ engine }: Kernel, by: By, kind: ProvokeKind, body: { id: string; [name: string]: unknown }): Promise<unknown> =>
  engine.submit({ type: 'provoke.put', by, kind, id: body.id, version: 0, body });

/** Triggers of a member, with a manifest of its own. */
export async function triggers(kernel: Kernel, { by, triggers: all }: { by: By; triggers: Trigger[] }): Promise<void> {
  for (const id of new Set(all.map(({ agent }) => agent))) await put(kernel, by, 'manifest', { id, risk_level: 'low' });
  for (const trigger of all) await put(kernel, by, 'trigger', { ...trigger });
}

/** `secret.set` loads as often as a command without hints may: twice. */
export async function rare({ engine }: Kernel, { ms, everyMs }: { ms: number; everyMs: number }): Promise<number> {
  const until = performance.now() + ms;
  let count = 0;
  for (; performance.now() < until; count++) {
    await engine.submit({ type: 'secret.set', by: operator, name: 'bench', sealed: `sealed ${count}`, hosts: ['localhost'] });
    await sleep(everyMs);
  }
  return count;
}

/** Search and live delivery follow at their own pace; what they still owe must not be charged to what is measured next. */
async function settled({ tail, indexer }: Kernel): Promise<void> {
  await tail.settled();
  await indexer.settled();
}
