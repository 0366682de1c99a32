// A turn's journal, as its runner writes and replays it (SYS-12).

import { approvalResults, contactResults, hasActed, repeated } from '@parley/core';
import { type Known, type Spent, type Step, UnknownOutcome, type Word } from '../brains/brain.ts';
import type { operator } from '../engine/command.ts';
import { againOutcome, confirmedOutcome, unknownOutcome } from '../engine/steps/approvals/unknown-outcomes.ts';
import type { Engine } from '../engine/engine.ts';
import { ParleyError } from '@parley/protocol';
import type { JournalRow } from '../store/tables.ts';

/** A step was under way when its runner was lost, and cannot be repeated. */
export class MayHaveHappened extends Error {
  readonly step: { turnId: string; n: number };
  constructor({ turn_id, n }: JournalRow) {
    super(`Step ${n} may have happened`);
    this.step = { turnId: turn_id, n };
  }
}

/** A person is asked whether it may: it was not taken. The task goes on when they have answered. */
export class NeedsYes extends ParleyError {
  readonly step: string;
  constructor(step: string) {
    super('needs_yes', contactResults.waiting());
    this.step = step;
  }
}

/** A person has said no to exactly this. */
export class Denied extends Error {
  constructor(name: string) {
    super(approvalResults.denied({ agent: '', name }));
  }
}

/** What was read before is gone, and read again it led elsewhere: another turn goes by what this one did. */
export class Diverged extends Error {}

export interface Held {
  by: typeof operator;
  taskId: string;
  lease: number;
  agentId: string;
}

interface Charge {
  turnId: string;
  n: number;
  soFar: () => Known;
}

export class Journal {
  private readonly engine: Engine;
  private readonly held: Held;
  private readonly turnId: string;
  private readonly known: Map<number, JournalRow>;
  /** What interrupted turns before this one did outside, or began to: taken again, such a step is the one that was taken. */
  private readonly before: JournalRow[];
  private readonly signal: AbortSignal;
  /** What was said after the turn began: to whoever must decide about a step that may have happened. */
  private readonly since: () => Word[];
  /** Steps that cost something, and of which nobody has written down yet what it was. */
  private readonly unpaid = new Map<string, Charge>();
  private next = 0;

  constructor(parts: {
    engine: Engine;
    held: Held;
    turnId: string;
    rows: JournalRow[];
    before: JournalRow[];
    signal: AbortSignal;
    since: () => Word[];
  }) {
    this.engine = parts.engine;
    this.held = parts.held;
    this.turnId = parts.turnId;
    this.known = new Map(parts.rows.map((row) => [row.n, row]));
    this.before = [...parts.before];
    this.signal = parts.signal;
    this.since = parts.since;
  }

  /** `take` is given the key for the other side, and what was intended before if this is a repetition. */
  async step<T>(step: Step, take: (key: string, intended: unknown) => Promise<T>, spent?: (result: T) => Spent): Promise<T> {
    this.signal.throwIfAborted();
    const place = this.next++;
    const before = this.known.get(place) ?? this.takenBefore(step);
    const { turn_id: turnId, n } = before ?? { turn_id: this.turnId, n: place };
    const key = `${turnId}:${n}`;
    if (before && before.name !== step.name) throw new Diverged(`Step ${n} was ${before.name} before, and is ${step.name} now`);
    if (before && before.done_at !== null && before.result !== null) {
      if (before.result === unknownOutcome) throw new UnknownOutcome(before.name, this.since(), 'left');
      if (before.result === confirmedOutcome) throw new UnknownOutcome(before.name, this.since(), 'did');
      return JSON.parse(before.result) as T;
    }
    // Under way when its runner was lost: to be repeated only if that does no harm.
    const again = before?.result === againOutcome;
    if (before && !again && before.read_only === 0 && before.key === null) throw new MayHaveHappened(before);
    if (!before || again) {
      const { verdict } = await this.engine.submit({
        type: 'turn.intend',
        ...this.held,
        turnId,
        n,
        kind: step.kind,
        name: step.name,
        readOnly: step.readOnly,
        stepKey: step.keyed ? key : null,
        void: step.void ?? false,
        input: JSON.stringify(step.input ?? null),
        estimate: step.estimate ?? 0,
      });
      if (verdict === 'pending') throw new NeedsYes(step.name);
      if (verdict === 'denied') throw new Denied(step.name);
      // The task has ended with it.
      if (verdict === 'short') throw new ParleyError('task_over');
    }
    this.signal.throwIfAborted();
    if (step.soFar) this.unpaid.set(key, { turnId, n, soFar: step.soFar });
    const result = await take(key, before ? (JSON.parse(before.input) as unknown) : step.input);
    // What was read, and forgotten because a message in it was deleted, is not written down again.
    if (!before || before.done_at === null) {
      await this.engine.submit({
        type: 'turn.done',
        ...this.held,
        turnId,
        n,
        result: JSON.stringify(result ?? null),
        ...(spent ? { spent: spent(result) } : {}),
      });
      this.unpaid.delete(key);
    }
    return result;
  }

  /** A step that is under way turns out dearer: it is set aside before it goes on. */
  async setAside(estimate: number): Promise<void> {
    const { verdict } = await this.engine.submit({ type: 'turn.set_aside', ...this.held, estimate });
    if (verdict === 'short') throw new ParleyError('task_over');
  }

  /** The turn is over, or was taken away: what was cut off is charged as far as it is known. */
  async pay(): Promise<void> {
    const { by, taskId } = this.held;
    for (const { turnId, n, soFar } of this.unpaid.values()) {
      const known = soFar();
      if (known.tokens.input > 0) await this.engine.submit({ type: 'turn.cut_off', by, taskId, turnId, n, known });
    }
  }

  /** The same thing done to the same end, once for each time that it was. */
  private takenBefore(step: Step): JournalRow | undefined {
    if (!hasActed([step])) return undefined;
    const at = repeated(this.before, step);
    return at === -1 ? undefined : this.before.splice(at, 1)[0];
  }
}
