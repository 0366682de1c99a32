import { ActionRefused } from '@parley/peer';
import { expect, test } from 'vitest';
import { confirmBoth, logging, proposing } from './actions-kit.ts';
import { dinnerPair, eventsOf, latest, untilProposal } from './negotiation-kit.ts';

test('[A2C-29] a later failure undoes all in reverse order, lists what stays, and leads to another time', async () => {
  const [ann, bob] = await dinnerPair();
  const log: string[] = [];
  ann.actions['book_table'] = logging(log, 'book_table');
  ann.actions['order_cab'] = logging(log, 'order_cab');
  ann.actions['send_gift'] = { run: async () => void log.push('run send_gift') };
  bob.actions['tell_club'] = logging(log, 'tell_club', () => {
    throw new ActionRefused('The club is closed');
  });
  proposing(
    bob,
    { action: 'book_table' },
    { action: 'send_gift' },
    { action: 'order_cab' },
    { action: 'tell_club', scope: 'own', by: bob.address },
  );
  const id = await untilProposal(ann, bob);
  const first = (await latest(ann)).proposal!;
  await confirmBoth(ann, bob, id);
  expect(log).toEqual(['run book_table', 'run send_gift', 'run order_cab', 'run tell_club', 'undo order_cab', 'undo book_table']);
  expect([await eventsOf(ann), await eventsOf(bob)]).toEqual([0, 0]);
  for (const [person, by] of [
    [ann, 'own'],
    [bob, 'peer'],
  ] as const) {
    const { notes, state, proposal } = await latest(person);
    const details = (wanted: string) => notes.find(({ notice }) => notice === wanted)?.details;
    expect(details('failed')).toMatchObject({ constraint: 'The club is closed' });
    expect(details('irreversible')).toMatchObject({ by, actions: ['send_gift'] });
    expect([state, proposal!.details['start'] === first.details['start']]).toEqual(['PROPOSED', false]);
  }
  expect((await latest(ann)).proposal?.hash).toBe((await latest(bob)).proposal?.hash);
});
