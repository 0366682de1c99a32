// How a peer is called: by its member's name where the hub knows the member, else as the service calls it.

import type { Reader } from '../store/port.ts';

export async function peerNames(reader: Reader, addresses: readonly string[]): Promise<(address: string, fallback: string) => string> {
  const peers = addresses.length === 0 ? [] : await reader.rows('peers', { address: [...new Set(addresses)] });
  const members = await reader.rows('members', { id: peers.map(({ member_id }) => member_id) });
  const names = new Map(members.map(({ id, display_name }) => [id, display_name]));
  const byAddress = new Map(peers.map(({ address, member_id }) => [address, names.get(member_id)]));
  return (address, fallback) => byAddress.get(address) ?? fallback;
}
