// Ann and Bob arrange a dinner. Ann makes it a game night: Bob sees what changes before anything more goes out. Then the games are split
// off, and both are agreed on their own. The example checks that nothing is asked twice and that the games follow the dinner.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NegotiationView } from '@parley/peer';
import { cleanUp, folder } from '../sealed-line/kit.ts';
import { bobAddress, reaches, twoPeople } from './people.ts';

const isProposed = ({ state }: NegotiationView): boolean => state === 'PROPOSED';
const eventsOf = async (name: string): Promise<number> =>
  (await readFile(join(folder, name, 'calendar.ics'), 'utf8').catch(() => '')).match(/BEGIN:VEVENT/g)?.length ?? 0;

try {
  const { ann, bob, stop } = await twoPeople();
  const known = { dietary: 'none', location_preference: 'central', cuisine_preference: 'Italian', transport_mode: 'train' };
  for (const person of [ann, bob])
    for (const [field, value] of Object.entries(known)) {
      await person.setField({ field, value });
      await person.setTier({ field, tier: 'always_share' });
    }
  const { id } = await ann.negotiate({ address: bobAddress, intent: 'Dinner on Friday', needs: [] });
  const isAsking = ({ open_prompts: prompts }: NegotiationView): boolean => prompts.length > 0;
  const dinner = await reaches(ann, id, isProposed);
  console.log(`proposed: ${dinner.proposal!.summary}`);

  const needs = [{ field: 'game_preferences', priority: 'helpful', reason: 'To choose a game' }];
  await ann.changeIntent({ id, intent: 'Game night on Friday (dinner and games)', needs });
  const hasScope = ({ open_prompts: prompts }: NegotiationView): boolean => prompts.some(({ kind }) => kind === 'expansion');
  const { scope } = (await reaches(bob, id, hasScope)).open_prompts.find(({ kind }) => kind === 'expansion')!;
  console.log(`bob sees: “${scope!.before}” became “${scope!.after}”; asked besides: ${scope!.asked.join(', ')}`);
  assert.equal((await ann.show(id)).received['game_preferences'], undefined);
  await bob.answerExpansion({ id, answer: 'go_on' });
  await reaches(bob, id, isAsking);
  await bob.consent({ id, answers: [{ field: 'game_preferences', answer: 'share', value: 'chess' }] });
  const widened = await reaches(ann, id, isProposed);
  assert.notEqual(widened.proposal_hash, dinner.proposal_hash);
  assert.equal(widened.received['game_preferences'], 'chess');

  const { forks } = await ann.fork({ id, into: ['Games on Friday'], rest: 'Dinner on Friday' });
  const [games] = forks as [string];
  const split = await reaches(bob, games, isProposed);
  console.log(`split off: ${split.proposal!.summary}`);
  assert.deepEqual([split.parent, split.prompts, split.packets], [id, 0, 1]);
  const left = await reaches(ann, id, isProposed);
  assert.equal(left.proposal!.details['event_type'], 'dinner');
  assert.equal(split.proposal!.details['start'], left.proposal!.details['end']);

  for (const thread of [games, id]) {
    for (const person of [bob, ann]) {
      await reaches(person, thread, isProposed);
      await person.confirm({ id: thread, answer: { kind: 'confirm' } });
    }
    for (const person of [ann, bob]) await reaches(person, thread, ({ state }) => state === 'COMPLETED');
  }
  assert.deepEqual(await Promise.all(['ann', 'bob'].map(eventsOf)), [2, 2]);
  await stop();
  console.log('Dinner and games are in both calendars.');
} finally {
  await cleanUp();
}
