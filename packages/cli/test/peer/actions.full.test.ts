import { expect, test } from 'vitest';
import { confirmBoth, logging, proposing } from './actions-kit.ts';
import { dinnerPair, eventsOf, latest, untilProposal } from './negotiation-kit.ts';

test('[A2C-29] shared actions run first at the coordinator, then each side’s own, and each runs once', async () => {
  const [ann, bob] = await dinnerPair();
  const log: string[] = [];
  for (const [name, person] of [
    ['ann', ann],
    ['bob', bob],
  ] as const)
    for (const action of ['tell_club', 'book_table']) person.actions[action] = logging(log, `${action} at ${name}`);
  proposing(bob, { action: 'tell_club', scope: 'own', by: bob.address }, { action: 'book_table' });
  const id = await untilProposal(ann, bob);
  await confirmBoth(ann, bob, id);
  expect(log).toEqual(['run book_table at ann', 'run tell_club at bob']);
  expect([await eventsOf(ann), await eventsOf(bob)]).toEqual([1, 1]);
  expect([(await latest(ann)).state, (await latest(bob)).state]).toEqual(['COMPLETED', 'COMPLETED']);
});

test('[A2C-29] an action that is not configured fails, whatever its name; the peer reads no words of an error', async () => {
  const [ann, bob] = await dinnerPair();
  proposing(bob, { action: 'constructor' });
  const id = await untilProposal(ann, bob);
  await confirmBoth(ann, bob, id);
  const failures = async (): Promise<unknown[]> =>
    (await latest(bob)).notes.filter(({ notice }) => notice === 'failed').map(({ details }) => details['constraint']);
  expect(await failures()).toEqual(['constructor is not possible here']);
  proposing(bob);
  ann.calendar.add = async () => {
    throw new Error('EACCES: /home/ann/secret');
  };
  await confirmBoth(ann, bob, id);
  expect((await failures()).at(-1)).toBe('add_calendar_event failed');
  expect(ann.failures).toContain('EACCES: /home/ann/secret');
});

test('[A2C-29] after three failures both people decide, and nothing is proposed by itself', async () => {
  const [ann, bob] = await dinnerPair();
  ann.calendar.add = async () => {
    throw new Error('The disk is full');
  };
  const id = await untilProposal(ann, bob);
  const starts = new Set<unknown>();
  for (let round = 0; round < 3; round += 1) {
    starts.add((await latest(ann)).proposal!.details['start']);
    await confirmBoth(ann, bob, id);
  }
  expect(starts.size).toBe(3);
  for (const person of [ann, bob])
    expect(await latest(person)).toMatchObject({ state: 'NEGOTIATING', openPrompts: [{ kind: 'escalation' }] });
});
