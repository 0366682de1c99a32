// The steps of one attempt, written down before they are taken and after (SYS-12). A refusal to write one down is a refusal
// to take it. What an earlier attempt has done outside is not taken again: it has come to what it came to then.

import { hasActed, repeated } from '@parley/core';
import type { Known, Spent, Step, Turn } from '../brains/brain.ts';
import { operator } from '../engine/command.ts';
import type { Engine } from '../engine/engine.ts';
import type { KnownCost } from '../engine/steps/invocations/costs.ts';
import type { Finished } from '../engine/steps/invocations/journal.ts';

export interface Recorder {
  step: Turn['step'];
  setAside: Turn['setAside'];
  /** Calls of a model whose end is not written down, and of which it is known to the last token what they cost: nothing, if none was made. */
  known: () => KnownCost[];
}

export function recorder(
  engine: Engine,
  held: { invocationId: string; lease: number },
  finished: readonly Finished[],
  signal: AbortSignal,
): Recorder {
  let next = 0;
  /** The call of the model that is under way: there is one at a time. */
  let asking = 0;
  const unpaid = new Map<number, () => Known>();
  const left = [...finished];
  /** Each once: one that is asked for more often than it was done is to be done more often. */
  const doneBefore = (step: Step): Finished | undefined => {
    const at = hasActed([step]) ? repeated(left, step) : -1;
    return at === -1 ? undefined : left.splice(at, 1)[0];
  };
  const step: Turn['step'] = async <T>(one: Step, take: (key: string) => Promise<T>, spent?: (result: T) => Spent): Promise<T> => {
    const n = next++;
    const before = doneBefore(one);
    if (one.kind === 'model') asking = n;
    if (one.soFar) unpaid.set(n, one.soFar);
    await engine.submit({
      type: 'invocation.intend',
      by: operator,
      ...held,
      n,
      kind: one.kind,
      name: one.name,
      readOnly: one.readOnly,
      input: JSON.stringify(one.input ?? null),
      void: one.void ?? false,
      known: before !== undefined,
      estimate: one.estimate ?? 0,
    });
    if (before) return JSON.parse(before.result) as T;
    signal.throwIfAborted();
    const result = await take(`${held.invocationId}:${held.lease}:${n}`);
    // One that says that it failed is what another attempt is for.
    const failed = (result as { isError?: boolean } | null)?.isError === true;
    const kept = hasActed([one]) && !failed ? JSON.stringify(result ?? null) : null;
    await engine.submit({ type: 'invocation.done', by: operator, ...held, n, spent: spent?.(result) ?? null, result: kept, failed });
    unpaid.delete(n);
    return result;
  };
  const setAside = async (micros: number): Promise<void> => {
    await engine.submit({ type: 'invocation.set_aside', by: operator, ...held, n: asking, micros });
  };
  const known = (): KnownCost[] =>
    [...unpaid].flatMap(([n, soFar]) => {
      const { micros, estimated } = soFar();
      return estimated ? [] : [{ n, micros }];
    });
  return { step, setAside, known };
}
