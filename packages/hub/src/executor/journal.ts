// The journal of one run, be it a turn or an attempt of an invocation, as its runner writes and replays it (SYS-12). A refusal
// to write a step down is a refusal to take it.

import { approvalResults, contactResults, hasActed, indexOfEarlierCall } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import { type StepOutcome, type Spent, type BrainStep, type BrainTurn, UnknownOutcome, type TaskWord } from '../brains/brain.ts';
import type { StepIntent, StepResult } from '../engine/commands/tasks/journal.ts';
import { againOutcome, confirmedOutcome, unknownOutcome } from '../engine/steps/approvals/unknown-outcomes.ts';
import type { JournalRow } from '../store/tables.ts';

/** A step was under way when its runner was lost, and cannot be repeated. */
export class InterruptedStep extends Error {
  readonly step: StepPlace;
  constructor({ turn_id, n }: JournalRow) {
    super(`Step ${n} may have happened`);
    this.step = { turnId: turn_id, n };
  }
}

/** A person is asked whether it may: it was not taken. The task goes on when they have answered. */
export class NeedsApproval extends ParleyError {
  readonly step: string;
  constructor(step: string) {
    super('needs_approval', contactResults.waiting());
    this.step = step;
  }
}

/** A person has said no to exactly this. */
export class ApprovalDenial extends Error {
  constructor(name: string) {
    super(approvalResults.denied({ agent: '', name }));
  }
}

/** The brain did something else after an erased read was repeated. Another turn continues from this one's steps. */
export class JournalDivergence extends Error {}

export interface StepPlace {
  turnId: string;
  n: number;
}

/** The commands that write the steps of one kind of run, under its lease. `short`: the budget is exhausted, and the run has ended. */
export interface Ledger {
  intend: (step: StepPlace & StepIntent) => Promise<{ verdict: 'go' | 'pending' | 'denied' | 'short' }>;
  done: (step: StepPlace & StepResult) => Promise<unknown>;
  /** An earlier run did it: it is not taken again, and only counted. */
  repeat?: (step: StepPlace & StepIntent) => Promise<unknown>;
  reserve: (step: StepPlace, micros: number) => Promise<{ verdict: 'go' | 'short' }>;
}

interface JournalParts {
  ledger: Ledger;
  turnId: string;
  /** The rows that the journal already has. */
  rows?: readonly JournalRow[];
  /** The outside steps that earlier, interrupted runs took or intended. The same step again counts as the earlier one. */
  before: readonly JournalRow[];
  signal: AbortSignal;
  /** The messages since the run began, for the person who must decide about a step that may have happened. */
  since?: () => TaskWord[];
}

export class Journal {
  private readonly parts: JournalParts;
  private readonly known: ReadonlyMap<number, JournalRow>;
  private readonly before: JournalRow[];
  /** Steps that cost something, and of which nobody has written down yet what it was. */
  private readonly unpaid = new Map<string, StepPlace & { soFar: () => StepOutcome }>();
  /** The call of the model that is under way: there is one at a time. */
  private asking: StepPlace;
  private next = 0;

  constructor(parts: JournalParts) {
    this.parts = parts;
    this.known = new Map((parts.rows ?? []).map((row) => [row.n, row]));
    this.before = [...parts.before];
    this.asking = { turnId: parts.turnId, n: 0 };
  }

  /** `take` is given the key for the other side, and what was intended before if this is a repetition. */
  async step<T>(step: BrainStep, take: (key: string, intended: unknown) => Promise<T>, spent?: (result: T) => Spent): Promise<T> {
    const { ledger, turnId, signal, since = () => [] } = this.parts;
    signal.throwIfAborted();
    const place: StepPlace = { turnId, n: this.next++ };
    const before = this.known.get(place.n) ?? this.takenBefore(step);
    if (before && before.name !== step.name)
      throw new JournalDivergence(`Step ${before.n} was ${before.name} before, and is ${step.name} now`);
    if (before && before.done_at !== null && before.result !== null) {
      if (before.result === unknownOutcome) throw new UnknownOutcome(before.name, since(), 'left');
      if (before.result === confirmedOutcome) throw new UnknownOutcome(before.name, since(), 'did');
      await ledger.repeat?.({ ...place, ...intentOf(step, null) });
      return JSON.parse(before.result) as T;
    }
    // Under way when its runner was lost: to be repeated only if that does no harm.
    const isRepeated = before?.result === againOutcome;
    if (before && !isRepeated && before.read_only === 0 && before.key === null) throw new InterruptedStep(before);
    const at: StepPlace = before ? { turnId: before.turn_id, n: before.n } : place;
    const key = `${at.turnId}:${at.n}`;
    if (step.kind === 'model') this.asking = at;
    // The cost comes before the intention: if the answer to the intention is lost, it is known that the step has cost nothing.
    if (step.soFar) this.unpaid.set(key, { ...at, soFar: step.soFar });
    if (!before || isRepeated) {
      const { verdict } = await ledger.intend({ ...at, ...intentOf(step, key) });
      if (verdict === 'short') throw new ParleyError('task_over');
      if (verdict === 'pending') throw new NeedsApproval(step.name);
      if (verdict === 'denied') throw new ApprovalDenial(step.name);
    }
    signal.throwIfAborted();
    const result = await take(key, before ? (JSON.parse(before.input) as unknown) : step.input);
    // A result that was erased because a message in it was deleted is not stored again.
    if (!before || before.done_at === null) {
      await ledger.done({ ...at, result: JSON.stringify(result ?? null), ...(spent ? { spent: spent(result) } : {}) });
      this.unpaid.delete(key);
    }
    return result;
  }

  reserve: BrainTurn['reserve'] = async (micros) => {
    const { verdict } = await this.parts.ledger.reserve(this.asking, micros);
    if (verdict === 'short') throw new ParleyError('task_over');
  };

  /** Steps that came to no end, and what is known of their cost. */
  charges(): (StepPlace & { known: StepOutcome })[] {
    return [...this.unpaid.values()].map(({ soFar, ...at }) => ({ ...at, known: soFar() }));
  }

  /** The same thing done to the same end, once for each time that it was. */
  private takenBefore(step: BrainStep): JournalRow | undefined {
    if (!hasActed([step])) return undefined;
    const at = indexOfEarlierCall(this.before, step);
    return at === -1 ? undefined : this.before.splice(at, 1)[0];
  }
}

const intentOf = ({ kind, name, readOnly, keyed, input, void: isVoid, estimate = 0 }: BrainStep, key: string | null): StepIntent => ({
  kind,
  name,
  readOnly,
  stepKey: keyed ? key : null,
  input: JSON.stringify(input ?? null),
  void: isVoid ?? false,
  estimate,
});
