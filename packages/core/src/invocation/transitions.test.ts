import { invocationStates } from '@parley/protocol';
import { describe, expect, it } from 'vitest';
import { invocationMoves, movedInvocation } from './transitions.ts';

describe('the moves of an invocation', () => {
  it.each(['completed', 'failed', 'denied', 'cancelled'] as const)('none from %s, which is an end', (end) => {
    expect(invocationMoves[end]).toEqual([]);
    for (const state of invocationStates) expect(() => movedInvocation(end, state)).toThrow(`from ${end} to ${state}`);
  });

  it('[PRV-11] only an expired approval can be asked for again', () => {
    expect(movedInvocation('expired', 'awaiting_approval')).toBe('awaiting_approval');
    expect(() => movedInvocation('expired', 'running')).toThrow('from expired to running');
  });

  it('reaches every state from the two that it may begin in', () => {
    const reached = new Set<string>(['queued', 'awaiting_approval']);
    for (const from of reached) for (const to of invocationMoves[from as keyof typeof invocationMoves]) reached.add(to);
    expect([...reached].sort()).toEqual([...invocationStates].sort());
  });
});
