// How a peer is called: by its member's name where the hub knows the member, else as the service calls it.

import { nameList } from '@parley/core';
import type { GroupProgress } from '@parley/protocol';
import type { Reader } from '../store/port.ts';

type PeerNames = (address: string, fallback: string) => string;

export async function peerNames(reader: Reader, addresses: readonly string[]): Promise<PeerNames> {
  const peers = await reader.rows('peers', { address: [...new Set(addresses)] });
  const members = await reader.rows('members', { id: peers.map(({ member_id }) => member_id) });
  const names = new Map(members.map(({ id, display_name }) => [id, display_name]));
  const byAddress = new Map(peers.map(({ address, member_id }) => [address, names.get(member_id)]));
  return (address, fallback) => byAddress.get(address) ?? fallback;
}

interface NamedPeers {
  kind?: string;
  peer: string;
  peerName: string;
  group?: GroupProgress | undefined;
}

/** Everybody whom a negotiation or a card names. */
export const addressesIn = ({ peer, group }: NamedPeers): string[] => [peer, ...(group?.members ?? []).map(({ address }) => address)];

/** A consent goes to one person, also in a group; everything else concerns all of it. */
export function withNames<T extends NamedPeers>(one: T, nameOf: PeerNames): T {
  const { group, kind, peer, peerName } = one;
  if (!group) return { ...one, peerName: nameOf(peer, peerName) };
  const members = group.members.map((member) => ({ ...member, name: nameOf(member.address, member.name) }));
  const isForOne = kind === 'consent' || kind === 'stranger';
  return {
    ...one,
    peerName: isForOne ? nameOf(peer, peerName) : nameList(members.filter(({ isMe }) => !isMe).map(({ name }) => name)),
    group: { ...group, members, coordinatorName: nameOf(group.coordinator, group.coordinatorName) },
  };
}
