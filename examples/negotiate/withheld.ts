// Bob's peer asks Ann for two fields: her tier never shares one, and she declines the other.
// The two refusals look the same to Bob, and the dinner is arranged with what is left.

import assert from 'node:assert/strict';
import { cleanUp } from '../sealed-line/kit.ts';
import { annAddress, answer, promptIn, reaches, twoPeople } from './people.ts';

const secrets = { health_info: 'a secret about health', budget_range: 'a secret about money', diary: 'a secret about everything' };

try {
  const { ann, bob, stop } = await twoPeople();
  for (const [field, value] of Object.entries(secrets)) await ann.setField({ field, value });
  await ann.setField({ field: 'dietary', value: 'vegetarian' });
  await ann.setField({ field: 'location_preference', value: 'central Reading' });
  await ann.setTier({ field: 'budget_range', tier: 'ask_first' });
  for (const [field, value] of Object.entries({ cuisine_preference: 'Italian', transport_mode: 'train' })) {
    await bob.setField({ field, value });
    await bob.setTier({ field, tier: 'always_share' });
  }

  const needs = ['budget_range', 'health_info'].map((field) => ({ field, priority: 'required' as const, reason: 'To choose a place' }));
  const { threadId: id } = await bob.open({ with: { address: annAddress }, intent: 'Dinner on Friday', needs });
  const asked = await reaches(ann, id, (shown) => promptIn(shown, 'consent') !== undefined);
  const prompt = promptIn(asked, 'consent');
  for (const { field, reason } of prompt!.fields) console.log(`bob asks ann for ${field}: ${reason}`);
  // Nobody asks Ann about her health: its tier has decided.
  assert.ok(!prompt!.fields.some(({ field }) => field === 'health_info'));
  await answer(ann, prompt!.id, { kind: 'consent', fields: [{ field: 'budget_range', answer: 'decline' }] });

  const his = await reaches(bob, id, ({ state }) => state === 'PROPOSED');
  console.log(`proposed: ${his.proposal!.summary}`);
  const { packets } = await bob.inbox();
  const whole = JSON.stringify([packets, his, await bob.memory({})]);
  for (const secret of Object.values(secrets)) assert.ok(!whole.includes(secret), `${secret} reached Bob`);
  const [memory] = await bob.memory({ address: annAddress });
  // One refusal is no habit.
  assert.deepEqual(memory!.declines, []);
  for (const field of ['budget_range', 'health_info']) assert.ok(!(field in his.received));
  assert.deepEqual(
    memory!.cache.map(({ field }) => field),
    ['dietary', 'location_preference'],
  );
  console.log("bob's peer has neither field, and does not know why.");
  await stop();
  console.log('No secret left.');
} finally {
  await cleanUp();
}
