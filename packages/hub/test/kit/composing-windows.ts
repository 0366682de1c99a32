// A floor on which agents wait for more, and what is seen of the waiting.

import { type Ground, makeOnce, type Person } from '@parley/testkit';
import { saidIn } from '../../src/turns/words-in-task.ts';
import { type Floor, floorOn } from './floor.ts';

/** After what looks unfinished, and after what looks finished. */
export const quiet = 2500;
export const short = 600;

export interface Waiting extends Floor {
  /** Of each task here: its state, or that more is waited for, and for how much longer. */
  states(conversationId: string): Promise<string[]>;
  /** What each task here has to go by. */
  words(conversationId: string): Promise<string[][]>;
  rows(): Promise<{ windows: number; timers: number }>;
  types(conversationId: string, person?: Person): Promise<unknown>;
}

/** One for all tests of a suite. */
export const waitingFor = (...settings: Parameters<typeof waitingOn>): Waiting =>
  makeOnce(
    () => waitingOn(...settings),
    ({ kit }) => kit.stop(),
  );

export async function waitingOn(engine: Ground['engine'], overrides: Parameters<typeof floorOn>[1] = {}): Promise<Waiting> {
  const floor = await floorOn(engine, overrides, { PARLEY_COMPOSE_MS: String(quiet) });
  const store = () => floor.kit.hub.kernel.store;
  return Object.assign(floor, {
    states: async (conversationId: string) =>
      (await floor.tasks(conversationId)).map(({ state, composingUntil }) =>
        composingUntil === null ? state : `${state} for ${composingUntil - floor.clock.now()}`,
      ),
    words: async (conversationId: string) => {
      const rows = await store().rows('tasks', 'where conversation_id = ? order by seq', [conversationId]);
      return Promise.all(rows.map(async (row) => (await saidIn(store(), row)).map(({ text }) => text)));
    },
    rows: async () => ({
      windows: (await store().rows('windows', '')).length,
      timers: (await store().rows('timers', "where kind = 'task.compose'")).length,
    }),
    types: (conversationId: string, person = floor.ann) => person.call('sendTyping', { params: { conversationId } }),
  });
}
