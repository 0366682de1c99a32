import { writeBundle } from '@parley/protocol/relay';
import { frameFrom, newIdentity } from '@parley/testkit/relay';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Rates } from '../rates.ts';
import type { Relay } from '../relay.ts';
import type { Federation } from './federation.ts';
import { ForeignFrames } from './foreign-frames.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function line(federation: Federation, relay: object = {}) {
  const state = { isReading: true };
  const frames = new ForeignFrames(relay as Relay, federation, 'x.example', {
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

test('[A2C-10] [SYS-10] a relay that sends faster than frames are stored is read from later', () => {
  const many = (): Rates => new Rates(1e9, Date.now);
  const [eve, ann] = [newIdentity('eve', 'x.example'), newIdentity('ann', 'a.example')];
  const stored: ((answer: object) => void)[] = [];
  const relay = {
    serves: () => true,
    keyOf: () => ann.key,
    now: Date.now,
    rates: { foreignFrames: many(), foreignFramesOfDay: many() },
    verifier: { verify: (_key: unknown, _bytes: unknown, settle: (isValid: boolean) => void) => settle(true) },
    intake: { add: (_frame: unknown, answer: (answer: object) => void) => stored.push(answer) },
  };
  const federation = { rates: { frames: many(), framesOfDay: many() } } as unknown as Federation;
  const { frames, state } = line(federation, relay);
  const bundle = writeBundle(Array.from<Uint8Array>({ length: 256 }).fill(frameFrom(eve, ann, 'x')));
  frames.receive(bundle);
  expect(state.isReading).toBe(true);
  frames.receive(bundle);
  expect(state.isReading).toBe(false);
  for (const answer of stored.splice(0, 200)) answer({ repeated: true });
  expect(state.isReading).toBe(false);
  for (const answer of stored.splice(0, 100)) answer({ repeated: true });
  expect(state.isReading).toBe(true);
});
