// A relay's own streams on the NATS server of the run.

import { randomBytes } from 'node:crypto';
import { advice, isRequired } from '@parley/testkit/programs';
import { expect, inject } from 'vitest';

/** Says so, and skips the test, where there is no server to start. */
export function needNats(skip: (condition: boolean, note: string) => void): string {
  const url = inject('natsUrl');
  skip(url === undefined && !isRequired('nats-server'), advice['nats-server']);
  expect(url, advice['nats-server']).toBeDefined();
  return url!;
}

export const newPrefix = (): string => `test${randomBytes(6).toString('hex')}`;

/** In the project `relay-nats` of `npm run test:full`, every relay of a test gets streams of its own. */
export const natsSettings = (): Record<string, string> =>
  process.env['PARLEY_TEST_RELAY_STORE'] === 'nats' ? { PARLEY_RELAY_NATS: inject('natsUrl')!, PARLEY_RELAY_NATS_PREFIX: newPrefix() } : {};
