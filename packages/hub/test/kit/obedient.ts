// Agents that do whatever any text tells them to, with every tool they have, and tell everything they got. They know
// every id there is: whoever asks them has guessed them all. The platform must hold all the same.

import { type AgentEvent, routes, type RouteName } from '@parley/protocol';
import type { Person } from '@parley/testkit';
import type { Brain, BrainTurn } from '../../src/brains/brain.ts';
import { Wire } from './agent-wire.ts';

/** What the askers have found out, and what they are after. */
export interface Known {
  conversations: string[];
  messages: string[];
  attachments: string[];
  members: string[];
  tasks: string[];
  chains: string[];
  /** Words that only those who may read them know; agents put first whatever has one in it. */
  secrets: string[];
}

const longest = 4_000;

/** Everything it got, in one text: what is sought first, so that nothing is cut off that matters. */
function told(got: readonly unknown[], known: Known): string {
  const texts = [...new Set(got.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))))];
  const holds = (text: string): boolean => known.secrets.some((secret) => text.includes(secret));
  // No call in it may wake anybody: it is an answer.
  const found = known.secrets.flatMap((secret) => {
    const from = texts.find((text) => text.includes(secret));
    return from === undefined ? [] : [`${secret} (${from.slice(0, 60)})`];
  });
  return `I found: ${found.join(' ')} ${texts
    .toSorted((a, b) => Number(holds(b)) - Number(holds(a)))
    .join(' | ')
    .replaceAll(/[\^@]/g, '')
    .replaceAll('pass on', 'passed on')}`.slice(0, longest);
}

const attempt = async (got: unknown[], read: () => Promise<unknown>): Promise<void> => {
  await read().then(
    (result) => got.push(result),
    (error: unknown) => got.push(String(error)),
  );
};

/** "pass on to X: …" hands the rest on, address and all. */
const passOn = /pass on to (\w+): (.*)/s;

/** Inside the hub: every read a turn has, a draft of all of it, and all of it as the answer. */
export const obedientBrain = (known: Known, passed = new Set<string>()): Brain => ({
  takesUp: () => true,
  turn: async (turn: BrainTurn) => {
    const got: unknown[] = [...turn.words.map((word) => word.text), ...turn.given.map((child) => child.words ?? '')];
    const order = turn.words.map((word) => passOn.exec(word.text)).find((found) => found !== null);
    for (const id of known.conversations) await attempt(got, () => turn.read.history({ conversationId: id, limit: 20 }));
    await attempt(got, () => turn.read.members(known.conversations[0]));
    await attempt(got, () => turn.read.tasks(known.conversations[0]));
    for (const id of known.messages) await attempt(got, () => turn.read.message(id));
    await attempt(got, () => turn.read.search({ q: known.secrets[0]!, limit: 5 }));
    turn.draft(told(got, known));
    // Once: whether anybody was woken by it or not, after that it answers.
    if (order && !passed.has(turn.task.id)) {
      passed.add(turn.task.id);
      const { given } = await turn.say(`${told(got, known)} ^${order[1]} ${order[2]}`);
      if (given > 0) return { kind: 'pause' };
    }
    return { kind: 'answer', text: told(got, known) };
  },
});

type Read = (got: unknown[]) => Promise<void>;

/** Outside the hub: every route that shows something, in the name of the task. */
function byHttp(agent: Person, known: Known, taskId: string): Read {
  return async (got) => {
    const ids: Record<string, string[]> = {
      conversationId: known.conversations,
      messageId: known.messages,
      attachmentId: known.attachments,
      memberId: known.members,
      taskId: known.tasks,
      chainId: known.chains,
      linkId: [],
      tokenId: [],
      emoji: ['👀'],
    };
    const shows = (Object.keys(routes) as RouteName[]).filter(
      (name) =>
        routes[name].method === 'GET' || ['addReaction', 'removeReaction', 'openThread', 'previewMessage', 'markRead'].includes(name),
    );
    for (const name of shows) {
      const { path, method } = routes[name];
      const wanted = [...path.matchAll(/:(\w+)/g)].map(([, key]) => key!);
      let paths: string[] = [path];
      for (const key of wanted)
        paths = paths.flatMap((one) => (ids[key] ?? []).map((id) => one.replace(`:${key}`, encodeURIComponent(id))));
      for (const one of paths)
        for (const query of name === 'search' ? known.secrets.map((q) => `?q=${q}`) : [''])
          await attempt(got, async () => {
            const body = name === 'previewMessage' ? { body: 'x' } : name === 'markRead' ? { seq: 1 } : undefined;
            const answer = await fetch(`${agent.url}/api/v1${one}${query}`, {
              method,
              headers: {
                authorization: `Bearer ${agent.token}`,
                'parley-task': taskId,
                ...(body ? { 'content-type': 'application/json' } : {}),
              },
              ...(body ? { body: JSON.stringify(body) } : {}),
            });
            return `${name}: ${await answer.text()}`;
          });
    }
  };
}

function bySocket(line: Wire, known: Known, taskId: string, lease: number): Read {
  const use = (name: string, input: Record<string, unknown>) => line.tried('tool', { taskId, lease, name, input });
  return async (got) => {
    // One of each kind: they read by the same code as the methods below.
    for (const conversationId of known.conversations) got.push(await use('read_thread', { conversationId }));
    const [conversationId = '', messageId = ''] = [known.conversations[0], known.messages[0]];
    got.push(await use('read_mailbox', { conversationId, after: 0 }), await use('read_thread', { messageId }));
    got.push(await use('query_workspace', { action: 'list_members', channelId: conversationId }));
    got.push(await use('query_workspace', { action: 'list_channels' }));
    got.push(await use('search_messages', { q: known.secrets[0]! }));
    for (const id of [undefined, ...known.conversations]) {
      const where = { taskId, limit: 200, ...(id === undefined ? {} : { conversationId: id }) };
      got.push(await line.tried('read.history', where), await line.tried('read.mailbox', { ...where, after: 0 }));
    }
    for (const messageId of known.messages) got.push(await line.tried('read.message', { taskId, messageId }));
    for (const q of known.secrets) got.push(await line.tried('read.search', { taskId, q }));
    got.push(await line.tried('read.tasks', {}));
  };
}

/** An agent on its socket, that reads through the one door or the other and says what it got wherever it can. */
export class Obedient {
  readonly line: Wire;
  /** Tasks it has answered. */
  readonly done = new Set<string>();
  private readonly agent: Person;
  private readonly known: Known;
  private readonly door: 'http' | 'socket';
  private readonly passed = new Set<string>();
  private waiting: (() => void)[] = [];
  /** What it was given in each of its tasks, and nothing of any other. */
  private readonly heard = new Map<string, unknown[]>();

  private constructor(agent: Person, line: Wire, known: Known, door: 'http' | 'socket') {
    this.agent = agent;
    this.line = line;
    this.known = known;
    this.door = door;
  }

  static async connect(agent: Person, known: Known, door: 'http' | 'socket'): Promise<Obedient> {
    const obedient = new Obedient(agent, await Wire.hello(agent), known, door);
    obedient.line.onEvent = (event) => void obedient.obey(event);
    return obedient;
  }

  private async obey(event: AgentEvent): Promise<void> {
    const { id: taskId } = event.task;
    const got = this.heard.get(taskId) ?? [];
    this.heard.set(taskId, got);
    got.push(`told ${event.kind}: ${event.content}`, ...event.words.map((word) => `told ${word.kind}: ${word.content}`));
    if (event.kind !== 'task' && event.kind !== 'result') return;
    const lease = event.lease!;
    await (this.door === 'http' ? byHttp(this.agent, this.known, taskId) : bySocket(this.line, this.known, taskId, lease))(got);
    const text = told(got, this.known);
    await this.line.tried('draft', { taskId, lease, text });
    // Once: when what it gave on comes back, it answers.
    const order = this.passed.has(taskId) ? null : passOn.exec(event.content ?? '');
    if (order) this.passed.add(taskId);
    // Everywhere, and not only where it was asked.
    for (const conversationId of this.known.conversations) {
      const calls = order ? ` ^${order[1]} ${order[2]}` : '';
      await this.line.tried('say', { taskId, lease, kind: 'progress', body: `${text}${calls}`, conversationId });
    }
    if (order) {
      const paused = await this.line.tried('pause', { taskId, lease });
      if (paused.ok) return;
    }
    await this.line.tried('say', { taskId, lease, kind: 'answer', body: told(got, this.known) });
    this.done.add(taskId);
    for (const wake of this.waiting.splice(0)) wake();
  }

  /** Waits until it has answered in so many tasks. */
  async answered(count: number): Promise<void> {
    while (this.done.size < count) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }
}
