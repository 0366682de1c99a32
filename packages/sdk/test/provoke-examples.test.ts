// The eight scenarios of provoked agents check themselves: each is played.

import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const folder = new URL('../../../examples/provoke/', import.meta.url);

const printed: string[] = [];
beforeEach(() => void vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text)));
afterEach(() => {
  vi.restoreAllMocks();
  printed.length = 0;
});

async function scenario(name: string): Promise<void> {
  await import(/* @vite-ignore */ fileURLToPath(new URL(`${name}.ts`, folder)));
  expect(printed.at(-1)).toBe('All as promised.\n');
}

test('[PRV-17] [PRV-10] [PRV-12] scenario 1: an energy price spike', () => scenario('1-energy'));
test('[PRV-17] scenario 2: a stock drop', () => scenario('2-stock'));
test('[PRV-17] [PRV-13] scenario 3: a knowledge article gone stale', () => scenario('3-article'));
test('[PRV-17] scenario 4: a support ticket unanswered', () => scenario('4-ticket'));
test('[PRV-17] [PRV-13] scenario 5: a server latency SLA breach', () => scenario('5-latency'));
test('[PRV-17] [PRV-14] scenario 6: a competitor’s repricing', () => scenario('6-competitor'));
test('[PRV-17] [PRV-9] scenario 7: a new regulation', () => scenario('7-regulation'));
test('[PRV-17] [PRV-11] scenario 8: meeting notes uploaded', () => scenario('8-meeting'));
