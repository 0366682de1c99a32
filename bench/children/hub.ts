// A hub in a process of its own, with a back door for the bench: what it has used, and people to measure with.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { readConfig, startHub } from '../../packages/hub/src/index.ts';
import { cpuNow, type Memory, memoryNow } from '../machine.ts';
import type { Crowd, Joining, Monitors, Requests, triggers, Writing } from './seed.ts';
import { serve } from './serve.ts';

export interface HubReady {
  url: string;
  port: number;
}

const config = readConfig(process.env);
// A day's work of thousands is done in a minute here.
const plenty = { turns: 1e9, micros: 1e15 };
const budgets = {
  chain: plenty,
  agent_day: plenty,
  agent_member_day: plenty,
  pair_chain: plenty,
  pair_day: plenty,
  member_day: plenty,
  workspace_day: plenty,
};
let groups = 0;
const hub = await startHub(config, {
  limits: { ...config.work, budgets },
  onGroup: ({ committed }) => {
    if (committed) groups++;
  },
});
const delay = monitorEventLoopDelay({ resolution: 1 });

async function memory(): Promise<Memory> {
  const { tail, indexer } = hub.kernel;
  await tail.settled();
  await indexer.settled();
  return memoryNow();
}

// A bench that goes away takes the hub's folder along.
process.once('disconnect', () => process.exit(1));
serve(
  { url: hub.url, port: hub.port } satisfies HubReady,
  {
    cpu: cpuNow,
    'delay.start': () => {
      delay.reset();
      delay.enable();
    },
    /** The 99th percentile since the start, in milliseconds. */
    'delay.read': () => {
      delay.disable();
      return delay.percentile(99) / 1e6;
    },
    people: async (crowd: Crowd) => (await import('./seed.ts')).people(hub.kernel, crowd),
    /** Until search has caught up: what it still owes must not be charged to what is measured next. */
    settle: () => hub.kernel.indexer.settled(),
    agents: async (input: { prefix: string; count: number; channel: string }) => (await import('./seed.ts')).agents(hub.kernel, input),
    join: async (input: Joining) => (await import('./seed.ts')).join(hub.kernel, input),
    /** Commits so far. */
    groups: () => groups,
    hands: async (input: { prefix: string; count: number }) => (await import('./seed.ts')).hands(hub.kernel, input),
    request: async (input: Requests) => (await import('./seed.ts')).request(hub.kernel, input),
    /** Once everything that was said has been heard, and what nobody needs any more is gone. */
    memory,
    /** Delegations whose result is still to come, and how many of them are being worked on. */
    pending: async () =>
      (
        await hub.kernel.store.all<{ pending: number; active: number }>(
          "select count(*) as pending, sum(case when t.state = 'active' then 1 else 0 end) as active from contacts c join tasks t on t.id = c.task_id where c.state = 'pending' and c.action = 'delegate'",
        )
      )[0],
    /** Rare commands that name no rows beforehand, one after the other; answers with how many. */
    rare: async (input: { ms: number; everyMs: number }) => (await import('./seed.ts')).rare(hub.kernel, input),
    monitors: async (input: Monitors) => (await import('./seed.ts')).monitors(hub.kernel, input),
    triggers: async (input: Parameters<typeof triggers>[1]) => (await import('./seed.ts')).triggers(hub.kernel, input),
    write: async (input: Writing) => (await import('./seed.ts')).write(hub.kernel, input),
    messages: async (input: { count: number }) => (await import('./seed.ts')).messages(hub.kernel, input.count),
  },
  () => hub.stop(),
);
