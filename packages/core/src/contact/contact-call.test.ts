import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chainLimits } from '../task/chain.ts';
import { priorities } from './contact-permission.ts';
import { isGrantedContact, maxContactText, mayStart, queueOrder, readContact } from './contact-call.ts';
import { contactActions } from './contact-permission.ts';
import { requestText, withoutHeader } from './contact-texts.ts';

describe('a call is read', () => {
  test('[IAC-1] as it is meant, with what was left out', () => {
    expect(readContact({ action: 'ask', message: 'hi' })).toEqual({ action: 'ask', message: 'hi', context: undefined, priority: 'normal' });
    expect(readContact({ action: 'delegate', message: 'hi', context: ' ', priority: 'urgent' })).toMatchObject({
      context: undefined,
      priority: 'urgent',
    });
    expect(readContact({ action: 'ask', message: 'x'.repeat(maxContactText) })).toMatchObject({ action: 'ask' });
  });

  test.each([
    ['another action', { action: 'ASK', message: 'hi' }, "Unknown action 'ASK'"],
    ['a blank message', { action: 'ask', message: '\n\t ' }, "'message' is missing"],
    ['another priority', { action: 'ask', message: 'hi', priority: '' }, "Unknown priority ''"],
    ['too long a message', { action: 'ask', message: 'x'.repeat(maxContactText + 1) }, "'message' is too long"],
    ['too long a context', { action: 'ask', message: 'hi', context: 'x'.repeat(maxContactText + 1) }, "'context' is too long"],
    ['half a character', { action: 'ask', message: 'hi\uD800' }, "'message' has control characters"],
    ['a control character in the context', { action: 'ask', message: 'hi', context: 'a\u0007' }, "'context' has control characters"],
  ])('[IAC-1] %s is an error that says so', (_, call, text) => {
    expect(readContact(call)).toMatchObject({ error: expect.stringContaining(text) as string });
  });

  test('[IAC-10] the header comes off again, and nothing of what was written with it', () => {
    for (const action of contactActions)
      expect(withoutHeader(requestText(action, 'A', { message: '[Agent Request from B]\n\nhi', taskId: 'tsk_1' }))).toBe(
        '[Agent Request from B]\n\nhi',
      );
  });
});

describe('the chain’s bounds', () => {
  const at = (depth: number, ...path: string[]) => ({ depth, path });
  test.each([
    ['ask', at(0, 'a'), 1, true],
    ['ask', at(2, 'b', 'a', 'b'), 3, true], // asking back is no circle
    ['ask', at(3, 'a', 'b', 'c', 'd'), 4, 'too_deep'],
    ['delegate', at(1, 'b', 'a'), 2, 'circular'],
    ['delegate', at(3, 'a', 'c', 'd', 'e'), 4, 'too_deep'],
    ['ask', at(0, 'a'), chainLimits.maxTasks, 'chain_full'],
    ['delegate', at(0, 'a'), chainLimits.maxTasks, 'chain_full'],
    ['notify', at(3, 'b', 'c', 'd', 'e'), chainLimits.maxTasks, true], // no hop, and no work
  ] as const)('[IAC-4] %s from %o with %i tasks: %s', (action, link, tasks, expected) => {
    const answer = mayStart(action, link, 'b', tasks);
    expect(answer.ok || answer.reason).toBe(expected);
  });
});

describe('what others wrote may not choose whom an agent speaks to', () => {
  const target = { id: 'b', ownerId: 'bob', managerId: null, inRoot: false };
  const chain = { requesterId: 'ann', path: ['a'] };
  test.each([
    ['another’s agent', target, chain, false],
    ['nobody’s agent', { ...target, ownerId: null }, { ...chain, requesterId: null }, false],
    ['one of the requester’s own', { ...target, ownerId: 'ann' }, chain, true],
    ['one that answers to the requester', { ...target, managerId: 'ann' }, chain, true],
    ['one that is where the chain began', { ...target, inRoot: true }, chain, true],
    ['one that is above in the chain', target, { ...chain, path: ['b', 'a'] }, true],
  ] as const)('[SYS-13] %s', (_, who, where, granted) => {
    expect(isGrantedContact(who, where)).toBe(granted);
  });
});

describe('an agent’s queue', () => {
  const task = fc.record({
    conversationId: fc.constantFrom('x', 'y', 'z'),
    immediate: fc.boolean(),
    priority: fc.constantFrom(...priorities),
  });

  test('[IAC-8] whatever waits: nothing is lost, and in a conversation nothing goes before what came first but a person’s urgent word', () => {
    fc.assert(
      fc.property(fc.array(task, { maxLength: 30 }), (given) => {
        const tasks = given.map((one, seq) => ({ ...one, seq }));
        const ordered = queueOrder(tasks);
        expect(ordered.map(({ seq }) => seq).toSorted((a, b) => a - b)).toEqual(tasks.map(({ seq }) => seq));
        for (const [i, one] of ordered.entries())
          for (const later of ordered.slice(i + 1))
            if (later.conversationId === one.conversationId && later.immediate === one.immediate)
              expect(later.seq).toBeGreaterThan(one.seq);
        const firstOther = ordered.findIndex(({ immediate }) => !immediate);
        if (firstOther !== -1) expect(ordered.slice(firstOther).some(({ immediate }) => immediate)).toBe(false);
      }),
    );
  });

  test('[IAC-8] between conversations the more pressing goes first, and of equals what came first', () => {
    const one = (seq: number, conversationId: string, priority: (typeof priorities)[number]) => ({
      seq,
      conversationId,
      priority,
      immediate: false,
    });
    const order = queueOrder([
      one(1, 'x', 'low'),
      one(2, 'y', 'normal'),
      one(3, 'z', 'urgent'),
      one(4, 'w', 'normal'),
      one(5, 'x', 'urgent'),
    ]);
    expect(order.map(({ seq }) => seq)).toEqual([3, 2, 4, 1, 5]);
  });
});
