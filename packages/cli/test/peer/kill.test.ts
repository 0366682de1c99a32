import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { newPair } from './people-kit.ts';
import { startRelay } from './relay-kit.ts';

const program = fileURLToPath(new URL('sending-process.ts', import.meta.url));
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

test(`[A2C-34] a sending peer that is killed ${kills} times loses nothing, repeats nothing and keeps the order`, async () => {
  const relay = await startRelay({ PARLEY_RELAY_QUEUE: '1000', PARLEY_RELAY_FRAMES_PER_MINUTE: '100000' });
  const [ann, bob] = await newPair(relay);
  bob.online();
  await ann.close();
  const stored: number[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    const child = spawn(process.execPath, [program, ann.folder, bob.address], { stdio: ['ignore', 'pipe', 'inherit'] });
    const out = await killAfter(child, 1 + (kill % 4), (kill * 7) % 23);
    stored.push(
      ...out
        .split('\n')
        .filter((line) => line !== '')
        .map(Number),
    );
  }
  await ann.open();
  await ann.exchange();
  const { length: written } = await ann.store.list('packet', 0, 100_000);
  expect(written).toBeGreaterThanOrEqual(stored.at(-1)!);
  await expect.poll(async () => (await bob.contexts()).length).toBeGreaterThanOrEqual(written);
  expect((await bob.contexts()).map((context) => (context as { n: number }).n)).toEqual(Array.from({ length: written }, (_, n) => n + 1));
});
