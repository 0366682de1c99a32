import { expect, test } from 'vitest';
import { groupVerdicts } from './verdict-groups.ts';

const quiet = (handle: string) => ({
  handle,
  policy: 'must_not_respond' as const,
  mode: 'tool_mailbox' as const,
  reason: 'left',
  text: `^${handle} was asked to leave here.`,
  outcome: 'forbidden' as const,
  task: null,
});
const many = (count: number) => Array.from({ length: count }, (_, n) => quiet(`A${n}`));
const ambient = { ...quiet(''), reason: 'ambient', text: 'Nobody addressed the agent.' };

test('[C2A-32] a few agents have a line each', () => {
  expect(groupVerdicts(many(3))).toEqual({ alone: many(3), groups: [] });
});

test('[C2A-32] many agents with the same verdict share one line; an agent with a task, or another verdict, has its own', () => {
  const woken = { ...quiet('ORAC'), policy: 'must_respond' as const, task: {} };
  const other = { ...quiet('STEF'), reason: 'own_message' };
  const { alone, groups } = groupVerdicts([woken, other, ...many(100)]);
  expect(alone.map(({ handle }) => handle)).toEqual(['ORAC', 'STEF']);
  expect(groups).toMatchObject([{ count: 100, like: { reason: 'left', text: 'The agent was asked to leave here.' } }]);
  expect(groups[0]!.handles).toHaveLength(100);
});

test('[C2A-32] those beyond the list are counted with the ones that are as the others', () => {
  expect(groupVerdicts([{ ...ambient, handle: 'A' }], 60, ambient).groups).toMatchObject([{ handles: ['A'], count: 61 }]);
  expect(groupVerdicts(many(2), 60, ambient)).toMatchObject({
    alone: many(2),
    groups: [{ handles: [], count: 60, like: { reason: 'ambient' } }],
  });
});
