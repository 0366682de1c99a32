// The memory of each relationship, as its person sees and changes it (A2C-31). A block removes it.

import {
  confidenceOf,
  forgetValue,
  habitsOf,
  newRelationship,
  type Relationship,
  rememberValue,
  resolutionStyle,
  trustOf,
} from '@parley/core/memory';
import { badInput, type EditMemory, type RelationshipMemory, PeerCallError } from '@parley/protocol';
import { addressParts, FieldName } from '@parley/protocol/relay';
import { type MachineRecord, profileIn, putProfile } from '../negotiate/negotiation-records.ts';
import type { LocalPeer } from '../packets/local-peer.ts';
import { allRecords, getValue } from '../packets/peer-records.ts';
import { Staging } from '../packets/staging.ts';
import type { PeerStore, RecordChange } from '../store/port.ts';

export const relationshipWith = async (store: PeerStore, address: string): Promise<Relationship> =>
  (await getValue(store, 'memory', address)) ?? newRelationship;

export const putRelationship = (address: string, value: Relationship): RecordChange => ({ put: 'memory', key: address, value });

export async function listMemories({ parts }: LocalPeer): Promise<RelationshipMemory[]> {
  const known: [string, Relationship][] = [];
  for await (const { key, value } of allRecords(parts.store, 'memory')) known.push([key, value]);
  return viewsOf(parts.store, known, parts.now());
}

/** Also of somebody of whom nothing is remembered yet. */
export async function showMemory(peer: LocalPeer, address: string): Promise<RelationshipMemory> {
  await peer.peer(address);
  const { store, now } = peer.parts;
  return (await viewsOf(store, [[address, await relationshipWith(store, address)]], now()))[0]!;
}

export type MemoryEdit = { address: string } & EditMemory;

export function editMemory(peer: LocalPeer, edit: MemoryEdit): Promise<RelationshipMemory> {
  return peer.inTurn(async () => {
    const { address } = edit;
    const { block } = await peer.peer(address);
    if (block?.isOn) throw new PeerCallError('blocked', `You blocked ${address}. Nothing is remembered of them.`);
    const { store, now } = peer.parts;
    const before = await relationshipWith(store, address);
    const next = edited(before, edit, now());
    await store.commit([putRelationship(address, next)]);
    return (await viewsOf(store, [[address, next]], now()))[0]!;
  });
}

function edited(before: Relationship, edit: MemoryEdit, now: number): Relationship {
  if ('label' in edit) return { ...before, label: edit.label };
  if ('notes' in edit) return { ...before, notes: edit.notes };
  const { field, value } = edit;
  const known = FieldName.safeParse(field);
  if (!known.success) throw badInput(`field: ${JSON.stringify(field)} ${known.error.issues[0]!.message}.`);
  return value === null ? forgetValue(before, field) : rememberValue(before, field, value, now);
}

/** Everything that was learned of them. */
export function forgetMemory(peer: LocalPeer, address: string): Promise<void> {
  return peer.inTurn(async () => {
    await peer.peer(address);
    const { store } = peer.parts;
    await store.commit(await purgeMemory(store, address));
  });
}

/** Their address may become somebody else's: nothing that was meant for them may meet the next one. The pinned key stays, so that another one is noticed. */
export function forgetPerson(peer: LocalPeer, address: string): Promise<void> {
  return peer.inTurn(async () => {
    const staging = new Staging(peer.parts.store);
    await dropRelationship(staging, address);
    await peer.parts.store.commit(staging.changes);
  });
}

/** The memory, and the tiers that were set for them. */
export async function dropRelationship(staging: Staging, address: string): Promise<void> {
  await staging.commit(await purgeMemory(staging, address));
  const profile = await profileIn(staging);
  const { [address]: tiers, ...overrides } = profile.rules.overrides;
  if (tiers) await staging.commit([putProfile({ ...profile, rules: { ...profile.rules, overrides } })]);
}

/** With it goes how often each field was approved for them; rules that the person set stay. */
export async function purgeMemory(store: PeerStore, address: string): Promise<RecordChange[]> {
  const profile = await profileIn(store);
  const { [address]: counts, ...approvals } = profile.approvals;
  return [{ remove: 'memory', key: address }, ...(counts === undefined ? [] : [putProfile({ ...profile, approvals })])];
}

async function viewsOf(store: PeerStore, known: readonly [string, Relationship][], now: number): Promise<RelationshipMemory[]> {
  const ended = new Map(known.map(([address, { firstAt }]) => [address, { since: firstAt ?? Infinity, agreed: 0, declined: 0, quick: 0 }]));
  for await (const { value } of allRecords(store, 'machine')) {
    const counts = ended.get(value.machine.peer);
    const end = endOf(value);
    // A memory that was forgotten starts over: nothing from before it counts.
    if (!counts || !end || value.machine.quietSince < counts.since) continue;
    counts[end]++;
    if (end === 'agreed' && Object.keys(value.proposals).length === 1) counts.quick++;
  }
  const { overrides } = (await profileIn(store)).rules;
  return known.map(([address, relationship]) => {
    const { agreed, declined, quick } = ended.get(address)!;
    const promoted = Object.values(overrides[address] ?? {}).filter((tier) => tier === 'always_share').length;
    const style = resolutionStyle({ agreed, quick });
    return { ...viewOf(address, relationship, now), trust: trustOf({ agreed, declined, promoted }), preferredResolutionStyle: style };
  });
}

/** Only what people said counts: a receipt that peers confirm by themselves, and a group that agreed without one of the two, are no agreement. */
function endOf({ machine, proposals }: MachineRecord): 'agreed' | 'declined' | undefined {
  const { state, group, isClosing, hasPeerDeclined, execution, proposal, peer } = machine;
  if (state === 'DECLINED' || hasPeerDeclined || (group && isClosing)) return 'declined';
  if (state !== 'COMPLETED' || proposals[proposal?.hash ?? '']?.isReceipt) return undefined;
  const isWithout = execution?.takesPart === false || (execution?.counted !== undefined && !execution.counted.includes(peer));
  return isWithout ? undefined : 'agreed';
}

function viewOf(address: string, relationship: Relationship, now: number): Omit<RelationshipMemory, 'trust' | 'preferredResolutionStyle'> {
  const { interactions, firstAt, lastAt, cache, label = null, notes = null } = relationship;
  return {
    address,
    name: addressParts(address).name,
    label,
    notes,
    interactions,
    firstAt,
    lastAt,
    ...habitsOf(relationship),
    cache: Object.entries(cache).map(([field, one]) => ({
      field,
      value: one.value,
      updatedAt: one.at,
      confidence: confidenceOf(one, now),
      before: one.before?.value ?? null,
    })),
  };
}
