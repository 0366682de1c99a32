// The kill harness: writers and readers on a hub that is killed again and again, then the verdict.

import { openDataDir, openExisting, openStore, verifyWorkspace } from '@parley/hub';
import type { Ground } from '../store/engines.ts';
import { ChildHub, type ChildHubOptions } from './child-hub.ts';
import { type Acked, type BadHabits, KillReader, KillWriter } from './load.ts';
import { type Broken, judge, keptIn } from './verdict.ts';
import { Random, soaking } from '../trials.ts';

export interface KillOptions extends Omit<ChildHubOptions, 'ground'> {
  ground: Ground;
  seed: number;
  /** How often it is killed. */
  kills: number;
  writers?: number;
  readers?: number;
  habits?: BadHabits;
  /** How many of the kills, as a part of one, fall while the hub is still coming up. */
  atStart?: number;
  /** At least this many acks, and as many facts on each stream, between two kills. */
  progress?: number;
  /** Replaces the kill at each point; `busy` resolves when people talk. */
  strike?: (hub: ChildHub, random: Random, busy: () => Promise<void>) => Promise<void>;
}

export interface KillReport {
  seed: number;
  kills: number;
  acked: number;
  edits: number;
  heard: number;
  broken: Broken[];
}

/** The seed of every run but a soak: a change is judged by what it changes, and not by the luck of the day. */
const usualSeed = 7;

/** A seed for a run: PARLEY_SEED names one, and a soak draws new ones. */
export const seedFromEnv = (): number => Number(process.env['PARLEY_SEED'] ?? (soaking ? Date.now() % 1_000_000 : usualSeed));

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export async function killUnderLoad(options: KillOptions): Promise<KillReport> {
  const { ground, seed, kills, habits = {} } = options;
  const random = new Random(seed);
  const hub = new ChildHub(options);
  const readers: KillReader[] = [];
  try {
    await hub.start();
    const owner = await hub.person('keeper', 'owner');
    const channels: string[] = [];
    for (const name of ['one', 'two', 'three']) channels.push((await owner.call('createChannel', { body: { name } })).id);
    const join = async (handle: string) => {
      const person = await hub.person(handle);
      for (const conversationId of channels) await person.call('joinConversation', { params: { conversationId } });
      return person;
    };
    const writers: KillWriter[] = [];
    for (let i = 0; i < (options.writers ?? 5); i++)
      writers.push(new KillWriter(hub, await join(`w${i}`), channels, new Random(seed + i + 1), habits));
    for (let i = 0; i < (options.readers ?? 2); i++) {
      const person = await join(`r${i}`);
      readers.push(new KillReader(hub, person, (await person.call('getSession', {})).cursor, habits));
    }
    const reading = Promise.all(readers.map((reader) => reader.open()));
    reading.catch(() => {});
    for (const writer of writers) writer.start();

    const busy = async (): Promise<void> => {
      const counts = () => [writers.reduce((sum, { acked }) => sum + acked.length, 0), ...readers.map(({ heard }) => heard.length)];
      const before = counts();
      await hub.up();
      while (counts().some((count, i) => count < before[i]! + (options.progress ?? 1))) {
        await hub.up();
        await wait(2);
      }
    };
    const unsound: Broken[] = [];
    const strike = options.strike ?? killOnce(options.atStart ?? 0.15, async () => void unsound.push(...(await unsoundIn(ground))));
    for (let kill = 0; kill < kills; kill++) await strike(hub, random, busy);
    await hub.up();

    await Promise.all(writers.map((writer) => writer.stop()));
    // The last message arrives last: a reader that has it has everything before.
    const last = new KillWriter(hub, await join('last'), channels, random);
    for (const channel of channels) await last.post(channel);
    for (const reader of readers) for (const { id } of last.acked) await reader.hears(id);
    for (const reader of readers) reader.close();
    await hub.end();
    await reading;

    const acked: Acked[] = [...writers.flatMap((writer) => writer.acked), ...last.acked];
    const broken = judge(
      {
        acked,
        refused: writers.flatMap((writer) => writer.refused),
        channels,
        streams: readers.map((reader, i) => ({ name: `r${i}`, from: reader.from, heard: reader.heard })),
      },
      await readAll(ground),
    );
    broken.push(...unsound, ...(await unsoundIn(ground)));
    const edits = acked.reduce((sum, { texts }) => sum + texts.length - 1, 0);
    return { seed, kills, acked: acked.length, edits, heard: readers.reduce((sum, reader) => sum + reader.heard.length, 0), broken };
  } catch (error) {
    throw new Error(`seed ${seed}: ${(error as Error).message}\n${hub.log.slice(-2000)}`, { cause: error });
  } finally {
    for (const reader of readers) reader.close();
    await hub.end();
  }
}

/** Most kills fall while people talk, some while the hub is still coming up. */
const killOnce =
  (atStart: number, look: () => Promise<void>): NonNullable<KillOptions['strike']> =>
  async (hub, random, busy) => {
    const early = random.next() < atStart;
    hub.warm();
    if (!early) await busy();
    await wait(random.int(early ? 600 : 200));
    await hub.kill();
    await look();
    hub.begin();
  };

/** Whatever the kill, the data of a hub must be sound by itself: each row, the chain and the sums of all tables. */
async function unsoundIn({ dataDir, databaseUrl }: Ground): Promise<Broken[]> {
  const source = await openExisting({ dataDir, databaseUrl });
  const broken: Broken[] = [];
  try {
    await verifyWorkspace(source, ({ where, what }) => broken.push({ rule: 'verify', what: `${where} ${what}` }));
    return broken;
  } finally {
    await source.store.close();
  }
}

export async function readAll(ground: Pick<Ground, 'dataDir' | 'databaseUrl'>): Promise<Awaited<ReturnType<typeof keptIn>>> {
  const store = await openStore({ dataDir: await openDataDir(ground.dataDir), databaseUrl: ground.databaseUrl, epoch: 'unused' });
  try {
    return await keptIn(store);
  } finally {
    await store.close();
  }
}
