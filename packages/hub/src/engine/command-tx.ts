// The rows of a group, in the circumstances in which each of its commands is decided.

import type { IdKind } from '@parley/protocol';
import type { CompiledDefinitions, ProvokeLoader } from '../provoke/compiled-definitions.ts';
import { Answers, type RegexPace } from '../regex/answers.ts';
import type { Command, Context, Tx } from './command.ts';
import type { Ids } from './ids.ts';
import type { WorkLimits } from './limits.ts';
import { GroupSet } from './working-set.ts';

/** A list for each kind: another pass may take another path. */
type Tape = Record<string, { ids: string[]; next: number }>;

/** Hands out the ids on the tape first, then new ones, which it adds. */
function taped(source: ReturnType<Ids['at']>, tape: Tape): Context['ids'] {
  for (const kind in tape) tape[kind]!.next = 0;
  const take = (kind: IdKind | 'member'): string => {
    const list = (tape[kind] ??= { ids: [], next: 0 });
    return (list.ids[list.next++] ??= kind === 'member' ? source.member() : source.next(kind));
  };
  return { next: take, member: () => take('member') };
}

/** The library that decides about events is needed and not there yet. */
export class NotLoaded extends Error {}

export interface WaitingCommand {
  readonly command: Command;
  /** Ids it was given: deciding again gives the same ones, or a row looked for under a new id would be missing for ever. */
  readonly tape: Tape;
  /** The verdicts of regular expressions: kept, however often the command is decided. */
  patterns: Answers | undefined;
}

type Circumstances = Pick<Context, 'limits' | 'rules' | 'lock'> & { ids: Ids; loader: ProvokeLoader; pace: RegexPace };

/** One object serves a whole group and switches between its commands; one per command would have to pass each call on. */
export class GroupTx extends GroupSet implements Tx {
  now = 0;
  ids!: Context['ids'];
  readonly limits: WorkLimits;
  readonly rules: number;
  readonly lock: Context['lock'];
  private readonly circumstances: Circumstances;
  private waiting!: WaitingCommand;

  constructor(circumstances: Circumstances) {
    super();
    this.limits = circumstances.limits;
    this.rules = circumstances.rules;
    this.lock = circumstances.lock;
    this.circumstances = circumstances;
  }

  turnTo(waiting: WaitingCommand, now: number): void {
    this.waiting = waiting;
    this.now = now;
    this.ids = taped(this.circumstances.ids.at(now), waiting.tape);
  }

  get provoke(): CompiledDefinitions {
    const { loaded } = this.circumstances.loader;
    if (!loaded) throw new NotLoaded();
    return loaded;
  }

  get patterns(): Answers {
    const { by } = this.waiting.command;
    const { loader, pace } = this.circumstances;
    return (this.waiting.patterns ??= new Answers('memberId' in by ? by.memberId : '', {
      atOnce: (source, text) => loader.matcher.atOnce(source, text),
      pace,
    }));
  }
}
