// Ann and Bob with a running peer each, at one relay. Their commands go straight to the running peers, as those of a terminal do.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { NegotiationView, PeerCommands } from '@parley/a2acp';
import { runningPeer } from '@parley/a2acp/node';
import { folder, parley, start } from '../sealed-line/kit.ts';

export interface Pair {
  ann: PeerCommands;
  bob: PeerCommands;
  stop: () => Promise<void>;
}

export const [annAddress, bobAddress] = ['agent:ann@localhost', 'agent:bob@localhost'];

/** Both share their free time, diet and area with everybody. */
export async function twoPeople(): Promise<Pair> {
  const relay = await start<{ url: string }>('relay', '--port', '0');
  const running = [relay];
  const people: PeerCommands[] = [];
  for (const name of ['ann', 'bob']) {
    const { code } = await parley<{ code: string }>('relay', 'invite');
    await parley('peer', '--data', name, 'init', '--name', name, '--relay', relay.said.url, '--code', code);
    running.unshift(await start('peer', '--data', name, 'run'));
    const person = (await runningPeer(join(folder, name)))!;
    await person.setField({ field: 'timezone', value: 'UTC' });
    for (const field of ['time_windows', 'dietary', 'location_preference']) await person.setTier({ field, tier: 'always_share' });
    people.push(person);
  }
  const [ann, bob] = people as [PeerCommands, PeerCommands];
  await ann.add((await bob.card()).card);
  await bob.add((await ann.card()).card);
  const stop = async (): Promise<void> => {
    for (const one of running) await one.stop();
  };
  return { ann, bob, stop };
}

/** Looks again for at most a minute. */
export async function reaches(person: PeerCommands, id: string, isReached: (shown: NegotiationView) => boolean): Promise<NegotiationView> {
  for (const until = Date.now() + 60_000; ;) {
    const shown = (await person.negotiations()).find((one) => one.id === id);
    if (shown && isReached(shown)) return shown;
    assert.ok(Date.now() < until, `It does not go on: ${JSON.stringify(shown)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
