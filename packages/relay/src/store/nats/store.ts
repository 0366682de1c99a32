// The relay's store on NATS JetStream, shared by several processes (ADR 0025): frames in one stream, the registry in a log that every
// process applies.

import type { DeviceEpoch } from '@parley/protocol/relay';
import type { Logger } from 'pino';
import type { NewFrame, QueueLoad, PinnedIdentity, RelayStore, SharedChange } from '../port.ts';
import { connectNats, type Nats, type NatsOptions } from './connection.ts';
import { PacketIds } from './packet-ids.ts';
import { Queue } from './queue.ts';
import { type AppliedEntry, RegistryLog } from './registry-log.ts';
import type { RegistryCommand } from './replica.ts';
import { KeyPackages } from './key-packages.ts';

/** Entries of the registry's log between two snapshots. */
const snapshotEvery = 5000;

export async function openNatsStore(options: NatsOptions & { snapshotEvery?: number; log: Logger }): Promise<RelayStore> {
  const nats = await connectNats(options);
  const onFailure = (error: unknown): void => options.log.error({ err: error }, 'The registry could not be brought up to date');
  const epochs = new Map<string, DeviceEpoch | undefined>();
  let onChange: (change: SharedChange) => void = () => {};
  try {
    const log = await RegistryLog.open(nats, {
      snapshotEvery: options.snapshotEvery ?? snapshotEvery,
      onApplied: (entry) => {
        const { command } = entry;
        if (command[0] === 'register') epochs.delete(command[1].address);
        else if (command[0] === 'setEpoch' || command[0] === 'removeHolder') epochs.delete(command[1]);
        const change = changeBy(entry);
        if (change) onChange(change);
      },
      onReload: () => {
        epochs.clear();
        onChange({ kind: 'reloaded' });
      },
      onFailure,
    });
    nats.connection.subscribe(nats.names.loads, {
      callback: (error, message) => {
        if (!error) onChange({ kind: 'loads', loads: message.json<QueueLoad[]>() });
      },
    });
    void followConnection(nats, log, () => onChange({ kind: 'reloaded' }), onFailure);
    return storeOver(nats, log, epochs, (listener) => (onChange = listener));
  } catch (error) {
    await nats.connection.close();
    throw error;
  }
}

/** Catches up after a reconnect: other processes went on while this one had no connection. */
async function followConnection(nats: Nats, log: RegistryLog, onReturn: () => void, onFailure: (error: unknown) => void): Promise<void> {
  for await (const { type } of nats.connection.status()) {
    if (type !== 'reconnect') continue;
    await log.current().catch(onFailure);
    onReturn();
  }
}

/** The change that this process has to apply after an entry of the log. */
function changeBy({ command, result, isOwn }: AppliedEntry): SharedChange | undefined {
  if (command[0] === 'noteConnect') return { kind: 'connected', address: command[1], epoch: command[3], isOwn };
  if (isOwn) return undefined;
  switch (command[0]) {
    case 'register':
      return result === 'registered' ? { kind: 'registered', address: command[1].address, key: command[1].key } : undefined;
    case 'setEpoch':
      return { kind: 'epoch', address: command[1] };
    case 'removeHolder':
      return { kind: 'removed', address: command[1] };
    case 'setBlock':
      return { kind: 'blocked', owner: command[1], address: command[2], blocked: command[3] };
    case 'report':
      return result === true ? { kind: 'reported' } : undefined;
    default:
      return undefined;
  }
}

function storeOver(
  nats: Nats,
  log: RegistryLog,
  epochs: Map<string, DeviceEpoch | undefined>,
  watch: (onChange: (change: SharedChange) => void) => void,
): RelayStore {
  /** Returns this process's copy, once it holds everything that others wrote before. */
  const current = async (): Promise<RelayStore> => {
    await log.current();
    return log.replica.store;
  };
  const append = async <T>(...command: RegistryCommand): Promise<T> => (await log.append(command)) as T;

  const epochOf = async (address: string): Promise<DeviceEpoch | undefined> => {
    if (!epochs.has(address)) epochs.set(address, (await log.replica.store.account(address))?.epoch);
    return epochs.get(address);
  };
  const notePairs = async (frames: readonly NewFrame[]): Promise<void> => {
    const pairs = frames.map(({ from, to, addressee = to }) => ({ from, to: addressee }));
    const unknown = pairs.filter(({ from, to }) => !log.replica.hasPair(from, to) && !log.replica.hasPair(to, from));
    if (unknown.length > 0) await append('notePairs', [...new Map(unknown.map((pair) => [`${pair.from} ${pair.to}`, pair])).values()]);
  };
  const ids = new PacketIds(nats, epochOf);
  const queue = new Queue(nats, ids, notePairs);
  const packages = new KeyPackages(nats);

  return {
    others: {
      follow: (address, onFrame) => queue.follow(address, onFrame),
      watch,
      isFollowed: (address) => queue.isFollowed(address),
      agreeOn: (identity) => append<PinnedIdentity>('agreeOn', identity),
    },

    accept: queue.accept,
    waiting: queue.waiting,
    loads: queue.loads,
    forget: ({ storedAt }) => queue.forget(storedAt),
    lastSentAt: async (address) => {
      await log.current();
      const latest = await ids.refresh(address);
      return (await epochOf(address)) ? latest : 0;
    },

    accounts: async () => (await current()).accounts(),
    account: async (address) => (await current()).account(address),
    anyAddress: async () => (await current()).anyAddress(),
    blocks: async () => (await current()).blocks(),
    offenders: async (reporters, since) => (await current()).offenders(reporters, since),
    mayHold: async (...values) => (await current()).mayHold(...values),
    holder: async (address) => (await current()).holder(address),
    passkey: async (id) => (await current()).passkey(id),
    packagesLeft: async (address) => (await current()).packagesLeft(address),
    knownRelays: async () => (await current()).knownRelays(),
    knownRelay: async (name) => (await current()).knownRelay(name),

    register: async (account, codeHash) => {
      const result = await append<'registered' | 'taken' | 'invalid_code'>('register', account, codeHash);
      if (result === 'registered') await packages.removeAllOf(account.address);
      return result;
    },
    setEpoch: (address, epoch) => append('setEpoch', address, epoch),
    invite: (codeHash, expiresAt) => append('invite', codeHash, expiresAt),
    setBlock: (owner, address, blocked) => append('setBlock', owner, address, blocked),
    report: (from, about, reason, at) => append('report', from, about, reason, at),
    hold: (holder, passkey, codeHash, ticket) =>
      append('hold', holder, { ...passkey, publicKey: Buffer.from(passkey.publicKey).toString('base64url') }, codeHash, ticket),
    meetRelay: (name, key, at) => append('meetRelay', name, key, at),
    acceptRelayKey: (name, key) => append('acceptRelayKey', name, key),
    countUse: (passkeyId, counter) => append('countUse', passkeyId, counter),
    putTicket: (address, ticket) => append('putTicket', address, ticket),
    noteConnect: (address, at, epoch) => append('noteConnect', address, at, epoch),

    publish: async (address, version, entry, list) => {
      const replica = await current();
      // A newer statement replaces the packages of the earlier one.
      const isNewer = version > log.replica.versionOf(address);
      if (isNewer) await packages.removeAllOf(address);
      const digests = await packages.keep(address, list, isNewer ? 0 : await replica.packagesLeft(address));
      return append('publish', address, version, entry, digests);
    },
    lookup: async (address, take) => {
      if (!take) return (await current()).lookup(address, false);
      const found = await append<Awaited<ReturnType<RelayStore['lookup']>>>('lookup', address, true);
      return found?.package ? { ...found, package: await packages.take(address, found.package) } : found;
    },
    removeHolder: async (address) => {
      await append('removeHolder', address);
      await packages.removeAllOf(address);
      return queue.removeAllOf(address);
    },

    close: async () => {
      await log.close();
      // Without a connection there is nothing to drain.
      await nats.connection.drain().catch(() => nats.connection.close());
    },
  };
}
