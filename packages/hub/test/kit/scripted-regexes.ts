// A thread for regular expressions that is told when to answer and what takes too long, so that no test hangs on a clock.

import { directPatterns } from '@parley/core/provoke';
import { Matcher, regexLimits } from '../../src/regex/matcher.ts';
import type { MatchQuestion } from '../../src/regex/question.ts';
import type { Ran } from '../../src/regex/thread.ts';

/** A text that begins with `slow` is stopped at its deadline, and so is a pattern that does when it is compiled. */
export class ToldRegexes {
  readonly asked: MatchQuestion[] = [];
  isAway = false;
  private readonly patterns = directPatterns();
  private gate: Promise<void> = Promise.resolve();
  private open: () => void = () => {};

  /** Until it is released, it is at the first question that it is asked. */
  hold(): void {
    this.gate = new Promise((resolve) => (this.open = resolve));
  }

  release(): void {
    this.open();
  }

  readonly matcher = (): Matcher =>
    new Matcher({
      answering: () => ({ run: (questions) => this.run(questions), close: () => Promise.resolve() }),
      // What was used does not come back in a test.
      limits: { ...regexLimits, share: 0 },
    });

  private async run(questions: readonly MatchQuestion[]): Promise<Ran> {
    this.asked.push(questions[0]!);
    if (this.isAway) throw new Error('There is no thread');
    await this.gate;
    // As from a thread: in a turn of its own.
    await new Promise((resolve) => setImmediate(resolve));
    const [first] = questions;
    if (isSlow(first!)) return { answers: [], stopped: { at: 0, ms: regexLimits.deadlines[first!.kind] } };
    const last = questions.findIndex(isSlow);
    const now = last === -1 ? questions : questions.slice(0, last);
    this.asked.push(...now.slice(1));
    return { answers: now.map((question) => ({ value: this.said(question), ms: 0.001 })) };
  }

  private said(question: MatchQuestion): unknown {
    if (question.kind === 'match') return this.patterns.holds(question.source, question.text, '');
    if (question.kind === 'contains') return this.patterns.contains(question.source, question.text, '');
    if (question.kind === 'compile') return this.patterns.problem(question.source) ?? null;
    throw new Error('Nobody judges here');
  }
}

const isSlow = (question: MatchQuestion): boolean =>
  (question.kind === 'match' ? question.text : question.kind === 'compile' ? question.source : '').startsWith('slow');
