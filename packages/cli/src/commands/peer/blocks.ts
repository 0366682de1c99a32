// Blocking and removing people, and reporting them to the relay.

import type { ReportReason } from '@parley/peer';
import { me } from '../../program-name.ts';
import { printable } from '../../output.ts';
import { inFolder, type PeerCommandContext, withPeer } from './peer-access.ts';

export async function setBlock(context: PeerCommandContext, address: string, isOn: boolean): Promise<void> {
  const { problem, ...peer } = await withPeer(context, (commands) => commands.block({ address, isOn }));
  context.output.result({ ...peer, problem }, `${isOn ? 'Blocked' : 'Unblocked'} ${address}.`);
  if (problem !== null) context.output.note(`  The relay learns it with the next connection: ${printable(problem)}`);
}

export async function remove(context: PeerCommandContext, address: string): Promise<void> {
  await withPeer(context, (commands) => commands.remove(address));
  context.output.result({ address }, `Removed ${address}.`);
}

export async function report(context: PeerCommandContext, address: string, options: { reason: ReportReason }): Promise<void> {
  const { reason } = options;
  await withPeer(context, (commands) => commands.report({ address, reason }));
  context.output.result({ address, reason }, `Reported ${address} to the relay: ${reason}.`);
  context.output.note(`  To stop their packets: ${me} peer block ${address}${inFolder(context)}`);
}
