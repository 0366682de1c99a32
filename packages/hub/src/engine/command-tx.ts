// The transaction of one command in a group: the rows of the group, and circumstances of its own.

import type { IdKind } from '@parley/protocol';
import type { CompiledDefinitions, ProvokeLoader } from '../provoke/compiled-definitions.ts';
import { Answers, type RegexPace } from '../regex/answers.ts';
import type { LookupOf, LookupValues, NewFact, Want } from '../store/port.ts';
import type { Rows, TableName } from '../store/tables.ts';
import type { Command, Context, Tx } from './command.ts';
import type { Ids } from './ids.ts';
import type { WorkLimits } from './limits.ts';
import type { WorkingSet } from './working-set.ts';

/** A list for each kind: another pass may take another path. */
export type Tape = Record<string, { ids: string[]; next: number }>;

/** Hands out the ids on the tape first, then new ones, which it adds. */
export function taped(source: ReturnType<Ids['at']>, tape: Tape): Context['ids'] {
  for (const kind in tape) tape[kind]!.next = 0;
  const take = (kind: IdKind | 'member'): string => {
    const list = (tape[kind] ??= { ids: [], next: 0 });
    return (list.ids[list.next++] ??= kind === 'member' ? source.member() : source.next(kind));
  };
  return { next: take, member: () => take('member') };
}

/** The library that decides about events is needed and not there yet. */
export class NotLoaded extends Error {}

/** The verdicts of regular expressions are kept, however often the command is decided. */
interface WaitingCommand {
  readonly command: Command;
  patterns: Answers | undefined;
}

/** A class, because one is made for every command: an object with a getter of its own would be slower to make. */
export class CommandTx implements Tx {
  readonly now: number;
  readonly ids: Context['ids'];
  readonly limits: WorkLimits;
  readonly rules: number;
  readonly lock: Context['lock'];
  private readonly set: WorkingSet;
  private readonly loader: ProvokeLoader;
  private readonly waiting: WaitingCommand;
  private readonly pace: RegexPace;

  constructor(
    set: WorkingSet,
    { now, ids, limits, rules, lock }: Omit<Context, 'provoke' | 'patterns'>,
    loader: ProvokeLoader,
    waiting: WaitingCommand,
    pace: RegexPace,
  ) {
    this.set = set;
    this.now = now;
    this.ids = ids;
    this.limits = limits;
    this.rules = rules;
    this.lock = lock;
    this.loader = loader;
    this.waiting = waiting;
    this.pace = pace;
  }

  has(want: Want): boolean {
    return this.set.has(want);
  }

  need(wants: readonly Want[]): void {
    this.set.need(wants);
  }

  each<T, R>(items: Iterable<T>, decide: (item: T) => R): R[] {
    return this.set.each(items, decide);
  }

  get<T extends TableName>(table: T, ...key: (string | number)[]): Rows[T] | undefined {
    return this.set.get(table, ...key);
  }

  find<T extends TableName, L extends LookupOf<T>>(table: T, lookup: L, ...values: LookupValues<T, L>): Rows[T][] {
    return this.set.find(table, lookup, ...values);
  }

  insert<T extends TableName>(table: T, row: Rows[T]): void {
    this.set.insert(table, row);
  }

  update<T extends TableName>(table: T, row: Rows[T], change: Partial<Rows[T]>): Rows[T] {
    return this.set.update(table, row, change);
  }

  remove<T extends TableName>(table: T, row: Rows[T]): void {
    this.set.remove(table, row);
  }

  fact(fact: NewFact): number {
    return this.set.fact(fact);
  }

  appended(subjectId: string): readonly NewFact[] {
    return this.set.appended(subjectId);
  }

  get provoke(): CompiledDefinitions {
    if (!this.loader.loaded) throw new NotLoaded();
    return this.loader.loaded;
  }

  get patterns(): Answers {
    const { by } = this.waiting.command;
    const { matcher } = this.loader;
    return (this.waiting.patterns ??= new Answers('memberId' in by ? by.memberId : '', {
      atOnce: (source, text) => matcher.atOnce(source, text),
      pace: this.pace,
    }));
  }
}
