// Measures what a relay costs for each packet, beside the least it could do, and how fast it carries them beside two
// durable queues.

import { join } from 'node:path';
import type { Child, start } from '../child.ts';
import type { LetterInput, LetterResult } from '../children/relay-clients.ts';
import type { RelayPerson, RelayReady } from '../children/relay.ts';
import { type Bench, type Scenario, withGround } from '../kit.ts';
import { startNats } from '../../packages/testkit/src/setup/nats.ts';
import type { Line } from '../report.ts';
import { medians, perSecond, round, times } from '../stats.ts';

const frameBytes = 1024;
const window = 256;

export interface Side {
  clients: Child<unknown>;
  /** The server's processor time, and what it took for one batch. */
  measure: () => Promise<{ micros: number; rate: number }>;
}

export const startRelay = (run: typeof start, folder: string): Promise<Child<RelayReady>> =>
  run<RelayReady>('relay', { PARLEY_RELAY_DATA: folder });

async function cpuOf(servers: readonly Child<unknown>[]): Promise<number> {
  let sum = 0;
  for (const server of servers) sum += await server.ask<number>('cpu');
  return sum;
}

export async function sideOf(
  servers: readonly Child<unknown>[],
  clients: Child<unknown>,
  letters: LetterInput,
  answers: boolean,
): Promise<Side> {
  const measure = async (): Promise<{ micros: number; rate: number }> => {
    await clients.ask('sign', letters);
    const before = await cpuOf(servers);
    const { ms } = await clients.ask<LetterResult>('carry', { ...letters, answers });
    const micros = ((await cpuOf(servers)) - before) / letters.count;
    return { micros, rate: (letters.count / ms) * 1000 };
  };
  // Connections, statements and code are there then.
  await measure();
  return { clients, measure };
}

export async function relaySide(run: typeof start, folder: string, letters: LetterInput): Promise<Side> {
  const relay = await startRelay(run, folder);
  const clients = await run('relay-clients');
  const people = await clients.ask<RelayPerson[]>('people', { prefix: 'p', count: letters.pairs * 2 });
  await relay.ask('register', people);
  await clients.ask('logIn', { url: relay.ready.url, from: 0, count: people.length });
  return sideOf([relay], clients, letters, true);
}

async function bareSide(run: typeof start, letters: LetterInput): Promise<Side> {
  const bare = await run<RelayReady>('forward');
  const clients = await run('relay-clients');
  await clients.ask('people', { prefix: 'p', count: letters.pairs * 2 });
  await clients.ask('connectBare', { url: bare.ready.url, pairs: letters.pairs });
  return sideOf([bare], clients, letters, false);
}

export const nameOf = (pairs: number): string => (pairs === 1 ? 'one to one' : `${pairs} to ${pairs}`);

/** One pair of people, then a hundred, each on fresh ground. `count`: of packets. */
export const eachPairs =
  (count: number, measure: (letters: LetterInput, bench: Bench, run: typeof start, folder: string) => Promise<Line[]>): Scenario =>
  async (bench) => {
    const lines: Line[] = [];
    for (const pairs of [1, 100]) {
      const letters = { pairs, count: bench.quick ? 2000 : count, window, frameBytes };
      lines.push(...(await withGround((run, folder) => measure(letters, bench, run, folder))));
    }
    return lines;
  };

/** Processor time: the same verifier on both sides. */
export const relay = eachPairs(10_000, async (letters, { quick }, run, folder) => {
  const [ours, bare] = [await relaySide(run, folder, letters), await bareSide(run, letters)];
  const found = await medians(quick ? 3 : 7, async () => {
    const least = (await bare.measure()).micros;
    const full = (await ours.measure()).micros;
    return { full, least, ratio: full / least };
  });
  return [
    {
      what: `Relay's processor time per packet of 1 KiB, ${nameOf(letters.pairs)}, against one verification and one bare forward`,
      result: times(found.ratio),
      target: { text: '≤ 1.5 ×', met: found.ratio <= 1.5 },
      from: `${round(found.full)} µs (verified, synced, delivered, acknowledged) against ${round(found.least)} µs (medians, in turns)`,
    },
  ];
});

/** End to end, without sealing. */
export const relayQueues = eachPairs(20_000, async (letters, { quick, postgresUrl }, run, folder) => {
  const pairs = nameOf(letters.pairs);
  const ours = await relaySide(run, join(folder, 'relay'), letters);
  const others = [await natsRate(run, letters)];
  if (letters.pairs === 1) others.push(await bossRate(run, await postgresUrl(), { ...letters, count: quick ? 500 : 4000 }));
  const lines: Line[] = [];
  for (const other of others) {
    if ('missing' in other) {
      lines.push({ what: `Packets a second, ${pairs}, against ${other.name}`, result: 'not measured', from: other.missing });
      continue;
    }
    const found = await medians(quick ? 3 : 7, async () => {
      const theirs = await other.rate();
      const { rate } = await ours.measure();
      return { rate, theirs, ratio: rate / theirs };
    });
    await other.stop();
    lines.push({
      what: `Packets a second end to end, ${pairs}, against ${other.name}`,
      result: times(found.ratio),
      target: { text: `≥ ${other.least} ×`, met: found.ratio >= other.least },
      from: `${perSecond(found.rate)} against ${perSecond(found.theirs)} (medians, in turns; 1 KiB, window ${window})`,
    });
  }
  return lines;
});

type Other = { name: string; missing: string } | { name: string; least: number; rate: () => Promise<number>; stop: () => Promise<void> };

const rateOf = async (child: Child<unknown>, letters: LetterInput): Promise<number> => {
  const { ms } = await child.ask<LetterResult>('carry', letters);
  return (letters.count / ms) * 1000;
};

export async function natsRate(run: typeof start, letters: LetterInput): Promise<Other> {
  const name = 'NATS JetStream with its lazy sync';
  const nats = await startNats();
  if (!nats) return { name, missing: 'there is no nats-server on the PATH' };
  const client = await run('jetstream');
  await client.ask('prepare', { servers: nats.url, count: letters.pairs });
  await client.ask('listen');
  await rateOf(client, letters);
  return { name, least: 0.6, rate: () => rateOf(client, letters), stop: () => nats.stop() };
}

async function bossRate(run: typeof start, url: string, letters: LetterInput): Promise<Other> {
  const boss = await run('pg-boss');
  await boss.ask('prepare', { url, count: letters.pairs });
  await rateOf(boss, letters);
  return { name: 'pg-boss with single sends and batch fetches', least: 3, rate: () => rateOf(boss, letters), stop: async () => {} };
}
