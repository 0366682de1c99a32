// Relays under names of their own that find each other, all on this machine.

import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RelayNames } from '@parley/testkit/relay';
import { onTestFinished } from 'vitest';
import { natsSettings } from './nats.ts';
import { TestRelay } from './relay.ts';

/** Short pauses, so that no test waits long for a relay that comes back. */
const backoff = { firstMs: 10, maxMs: 50 };

export async function federatedRelay(names: RelayNames, name: string, env: Record<string, string> = {}): Promise<TestRelay> {
  const relay = new TestRelay(await mkdtemp(join(tmpdir(), 'parley-relay-')), {
    ...natsSettings(),
    PARLEY_RELAY_NAME: name,
    PARLEY_RELAY_FEDERATION: 'on',
    PARLEY_RELAY_FEDERATION_PRIVATE: '1',
    ...env,
  });
  relay.network = { dial: names.dial, backoff };
  names.set(name, () => Number(new URL(relay.served.url).port));
  await relay.start();
  onTestFinished(() => relay.close());
  return relay;
}
