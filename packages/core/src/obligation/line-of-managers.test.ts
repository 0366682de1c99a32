import { describe, expect, test } from 'vitest';
import { ladderAbove, type Rung } from './line-of-managers.ts';

const rung = (id: string, kind: Rung['kind'], extra: Partial<Rung> = {}): Rung => ({
  id,
  kind,
  active: true,
  managerId: null,
  ownerId: null,
  ...extra,
});
const above = (recipientId: string, members: Rung[], owners: string[] = ['boss'], absent: string[] = []) =>
  ladderAbove(recipientId, {
    memberOf: (id) => members.find((member) => member.id === id),
    canAct: (id) => !absent.includes(id),
    owners: () => owners,
  }).map(({ id, kind }) => `${kind} ${id}`);

describe('[C2A-31] who stands above', () => {
  const people = [rung('ann', 'human'), rung('bob', 'human', { managerId: 'ann' })];
  test('an agent’s managers, up to the nearest person', () => {
    const agents = [rung('A', 'agent', { managerId: 'B', ownerId: 'ann' }), rung('B', 'agent', { managerId: 'bob' })];
    expect(above('A', [...people, ...agents])).toEqual(['agent B', 'human bob']);
  });
  test('an agent that is not there is passed over, and so is who has left', () => {
    const agents = [rung('A', 'agent', { managerId: 'B' }), rung('B', 'agent', { managerId: 'bob' })];
    const left = [rung('ann', 'human'), rung('bob', 'human', { managerId: 'ann', active: false })];
    expect(above('A', [...left, ...agents], [], ['B'])).toEqual(['human ann']);
  });
  test('no person above: the owner of the agent, else one of the workspace', () => {
    const agents = [rung('A', 'agent', { managerId: 'B', ownerId: 'ann' }), rung('B', 'agent')];
    expect(above('A', [...people, ...agents])).toEqual(['agent B', 'human ann']);
    expect(above('B', [...people, ...agents])).toEqual(['human boss']);
  });
  test('a person: their manager, else an owner, else nobody but themselves', () => {
    expect(above('bob', people)).toEqual(['human ann']);
    expect(above('ann', people)).toEqual(['human boss']);
    expect(above('ann', people, ['ann'])).toEqual(['human ann']);
  });
  test('two that head each other end', () => {
    const agents = [rung('A', 'agent', { managerId: 'B' }), rung('B', 'agent', { managerId: 'A' })];
    expect(above('A', agents)).toEqual(['agent B', 'human boss']);
  });
});
