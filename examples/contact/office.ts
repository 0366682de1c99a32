// The frame of all nine stories: a hub of their own in a temporary folder, Rutger who owns it, agents that think with
// scripted models, a clock that the script moves, and checks that print what they look at.

import { everyMember } from '@parley/sdk/pages';
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig, startHub } from '@parley/hub';
import { type Client, createClient } from '@parley/sdk';
import { SimClock } from '@parley/testkit/clock';
import { type ModelCall, type ModelServer, type Reply, startModels } from '@parley/testkit/models';

/** One time that a model is asked: what it says, perhaps only once something else is so. */
export type Thought = Reply | ((asked: ModelCall) => Reply | Promise<Reply>);

export const says = (text: string): Reply => ({ text });
export const calls = (...inputs: [tool: string, input: object][]): Reply => ({ calls: inputs.map(([name, input]) => ({ name, input })) });
export const contacts = (...inputs: object[]): Reply => calls(...inputs.map((input): [string, object] => ['contact_agent', input]));

/** What a story waits for, or lets others wait for. */
export const gate = (): { open: () => void; opened: Promise<void> } => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { open: resolve, opened: promise };
};

const clockTime = (at: number): string =>
  new Date(at).toLocaleTimeString('en-US', { hour: 'numeric', minute: '2-digit', timeZone: 'UTC' }).replaceAll(/\s/g, ' ');

/** Prints what there is, and ends the story when it is not what was promised. */
export function same(what: string, found: string, promised: string): void {
  console.log(`${what}:\n${found.replaceAll(/^/gm, '    ')}\n`);
  assert.equal(found, promised, what);
}

/** The same for a part of something longer, such as a model's prompt. */
export function holds(what: string, text: string, promised: string): void {
  assert.ok(text.includes(promised), `${what} lacks:\n${promised}\nIt is:\n${text}`);
  console.log(`${what}:\n${promised.replaceAll(/^/gm, '    ')}\n`);
}

export class Bot {
  readonly id: string;
  readonly handle: string;
  private readonly models: ModelServer;
  private readonly script: Thought[] = [];

  constructor(id: string, handle: string, models: ModelServer) {
    [this.id, this.handle, this.models] = [id, handle, models];
    models.script(handle, async (asked) => {
      const next = this.script.shift() ?? { status: 400 };
      const reply = typeof next === 'function' ? await next(asked) : next;
      if ('calls' in reply)
        for (const { name, input } of reply.calls ?? []) console.log(`[${handle} calls ${name}] ${JSON.stringify(input)}\n`);
      return reply;
    });
  }

  /** What its model does, each time it is asked. */
  thinks(...thoughts: Thought[]): void {
    this.script.push(...thoughts);
  }

  /** Thoughts that nobody has asked for. */
  get left(): number {
    return this.script.length;
  }

  /** All that its model was asked so far. */
  get asked(): ModelCall[] {
    return this.models.asked.filter(({ model }) => model === this.handle);
  }

  /** What its calls of tools returned, in order, without the block that tells a model who wrote it. */
  get results(): string[] {
    const blocks = new Set(this.asked.flatMap(({ told }) => told.filter(({ kind }) => kind === 'tool').map(({ text }) => text)));
    return [...blocks].map((text) => text.split('\n').slice(1, -1).join('\n'));
  }

  /** All that people, agents and the platform told it when it was asked last. */
  get told(): string {
    return (this.asked.at(-1)?.told ?? []).map(({ text }) => text).join('\n');
  }
}

export class Office {
  readonly rutger: Client;
  readonly clock: SimClock;
  private readonly operator: Client;
  private readonly models: ModelServer;
  private readonly bots: Bot[] = [];
  private readonly ownerId: string;

  constructor(url: string, operatorKey: string, rutger: { token: string; id: string }, models: ModelServer, clock: SimClock) {
    this.operator = createClient({ baseUrl: url, token: operatorKey });
    this.rutger = createClient({ baseUrl: url, token: rutger.token });
    [this.ownerId, this.models, this.clock] = [rutger.id, models, clock];
  }

  /** An agent of Rutger's whose model is the script's. */
  async agent(handle: string, mode: 'autonomous' | 'supervised' | 'strict' = 'autonomous'): Promise<Bot> {
    const { id } = await this.operator.call('addMember', { body: { kind: 'agent', handle, displayName: handle, ownerId: this.ownerId } });
    const { version, identity } = await this.rutger.call('getIdentity', { params: { memberId: id } });
    const provider = 'openai_compatible';
    const brain = { kind: 'model', provider, model: handle, baseUrl: this.models.baseUrl(provider) } as const;
    await this.rutger.call('putIdentity', { params: { memberId: id }, body: { ...identity, brain, mode, version } });
    const bot = new Bot(id, handle, this.models);
    this.bots.push(bot);
    return bot;
  }

  async brings(conversationId: string, ...bots: Bot[]): Promise<void> {
    for (const { id } of bots) await this.rutger.call('addToConversation', { params: { conversationId }, body: { memberId: id } });
  }

  /** Rutger writes to an agent, in the DM of the two. */
  async asks(bot: Bot, text: string): Promise<Work> {
    const { id: conversationId } = await this.rutger.call('openDm', { body: { memberIds: [bot.id] } });
    return this.writes(conversationId, bot, text);
  }

  async writes(conversationId: string, bot: Bot, text: string): Promise<Work> {
    const { id } = await this.rutger.call('postMessage', { params: { conversationId }, body: { body: text } });
    console.log(`[Rutger → ${bot.handle}] ${text}\n`);
    const { tasks } = await this.rutger.call('listTasks', { query: { state: 'all', agentId: bot.id } });
    const task = tasks.find(({ messageId }) => messageId === id)!;
    return { ...task, conversationId };
  }

  async state(work: { id: string }): Promise<string> {
    return (await this.rutger.call('getTask', { params: { taskId: work.id } })).state;
  }

  async status(bot: Bot): Promise<string> {
    return (await this.rutger.call('listAgents')).agents.find(({ id }) => id === bot.id)!.status;
  }

  async reaches(work: { id: string }, state: string): Promise<void> {
    await until(`the task is ${state}`, async () => (await this.state(work)) === state);
  }

  /** The sub-task of an agent in this piece of work. */
  async part(work: Work, bot: Bot): Promise<Work> {
    return this.chain(work).then((steps) => steps.findLast(({ agentId }) => agentId === bot.id)!);
  }

  private async chain({ chainId }: { chainId: string }) {
    const { steps } = await this.rutger.call('getChain', { params: { chainId } });
    return steps.flatMap((step) => ('hidden' in step ? [] : step));
  }

  /** The task dashboard, as a tree: of what was asked the first sentence. */
  async dashboard(work: Work): Promise<string> {
    const steps = await this.chain(work);
    const names = new Map(this.bots.map(({ id, handle }) => [id, handle]));
    const line = ({ id, title, agentId, state }: (typeof steps)[number]): string =>
      `${id}: "${title?.split('. ')[0]}" (${names.get(agentId ?? '')}) — ${state.toUpperCase()}${state === 'completed' ? ' ✓' : ''}`;
    return steps.map((step) => (step.parentId === null ? line(step) : `${'  '.repeat(step.depth)}└── ${line(step)}`)).join('\n');
  }

  /** What stands in a conversation, as a page would show it. */
  async said(conversationId: string): Promise<string> {
    const { messages } = await this.rutger.call('listMessages', { params: { conversationId }, query: {} });
    const { members } = await everyMember(this.rutger);
    const names = new Map(members.map(({ id, displayName }) => [id, displayName]));
    return messages
      .map(({ authorId, body, createdAt }) => `[${names.get(authorId ?? '') ?? 'Parley'}] ${clockTime(createdAt)}\n${body}`)
      .join('\n\n');
  }

  /** The DM of two agents, which those who answer for them may read. */
  async dm(a: Bot, b: Bot): Promise<string> {
    const { conversations } = await this.rutger.call('listAgentDms');
    const both = conversations.find(({ memberIds }) => memberIds?.includes(a.id) && memberIds.includes(b.id));
    return both ? this.said(both.id) : '';
  }

  /** Every line of every script was used, and none was missing. */
  finished(): void {
    assert.deepEqual(
      this.bots.filter(({ left }) => left > 0).map(({ handle, left }) => `${handle} was not asked ${left} times`),
      [],
    );
  }
}

export interface Work {
  id: string;
  chainId: string;
  conversationId: string;
}

export async function until(what: string, look: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 20_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 5))) if (await look()) return;
  throw new Error(`It did not come to this: ${what}`);
}

/** Plays a story on a hub of its own. `at`: how late it is when it begins. */
export async function play(title: string, at: string, story: (office: Office) => Promise<void>): Promise<void> {
  console.log(`── ${title} ──\n`);
  const data = await mkdtemp(join(tmpdir(), 'parley-contact-'));
  const models = await startModels();
  const clock = new SimClock(Date.parse(at));
  const config = readConfig({ PARLEY_PORT: '0', PARLEY_DATA: data, PARLEY_LOG: 'error', PARLEY_COMPOSE_MS: '0' });
  const hub = await startHub(config, { clock });
  try {
    const { operatorKey } = hub.dataDir;
    const operator = createClient({ baseUrl: hub.url, token: operatorKey });
    const { id } = await operator.call('addMember', { body: { kind: 'human', handle: 'rutger', displayName: 'Rutger', role: 'owner' } });
    const { secret } = await operator.call('createToken', { body: { kind: 'person', memberId: id, label: 'example' } });
    const office = new Office(hub.url, operatorKey, { token: secret, id }, models, clock);
    await story(office);
    office.finished();
    console.log('All as promised.\n');
  } finally {
    await hub.stop();
    await models.stop();
    await rm(data, { recursive: true, force: true });
  }
}
