// A hub whose agents think with models that a server on this machine plays, and tools that are small enough to look through.

import { type ModelServer, type Person, SimClock, startModels, startTestHub, type TestHub } from '@parley/testkit';
import type { Ground } from '@parley/testkit';
import type { BrainConfig, ModelConfig } from '../../src/agents/identity.ts';
import type { Tool, ToolsFor } from '../../src/brains/tools.ts';

/** A key that must be seen nowhere but in the request it is for. */
export const canary = 'sk-canary-7f3a9b1c5d';

export type Provider = ModelConfig['provider'];
export const providers: readonly Provider[] = ['anthropic', 'openai', 'openai_compatible'];

export interface ModelWorld {
  kit: TestHub;
  models: ModelServer;
  clock: SimClock;
  owner: Person;
  general: string;
  /** What the tools of the agent whose turn it is are. */
  tools: { for: ToolsFor };
  /** Everything the hub said was wrong. */
  errors: unknown[];
  /** An agent in the channel that thinks with a model of the server's. */
  agent(handle: string, brain?: Partial<Extract<BrainConfig, { kind: 'model' }>>, made?: { instructions?: string; memory?: string }): Promise<string>;
  settled(): Promise<void>;
  bodies(conversationId?: string): Promise<(string | null)[]>;
  tasks(): Promise<{ id: string; state: string; cause: string | null; agentId: string | null; chainId: string }[]>;
  /** Lets time pass until nothing is under way: waits between attempts are over at once. */
  pass(ms: number): Promise<void>;
  stop(): Promise<void>;
}

export async function startWorld(engine: Ground['engine'], env: Record<string, string> = {}): Promise<ModelWorld> {
  process.env['PARLEY_SECRET_CANARY'] = canary;
  const clock = new SimClock();
  const models = await startModels();
  const tools: ModelWorld['tools'] = { for: () => Promise.resolve([]) };
  const errors: unknown[] = [];
  const kit = await startTestHub(engine, { clock, agents: [], tools: (turn) => tools.for(turn) }, { PARLEY_LOG: 'silent', ...env });
  const { owner } = kit;
  const general = await kit.general();
  return {
    kit,
    models,
    clock,
    owner,
    general,
    tools,
    errors,
    agent: async (handle, brain = {}, made = {}) => {
      const { id } = await kit.operator.call('addMember', { body: { kind: 'agent', handle, displayName: handle, ownerId: owner.id } });
      const provider = brain.provider ?? 'anthropic';
      const config = { kind: 'model', provider, model: handle, baseUrl: models.baseUrl(provider), key: 'canary', ...brain } as BrainConfig;
      await identify(kit, id, { instructions: made.instructions ?? '', memory: made.memory ?? '', tools: [], brain: config });
      await owner.call('addToConversation', { params: { conversationId: general }, body: { memberId: id } });
      return id;
    },
    settled: () => kit.hub.kernel.scheduler.settled(),
    bodies: async (conversationId = general) =>
      (await owner.call('listMessages', { params: { conversationId }, query: {} })).messages.map(({ body }) => body),
    tasks: async () => (await owner.call('listTasks', { query: { state: 'all' } })).tasks,
    pass: async (ms) => {
      let over = false;
      const settled = kit.hub.kernel.scheduler.settled().then(() => (over = true));
      while (!over) {
        clock.advance(ms);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await settled;
    },
    stop: async () => {
      await kit.stop();
      await models.stop();
    },
  };
}

/** Written as it is: who may write it, and how, is tested elsewhere. */
async function identify(kit: TestHub, agentId: string, data: object): Promise<void> {
  await kit.owner.call('editAgent', { params: { memberId: agentId }, body: { brain: 'model' } });
  const { transaction } = await kit.hub.kernel.store.begin([], []);
  const row = { agent_id: agentId, version: 1, mode: 'autonomous', data: JSON.stringify(data), source: 'api', at: 0 };
  await transaction.commit({ inserts: [{ table: 'identities', row }], updates: [], deletes: [], facts: [] });
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
