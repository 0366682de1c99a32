// A peer's shared spaces (A2C-33): created, written and read. A write is merged here at once and sent to each participant; offline it
// waits in the outbox, and the versions decide when it arrives.

import {
  bytesIn,
  channelLine,
  type FieldUpdate,
  fitsField,
  hasNamesake,
  heldBack,
  highestCounter,
  mergeUpdate,
  mostFieldBytes,
  mostOwnFields,
  type SpaceDefinition,
  type SpacePermission,
  type SpaceValue,
  withheldFrom,
  withinBytes,
  writeField,
  type WriteRefusal,
  writerBytes,
} from '@parley/core/space';
import { badInput, type SpaceStatus, PeerCallError } from '@parley/protocol';
import { FieldName, mostSpaceParticipants, type PacketContents } from '@parley/protocol/relay';
import type { ProfileRecord } from '../negotiate/negotiation-records.ts';
import { draftPacket } from '../packets/drafts.ts';
import { putNegotiation } from '../packets/numbers.ts';
import type { LocalPeer } from '../packets/local-peer.ts';
import { getRecord, getValue, negotiationKey, newId, newNegotiation, type RemotePeer, putPeer, valuesOf } from '../packets/peer-records.ts';
import { Staging } from '../packets/staging.ts';
import { takeSpaceUpdate } from './arrivals.ts';
import {
  isUsed,
  newSpace,
  putSpace,
  spaceKey,
  type SpaceRecord,
  threadOf,
  withChannel,
  withMove,
  withPending,
  withSeen,
} from './space-records.ts';

export interface NewSpace {
  name: string;
  /** The others; the creator writes everything. */
  participants: { address: string; may: SpacePermission }[];
  id?: string;
  /** Whose words the name is; default: the person's own. */
  words?: FieldWrite['words'];
}

export interface FieldWrite {
  field: string;
  /** Null removes it. */
  value: SpaceValue;
  /** Whose words they are: tiers ask more of an agent's. */
  words: 'own' | 'agent';
}

const mostOwnSpaces = 200;
/** They leave in one packet. */
const mostWrittenBytes = 60_000;

export class Spaces {
  readonly #peer: LocalPeer;
  readonly #profile: () => Promise<ProfileRecord>;
  readonly #onChange: (record: SpaceRecord) => void;

  /** `onChange`: somebody else's packet changed it, or the person did. */
  constructor(peer: LocalPeer, profile: () => Promise<ProfileRecord>, onChange: (record: SpaceRecord) => void = () => {}) {
    this.#peer = peer;
    this.#profile = profile;
    this.#onChange = onChange;
  }

  /** Staged with the packet that brings it. */
  async take(staging: Staging, peer: RemotePeer, content: PacketContents<'space_update'>): Promise<void> {
    const record = await takeSpaceUpdate(staging, { peer, own: this.#peer.address, content, now: this.#peer.parts.now() });
    // After the commit that takes the packet.
    if (record) void this.#peer.inTurn(async () => this.#onChange(record));
  }

  list(): Promise<SpaceRecord[]> {
    return valuesOf(this.#peer.parts.store, 'space', ({ definition }) => definition !== null);
  }

  async find(id: string): Promise<SpaceRecord & { definition: SpaceDefinition }> {
    const found = (await this.list()).filter((space) => space.id === id);
    if (found.length === 0) throw new PeerCallError('unknown_id', `There is no space ${id}.`);
    if (found.length > 1) throw new PeerCallError('unknown_id', `Two people made a space ${id}. Ask one of them to make another.`);
    return found[0] as SpaceRecord & { definition: SpaceDefinition };
  }

  /** The same ID makes one space. */
  create({ name, participants, id = newId('spc'), words = 'own' }: NewSpace): Promise<SpaceRecord> {
    return this.#peer.inTurn(async () => {
      this.#peer.mustHoldLine();
      const made = await getValue(this.#peer.parts.store, 'space', spaceKey(this.#peer.address, id));
      if (made) return made;
      const title = name.trim();
      if (title === '' || title.length > 100) throw badInput(`name needs 1 to 100 characters; it has ${title.length}.`);
      const others = participants.map(({ address }) => address);
      if (others.length === 0) throw badInput('participants: name at least one other person.');
      if (new Set([...others, this.#peer.address]).size !== others.length + 1)
        throw badInput('participants: name everybody once, and not yourself.');
      if (others.length >= mostSpaceParticipants)
        throw badInput(`A space has at most ${mostSpaceParticipants} people; these are ${others.length + 1}.`);
      const namesake = participants.find(
        ({ address, may }) => may === 'write-own-fields' && hasNamesake([...others, this.#peer.address], address),
      );
      if (namesake)
        throw badInput(
          `participants: somebody else has the name of ${namesake.address}, so no field would be theirs alone. Let them write all fields, or only read.`,
        );
      const { fields: values, rules } = await this.#profile();
      const withheld = withheldFrom({ field: '', value: title, words }, { values, rules, readers: others });
      if (withheld) throw withheldError(withheld);
      for (const address of others) await this.#reachable(address);
      if ((await this.list()).length >= mostOwnSpaces) throw new PeerCallError('refused', `There are ${mostOwnSpaces} spaces already.`);
      const own = this.#peer.address;
      const permissions = Object.fromEntries(participants.map(({ address, may }) => [address, may] as const));
      const definition: SpaceDefinition = { name: title, creator: own, participants: { [own]: 'full-write', ...permissions } };
      const record = { ...newSpace(own, id, this.#peer.parts.now()), definition, isJoined: true };
      await this.#publish(record, []);
      return record;
    });
  }

  /** From now on what this person writes goes also to participants whom nobody verified. */
  join(id: string): Promise<SpaceRecord> {
    return this.#peer.inTurn(async () => {
      this.#peer.mustHoldLine();
      const record = await this.find(id);
      const strangers: RemotePeer[] = [];
      for (const address of this.#others(record.definition))
        if (!(await getRecord(this.#peer.parts.store, 'peer', address))) strangers.push(await this.#peer.acquaintance(address, 'pinned'));
      const joined = { ...record, isJoined: true };
      await this.#peer.parts.store.commit([putSpace(joined), ...strangers.map(putPeer)]);
      return joined;
    });
  }

  write(id: string, writes: readonly FieldWrite[]): Promise<SpaceRecord> {
    return this.#peer.inTurn(async () => {
      this.#peer.mustHoldLine();
      const record = await this.find(id);
      const { definition } = record;
      if (!record.isJoined) throw badInput(`You have not joined "${definition.name}": somebody in it is unverified. Join it first.`);
      mustBeShort(writes, this.#peer.address);
      const own = this.#peer.address;
      const { fields: values, rules } = await this.#profile();
      const readers = { values, rules, readers: this.#others(definition) };
      const updates: FieldUpdate[] = [];
      let { fields } = record;
      for (const write of writes) {
        mustBeField(write.field);
        const withheld = withheldFrom(write, readers);
        if (withheld) throw withheldError(withheld);
        const written = writeField(definition, fields, { ...write, by: own }, this.#peer.self.epoch.counter);
        if ('refused' in written) {
          if (written.refused === 'unchanged') continue;
          throw refusalError(write, written.refused, own);
        }
        updates.push(written.update);
        ({ fields } = mergeUpdate(definition, fields, written.update));
      }
      if (updates.length === 0) return record;
      const kept = withinBytes(fields, own, writerBytes.own);
      if (!kept) throw badInput(`You would have more than ${writerBytes.own} bytes in this space. Shorten or remove some of yours.`);
      const written = withMove({ ...record, fields: kept, changedAt: this.#peer.parts.now() }, false);
      const next = updates.reduce((one: SpaceRecord, { field, by, value }) => {
        const before = Object.hasOwn(record.fields, field) ? record.fields[field]!.current.value : null;
        return withPending(one, { field, by, value, before });
      }, written);
      await this.#publish(next, updates);
      this.#onChange(next);
      return next;
    });
  }

  /** The others go on without this person; of the space nothing stays here but its ID, so that it does not come back. */
  leave(id: string): Promise<void> {
    return this.#peer.inTurn(async () => {
      this.#peer.mustHoldLine();
      await this.#leave(await this.find(id));
    });
  }

  /** Those that somebody made and in which the person did nothing. */
  leaveUnused(creator: string): Promise<void> {
    return this.#peer.inTurn(async () => {
      for (const record of await this.list())
        if (record.creator === creator && !isUsed(record, this.#peer.address)) await this.#leave(record);
    });
  }

  async #leave(record: SpaceRecord): Promise<void> {
    const { id, creator, createdAt } = record;
    await this.#publish(record, [], { ...newSpace(creator, id, this.#peer.parts.now()), createdAt, isLeft: true });
  }

  /** Which fields the person wants to be notified of, besides what concerns them anyway. */
  watch(id: string, fields: readonly string[]): Promise<SpaceRecord> {
    for (const field of fields) if (field !== '*') mustBeField(field);
    if (fields.length > mostOwnFields) throw badInput(`fields: at most ${mostOwnFields} can be watched.`);
    return this.#change(id, { watches: [...new Set(fields)] });
  }

  /** The channel in which changes are mentioned from now on; null: none. */
  setChannel(id: string, audience: string | null): Promise<SpaceRecord> {
    return this.#change(id, (record) => withChannel(record, audience));
  }

  /** Changes up to this number are posted. */
  async posted(id: string, n: number): Promise<void> {
    await this.#change(id, ({ channel }) =>
      channel ? { channel: { ...channel, pending: channel.pending.filter((change) => change.n > n) } } : {},
    );
  }

  /** For the channel: the words that everybody concerned agreed to; undefined: nothing waits. */
  async channelLine({ definition, fields, channel }: SpaceRecord): Promise<SpaceStatus['line'] | undefined> {
    if (!channel || channel.pending.length === 0) return undefined;
    const { fields: values, rules } = await this.#profile();
    const { name, creator } = definition!;
    const posted = { name, creator, fields, changes: channel.pending, audience: channel.audience, own: this.#peer.address };
    return { n: channel.last, text: channelLine({ ...posted, rules, values }), audience: channel.audience };
  }

  #change(id: string, change: Partial<SpaceRecord> | ((record: SpaceRecord) => Partial<SpaceRecord>)): Promise<SpaceRecord> {
    return this.#peer.inTurn(async () => {
      const record = await this.find(id);
      const next = { ...record, ...(typeof change === 'function' ? change(record) : change) };
      await this.#peer.parts.store.commit([putSpace(next)]);
      return next;
    });
  }

  /** What this person's tiers keep out of it. */
  async heldBack({ definition }: SpaceRecord): Promise<ReturnType<typeof heldBack>> {
    const { fields: values, rules } = await this.#profile();
    return heldBack({ values, rules, readers: this.#others(definition!) });
  }

  /** The person has seen what changed. */
  seen(id: string): Promise<SpaceRecord> {
    return this.#peer.inTurn(async () => {
      const record = await this.find(id);
      const { noticed = 0, seenNoticed = 0, changes } = record;
      if (changes.length > 0 || noticed > seenNoticed) await this.#peer.parts.store.commit([putSpace(withSeen(record))]);
      return record;
    });
  }

  #others({ participants }: SpaceDefinition): string[] {
    return Object.keys(participants).filter((address) => address !== this.#peer.address);
  }

  async #reachable(address: string): Promise<RemotePeer> {
    const peer = await this.#peer.peer(address);
    if (peer.block?.isOn) throw new PeerCallError('blocked', `You blocked ${address}. Unblock them to write.`);
    return peer;
  }

  /** `left`: what stays here of a space that the person leaves. */
  async #publish(record: SpaceRecord, updates: readonly FieldUpdate[], left?: SpaceRecord): Promise<void> {
    const { store } = this.#peer.parts;
    const staging = new Staging(store);
    await staging.commit([putSpace(left ?? record)]);
    await this.#send(staging, record, updates, left !== undefined);
    await store.commit(staging.changes);
    this.#peer.onDraft?.();
  }

  /** The creator's first packet to each participant defines the space. Somebody blocked or removed meanwhile gets nothing. */
  async #send(
    staging: Staging,
    { id, creator, definition, gone = [] }: SpaceRecord,
    updates: readonly FieldUpdate[],
    isLeaving: boolean,
  ): Promise<void> {
    const { parts, self, address: own } = this.#peer;
    const threadId = threadOf(id);
    for (const address of this.#others(definition!)) {
      const peer = await getValue(staging, 'peer', address);
      if (!peer || peer.block?.isOn || gone.includes(address)) continue;
      const isFirst = !(await getRecord(staging, 'negotiation', negotiationKey(address, threadId)));
      if (isFirst) await staging.commit(putNegotiation(newNegotiation(address, threadId, parts.now()), { isLatest: false, ifVersion: 0 }));
      const members = {
        space_id: id,
        created_by: creator,
        ...(isFirst && creator === own ? { space: { name: definition!.name, participants: participantsOf(definition!) } } : {}),
        updates: updates.map(({ field, counter, value }) => ({ field, counter, value })),
        ...(isLeaving ? { left: true } : {}),
      };
      await draftPacket(staging, self, peer, { type: 'space_update', threadId, members }, parts.now());
    }
  }
}

const participantsOf = ({ participants }: SpaceDefinition) => Object.entries(participants).map(([agent, may]) => ({ agent, may }));

function mustBeField(field: string): void {
  const known = FieldName.safeParse(field);
  if (!known.success) throw badInput(`field: ${JSON.stringify(field)} ${known.error.issues[0]!.message}.`);
}

/** Before the search for withheld values, which takes long in a long text. */
function mustBeShort(writes: readonly FieldWrite[], own: string): void {
  const long = writes.find(({ value }) => !fitsField(value));
  if (long) throw refusalError(long, 'too_large', own);
  const bytes = writes.reduce((sum, { value }) => sum + bytesIn(value), 0);
  if (bytes > mostWrittenBytes)
    throw badInput(`The values have ${bytes} bytes; one write has at most ${mostWrittenBytes}. Write fewer fields at once.`);
}

const withheldError = ({ field, reader, tier }: NonNullable<ReturnType<typeof withheldFrom>>): PeerCallError =>
  new PeerCallError(
    'refused',
    tier === 'never_share'
      ? `${field} is never shared with ${reader}, who reads this space. Nothing was written.`
      : `${field} is shared with ${reader} only after its person was asked. Nothing was written.`,
  );

function refusalError({ field }: FieldWrite, reason: Exclude<WriteRefusal, 'unchanged'>, own: string): PeerCallError {
  const name = own.slice('agent:'.length, own.lastIndexOf('@'));
  const words = {
    not_allowed: `field: you may not write ${field} in this space. Fields of your own begin with "${name}."; some people may only read.`,
    too_large: `value: ${field} has more than ${mostFieldBytes} bytes.`,
    not_exact: `value: ${field} holds a number that others would read as another one. Write it as a text, or use one below 2^53.`,
    too_many: `A space has at most ${mostOwnFields} fields, those that were removed among them. Write one of them again.`,
    exhausted: `${field} was written with the number ${highestCounter}, the highest there is. Use another field.`,
  };
  return new PeerCallError(reason === 'not_allowed' ? 'refused' : 'bad_input', words[reason]);
}
