// Ann and Bob arrange a dinner. Ann makes it a game night: Bob sees what changes before anything more goes out. Then the games are split
// off, and both are agreed on their own. The example checks that nothing is asked twice and that the games follow the dinner.

import assert from 'node:assert/strict';
import { cleanUp } from '../sealed-line/kit.ts';
import type { OwnNegotiation } from '@parley/protocol';
import { answer, arrange, bobAddress, confirm, eventsOf, promptIn, reaches, twoPeople } from './people.ts';

const isProposed = ({ state }: OwnNegotiation): boolean => state === 'PROPOSED';

try {
  const { ann, bob, stop } = await twoPeople();
  const known = { dietary: 'none', location_preference: 'central', cuisine_preference: 'Italian', transport_mode: 'train' };
  for (const person of [ann, bob])
    for (const [field, value] of Object.entries(known)) {
      await person.setField({ field, value });
      await person.setTier({ field, tier: 'always_share' });
    }
  const id = await arrange(ann, bobAddress, 'Dinner on Friday');
  const isAsking = ({ openPrompts }: OwnNegotiation): boolean => openPrompts.length > 0;
  const dinner = await reaches(ann, id, isProposed);
  console.log(`proposed: ${dinner.proposal!.summary}`);

  const needs = [{ field: 'game_preferences', priority: 'helpful' as const, reason: 'To choose a game' }];
  await ann.changeIntent({ threadId: id, intent: 'Game night on Friday (dinner and games)', needs });
  const wider = promptIn(await reaches(bob, id, (shown) => promptIn(shown, 'expansion') !== undefined), 'expansion')!;
  console.log(`bob sees: “${wider.before}” became “${wider.intent}”; asked besides: ${wider.asked.join(', ')}`);
  assert.equal((await ann.negotiation({ threadId: id })).received['game_preferences'], undefined);
  await answer(bob, wider.id, { kind: 'go_on' });
  await reaches(bob, id, isAsking);
  await answer(bob, id, { kind: 'consent', fields: [{ field: 'game_preferences', answer: 'share', value: 'chess' }] });
  const widened = await reaches(ann, id, isProposed);
  assert.notEqual(widened.proposal!.hash, dinner.proposal!.hash);
  assert.equal(widened.received['game_preferences'], 'chess');

  const [, forked] = await ann.fork({ threadId: id, into: ['Games on Friday'], rest: 'Dinner on Friday' });
  const games = forked!.threadId;
  const split = await reaches(bob, games, isProposed);
  console.log(`split off: ${split.proposal!.summary}`);
  const parent = split.family.find(({ relation }) => relation === 'parent')?.threadId;
  assert.deepEqual([parent, split.prompts, split.packets], [id, 0, 1]);
  const left = await reaches(ann, id, isProposed);
  assert.equal(left.proposal!.details['event_type'], 'dinner');
  assert.equal(split.proposal!.details['start'], left.proposal!.details['end']);

  for (const thread of [games, id]) {
    for (const person of [bob, ann]) {
      await reaches(person, thread, isProposed);
      await confirm(person, thread);
    }
    for (const person of [ann, bob]) await reaches(person, thread, ({ state }) => state === 'COMPLETED');
  }
  assert.deepEqual(await Promise.all(['ann', 'bob'].map(eventsOf)), [2, 2]);
  await stop();
  console.log('Dinner and games are in both calendars.');
} finally {
  await cleanUp();
}
