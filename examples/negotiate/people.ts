// Ann and Bob with a running peer each, at one relay. Their commands go straight to the running peers, as those of a terminal do.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { NegotiationView, PeerCommands } from '@parley/peer';
import { runningPeer } from '@parley/peer/node';
import { folder, parley, start } from '../sealed-line/kit.ts';

export interface Pair {
  ann: PeerCommands;
  bob: PeerCommands;
  /** Nobody has a line until the relay is started again. */
  stopRelay: () => Promise<void>;
  startRelay: () => Promise<void>;
  stop: () => Promise<void>;
}

export const [annAddress, bobAddress] = ['agent:ann@localhost', 'agent:bob@localhost'];

/** Both share their free time, diet and area with everybody. */
export async function twoPeople(): Promise<Pair> {
  let relay = await start<{ url: string }>('relay', '--port', '0');
  const { url } = relay.said;
  const running: { stop(): Promise<void> }[] = [];
  const people: PeerCommands[] = [];
  for (const name of ['ann', 'bob']) {
    const { code } = await parley<{ code: string }>('relay', 'invite');
    await parley('peer', '--data', name, 'init', '--name', name, '--relay', url, '--code', code);
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
    for (const one of [...running, relay]) await one.stop();
  };
  const stopRelay = (): Promise<void> => relay.stop();
  const startRelay = async (): Promise<void> => {
    relay = await start('relay', '--port', new URL(url).port);
  };
  return { ann, bob, stopRelay, startRelay, stop };
}

export const reaches = (person: PeerCommands, id: string, isReached: (shown: NegotiationView) => boolean): Promise<NegotiationView> =>
  until(async () => (await person.negotiations()).find((one) => one.id === id), isReached);

/** Looks again for at most a minute. */
export async function until<T>(look: () => Promise<T | undefined>, isReached: (shown: T) => boolean): Promise<T> {
  for (const end = Date.now() + 60_000; ;) {
    const shown = await look();
    if (shown !== undefined && isReached(shown)) return shown;
    assert.ok(Date.now() < end, `It does not go on: ${JSON.stringify(shown)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
