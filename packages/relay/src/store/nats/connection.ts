// A connection to NATS, and the streams of one relay on it. The names of streams and subjects are here and nowhere else.

import { setTimeout } from 'node:timers/promises';
import {
  DiscardPolicy,
  jetstream,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstreamManager,
  StorageType,
} from '@nats-io/jetstream';
import { connect, errors, type NatsConnection } from '@nats-io/transport-node';
import { NatsUnavailable, withoutLogin } from '../../config.ts';
import { clockToleranceMs, frameRetentionMs } from '../../limits.ts';

export interface NatsOptions {
  /** URLs of servers, separated by commas. */
  servers: string;
  /** A prefix of the relay's streams, so that several relays can share the servers. */
  prefix: string;
  replicas: number;
}

/** NATS separates the tokens of a subject by dots, which addresses have too. */
const token = (text: string): string => Buffer.from(text).toString('base64url');
export const fromToken = (text: string): string => Buffer.from(text, 'base64url').toString();

const namesFor = (prefix: string) => ({
  queue: {
    stream: `${prefix}_queue`,
    all: `${prefix}.queue.*`,
    of: (to: string) => `${prefix}.queue.${token(to)}`,
    /** The subject on which the server announces a stored frame. */
    stored: (to: string) => `${prefix}.stored.${token(to)}`,
  },
  ids: {
    stream: `${prefix}_ids`,
    of: (from: string, packetId: string) => `${prefix}.ids.${token(from)}.${token(packetId)}`,
    ofSender: (from: string) => `${prefix}.ids.${token(from)}.*`,
  },
  registry: { stream: `${prefix}_registry`, subject: `${prefix}.registry`, stored: `${prefix}.registered` },
  snapshots: {
    stream: `${prefix}_snapshots`,
    head: `${prefix}.snapshots.head`,
    part: (at: number, part: number) => `${prefix}.snapshots.${at}.${part}`,
    of: (at: number) => `${prefix}.snapshots.${at}.*`,
  },
  packages: {
    stream: `${prefix}_packages`,
    of: (address: string, digest: string) => `${prefix}.packages.${token(address)}.${token(digest)}`,
    ofAddress: (address: string) => `${prefix}.packages.${token(address)}.*`,
  },
  loads: `${prefix}.loads`,
});

export interface Nats {
  connection: NatsConnection;
  js: JetStreamClient;
  manager: JetStreamManager;
  names: ReturnType<typeof namesFor>;
}

const electionMs = 30_000;
const nanos = (ms: number): number => ms * 1_000_000;
/** The server itself remembers the ID of a new frame this long. */
const repeatsMs = 120_000;

export async function connectNats(options: NatsOptions): Promise<Nats> {
  const servers = options.servers.split(',').map((one) => one.trim());
  const connection = await connect({
    servers,
    ...loginIn(servers[0]!),
    name: 'parley relay',
    noEcho: true,
    maxReconnectAttempts: -1,
  }).catch((error: unknown) => {
    throw new NatsUnavailable(`No NATS server answers at ${withoutLogin(options.servers)} (${(error as Error).message}).`, {
      cause: error,
    });
  });
  try {
    return await untilReady(async () => {
      const manager = await jetstreamManager(connection);
      const ready = { connection, manager, js: jetstream(connection), names: namesFor(options.prefix) };
      await makeStreams(ready, options);
      await mustTakeWrites(ready);
      return ready;
    });
  } catch (error) {
    await connection.close();
    throw new NatsUnavailable(
      `The NATS server at ${withoutLogin(options.servers)} keeps no streams for the relay (${(error as Error).message}). It needs JetStream (nats-server -js) and as many servers as PARLEY_RELAY_NATS_REPLICAS says (${options.replicas}).`,
      { cause: error },
    );
  }
}

/** Servers that have just started, or lost one of them, need some seconds to agree on a leader. */
async function untilReady<T>(work: () => Promise<T>): Promise<T> {
  const giveUpAt = Date.now() + electionMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const mayPass = error instanceof JetStreamApiError ? error.status === 503 : error instanceof errors.TimeoutError;
      if (!mayPass || Date.now() > giveUpAt) throw error;
      await setTimeout(500);
    }
  }
}

/** The library reads no login from a URL. A user without a password is a token. */
function loginIn(server: string): { user?: string; pass?: string; token?: string } {
  const { username, password } = new URL(server);
  if (username === '') return {};
  const user = decodeURIComponent(username);
  return password === '' ? { token: user } : { user, pass: decodeURIComponent(password) };
}

async function makeStreams({ manager, names }: Nats, { prefix, replicas }: NatsOptions): Promise<void> {
  const { queue, ids, registry, snapshots, packages } = names;
  const one = { max_msgs_per_subject: 1 };
  const configs = [
    {
      name: queue.stream,
      subjects: [queue.all],
      max_age: nanos(frameRetentionMs),
      duplicate_window: nanos(repeatsMs),
      republish: { src: queue.all, dest: `${prefix}.stored.{{wildcard(1)}}` },
    },
    { name: ids.stream, subjects: [`${prefix}.ids.*.*`], max_age: nanos(frameRetentionMs + clockToleranceMs), ...one },
    { name: registry.stream, subjects: [registry.subject], republish: { src: registry.subject, dest: registry.stored } },
    { name: snapshots.stream, subjects: [`${prefix}.snapshots.>`], ...one },
    { name: packages.stream, subjects: [`${prefix}.packages.*.*`], ...one },
  ];
  for (const config of configs) {
    const whole = { ...config, storage: StorageType.File, num_replicas: replicas, discard: DiscardPolicy.Old };
    const known = await manager.streams.info(config.name).catch(ifMissing);
    if (!known) await manager.streams.add(whole);
    else if (known.config.num_replicas !== replicas) await manager.streams.update(config.name, { ...known.config, num_replicas: replicas });
  }
}

/** Another process may have made a stream a moment ago: then it has no leader yet, or this connection's server does not know it. */
async function mustTakeWrites({ js, names: { queue, ids, registry, snapshots, packages } }: Nats): Promise<void> {
  const subjects = [queue.of('none'), ids.of('none', 'none'), registry.subject, snapshots.head, packages.of('none', 'none')];
  // No stream is that long, so that its leader refuses it and nothing is stored.
  const expect = { lastSequence: Number.MAX_SAFE_INTEGER };
  const refused = subjects.map((subject) =>
    js.publish(subject, '', { expect, timeout: 2000 }).catch((error: unknown) => {
      if (isTaken(error)) return;
      const { cause } = error as Error;
      throw cause instanceof errors.RequestError && cause.isNoResponders() ? new errors.TimeoutError({ cause }) : error;
    }),
  );
  await Promise.all(refused);
}

function ifMissing(error: unknown): undefined {
  if (error instanceof JetStreamApiError && error.code === streamMissing) return undefined;
  throw error;
}

const streamMissing = 10059;
const messageMissing = 10057;
const sequenceMissing = 10043;
const wrongSequence = 10071;

/** Deleting what is gone already is done. */
export const isGone = (error: unknown): boolean =>
  error instanceof JetStreamApiError && (error.code === messageMissing || error.code === sequenceMissing);

/** Something is stored under a subject that should have been free. */
export const isTaken = (error: unknown): boolean => error instanceof JetStreamApiError && error.code === wrongSequence;
