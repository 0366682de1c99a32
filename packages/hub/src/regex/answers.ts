// The answers about regular expressions as data (PRV-6), for one command or one question of a reader. What is not known yet
// is noted and taken to hold, so that one pass finds everything that has to be asked; nothing of that pass counts.

import type { Patterns } from '@parley/core/pattern';
import type { Matcher } from './matcher.ts';
import type { Answer, Question } from './question.ts';

/** Regexes have to be asked before this can be decided. */
class Unanswered extends Error {}

interface Noted {
  question: Question;
  owner: string;
  take: (answer: Answer) => void;
}

export class Answers implements Patterns {
  private readonly payer: string;
  private readonly fixed: boolean;
  private readonly atOnce: Matcher['atOnce'] | undefined;
  private readonly matches = new Map<string, Map<string, boolean | null>>();
  private readonly problems = new Map<string, string | undefined>();
  private unknown: Noted[] = [];

  /** `payer`: whose time it is where a pattern is nobody's yet; with `fixed`, in any case. `atOnce`: what need not be asked. */
  constructor(payer: string, { fixed = false, atOnce }: { fixed?: boolean; atOnce?: Matcher['atOnce'] } = {}) {
    [this.payer, this.fixed, this.atOnce] = [payer, fixed, atOnce];
  }

  get isComplete(): boolean {
    return this.unknown.length === 0;
  }

  holds = (source: string, text: string, of: string): boolean | null => {
    const owner = this.fixed || of === '' ? this.payer : of;
    let about = this.matches.get(text);
    if (!about) this.matches.set(text, (about = new Map<string, boolean | null>()));
    // By owner: what one has no time left for, another may have.
    const key = `${owner} ${source}`;
    const known = about.get(key);
    if (known !== undefined) return known;
    const said = about;
    const holds = this.atOnce?.(source, text);
    said.set(key, holds ?? true);
    if (holds !== undefined) return holds;
    const take = (answer: Answer): void => void said.set(key, answer.tooSlow ? null : answer.value === true);
    this.unknown.push({ question: { kind: 'match', source, text }, owner, take });
    return true;
  };

  problem = (source: string): string | undefined => {
    if (this.problems.has(source)) return this.problems.get(source);
    this.problems.set(source, undefined);
    const take = (answer: Answer): void =>
      void this.problems.set(source, answer.tooSlow ? tooSlowToCompile : ((answer.value as string | null) ?? undefined));
    this.unknown.push({ question: { kind: 'compile', source }, owner: this.payer, take });
    return undefined;
  };

  /** Before anything is decided by what they said. */
  settle(): void {
    if (!this.isComplete) throw new Unanswered();
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
