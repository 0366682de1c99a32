// Sealing and opening 1 KiB, in processor time, because a core is what a hub with many peers runs out of. Beside it libsodium alone.

import {
  join,
  newSigningKey,
  offer,
  open,
  type OwnIdentity,
  type Parties,
  seal as sealPacket,
  type SealedSession,
  start,
} from '../../packages/peer/src/index.ts';
import { closeBox, openBox, randomBytes } from '../../packages/peer/src/seal/sodium.ts';
import type { Scenario } from '../kit.ts';
import { medians, perSecond, times } from '../stats.ts';

const person = (name: string): OwnIdentity => ({
  address: `agent:${name}@localhost`,
  key: newSigningKey(),
  epoch: { counter: 1, device: 'AAAAAAAAAAAAAAAAAAAAAA' },
});
const partiesOf = (own: OwnIdentity, { address, key, epoch }: OwnIdentity): Parties => ({ own, peer: { address, key: key.public, epoch } });
const headerBytes = randomBytes(400);
const text = randomBytes(1024);

/** Two ends; `packet` carries one across. A commit goes along after every 50 packets of the side whose turn it is. */
async function line(isStored: boolean): Promise<(from: 0 | 1) => Promise<void>> {
  const people = [person('ann'), person('bob')] as const;
  const parties = [partiesOf(people[0], people[1]), partiesOf(people[1], people[0])] as const;
  const now = Date.now();
  const secrets = await offer(people[1], now, 30);
  const ends: SealedSession[] = [await start(parties[0], secrets.package, now)];
  // As a peer does between packets: the session comes from its bytes on disk.
  const ready = (session: SealedSession): SealedSession => (isStored ? { ...session, group: session.group.slice() } : session);
  const packet = async (from: 0 | 1): Promise<void> => {
    const { session, body } = await sealPacket(ready(ends[from]!), parties[from], { headerBytes, text }, now);
    ends[from] = session;
    const to = from === 0 ? 1 : 0;
    ends[to] ??= await join(parties[to], secrets, body);
    ends[to] = (await open(ready(ends[to]), parties[to], { headerBytes, body }, now)).session;
  };
  for (let n = 0; n < 60; n += 1) await packet(n % 2 === 0 ? 0 : 1);
  return packet;
}

/** How often something happens in a second of one core. */
async function perCore(count: number, work: () => Promise<void> | void): Promise<number> {
  const before = process.cpuUsage();
  for (let n = 0; n < count; n += 1) await work();
  const { user, system } = process.cpuUsage(before);
  return (count * 1e6) / (user + system);
}

export const seal: Scenario = async ({ quick }) => {
  const [rounds, count] = quick ? [3, 100] : [9, 400];
  const [oneWay, live, stored] = [await line(false), await line(false), await line(true)];
  const key = randomBytes(32);
  const there = async (packet: (from: 0 | 1) => Promise<void>): Promise<void> => {
    await packet(0);
    await packet(1);
  };
  const found = await medians(rounds, async () => ({
    raw: await perCore(count * 10, () => void openBox(key, closeBox(key, text, headerBytes), headerBytes)),
    oneWay: await perCore(count, () => oneWay(0)),
    alternating: await perCore(count, () => there(live)),
    stored: await perCore(count, () => there(stored)),
  }));
  const per = `per core (medians of ${rounds} rounds in turns)`;
  return [
    {
      what: 'Sealing and opening 1 KiB one way, against libsodium alone',
      result: perSecond(found.oneWay),
      from: `${perSecond(found.raw)} boxes closed and opened, ${times(found.raw / found.oneWay)}; ${per}`,
    },
    {
      what: 'Round trips of 1 KiB, a commit every 50 packets of a side',
      result: perSecond(found.alternating),
      target: { text: '≥ 300/s a core', met: found.alternating >= 300 },
      from: `${perSecond(found.stored)} with both sessions read from their stored bytes each time; ${per}`,
    },
  ];
};
