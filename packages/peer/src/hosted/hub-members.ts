// The members whom a hub introduces to each other.

import { badInput, PeerCallError, type PeerOwner, type HubSharing } from '@parley/protocol';
import type { PeerRegistry } from './peer-registry.ts';
import type { Acquaintance, OpenPeer } from '../calls/context.ts';
import type { HostedPeer } from './hosted-peer.ts';
import { FieldName, mostHandleLetters, PeerName } from '@parley/protocol/relay';
import type { ProfileRecord } from '../negotiate/negotiation-records.ts';

/** Two people of one hub get each other's key from here: the hub vouches for it. */
export async function introduce(registry: PeerRegistry, hosted: OpenPeer, owner: PeerOwner, other: PeerOwner): Promise<Acquaintance> {
  if (other.memberId === owner.memberId) throw badInput('That is you. Name somebody else to negotiate with.');
  if (!(await registry.hub.isActive(other.memberId))) throw new PeerCallError('refused', `${other.displayName} has left the workspace.`);
  const theirs = await registry.make(other);
  await theirs.peer.add(hosted.peer.card(), 'introduced');
  return { address: theirs.peer.address, card: theirs.peer.card(), memberId: other.memberId };
}

/** A member of this hub coordinates only where its peer has a line with everybody: other members of the hub get to know it, and it them. */
export async function introduceToGroup(registry: PeerRegistry, hosted: OpenPeer, threadId: string, to: string): Promise<void> {
  const { group } = await hosted.negotiations.find(threadId);
  const addresses = group?.participants.map(({ agent }) => agent) ?? [];
  if (to === hosted.peer.address || !addresses.includes(to)) return;
  const next = await hostedPeerAt(registry, to);
  if (!next) return;
  for (const address of addresses) {
    const other = address === to || address === hosted.peer.address ? undefined : await hostedPeerAt(registry, address);
    if (!other) continue;
    // A key that one of them knows otherwise is an alarm there, and the peer then declines by itself.
    await other.peer.add(next.peer.card(), 'introduced').catch(() => {});
    await next.peer.add(other.peer.card(), 'introduced').catch(() => {});
  }
}

/** Members of this hub can compare the outcome of their group with each other (A2C-27). */
export async function introduceMembers(registry: PeerRegistry, addresses: readonly string[]): Promise<void> {
  const members = (await Promise.all(addresses.map((address) => hostedPeerAt(registry, address)))).filter((one) => one !== undefined);
  for (const one of members)
    for (const other of members) if (one !== other) await one.peer.add(other.peer.card(), 'introduced').catch(() => {});
}

async function hostedPeerAt(registry: PeerRegistry, address: string): Promise<HostedPeer | undefined> {
  const memberId = await registry.memberOf(address);
  return memberId !== null && (await registry.hub.isActive(memberId)) ? registry.hosted(memberId) : undefined;
}

// The tiers that hold inside the hub: by field, and by member where they are for one person of this hub.

export async function memberTiers({ rules }: ProfileRecord, memberOf: (address: string) => Promise<string | null>): Promise<HubSharing> {
  const overrides: HubSharing['overrides'] = {};
  for (const [address, fields] of Object.entries(rules.overrides)) {
    const memberId = await memberOf(address);
    if (memberId !== null) overrides[memberId] = named(fields);
  }
  return { base: named(rules.base), overrides };
}

/** A name that the hub would not store is left out. */
const named = <T>(fields: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(fields).filter(([field]) => FieldName.safeParse(field).success));

// A handle of the hub as a name at the relay, which takes fewer letters.

export function peerName(handle: string): string {
  const plain = handle
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[._-]+|[._-]+$/g, '')
    .slice(0, mostHandleLetters);
  return PeerName.safeParse(plain).success ? plain : 'member';
}
