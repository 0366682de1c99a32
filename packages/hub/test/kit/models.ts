// A hub whose agents think with models that a server on this machine plays, and tools that are small enough to look through.

import {
  type ModelCall,
  makeOnce,
  type ModelServer,
  type Person,
  SimClock,
  startModels,
  startTestHub,
  type TestHub,
} from '@parley/testkit';
import type { Ground } from '@parley/testkit';
import type { BrainConfig, Identity, ModelConfig } from '@parley/protocol';
import type { BrainTurn, Tool, ToolsFor } from '../../src/brains/brain.ts';
import type { WorkLimits } from '../../src/engine/limits.ts';

/** A key that must be seen nowhere but in the request it is for. */
export const canary = 'sk-canary-7f3a9b1c5d';

export type Provider = ModelConfig['provider'];
export const providers: readonly Provider[] = ['anthropic', 'openai', 'openai_compatible'];

/** Tells which waits were begun, so that a test lets just that much time pass. */
export class WatchedClock extends SimClock {
  private begun: number[] = [];
  private waiting: (() => void)[] = [];

  override after(ms: number, work: () => void): () => void {
    const cancel = super.after(ms, work);
    this.begun.push(ms);
    for (const wake of this.waiting.splice(0)) wake();
    return cancel;
  }

  /** Once somebody waits for just so long. */
  async waited(ms: number): Promise<void> {
    while (!this.begun.includes(ms)) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.begun = [];
  }

  /** Once somebody does, that time passes. */
  async over(ms: number): Promise<void> {
    await this.waited(ms);
    this.advance(ms);
  }
}

export interface Alone {
  handle: string;
  id: string;
  dm: string;
  /** And waits until it has come to an end. */
  ask(text: string): Promise<void>;
  last(): Promise<string | null | undefined>;
  task(): Promise<ShownTask>;
  asked(): ModelCall[];
  /** What its owner was told last. */
  told(): Promise<string | null | undefined>;
}
type ShownTask = { id: string; state: string; cause: string | null; reason: string | null; agentId: string | null; chainId: string };

export interface ModelWorld {
  kit: TestHub;
  models: ModelServer;
  clock: WatchedClock;
  owner: Person;
  general: string;
  /** What the tools of the agent whose turn it is are. */
  tools: { for: ToolsFor };
  /** An agent in the channel that thinks with a model of the server's. */
  agent(
    handle: string,
    brain?: Partial<Extract<BrainConfig, { kind: 'model' }>>,
    made?: { instructions?: string; memory?: string },
  ): Promise<string>;
  /** One that nobody else talks to, in a DM of the owner's. */
  alone(brain?: Partial<Extract<BrainConfig, { kind: 'model' }>>, made?: { instructions?: string; memory?: string }): Promise<Alone>;
  settled(): Promise<void>;
  bodies(conversationId?: string): Promise<(string | null)[]>;
  tasks(): Promise<ShownTask[]>;
  stop(): Promise<void>;
}

/** One for all tests of a suite. */
export const worldFor = (...settings: Parameters<typeof startWorld>): ModelWorld =>
  makeOnce(
    () => startWorld(...settings),
    (world) => world.stop(),
  );

export async function startWorld(engine: Ground['engine'], env: Record<string, string> = {}, limits?: WorkLimits): Promise<ModelWorld> {
  const clock = new WatchedClock();
  const models = await startModels();
  const tools: ModelWorld['tools'] = { for: () => Promise.resolve([]) };
  const secrets = { ...process.env, PARLEY_SECRET_CANARY: canary };
  const parts = { clock, agents: [], env: secrets, tools: (turn: BrainTurn) => tools.for(turn), ...(limits ? { limits } : {}) };
  const kit = await startTestHub(engine, parts, { PARLEY_LOG: 'silent', ...env });
  const { owner } = kit;
  // Servers of all ports: some tests have one that is not there.
  await kit.operator.call('bindSecret', { params: { name: 'canary' }, body: { hosts: ['127.0.0.1'] } });
  const general = await kit.general();
  let made = 0;
  const world: ModelWorld = {
    kit,
    models,
    clock,
    owner,
    general,
    tools,
    agent: async (handle, brain = {}, made = {}) => {
      const { id } = await kit.operator.call('addMember', { body: { kind: 'agent', handle, displayName: handle, ownerId: owner.id } });
      const provider = brain.provider ?? 'anthropic';
      const config = { kind: 'model', provider, model: handle, baseUrl: models.baseUrl(provider), key: 'canary', ...brain } as BrainConfig;
      await identify(kit, id, { instructions: made.instructions ?? '', memory: made.memory ?? '', tools: [], brain: config });
      await owner.call('addToConversation', { params: { conversationId: general }, body: { memberId: id } });
      return id;
    },
    alone: async (brain, identity) => {
      const handle = `M${++made}`;
      const id = await world.agent(handle, brain, identity);
      const dm = (await owner.call('openDm', { body: { memberIds: [id] } })).id;
      return {
        handle,
        id,
        dm,
        ask: async (text) => {
          await owner.post(dm, text);
          await world.settled();
        },
        last: async () => (await world.bodies(dm)).at(-1),
        task: async () => (await world.tasks()).findLast(({ agentId }) => agentId === id)!,
        asked: () => models.asked.filter(({ model }) => model === handle),
        told: async () => (await owner.call('listNotices', { query: {} })).notices.findLast(({ agentId }) => agentId === id)?.reason,
      };
    },
    settled: () => kit.hub.kernel.scheduler.settled(),
    bodies: async (conversationId = general) =>
      (await owner.call('listMessages', { params: { conversationId }, query: {} })).messages.map(({ body }) => body),
    tasks: async () => (await owner.call('listTasks', { query: { state: 'all' } })).tasks,
    stop: async () => {
      await kit.stop();
      await models.stop();
    },
  };
  return world;
}

/** Written as it is: who may write it, and how, is tested elsewhere. */
async function identify(kit: TestHub, agentId: string, made: Pick<Identity, 'instructions' | 'memory' | 'tools' | 'brain'>): Promise<void> {
  const params = { memberId: agentId };
  const { version, identity } = await kit.owner.call('getIdentity', { params });
  await kit.owner.call('putIdentity', { params, body: { ...identity, ...made, version } });
}

export function tool(name: string, run: (input: Record<string, unknown>) => Promise<string> | string, more: Partial<Tool> = {}): Tool {
  return {
    name,
    description: `The tool ${name}.`,
    input: { type: 'object', properties: {}, additionalProperties: true },
    readOnly: true,
    keyed: false,
    run: async (input) => ({ text: await run(input as Record<string, unknown>) }),
    ...more,
  };
}
