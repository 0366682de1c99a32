// What a relay keeps: accounts, the directory of key packages, and frames that wait for their recipient. All of it is opaque or
// public; nothing here can be opened.

import type { DeviceEpoch, RelayRefusal } from '@parley/protocol/relay';

export interface Account {
  address: string;
  key: string;
  epoch: DeviceEpoch;
  /** The email address as the person typed it; nobody has verified it. */
  email: string | null;
  createdAt: number;
}

/** A person with a passkey holds a name, with or without a registered key. */
export interface NameHolder {
  address: string;
  /** The passkey stores this handle of its owner. */
  userHandle: string;
  email: string;
  createdAt: number;
  /** When a device last logged in. */
  connectedAt: number | null;
}

export interface Passkey {
  id: string;
  address: string;
  /** The key in COSE form, as the authenticator sent it. */
  publicKey: Uint8Array<ArrayBuffer>;
  /** The authenticator's count of uses; many always send 0. */
  counter: number;
}

/** Registers a key for its holder's name, once. Only its hash is stored. */
export interface Ticket {
  codeHash: string;
  expiresAt: number;
}

export interface NewFrame {
  from: string;
  /** The recipient, or the line to their relay: `relay:<name>`. */
  to: string;
  /** The recipient, where `to` is a line. */
  addressee?: string;
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

/** Another relay that this one has met. */
export interface KnownRelay {
  name: string;
  /** Trusted since they first met. */
  key: string;
  metAt: number;
  /** Another key that it has shown since: the line is stopped until the operator accepts it. */
  changedKey: string | null;
  changedAt: number | null;
}

export interface SignedEntry {
  statement: string;
  signature: string;
}

/** A change that another relay process made to the shared data. */
export type SharedChange =
  | { kind: 'registered'; address: string; key: string }
  | { kind: 'epoch' | 'removed'; address: string }
  | { kind: 'connected'; address: string; epoch: DeviceEpoch; isOwn: boolean }
  | { kind: 'blocked'; owner: string; address: string; blocked: boolean }
  | { kind: 'reported' }
  | { kind: 'loads'; loads: QueueLoad[] }
  /** Changes may have been missed: read everything again. */
  | { kind: 'reloaded' };

/** Other relay processes over the same store. */
export interface OtherProcesses {
  /** Passes on, in order, the frames that any process stores for an address. Returns what ends it. */
  follow(address: string, onFrame: (frame: QueuedFrame, before: number) => void): () => void;
  watch(onChange: (change: SharedChange) => void): void;
  /** True if any process holds a connection of the address. */
  isFollowed(address: string): Promise<boolean>;
  /** Makes the relay's name and key those of all processes, or says which ones they have. */
  agreeOn(identity: PinnedIdentity): Promise<PinnedIdentity>;
}

/** Clients pin this name and key. */
export interface PinnedIdentity {
  name: string;
  key: string;
}

export interface RelayStore {
  /** Undefined if the store belongs to one process. */
  others?: OtherProcesses;
  /** Removes what was acknowledged and durably stores the frames, in order. `judge` is asked about new ones only. */
  accept(
    frames: readonly NewFrame[],
    acknowledged: readonly QueuedFrame[],
    judge: (frame: NewFrame) => RelayRefusal | undefined,
  ): Promise<Acceptance[]>;
  /** Frames for one recipient after a sequence number, in order; of these senders only, or of all others. */
  waiting(to: string, after: number, senders: { only: boolean; among: readonly string[] }, most: number): Promise<QueuedFrame[]>;
  loads(): Promise<QueueLoad[]>;
  /** Removes ids and frames that are too old; says what no longer waits. */
  forget(before: { sentAt: number; storedAt: number }): Promise<QueueLoad[]>;

  accounts(): Promise<Pick<Account, 'address' | 'key'>[]>;
  account(address: string): Promise<Account | undefined>;
  /** Any address that was registered or is held here. */
  anyAddress(): Promise<string | undefined>;
  /** Uses the invitation or ticket up; a ticket replaces the key, and the blocks are forgotten. `taken` when the name or the key belongs to somebody. */
  register(account: Account, codeHash: string): Promise<'registered' | 'taken' | 'invalid_code'>;
  /** The highest `sentAt` of a frame that the current device epoch of an address stored; 0 where there is none. Asked at each login. */
  lastSentAt(address: string): Promise<number>;
  /** Withholds the entry of the device before, and forgets its blocks and when it last sent. */
  setEpoch(address: string, epoch: DeviceEpoch): Promise<void>;
  invite(codeHash: string, expiresAt: number): Promise<void>;

  publish(address: string, version: number, entry: SignedEntry, packages: readonly string[]): Promise<'published' | 'old_statement'>;
  packagesLeft(address: string): Promise<number>;
  /** The owner's entry, and one package, which nobody gets again. */
  lookup(address: string, take: boolean): Promise<(SignedEntry & { package: string | null }) | undefined>;

  setBlock(owner: string, address: string, blocked: boolean): Promise<void>;
  blocks(): Promise<{ owner: string; address: string }[]>;
  /** Counts one reporter once, and only about somebody who wrote to them first. False: it does not count. */
  report(from: string, about: string, reason: string, at: number): Promise<boolean>;
  /** Addresses that so many different people reported since then. */
  offenders(reporters: number, since: number): Promise<string[]>;

  knownRelays(): Promise<KnownRelay[]>;
  knownRelay(name: string): Promise<KnownRelay | undefined>;
  /** Trusts the key of a relay that is met for the first time; of one that is known, notes another key than the trusted one. */
  meetRelay(name: string, key: string, at: number): Promise<KnownRelay>;
  /** The key that was noted becomes the trusted one. False: another one was noted, or none. */
  acceptRelayKey(name: string, key: string): Promise<boolean>;

  /** Checks a code and a name without using them up. */
  mayHold(address: string, codeHash: string, now: number): Promise<'free' | 'taken' | 'invalid_code'>;
  /** Uses the invitation up. */
  hold(holder: NameHolder, passkey: Passkey, codeHash: string, ticket: Ticket): Promise<'free' | 'taken' | 'invalid_code'>;
  holder(address: string): Promise<NameHolder | undefined>;
  passkey(id: string): Promise<Passkey | undefined>;
  /** False: the counter is not higher than the one that is stored. */
  countUse(passkeyId: string, counter: number): Promise<boolean>;
  /** Replaces the one before. */
  putTicket(address: string, ticket: Ticket): Promise<void>;
  /** Other processes give the epoch to the device that this connection displaces. */
  noteConnect(address: string, at: number, epoch: DeviceEpoch): Promise<void>;
  /** Removes the holder and everything that the relay keeps for them; says what no longer waits. */
  removeHolder(address: string): Promise<QueueLoad[]>;
  close(): Promise<void>;
}
