import { expect, test } from 'vitest';
import { newPair } from './people-kit.ts';
import { startRelay } from './relay-kit.ts';

const day = 86_400_000;

test.each([
  ['weeks behind', -33 * day],
  ['more than a day ahead', 10 * day],
])('[A2C-7] a packet that was sealed while the clock was %s goes out in its turn once the clock is right', async (how, off) => {
  const [ann, bob] = await newPair(await startRelay());
  await ann.send(bob, { n: 0 });
  ann.ahead = off;
  await expect(ann.send(bob, { n: 1 })).rejects.toMatchObject({ code: 'refused', message: expect.stringContaining(how) });
  ann.ahead = 0;
  await ann.send(bob, { n: 2 });
  await bob.exchange();
  expect(await bob.contexts()).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
});

test('[A2C-3] key packages from a clock that was ahead are replaced once it is right, so that others can begin', async () => {
  const [ann, bob] = await newPair(await startRelay());
  bob.ahead = 30 * day;
  await bob.exchange();
  bob.ahead = 0;
  await bob.exchange();
  await ann.send(bob, { n: 1 });
  await bob.exchange();
  expect(await bob.contexts()).toEqual([{ n: 1 }]);
});
