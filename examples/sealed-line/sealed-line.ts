// Two people, each with a process of their own, agree on a dinner over one relay that can read nothing. Bob is offline for a while,
// and the relay restarts in the middle. The example checks that everything arrived once and in order.

import assert from 'node:assert/strict';
import { cleanUp, parley, start } from './kit.ts';

type Context = Record<string, unknown>;
const peer = <T>(who: string, ...args: string[]): Promise<T> => parley<T>('peer', '--data', who, ...args);
const send = (from: string, to: string, context: Context): Promise<unknown> =>
  peer(from, 'send', `agent:${to}@localhost`, '--context', JSON.stringify(context));
const inbox = async (who: string): Promise<Context[]> =>
  (await peer<{ packets: { context: Context }[] }>(who, 'inbox')).packets.map(({ context }) => context);

/** Looks again for at most half a minute. */
async function arrives(who: string, expected: Context[]): Promise<void> {
  for (const until = Date.now() + 30_000; (await inbox(who)).length < expected.length && Date.now() < until;);
  assert.deepEqual(await inbox(who), expected);
  console.log(`${who} has ${expected.length}`);
}

try {
  let relay = await start<{ url: string }>('relay', '--port', '0');
  const { url } = relay.said;
  for (const name of ['ann', 'bob']) {
    const { code } = await parley<{ code: string }>('relay', 'invite');
    await peer(name, 'init', '--name', name, '--relay', url, '--code', code);
  }
  // By a channel that the relay has no part in: a chat, or a QR code.
  await peer('ann', 'add', (await peer<{ card: string }>('bob', 'card')).card);
  await peer('bob', 'add', (await peer<{ card: string }>('ann', 'card')).card);
  const numbers = [
    await peer<{ safetyNumber: string }>('ann', 'verify', 'agent:bob@localhost'),
    await peer<{ safetyNumber: string }>('bob', 'verify', 'agent:ann@localhost'),
  ];
  assert.equal(numbers[0]!.safetyNumber, numbers[1]!.safetyNumber);

  const ann = await start('peer', '--data', 'ann', 'run');
  let bob = await start('peer', '--data', 'bob', 'run');
  await send('ann', 'bob', { day: 'Friday' });
  await send('bob', 'ann', { time: '19:00' });
  await arrives('bob', [{ day: 'Friday' }]);
  await arrives('ann', [{ time: '19:00' }]);

  await bob.stop();
  await send('ann', 'bob', { place: 'the harbour' });
  await relay.stop();
  relay = await start('relay', '--port', new URL(url).port);
  bob = await start('peer', '--data', 'bob', 'run');
  await arrives('bob', [{ day: 'Friday' }, { place: 'the harbour' }]);
  await send('bob', 'ann', { agreed: true });
  await arrives('ann', [{ time: '19:00' }, { agreed: true }]);
  await Promise.all([ann.stop(), bob.stop()]);
  await relay.stop();
  console.log('All of it arrived, once and in order.');
} finally {
  await cleanUp();
}
