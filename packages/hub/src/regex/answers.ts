// The answers about searches in texts as data (PRV-6), for one command or one question of a reader. An unknown answer is
// noted and taken to hold, so that one pass finds everything that has to be asked; nothing of that pass counts.

import type { Patterns } from '@parley/core/pattern';
import type { Matcher } from './matcher.ts';
import type { MatchAnswer, MatchQuestion } from './question.ts';

/** Regexes have to be asked before this can be decided. */
export class UnansweredRegexes extends Error {}

interface Noted {
  question: MatchQuestion;
  owner: string;
  take: (answer: MatchAnswer) => void;
}

/** The most questions of one owner for one command; more would be too slow to ask. */
export const mostAsked = 500;

/** Letters of one owner and command that are searched here for required text; the thread searches the rest. */
export const mostLetters = 500_000;
/** Steps of all commands in one pass; after that, the next command waits for another pass. Each path counts as some steps. */
export const mostSteps = 100_000;
const stepsAPath = 2;
/** A search costs as much as in so many letters, however short its text is. */
const leastLetters = 16;

/** How much more may be done in one pass of deciding, for which everybody waits. */
export interface RegexPace {
  /** Questions noted: one takes a microsecond. */
  left: number;
  /** Letters searched: one takes up to ten nanoseconds. */
  letters: number;
  /** Steps walked: one takes up to forty nanoseconds. */
  steps: number;
}

type Kind = 'match' | 'contains';
type Said = Record<Kind, Map<string, boolean | null>>;

interface Options {
  /** `payer` pays for all. */
  fixed?: boolean;
  /** Answers that need no thread. */
  atOnce?: Matcher['atOnce'];
  pace?: RegexPace;
  /** For programs where nobody else waits. */
  unbounded?: boolean;
}

export class Answers implements Patterns {
  private readonly payer: string;
  private readonly options: Options;
  /** By text, by owner (what one has no time left for, another may have), by pattern. */
  private readonly matches = new Map<string, Map<string, Said>>();
  private last: { text: string; owner: string; said: Said } | undefined;
  private readonly counts = new Map<string, number>();
  private readonly letters = new Map<string, number>();
  private readonly problems = new Map<string, string | undefined>();
  private isWalking = false;
  private unknown: Noted[] = [];

  /** `payer`: whose time it is where a pattern is nobody's yet. */
  constructor(payer: string, options: Options = {}) {
    [this.payer, this.options] = [payer, options];
  }

  get isComplete(): boolean {
    return this.unknown.length === 0;
  }

  holds = (source: string, text: string, of: string): boolean | null => this.answerTo('match', source, text, of);
  contains = (part: string, text: string, of: string): boolean | null => this.answerTo('contains', part, text, of);

  private answerTo(kind: Kind, source: string, text: string, of: string): boolean | null {
    const owner = this.options.fixed || of === '' ? this.payer : of;
    const answersByKind = this.saidOf(text, owner)[kind];
    const stored = answersByKind.get(source);
    if (stored !== undefined) return stored;
    const holds = kind === 'contains' ? this.searched(source, text, owner) : undefined;
    if (holds === undefined) return this.unheard(kind, source, text, owner, answersByKind);
    answersByKind.set(source, holds);
    return holds;
  }

  /** Undefined: there are too many letters to be searched here. */
  private searched(part: string, text: string, owner: string): boolean | undefined {
    const { pace, unbounded } = this.options;
    // The engine looks at a letter again and again for a long part, at worst.
    const cost = leastLetters + text.length * Math.ceil(part.length / 32);
    const letters = (this.letters.get(owner) ?? 0) + cost;
    if (letters > mostLetters && !unbounded) return undefined;
    if (pace && (pace.letters -= cost) < 0) throw new UnansweredRegexes();
    this.letters.set(owner, letters);
    return text.includes(part);
  }

  /** A command that has begun to walk in this pass goes on to the end: nothing is walked twice. */
  walk = (steps: number): void => {
    const { pace } = this.options;
    if (!pace) return;
    if (pace.steps <= 0 && !this.isWalking) throw new UnansweredRegexes();
    this.isWalking = true;
    pace.steps -= stepsAPath + steps;
  };

  /** Another pass begins. */
  rewind(): void {
    this.isWalking = false;
  }

  /** The searches of one owner look at the same text again and again. */
  private saidOf(text: string, owner: string): Said {
    if (this.last?.text === text && this.last.owner === owner) return this.last.said;
    const owners = this.matches.get(text) ?? new Map<string, Said>();
    const ownAnswers = owners.get(owner) ?? { match: new Map(), contains: new Map() };
    this.matches.set(text, owners.set(owner, ownAnswers));
    this.last = { text, owner, said: ownAnswers };
    return ownAnswers;
  }

  private unheard(kind: Kind, source: string, text: string, owner: string, said: Said[Kind]): boolean | null {
    const { atOnce, pace, unbounded } = this.options;
    const count = (this.counts.get(owner) ?? 0) + 1;
    if (count > mostAsked && !unbounded) return null;
    const holds = kind === 'match' ? atOnce?.(source, text) : undefined;
    if (holds === undefined && pace && pace.left-- <= 0) throw new UnansweredRegexes();
    this.counts.set(owner, count);
    said.set(source, holds ?? true);
    if (holds !== undefined) return holds;
    const take = (answer: MatchAnswer): void => void said.set(source, answer.tooSlow ? null : answer.value === true);
    this.unknown.push({ question: { kind, source, text }, owner, take });
    return true;
  }

  problem = (source: string): string | undefined => {
    if (this.problems.has(source)) return this.problems.get(source);
    this.problems.set(source, undefined);
    const take = (answer: MatchAnswer): void =>
      void this.problems.set(source, answer.tooSlow ? tooSlowToCompile : ((answer.value as string | null) ?? undefined));
    this.unknown.push({ question: { kind: 'compile', source }, owner: this.payer, take });
    return undefined;
  };

  /** Before anything is decided by what they said. */
  settle(): void {
    if (!this.isComplete) throw new UnansweredRegexes();
  }

  /** Asks for everything that was noted. */
  async fetch(matcher: Matcher): Promise<void> {
    const noted = this.unknown;
    this.unknown = [];
    await Promise.all(
      [...Map.groupBy(noted, ({ owner }) => owner)].map(async ([owner, theirs]) => {
        const answers = await matcher.ask(
          owner,
          theirs.map(({ question }) => question),
        );
        for (const [i, { take }] of theirs.entries()) take(answers[i]!);
      }),
    );
  }

  /** Runs it until nothing is unknown. */
  async complete<T>(matcher: Matcher, run: (patterns: Patterns) => T): Promise<T> {
    for (;;) {
      try {
        const made = run(this);
        if (this.isComplete) return made;
      } catch (error) {
        if (this.isComplete) throw error;
      }
      await this.fetch(matcher);
    }
  }
}

const tooSlowToCompile = 'takes too long to compile: shorten it, or repeat less';
