// The engine on a real store with nothing round it: no doors, no scheduler, no timers. What is decided here is decided
// by the commands alone, tens of thousands of them, and by several engines on one database if asked for.

import { randomBytes } from 'node:crypto';
import { openDataDir, openStore, type Store } from '@parley/hub';
import { ParleyError } from '@parley/protocol';
import { freshGround, type Ground, seedFromEnv, type SimClock } from '@parley/testkit';
import { afterAll, beforeAll } from 'vitest';
import { type By, type Command, type Handlers, operator, type Results } from '../../src/engine/command.ts';
import { Engine } from '../../src/engine/engine.ts';
import { handlers } from '../../src/engine/handlers.ts';
import { Ids } from '../../src/engine/ids.ts';
import { type WorkLimits, workLimits } from '../../src/engine/limits.ts';

/** Agents begin at once. */
export const prompt: WorkLimits = { ...workLimits, window: { ...workLimits.window, quietMs: 0 } };

/** Nobody is stopped by money where it is not what is tested. */
export const rich: WorkLimits = {
  ...prompt,
  budgets: Object.fromEntries(
    Object.keys(workLimits.budgets).map((purse) => [purse, { turns: Number.MAX_SAFE_INTEGER, micros: Number.MAX_SAFE_INTEGER }]),
  ) as unknown as WorkLimits['budgets'],
};

export interface Someone {
  id: string;
  handle: string;
  by: By;
}

export interface Bare {
  ground: Ground;
  store: Store;
  engine: Engine;
  /** Failures that are no refusals. */
  errors: unknown[];
  /** Another engine, with a connection of its own, on the same database. */
  another(): Promise<Engine>;
  person(handle: string, role?: 'owner' | 'admin' | 'member' | 'guest'): Promise<Someone>;
  agent(handle: string, owner: Someone, online?: boolean): Promise<Someone>;
  channel(by: Someone, name: string, members: Someone[], visibility?: 'public' | 'private'): Promise<string>;
  stop(): Promise<void>;
}

export interface BareOptions {
  clock?: SimClock;
  limits?: WorkLimits;
  handlers?: Handlers;
}

export async function startBare(kind: Ground['engine'], options: BareOptions = {}): Promise<Bare> {
  const ground = await freshGround(kind);
  const dataDir = await openDataDir(ground.dataDir);
  const stores: Store[] = [];
  const engines: Engine[] = [];
  const errors: unknown[] = [];
  const open = async (): Promise<Engine> => {
    const ids = new Ids(randomBytes);
    const store = await openStore({
      dataDir,
      databaseUrl: ground.databaseUrl,
      epoch: ids.epoch(),
      sync: false,
      ...(options.clock ? { clock: options.clock } : {}),
    });
    stores.push(store);
    const engine = new Engine({
      store,
      handlers: options.handlers ?? handlers,
      ids,
      limits: options.limits ?? rich,
      onError: (error) => errors.push(error),
    });
    engines.push(engine);
    return engine;
  };
  const engine = await open();
  await engine.submit({ type: 'workspace.found', by: operator, name: 'test', agents: [] });
  const member = async (kind: 'human' | 'agent', handle: string, role: 'owner' | 'admin' | 'member' | 'guest', owner?: Someone) => {
    const added = await engine.submit({
      type: 'member.add',
      by: operator,
      kind,
      handle,
      displayName: handle,
      about: '',
      role,
      ...(owner ? { ownerId: owner.id } : {}),
    });
    const { token } = await engine.submit({
      type: 'token.create',
      by: operator,
      hash: `${handle}-hash`,
      kind: kind === 'agent' ? 'agent' : 'person',
      memberId: added.member.id,
      label: 'test',
    });
    return { id: added.member.id, handle, by: { memberId: added.member.id, tokenId: token.id } };
  };
  return {
    ground,
    store: stores[0]!,
    engine,
    errors,
    another: open,
    person: (handle, role = 'member') => member('human', handle, role),
    agent: async (handle, owner, online = true) => {
      const agent = await member('agent', handle, 'member', owner);
      if (online) await engine.submit({ type: 'agent.connect', by: agent.by });
      return agent;
    },
    channel: async (by, name, members, visibility = 'private') => {
      const { conversation } = await engine.submit({
        type: 'channel.create',
        by: by.by,
        name,
        topic: '',
        visibility,
        floor: 'polite',
        history: 'all',
      });
      for (const { id } of members)
        await engine.submit({ type: 'conversation.add', by: by.by, conversationId: conversation.id, memberId: id });
      return conversation.id;
    },
    stop: async () => {
      for (const one of engines) await one.stop();
      for (const one of stores) await one.close();
      await ground.clear();
    },
  };
}

export type Outcome<T> = { ok: true; result: T } | { ok: false; code: string; error: ParleyError };

/** What came of a command; only refusals are outcomes, everything else is thrown. */
export async function outcome<C extends Command>(engine: Engine, command: C): Promise<Outcome<Results[C['type']]>> {
  try {
    return { ok: true, result: await engine.submit(command) };
  } catch (error) {
    if (error instanceof ParleyError) return { ok: false, code: error.code, error };
    throw error;
  }
}

/** For tests of which most is refusals: how each came about would be most of its cost. */
export function withoutStacks(): void {
  const { stackTraceLimit } = Error;
  beforeAll(() => {
    Error.stackTraceLimit = 0;
  });
  afterAll(() => {
    Error.stackTraceLimit = stackTraceLimit;
  });
}

/** Printed, so that a failure can be run again with PARLEY_SEED. */
export function printedSeed(what: string): number {
  const seed = seedFromEnv();
  process.stdout.write(`${what}: seed ${seed} (PARLEY_SEED=${seed} repeats it)\n`);
  return seed;
}
