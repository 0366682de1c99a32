import { ParleyError } from '@parley/protocol';
import { expect, test } from 'vitest';
import type { Store } from '../store/port.ts';
import type { Engine } from './engine.ts';
import { ReconnectingAgents } from './reconnecting-agents.ts';

/** One agent was connected, and the engine takes nothing any more. */
async function waiting() {
  const due: (() => void)[] = [];
  const errors: unknown[] = [];
  const store = {
    rows: () => Promise.resolve([{ member_id: 'a', session: 1 }]),
    intact: () => Promise.resolve({ rows: [], damaged: [] }),
  } as unknown as Store;
  const engine = { submit: () => Promise.reject(new ParleyError('unavailable')) } as unknown as Engine;
  const clock = { now: () => 0, mono: () => 0, after: (_ms: number, work: () => void) => (due.push(work), () => {}) };
  const returning = new ReconnectingAgents({ store, engine, clock, onError: (error) => void errors.push(error) });
  await returning.start();
  return { returning, due, errors };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('[PAP-17] an agent that could not be marked as gone is tried again', async () => {
  const { due, errors } = await waiting();
  due.shift()!();
  await settled();
  expect([due.length, errors.length]).toEqual([1, 1]);
});

test('[PAP-17] a hub that goes down meanwhile tries no more, and has nothing to report', async () => {
  const { returning, due, errors } = await waiting();
  due.shift()!();
  returning.stop();
  await settled();
  expect([due.length, errors.length]).toEqual([0, 0]);
});
