// How both programs begin: a peer of their own, and the contact card of the other one.

import { createInterface } from 'node:readline/promises';
import { openPeer, type OwnNegotiation, type OwnPeer } from '@parley/peer/sdk';

const [folder = '', relayUrl = '', code = ''] = process.argv.slice(2);

/** `onChange` gets each negotiation that went on. */
export async function begin(name: string, onChange: (negotiation: OwnNegotiation, peer: OwnPeer) => Promise<void>): Promise<OwnPeer> {
  const peer = await openPeer({
    folder,
    register: { name, relayUrl, code },
    zone: 'UTC',
    onChange,
    onFailure: (error) => console.error(`${name}: ${error.message}`),
  });
  const { calls } = peer;
  for (const field of ['time_windows', 'dietary', 'location_preference']) await calls.setTier({ field, tier: 'always_share' });
  await calls.setField({ field: 'dietary', value: 'vegetarian' });
  await calls.setField({ field: 'location_preference', value: 'near the station' });
  console.log((await calls.me()).card);
  const lines = createInterface({ input: process.stdin });
  for await (const card of lines) {
    await calls.add({ card });
    break;
  }
  lines.close();
  return peer;
}
