import { expect, test } from 'vitest';
import { type Candidate, heirOf } from './line-of-managers.ts';

const who = (id: string, over: Partial<Candidate> = {}): Candidate => ({
  id,
  kind: 'human',
  role: 'member',
  ownerId: null,
  managerId: null,
  status: 'active',
  createdAt: 1,
  ...over,
});
const among = (...members: Candidate[]) => new Map(members.map((m) => [m.id, m]));

test.each<[string, string | undefined, Candidate, Candidate[]]>([
  ['their manager', 'boss', who('x', { managerId: 'boss' }), [who('boss'), who('adm', { role: 'admin' })]],
  [
    'the nearest person above, past a manager who left',
    'top',
    who('x', { managerId: 'boss' }),
    [who('boss', { status: 'deactivated', managerId: 'top' }), who('top')],
  ],
  [
    'the person above an agent that manages',
    'top',
    who('x', { managerId: 'bot' }),
    [who('bot', { kind: 'agent', managerId: 'top' }), who('top')],
  ],
  [
    'the owner of an agent that manages and has no manager',
    'own',
    who('x', { managerId: 'bot' }),
    [who('bot', { kind: 'agent', ownerId: 'own' }), who('own')],
  ],
  [
    'never themselves, round a circle',
    'adm',
    who('x', { managerId: 'y' }),
    [who('y', { status: 'deactivated', managerId: 'x' }), who('x'), who('adm', { role: 'admin' })],
  ],
  [
    'the longest-serving admin',
    'a1',
    who('x'),
    [who('a2', { role: 'admin', createdAt: 5 }), who('a1', { role: 'admin', createdAt: 2 }), who('own', { role: 'owner' })],
  ],
  [
    'an owner when there is no admin',
    'own',
    who('x'),
    [who('own', { role: 'owner' }), who('gone', { role: 'admin', status: 'deactivated' }), who('bot', { kind: 'agent', role: 'admin' })],
  ],
  ['nobody', undefined, who('x'), [who('x', { role: 'owner' }), who('m')]],
])('[SYS-14] what a leaving person answered for goes to %s', (_, heir, leaving, members) => {
  expect(heirOf(leaving, among(...members))).toBe(heir);
});
