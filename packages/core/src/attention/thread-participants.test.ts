import { expect, test } from 'vitest';
import { participantIds, standsInThread } from './continuation.ts';

const place = { id: 'thread', kind: 'thread', rootMessageId: 'root' } as const;
const task = (agentId: string | null, conversationId: string, messageId: string) => ({ agentId, conversationId, messageId });

test('[C2A-12] an agent that worked in the thread or on its root message, or wrote that message, takes part', () => {
  const tasks = [
    task('in', 'thread', 'm1'),
    task('on', 'home', 'root'),
    task('elsewhere', 'home', 'm2'),
    // Nobody has taken it yet.
    task(null, 'thread', 'm3'),
  ];
  expect([...participantIds(tasks, 'author', place)].toSorted()).toEqual(['author', 'in', 'on']);
  expect([...participantIds(tasks, null, place)].toSorted()).toEqual(['in', 'on']);
  expect(participantIds(tasks, 'author', { ...place, kind: 'channel' }).size).toBe(0);
});

test('[C2A-12] alone is the only one of those still here', () => {
  expect(standsInThread('a', new Set(['a']))).toBe('alone');
  expect(standsInThread('a', new Set(['a', 'b']))).toBe('among');
  expect(standsInThread('c', new Set(['a']))).toBeUndefined();
});
