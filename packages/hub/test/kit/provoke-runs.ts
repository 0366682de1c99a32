// A hub with models that a server on this machine plays, a real tool server, and triggers that wake agents.

import type { Manifest, PapEvent, RouteOutput } from '@parley/protocol';
import type { Ground } from '@parley/testkit';
import {
  type ModelCall,
  makeOnce,
  type McpHttp,
  type ModelServer,
  type Person,
  type Script,
  startMcpHttp,
  startModels,
  startTestHub,
  type TestHub,
} from '@parley/testkit';
import type { WorkLimits } from '../../src/engine/limits.ts';
import { WatchedClock } from './models.ts';

export type Invocation = RouteOutput<'getInvocation'>;
type Over = { -readonly [K in Exclude<keyof Manifest, 'id'>]?: unknown };

export interface Woken {
  /** Of the type and the trigger, which nothing else has. */
  name: string;
  type: string;
  asked(): ModelCall[];
  /** Says that it happened, and waits for nothing. */
  emit(data?: Record<string, unknown>, id?: string): Promise<string>;
  /** And waits until nothing runs any more. */
  run(data?: Record<string, unknown>): Promise<Invocation>;
}

export interface ProvokeWorld {
  kit: TestHub;
  models: ModelServer;
  mcp: McpHttp;
  clock: WatchedClock;
  owner: Person;
  general: string;
  put(kind: 'trigger' | 'manifest', object: { id: string } & Record<string, unknown>, by?: Person): Promise<void>;
  /** A trigger of a type of its own that wakes an agent whose model says this. */
  wakes(script: Script, manifest?: Over, trigger?: Record<string, unknown>, by?: Person): Promise<Woken>;
  invocation(id: string): Promise<Invocation>;
  emit(event: Partial<PapEvent> & { type: string }, by?: Person): Promise<RouteOutput<'emitEvent'>>;
  settled(): Promise<void>;
  /** Lets time pass and what is due by then happen. */
  pass(ms: number): Promise<void>;
  facts(subject: string): Promise<{ type: string; data: Record<string, unknown> }[]>;
  bodies(conversationId?: string): Promise<(string | null)[]>;
  stop(): Promise<void>;
}

let n = 0;

/** One for all tests of a suite. */
export const provokeFor = (...settings: Parameters<typeof startProvoke>): ProvokeWorld =>
  makeOnce(
    () => startProvoke(...settings),
    (world) => world.stop(),
  );

export async function startProvoke(
  engine: Ground['engine'],
  over: { env?: Record<string, string>; limits?: WorkLimits } = {},
): Promise<ProvokeWorld> {
  const clock = new WatchedClock();
  const [models, mcp] = [await startModels(), await startMcpHttp()];
  const env = { ...process.env, PARLEY_SECRET_CANARY: 'a-key', PARLEY_SECRET_HOOK: 'shared' };
  const kit = await startTestHub(
    engine,
    { clock, env, ...(over.limits ? { limits: over.limits } : {}) },
    { PARLEY_LOG: 'silent', ...over.env },
  );
  const { owner } = kit;
  await owner.call('setToolServer', { params: { name: 'test' }, body: { url: mcp.url } });
  const general = await kit.general();
  const kernel = () => kit.hub.kernel;
  const world: ProvokeWorld = {
    kit,
    models,
    mcp,
    clock,
    owner,
    general,
    put: async (kind, object, by = owner) => {
      const params = { kind, id: object.id };
      const before = await by.ask('getProvoke', { params });
      await by.call('putProvoke', { params, body: { version: before.status === 200 ? before.body.version : 0, object } });
    },
    wakes: async (script, manifest = {}, trigger = {}, by = owner) => {
      const name = `t${++n}`;
      const type = `test.${name}.crossed`;
      models.script(name, script);
      const model = { provider: 'anthropic', model_id: name, base_url: models.baseUrl('anthropic'), key: 'canary' };
      await world.put('manifest', { id: `m-${name}`, risk_level: 'low', model, ...manifest }, by);
      await world.put('trigger', { id: name, match: { type }, agent: `m-${name}`, ...trigger }, by);
      const emit = async (data: Record<string, unknown> = {}, id?: string): Promise<string> => {
        const answer = await world.emit({ type, data, ...(id === undefined ? {} : { id }) });
        if (!('triggers' in answer)) throw new Error('several');
        return answer.triggers.find(({ triggerId }) => triggerId === name)!.invocationId!;
      };
      return {
        name,
        type,
        asked: () => models.asked.filter((asked) => asked.model === name),
        emit,
        run: async (data) => {
          const id = await emit(data);
          await world.settled();
          return world.invocation(id);
        },
      };
    },
    invocation: (id) => owner.call('getInvocation', { params: { invocationId: id } }),
    emit: (event, by = kit.operator) =>
      by.call('emitEvent', {
        body: {
          pap_version: '0.2',
          id: `evt-${++n}`,
          ...(by === kit.operator ? { source: 'monitoring.test' } : {}),
          time: '2026-03-11T06:00:00Z',
          data: {},
          ...event,
        },
      }),
    settled: async () => {
      await kernel().runner.settled();
      await kernel().scheduler.settled();
      await kernel().outbox.settled();
      await kernel().runner.settled();
    },
    pass: async (ms) => {
      clock.advance(ms);
      await kernel().timers.tick();
      await world.settled();
    },
    facts: async (subject) =>
      (await kernel().store.rows('facts', 'where subject_id = ? order by seq', [subject])).map(({ type, data }) => ({
        type,
        data: JSON.parse(data) as Record<string, unknown>,
      })),
    bodies: async (conversationId = general) =>
      (await owner.call('listMessages', { params: { conversationId }, query: {} })).messages.map(({ body }) => body),
    stop: async () => {
      await kit.stop();
      await Promise.all([models.stop(), mcp.stop()]);
    },
  };
  return world;
}
