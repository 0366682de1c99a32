// The steps of one attempt, written down before they are taken and after (SYS-12). A refusal to write one down is a refusal
// to take it.

import type { Turn } from '../brains/brain.ts';
import { operator } from '../engine/command.ts';
import type { Engine } from '../engine/group.ts';

export function recorder(engine: Engine, held: { invocationId: string; lease: number }): Turn['step'] {
  let next = 0;
  return async (step, take, spent) => {
    const n = next++;
    await engine.submit({
      type: 'invocation.intend',
      by: operator,
      ...held,
      n,
      kind: step.kind,
      name: step.name,
      readOnly: step.readOnly,
      input: JSON.stringify(step.input ?? null),
      void: step.void ?? false,
      estimate: step.estimate ?? 0,
    });
    const result = await take(`${held.invocationId}:${held.lease}:${n}`);
    await engine.submit({ type: 'invocation.done', by: operator, ...held, n, spent: spent?.(result) ?? null });
    return result;
  };
}
