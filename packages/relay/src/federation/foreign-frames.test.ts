import { writeBundle } from '@parley/protocol/relay';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Rates } from '../rates.ts';
import type { Relay } from '../relay.ts';
import type { Federation } from './federation.ts';
import { ForeignFrames } from './foreign-frames.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function line(federation: Federation) {
  const state = { isReading: true };
  const frames = new ForeignFrames({} as Relay, federation, 'x.example', {
    taken: () => {},
    refuse: () => {},
    lied: () => {},
    fail: () => {},
    stopReading: () => (state.isReading = false),
    readOn: () => (state.isReading = true),
  });
  return { frames, state };
}

test('[A2C-10] each frame of a bundle counts against the rate of its relay, over all its lines', () => {
  const federation = { rates: { frames: new Rates(60, Date.now) }, noteLie: () => {} } as unknown as Federation;
  const { frames, state } = line(federation);
  frames.receive(writeBundle(Array.from({ length: 60 }, () => new Uint8Array(1))));
  expect(state.isReading).toBe(true);
  frames.receive(writeBundle(Array.from({ length: 120 }, () => new Uint8Array(1))));
  expect(state.isReading).toBe(false);
  vi.advanceTimersByTime(60_000);
  expect(line(federation).state.isReading, 'a new line').toBe(false);
  vi.advanceTimersByTime(59_000);
  expect(state.isReading).toBe(false);
  vi.advanceTimersByTime(1000);
  expect(state.isReading).toBe(true);
  expect(line(federation).state.isReading).toBe(true);
});
