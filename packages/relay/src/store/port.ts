// What a relay keeps: accounts, the directory of key packages, and frames that wait for their recipient. All of it is opaque or
// public; nothing here can be opened.

import type { DeviceEpoch, RelayRefusal } from '@parley/protocol/relay';

export interface Account {
  address: string;
  key: string;
  epoch: DeviceEpoch;
  /** Kept as it was given; nobody has verified it. */
  email: string | null;
  createdAt: number;
}

export interface NewFrame {
  from: string;
  to: string;
  tag: string;
  packetId: string;
  sentAt: number;
  storedAt: number;
  bytes: Uint8Array;
}

export interface QueuedFrame extends NewFrame {
  /** Grows with every stored frame: the order of delivery. */
  sequence: number;
}

/** `repeated`: the same bytes were stored before, so the sender gets the same answer and the recipient nothing new. */
export type Acceptance = { stored: QueuedFrame } | { repeated: true } | { refused: RelayRefusal };

export interface QueueLoad {
  from: string;
  to: string;
  tag: string;
  frames: number;
  bytes: number;
}

export interface SignedEntry {
  statement: string;
  signature: string;
}

export interface RelayStore {
  /** Removes what was acknowledged and stores the frames, in order, in one synced transaction. `judge` is asked about new ones only. */
  accept(
    frames: readonly NewFrame[],
    acknowledged: readonly number[],
    judge: (frame: NewFrame) => RelayRefusal | undefined,
  ): Promise<Acceptance[]>;
  /** Frames for one recipient after a sequence number, in order; of these senders only, or of all others. */
  waiting(to: string, after: number, senders: { only: boolean; among: readonly string[] }, most: number): Promise<QueuedFrame[]>;
  loads(): Promise<QueueLoad[]>;
  /** Removes ids and frames that are too old; says what no longer waits. */
  forget(before: { sentAt: number; storedAt: number }): Promise<QueueLoad[]>;

  accounts(): Promise<Pick<Account, 'address' | 'key'>[]>;
  account(address: string): Promise<Account | undefined>;
  /** Uses the invitation up. `taken` when the name or the key belongs to somebody. */
  register(account: Account, codeHash: string): Promise<'registered' | 'taken' | 'invalid_code'>;
  setEpoch(address: string, epoch: DeviceEpoch): Promise<void>;
  invite(codeHash: string, expiresAt: number): Promise<void>;

  publish(address: string, version: number, entry: SignedEntry, packages: readonly string[]): Promise<'published' | 'old_statement'>;
  packagesLeft(address: string): Promise<number>;
  /** The owner's entry, and one package, which nobody gets again. */
  lookup(address: string, take: boolean): Promise<(SignedEntry & { package: string | null }) | undefined>;

  setBlock(owner: string, address: string, blocked: boolean): Promise<void>;
  blocks(): Promise<{ owner: string; address: string }[]>;
  /** Counts one reporter once, and only about somebody who wrote to them. False: it does not count. */
  report(from: string, about: string, reason: string, at: number): Promise<boolean>;
  /** Addresses that so many different people reported since then. */
  offenders(reporters: number, since: number): Promise<string[]>;
  close(): Promise<void>;
}
