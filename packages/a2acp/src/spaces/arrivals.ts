// What a packet of a participant changes in a space. Everything is staged with the packet itself, so nothing is merged twice or lost.

import { type FieldUpdate, isMeaningful, mergeUpdate, type SpaceDefinition } from '@parley/core/space';
import type { PacketContents } from '@parley/protocol/relay';
import { allRecords, getRecord, type PeerRecord } from '../peer/records.ts';
import type { PeerStore } from '../store/port.ts';
import { newSpace, putSpace, spaceKey, type SpaceRecord } from './records.ts';

export interface SpacePacket {
  /** Who sent it. */
  peer: PeerRecord;
  own: string;
  content: PacketContents<'space_update'>;
  now: number;
}

const mostEarly = 200;
const mostChanges = 50;
/** Of one creator, so that nobody fills a store with spaces. */
const mostSpaces = 50;
/** Of somebody whom nobody verified. */
const mostStrangerSpaces = 3;

/** Where its creator has too many spaces already, nothing of the packet is taken. */
export async function takeSpaceUpdate(store: PeerStore, { peer, own, content, now }: SpacePacket): Promise<void> {
  const { space_id: id, created_by: creator, space, updates } = content;
  const key = spaceKey(creator, id);
  const known = (await getRecord(store, 'space', key))?.value;
  if (!known && (creator === own || !(await hasRoom(store, creator, peer)))) return;
  let record = known ?? newSpace(creator, id, now);
  if (space && !record.definition && peer.address === creator) record = await withDefinition(store, record, space, own);
  for (const { field, counter, value } of updates) record = withUpdate(record, { field, counter, value, by: peer.address }, own, now);
  await store.commit([putSpace(record)]);
}

async function hasRoom(store: PeerStore, creator: string, { trust }: PeerRecord): Promise<boolean> {
  let spaces = 0;
  for await (const { value } of allRecords(store, 'space')) if (value.creator === creator) spaces += 1;
  return spaces < (trust === 'unverified' ? mostStrangerSpaces : mostSpaces);
}

/** One that does not name both the creator and this person is none. */
async function withDefinition(
  store: PeerStore,
  record: SpaceRecord,
  { name, participants }: NonNullable<SpacePacket['content']['space']>,
  own: string,
): Promise<SpaceRecord> {
  const permissions = Object.fromEntries(participants.map(({ agent, may }) => [agent, may] as const));
  if (!Object.hasOwn(permissions, record.creator) || !Object.hasOwn(permissions, own)) return withRefusal(record, record.creator);
  const definition: SpaceDefinition = { name, creator: record.creator, participants: permissions };
  const isJoined = await areVerified(
    store,
    Object.keys(permissions).filter((address) => address !== own),
  );
  const { early, ...defined } = { ...record, definition, isJoined };
  return early.reduce((next: SpaceRecord, update) => withUpdate(next, update, own, record.changedAt), { ...defined, early: [] });
}

async function areVerified(store: PeerStore, addresses: readonly string[]): Promise<boolean> {
  for (const address of addresses) {
    const known = (await getRecord(store, 'peer', address))?.value;
    if (!known || known.trust === 'unverified') return false;
  }
  return true;
}

function withUpdate(record: SpaceRecord, update: FieldUpdate, own: string, now: number): SpaceRecord {
  const { definition, fields, early } = record;
  if (!definition) return early.length < mostEarly ? { ...record, early: [...early, update] } : withRefusal(record, update.by);
  const merged = mergeUpdate(definition, fields, update);
  if (merged.verdict === 'repeated') return record;
  if (merged.verdict !== 'changed' && merged.verdict !== 'older') return withRefusal(record, update.by);
  const before = fields[update.field]?.current.value ?? null;
  const next = { ...record, fields: merged.fields, changedAt: now };
  if (merged.verdict === 'older' || !isMeaningful(before, update, own)) return next;
  // Several changes of one field are one: from what the person saw last to what it is now.
  const seen = record.changes.find(({ field }) => field === update.field);
  const change = { field: update.field, by: update.by, at: now, before: seen?.before ?? before, value: update.value };
  return { ...next, changes: [...record.changes.filter((one) => one !== seen), change].slice(-mostChanges) };
}

const withRefusal = (record: SpaceRecord, by: string): SpaceRecord => ({
  ...record,
  refused: { ...record.refused, [by]: (record.refused[by] ?? 0) + 1 },
});
