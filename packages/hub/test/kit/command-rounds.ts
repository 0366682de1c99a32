// Vitest's set-up for integration tests. How often a command goes to the database before it is decided is counted for each command
// that any test brings about: so every command is bounded, and no list of scenes has to be kept.

import { afterAll } from 'vitest';
import type { CommandType } from '../../src/engine/command.ts';
import { Engine, type EngineOptions } from '../../src/engine/engine.ts';
import { handlers } from '../../src/engine/handlers.ts';
import type { Store, Transaction } from '../../src/store/port.ts';

/** A command that names no rows beforehand loads twice at most, or it holds up the messages of its group. */
const mostUnhinted = 2;
/** Of any other: a command that loads row by row goes past it as soon as there are some. */
const mostHinted = 60;
/** On PostgreSQL a group that lacks a lock begins anew. */
const mostBegins = 8;
const exceptions: Partial<Record<CommandType, number>> = {
  // A handle is compared with those that look like it.
  'role.add': 8,
  // An erasure follows what it finds, a bounded piece at a time.
  'member.erase': 100,
  'member.erase_more': 200,
};

interface Counts {
  begins: number;
  loads: number;
}
/** The part of the engine that decides one group. */
interface Deciding {
  problems?: Set<string>;
  options: EngineOptions;
  attempt: (group: { command: { type: CommandType } }[], alone: boolean) => Promise<unknown>;
}

const most = (type: CommandType): number => exceptions[type] ?? (handlers[type].needs ? mostHinted : mostUnhinted);

function counting(store: Store, counts: Counts): Store {
  const begin: Store['begin'] = async (...args) => {
    counts.begins++;
    const begun = await store.begin(...args);
    const { transaction } = begun;
    const load: Transaction['load'] = (wants) => {
      counts.loads++;
      return transaction.load(wants);
    };
    return { ...begun, transaction: { load, commit: (changes) => transaction.commit(changes), rollback: () => transaction.rollback() } };
  };
  return { holdsAll: store.holdsAll, begin } as Store;
}

const engine = Engine.prototype as unknown as Deciding;
// The files of a worker share the engine, and each of them runs this set-up: it is wrapped once.
const problems = (engine.problems ??= wrapped(engine));

function wrapped(prototype: Deciding): Set<string> {
  const found = new Set<string>();
  const { attempt } = prototype;
  prototype.attempt = async function (group, alone) {
    const [first, ...others] = group;
    // Of several commands nobody could tell which one was to be loaded for.
    // Tests of the engine itself have commands of their own.
    if (!first || others.length > 0 || !(first.command.type in handlers)) return attempt.call(this, group, alone);
    const counts = { begins: 0, loads: 0 };
    const { options } = this;
    const counted = Object.create(this, { options: { value: { ...options, store: counting(options.store, counts) } } }) as Deciding;
    const { type } = first.command;
    try {
      return await attempt.call(counted, group, alone);
    } finally {
      const allowed = most(type);
      if (counts.loads > allowed) found.add(`${type} loads ${counts.loads} times; at most ${allowed} are allowed`);
      if (counts.begins > mostBegins) found.add(`${type} begins ${counts.begins} times; at most ${mostBegins} are allowed`);
    }
  };
  return found;
}

afterAll(() => {
  const found = [...problems].sort();
  problems.clear();
  if (found.length > 0)
    throw new Error(`Commands go to the database too often; test/kit/command-rounds.ts of hub says why:\n${found.join('\n')}`);
});
