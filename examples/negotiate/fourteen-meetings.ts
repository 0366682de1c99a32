// Ann and Bob have dinner fourteen times. Bob's peer asks for two fields that Ann shares after a prompt. Her peer remembers this, asks
// her before the first packet, and at the third time offers to always share them: from then on nobody is asked.

import assert from 'node:assert/strict';
import { cleanUp } from '../sealed-line/kit.ts';
import { answer, arrange, bobAddress, confirm, promptIn, reaches, twoPeople } from './people.ts';

try {
  const { ann, bob, stop } = await twoPeople();
  await ann.setField({ field: 'cuisine_preference', value: 'Italian' });
  await ann.setField({ field: 'transport_mode', value: 'train' });
  await bob.setField({ field: 'dietary', value: 'vegetarian' });
  await bob.setField({ field: 'location_preference', value: 'near the station' });

  const meetings: [packets: number, prompts: number][] = [];
  for (let number = 1; number <= 14; number += 1) {
    const id = await arrange(ann, bobAddress, 'Dinner');
    let hers = await reaches(ann, id, (shown) => promptIn(shown, 'consent') !== undefined || shown.state === 'PROPOSED');
    const asked = promptIn(hers, 'consent');
    if (asked) {
      const fields = asked.fields.map(({ field, offersAlways }) => ({ field, answer: offersAlways ? 'always' : 'share' }) as const);
      await answer(ann, asked.id, { kind: 'consent', fields });
      hers = await reaches(ann, id, ({ state }) => state === 'PROPOSED');
    }
    const his = await reaches(bob, id, ({ state }) => state === 'PROPOSED');
    meetings.push([hers.packets, hers.prompts + his.prompts]);
    console.log(`meeting ${number}: packets ${hers.packets}, prompts ${hers.prompts + his.prompts}`);
    for (const person of [bob, ann]) await confirm(person, id);
    for (const person of [bob, ann]) await reaches(person, id, ({ state }) => state === 'COMPLETED');
  }
  assert.deepEqual(meetings, [[4, 1], [2, 1], [2, 1], ...Array.from({ length: 11 }, () => [2, 0])]);
  const [memory] = await ann.memory({ address: bobAddress });
  assert.equal(memory!.interactions, 14);
  assert.deepEqual(memory!.asks, ['cuisine_preference', 'transport_mode']);
  await stop();
  console.log('Half the packets, and no prompt from the fourth meeting on.');
} finally {
  await cleanUp();
}
