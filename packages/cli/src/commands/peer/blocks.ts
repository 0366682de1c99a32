// Blocking and removing people, and reporting them to the relay.

import type { PeerCalls } from '@parley/protocol';
import { me } from '../../program-name.ts';
import { printable } from '../../output.ts';
import { inFolder, type PeerCommandContext, withPeer } from './peer-access.ts';

export async function setBlock(context: PeerCommandContext, address: string, isOn: boolean): Promise<void> {
  const person = await withPeer(context, (peer) => peer.block({ address, isOn }));
  context.output.result(person, `${isOn ? 'Blocked' : 'Unblocked'} ${address}.`);
  if (person.line) context.output.note(`  The relay learns it with the next connection: ${printable(person.line)}`);
}

export async function remove(context: PeerCommandContext, address: string): Promise<void> {
  await withPeer(context, (peer) => peer.remove({ address }));
  context.output.result({ address }, `Removed ${address}.`);
}

export async function report(
  context: PeerCommandContext,
  address: string,
  options: { reason: PeerCalls['report']['in']['reason'] },
): Promise<void> {
  const { reason } = options;
  await withPeer(context, (peer) => peer.report({ address, reason }));
  context.output.result({ address, reason }, `Reported ${address} to the relay: ${reason}.`);
  context.output.note(`  To stop their packets: ${me} peer block ${address}${inFolder(context)}`);
}
