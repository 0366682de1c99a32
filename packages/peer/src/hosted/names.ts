// A handle of the hub as a name at the relay, which takes fewer letters.

import { mostHandleLetters, PeerName } from '@parley/protocol/relay';

export function peerName(handle: string): string {
  const plain = handle
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[._-]+|[._-]+$/g, '')
    .slice(0, mostHandleLetters);
  return PeerName.safeParse(plain).success ? plain : 'member';
}
