// A relay in a process of its own, with a back door for the bench: accounts and waiting frames to measure with, and what it has used.

import { createHash, randomUUID } from 'node:crypto';
import { pino } from 'pino';
import type { DeviceEpoch } from '../../packages/protocol/src/relay/index.ts';
import { readRelayConfig, serveRelay } from '../../packages/relay/src/index.ts';
import { cpuNow, memoryNow } from '../machine.ts';
import { serve } from './serve.ts';

export interface RelayReady {
  url: string;
}
export interface RelayPerson {
  address: string;
  key: string;
  epoch: DeviceEpoch;
}
export interface Backlog {
  from: string;
  recipients: string[];
  each: number;
  /** The same for all, as base64. */
  frame: string;
}

const many = '1000000000';
const config = readRelayConfig({
  PARLEY_RELAY_PORT: '0',
  PARLEY_RELAY_QUEUE: many,
  PARLEY_RELAY_FRAMES_PER_MINUTE: many,
  PARLEY_RELAY_FRAMES_PER_DAY: many,
  PARLEY_RELAY_LOOKUPS_PER_MINUTE: many,
  PARLEY_RELAY_CONNECTIONS_PER_MINUTE: many,
  PARLEY_RELAY_REQUESTS_PER_MINUTE: many,
  PARLEY_RELAY_FEDERATION_FRAMES_PER_MINUTE: many,
  PARLEY_RELAY_FEDERATION_FRAMES_PER_DAY: many,
  ...process.env,
});
const bounds = { perTag: 1e9, perPair: 1e9, bytesPerRecipient: 1e12, perRelay: 1e9 };
const { relay, url, close } = await serveRelay({ ...config, bounds }, pino({ level: 'error' }, pino.destination(2)));

serve(
  { url } satisfies RelayReady,
  {
    cpu: cpuNow,
    memory: memoryNow,
    register: async (people: RelayPerson[]) => {
      for (const person of people) {
        const code = createHash('sha256').update(randomUUID()).digest('base64url');
        await relay.store.invite(code, Date.now() + 60_000);
        const result = await relay.register({ ...person, email: null, createdAt: Date.now() }, code);
        if (result !== 'registered') throw new Error(`${person.address}: ${result}`);
      }
    },
    /** Opens the line to the relay of somebody, who need not exist. */
    meet: async (address: string) => void (await relay.federation!.lookup(address, false).catch(() => {})),
    /** Frames that wait as if they had been sent. */
    backlog: async ({ from, recipients, each, frame }: Backlog) => {
      const bytes = Buffer.from(frame, 'base64');
      for (const [place, to] of recipients.entries()) {
        const frames = Array.from({ length: each }, (_, n) => ({
          from,
          to,
          tag: 'tag',
          packetId: `pkt_${String(place * each + n).padStart(12, '0')}`,
          sentAt: Date.now(),
          storedAt: Date.now(),
          bytes,
        }));
        await relay.store.accept(frames, [], () => undefined);
      }
    },
  },
  close,
);
