// Ann and Bob plan a trip in a shared space. Both edit it without a line, also the same field; once they are back, both have one plan.

import assert from 'node:assert/strict';
import { cleanUp } from '../sealed-line/kit.ts';
import { bobAddress, twoPeople, until } from './people.ts';

const own = (fields: Record<string, string>) => Object.entries(fields).map(([field, value]) => ({ field, value }));

try {
  const { ann, bob, stop, stopRelay, startRelay } = await twoPeople();
  const { id } = await ann.createSpace({ name: 'Rome', people: [{ with: { address: bobAddress }, may: 'full-write' }] });
  await ann.writeSpace({ id, writes: own({ hotel: 'Astoria', days: 'Friday to Sunday' }) });
  await until(
    () => bob.space({ id }).catch(() => undefined),
    ({ fields }) => fields.length === 2,
  );

  await stopRelay();
  const hers = await ann.writeSpace({ id, writes: own({ hotel: 'Ritz', 'ann.train': '9:14' }) });
  await bob.writeSpace({ id, writes: own({ hotel: 'Hassler', 'bob.flight': 'BA 548' }) });
  assert.ok(hers.line, 'The relay is away, and ann wrote all the same.');
  console.log(`without a line: ${hers.line}`);
  await startRelay();

  const plan = (person: typeof ann) =>
    until(
      async () => Object.fromEntries((await person.space({ id })).fields.map(({ field, value }) => [field, value] as const)),
      (shown) => Object.keys(shown).length === 4,
    );
  const [first, second] = [await plan(ann), await plan(bob)];
  assert.deepEqual(first, { 'ann.train': '9:14', 'bob.flight': 'BA 548', days: 'Friday to Sunday', hotel: 'Hassler' });
  assert.deepEqual(second, first);
  for (const [field, value] of Object.entries(first)) console.log(`${field}: ${value}`);
  await stop();
  console.log('Both have one plan.');
} finally {
  await cleanUp();
}
