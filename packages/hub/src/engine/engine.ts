// The one way every command takes: collected with those that arrive together, locked, loaded, decided in order,
// committed with one sync, and only then answered.

import { rulesVersion } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import {
  type CommitResult,
  ConflictError,
  CorruptRowError,
  type NewFact,
  OutcomeUnknownError,
  settleSeq,
  StorageFullError,
  StoreAwayError,
  type Store,
  type Transaction,
} from '../store/port.ts';
import type { AnyRow, TableName } from '../store/tables.ts';
import { byWants, type Command, type Handlers, RecordedRefusal, type Results } from './command.ts';
import { ProvokeLoader } from '../provoke/compiled-definitions.ts';
import { mostLetters, mostSteps, type RegexPace, UnansweredRegexes } from '../regex/answers.ts';
import type { Ids } from './ids.ts';
import { GroupTx, NotLoaded, type WaitingCommand } from './command-tx.ts';
import { type WorkLimits, workLimits } from './limits.ts';
import { append } from './steps/facts/append.ts';
import { MissingRows, Wants, wantText } from './working-set.ts';

interface Waiting extends WaitingCommand {
  resolve: (result: never) => void;
  reject: (error: Error) => void;
}
type Decided = { waiting: Waiting; result: unknown } | { waiting: Waiting; refusal: Error };

export interface EngineOptions {
  store: Store;
  handlers: Handlers;
  ids: Ids;
  limits?: WorkLimits;
  rules?: number;
  provoke?: ProvokeLoader;
  /** Called after each commit and before anyone is answered: the callback does everything that must be true by then. */
  onGroup?: (group: {
    commands: number;
    committed: CommitResult | undefined;
    /** Undefined: there was nothing to commit. */
    commitMs: number | undefined;
    tables: Set<TableName>;
    facts: readonly NewFact[];
  }) => void;
  /** A failure that is no refusal: a bug or the database. */
  onError?: (error: unknown) => void;
}

/** Questions about regular expressions that are noted in one pass over a group; what has more of them takes several. */
const maxNoted = 250;
/** A larger group makes later arrivals wait for more work than a sync costs. */
const maxGroup = 256;
const maxReruns = 8;
/**
 * A round that brings a row is a step on, and rows come to an end. So many that bring none are a mistake in a handler that
 * asks for ever new ones.
 */
const maxVainRounds = 500;

export class Engine {
  private readonly options: EngineOptions;
  private queue: Waiting[] = [];
  private running: Promise<void> | undefined;
  private stopped = false;
  /** Commands that have left their group until regular expressions are answered. */
  private readonly away = new Set<Promise<void>>();
  private readonly pace: RegexPace = { left: 0, letters: 0, steps: 0 };
  private readonly provoke: ProvokeLoader;

  constructor(options: EngineOptions) {
    this.options = options;
    this.provoke = options.provoke ?? new ProvokeLoader();
  }

  /** Resolves with the command's result once it is on disk; rejects with a `ParleyError` when it is refused. */
  submit<C extends Command>(command: C): Promise<Results[C['type']]> {
    if (this.stopped) return Promise.reject(new ParleyError('unavailable', 'The hub is shutting down.'));
    return new Promise((resolve, reject) => {
      this.enqueue({ command, resolve, reject, tape: {}, patterns: undefined });
    });
  }

  private enqueue(waiting: Waiting): void {
    this.queue.push(waiting);
    this.running ??= this.drain();
  }

  /** Takes no more commands; resolves when those already taken are answered. */
  async stop(): Promise<void> {
    this.stopped = true;
    while (this.running || this.away.size > 0) await (this.running ?? Promise.race(this.away));
  }

  private async drain(): Promise<void> {
    // Waits one turn of the event loop, so that commands that arrive together are decided together.
    await new Promise((resolve) => setImmediate(resolve));
    for (let last = 0; this.queue.length > 0;) {
      const group = this.queue.splice(0, groupSize(last, this.queue.length));
      last = group.length;
      await this.runGroup(group);
    }
    this.running = undefined;
  }

  /** The command comes back with the answers; the others of its group go on. */
  private leave(waiting: Waiting): void {
    const fetching = waiting.patterns!.fetch(this.provoke.matcher).then(
      () => this.enqueue(waiting),
      (error: unknown) => {
        this.options.onError?.(error);
        waiting.reject(new ParleyError('unavailable', 'The hub could not match regular expressions. Try again.'));
      },
    );
    this.away.add(fetching);
    void fetching.finally(() => this.away.delete(fetching));
  }

  private async runGroup(group: Waiting[]): Promise<void> {
    for (let rerun = 0; ; rerun++) {
      try {
        for (const decided of await this.attempt(group, rerun >= 2)) {
          if ('refusal' in decided) decided.waiting.reject(decided.refusal);
          else decided.waiting.resolve(decided.result as never);
        }
        return;
      } catch (error) {
        if (error instanceof ConflictError && rerun < maxReruns) continue;
        if (error instanceof OutcomeUnknownError) {
          this.options.onError?.(error);
          for (const one of group) one.reject(forCaller(error));
          return;
        }
        // One bad command must not fail the others, so each is tried alone before it gets the error.
        if (group.length > 1) {
          for (const one of group) await this.runGroup([one]);
          return;
        }
        this.options.onError?.(error);
        group[0]?.reject(forCaller(error));
        return;
      }
    }
  }

  /** Decides the group until nothing is missing, then commits. */
  private async attempt(group: Waiting[], alone: boolean): Promise<Decided[]> {
    const { store, handlers } = this.options;
    const locks = new Set<string>();
    const wants = new Wants();
    for (const { command } of group) {
      const handler = handlers[command.type];
      for (const key of handler.locks?.(command as never) ?? []) locks.add(key);
      for (const want of [...byWants(command.by), ...(handler.needs?.(command as never, this.provoke.loaded) ?? [])]) wants.add(want);
    }
    let set = this.groupTx(locks);
    let loading = [...wants.list];
    let { transaction, loaded } = await store.begin([...locks].sort(), loading, alone);
    try {
      for (let vain = 0, rows = 0; ;) {
        set.take(loading, loaded.found);
        if (set.rows > rows) [vain, rows] = [0, set.rows];
        else if (vain++ > maxVainRounds)
          throw new Error(`Nothing found in ${maxVainRounds} rounds, the last for ${loading.slice(0, 3).map(wantText).join(' ')}`);
        const pass = this.decide(group, set, loaded.now);
        for (const one of pass.unanswered) {
          group.splice(group.indexOf(one), 1);
          this.leave(one);
        }
        if (pass.unloaded) await this.provoke.load();
        if (pass.missing.length === 0 && pass.locks.length === 0 && !pass.unloaded)
          return await this.finish(transaction, set, pass.decided, group.length);
        for (const want of pass.missing) wants.add(want);
        if (pass.locks.length > 0) {
          // Locks are taken in one sorted sweep, or two groups could wait for each other: start over with more.
          for (const key of pass.locks) locks.add(key);
          await transaction.rollback();
          set = this.groupTx(locks);
          loading = [...wants.list];
          ({ transaction, loaded } = await store.begin([...locks].sort(), loading, alone));
        } else {
          set.reset();
          loading = pass.missing;
          if (loading.length > 0) loaded = await transaction.load(loading);
        }
      }
    } catch (error) {
      if (error instanceof Ended) throw error.cause;
      await transaction.rollback().catch(() => {});
      throw error;
    }
  }

  private groupTx(held: ReadonlySet<string>): GroupTx {
    const { store, ids, limits = workLimits, rules = rulesVersion } = this.options;
    const lock = (...keys: string[]): void => {
      const lacking = store.holdsAll ? [] : keys.filter((key) => !held.has(key));
      if (lacking.length > 0) throw new MissingRows([], lacking);
    };
    return new GroupTx({ limits, rules, lock, ids, loader: this.provoke, pace: this.pace });
  }

  private decide(group: Waiting[], tx: GroupTx, now: number) {
    const missing = new Wants();
    const pass = { decided: [] as Decided[], missing: missing.list, locks: [] as string[], unloaded: false, unanswered: [] as Waiting[] };
    Object.assign(this.pace, { left: maxNoted, letters: mostLetters, steps: mostSteps });
    for (const waiting of group) {
      tx.turnTo(waiting, now);
      try {
        const handler = this.options.handlers[waiting.command.type];
        const decide = () => {
          waiting.patterns?.rewind();
          const result = handler.decide(waiting.command as never, tx) ?? {};
          waiting.patterns?.settle();
          return result;
        };
        pass.decided.push({ waiting, result: tx.attempt(decide) });
      } catch (error) {
        if (error instanceof UnansweredRegexes || waiting.patterns?.isComplete === false) {
          pass.unanswered.push(waiting);
          continue;
        }
        // The others are still run, to learn in one pass all that is missing; this pass's outcome is thrown away.
        if (error instanceof MissingRows) {
          for (const want of error.wants) missing.add(want);
          pass.locks.push(...error.locks);
        } else if (error instanceof NotLoaded) pass.unloaded = true;
        else {
          if (error instanceof RecordedRefusal) append(tx, error.fact);
          pass.decided.push({ waiting, refusal: error instanceof ParleyError ? error : this.bug(error) });
        }
      }
    }
    return pass;
  }

  private async finish(transaction: Transaction, set: GroupTx, decided: Decided[], commands: number): Promise<Decided[]> {
    const changes = set.changes();
    const empty = changes.facts.length + changes.inserts.length + changes.updates.length + changes.deletes.length === 0;
    let committed: CommitResult | undefined;
    const from = performance.now();
    try {
      if (empty) await transaction.rollback();
      else committed = await transaction.commit(changes);
    } catch (error) {
      throw new Ended(error);
    }
    try {
      const tables = new Set(changes.inserts.map((insert) => insert.table));
      const commitMs = committed && performance.now() - from;
      this.options.onGroup?.({ commands, committed, commitMs, tables, facts: changes.facts });
    } catch (error) {
      // The group is stored: whatever fails now, the commands are answered and never run again.
      this.options.onError?.(error);
    }
    const firstSeq = (committed?.lastSeq ?? 0) - changes.facts.length + 1;
    for (const one of decided) if ('result' in one) one.result = settled(one.result, firstSeq);
    return decided;
  }

  private bug(error: unknown): Error {
    this.options.onError?.(error);
    return new ParleyError('internal');
  }
}

/**
 * After a first group, half of the commands under way: while one half is being committed, the other is answered and asks
 * again. Taken whole, the doors would wait for the writer and the writer for the doors, in turns.
 */
const groupSize = (last: number, queued: number): number =>
  Math.min(maxGroup, last === 0 ? queued : Math.max(8, Math.ceil((last + queued) / 2)));

/** The transaction is over, one way or the other; there is nothing to roll back. */
class Ended extends Error {
  constructor(cause: unknown) {
    super('The transaction ended', { cause });
  }
}

/** Rows in a result were decided before their place in the stream was known. */
function settled(result: unknown, firstSeq: number): unknown {
  if (typeof result !== 'object' || result === null) return result;
  const next: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(result))
    next[name] = typeof value === 'object' && value !== null && !Array.isArray(value) ? settleSeq(value as AnyRow, firstSeq) : value;
  return next;
}

function forCaller(error: unknown): ParleyError {
  if (error instanceof ParleyError) return error;
  if (error instanceof StorageFullError) return new ParleyError('storage_full');
  if (error instanceof CorruptRowError) return new ParleyError('corrupt', error.message);
  if (error instanceof ConflictError) return new ParleyError('unavailable', 'Others are changing the same things; try again.');
  if (error instanceof StoreAwayError) return new ParleyError('unavailable');
  if (error instanceof OutcomeUnknownError)
    return new ParleyError('unavailable', 'The database went away; this may have been stored. Repeat it under the same key.');
  return new ParleyError('internal');
}
