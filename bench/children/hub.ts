// A hub in a process of its own, with a back door for the bench: what it has used, and people to measure with.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { readConfig, startHub } from '../../packages/hub/src/index.ts';
import type { Crowd, Joining } from './seed.ts';
import { serve } from './serve.ts';

export interface HubReady {
  url: string;
  port: number;
}

const hub = await startHub(readConfig(process.env));
const delay = monitorEventLoopDelay({ resolution: 1 });

serve(
  { url: hub.url, port: hub.port } satisfies HubReady,
  {
    /** Processor time of all its threads, in microseconds. */
    cpu: () => {
      const { user, system } = process.cpuUsage();
      return user + system;
    },
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
    messages: async (input: { count: number }) => (await import('./seed.ts')).messages(hub.kernel, input.count),
  },
  () => hub.stop(),
);
