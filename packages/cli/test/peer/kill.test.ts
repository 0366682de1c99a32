import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { PacketRecord } from '@parley/peer';
import { newPair, type Person } from './people-kit.ts';
import { startRelay } from './relay-kit.ts';

const program = fileURLToPath(new URL('talking-process.ts', import.meta.url));
const kills = process.env['PARLEY_TEST_FULL'] === '1' ? 100 : 5;

/** Kills it after it printed so many numbers, at no particular point of the next one. */
async function killAfter(child: ChildProcess, lines: number, pauseMs: number): Promise<string> {
  let out = '';
  child.stdout!.on('data', (data) => (out += String(data)));
  const closed = once(child, 'close');
  while (out.split('\n').length <= lines && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 2));
  await new Promise((resolve) => setTimeout(resolve, pauseMs));
  child.kill('SIGKILL');
  await closed;
  return out;
}

const numbersOf = async (reader: Person): Promise<number[]> => (await reader.contexts()).map((context) => (context as { n: number }).n);
const upTo = (last: number): number[] => Array.from({ length: last }, (_, n) => n + 1);

const timeout = 20_000 + kills * 3000;

// A new process for each kill takes time.
test(
  `[A2C-34] a peer killed ${kills} times while it sends and receives loses nothing, repeats nothing and keeps the order`,
  { timeout },
  async () => {
    const relay = await startRelay({ PARLEY_RELAY_QUEUE: '1000', PARLEY_RELAY_FRAMES_PER_MINUTE: '100000' });
    const [ann, bob] = await newPair(relay);
    bob.online();
    await expect.poll(() => bob.events).toContainEqual({ type: 'connected' });
    await ann.close();
    const stored: number[] = [];
    let answers = 0;
    let answering = Promise.resolve();
    /** Three that come while the process goes on, or dies. */
    const answer = (): void => {
      for (let n = 0; n < 3; n += 1) answering = answering.then(() => bob.sendOnline(ann, { n: (answers += 1) }));
    };
    for (let kill = 0; kill < kills; kill += 1) {
      const child = spawn(process.execPath, [program, ann.folder, bob.address], { stdio: ['ignore', 'pipe', 'inherit'] });
      child.stdout.on('data', answer);
      const out = await killAfter(child, 1 + (kill % 4), (kill * 7) % 23);
      await answering;
      stored.push(
        ...out
          .split('\n')
          .filter((line) => line !== '')
          .map(Number),
      );
    }
    await ann.open();
    await ann.exchange();
    const packets = (await ann.store.list('packet', 0, 100_000)).map(({ value }) => value as PacketRecord);
    const { length: written } = packets.filter(({ direction }) => direction === 'out');
    expect(written).toBeGreaterThanOrEqual(stored.at(-1)!);
    await expect.poll(async () => (await bob.contexts()).length).toBeGreaterThanOrEqual(written);
    expect(await numbersOf(bob)).toEqual(upTo(written));
    expect(await numbersOf(ann)).toEqual(upTo(answers));
  },
);
