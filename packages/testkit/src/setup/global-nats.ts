// One NATS server for the tests of a run, where there is a nats-server.

import type { TestProject } from 'vitest/node';
import { startNats } from './nats.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Undefined: there is none. */
    natsUrl: string | undefined;
  }
}

export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const nats = await startNats();
  project.provide('natsUrl', nats?.url);
  return nats?.stop;
}
