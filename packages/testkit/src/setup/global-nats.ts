// One NATS server for the tests of a run, if nats-server is installed.

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
