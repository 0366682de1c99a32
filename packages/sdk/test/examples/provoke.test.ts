// The eight scenarios of provoked agents check themselves: each is played, on both engines.

import { fileURLToPath } from 'node:url';
import { freshGround, type Ground, onBothEngines } from '@parley/testkit';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const folder = new URL('../../../../examples/provoke/', import.meta.url);

const printed: string[] = [];
beforeEach(() => void vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text)));
afterEach(() => {
  vi.restoreAllMocks();
  printed.length = 0;
});

onBothEngines('the scenario', (engine) => {
  let ground: Ground;
  beforeEach(async () => {
    ground = await freshGround(engine, { tables: true });
    vi.stubEnv('PARLEY_DATABASE_URL', ground.databaseUrl ?? '');
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await ground.clear();
  });

  async function scenario(name: string): Promise<void> {
    await import(/* @vite-ignore */ `${fileURLToPath(new URL(`${name}.ts`, folder))}?${engine}`);
    expect(printed.at(-1)).toBe('All as promised.\n');
  }

  test('[PRV-17] [PRV-10] [PRV-12] 1: an energy price spike', () => scenario('1-energy'));
  test('[PRV-17] 2: a stock drop', () => scenario('2-stock'));
  test('[PRV-17] [PRV-13] 3: a knowledge article gone stale', () => scenario('3-article'));
  test('[PRV-17] 4: a support ticket unanswered', () => scenario('4-ticket'));
  test('[PRV-17] [PRV-13] 5: a server latency SLA breach', () => scenario('5-latency'));
  test('[PRV-17] [PRV-14] 6: a competitor’s repricing', () => scenario('6-competitor'));
  test('[PRV-17] [PRV-9] 7: a new regulation', () => scenario('7-regulation'));
  test('[PRV-17] [PRV-11] 8: meeting notes uploaded', () => scenario('8-meeting'));
});
