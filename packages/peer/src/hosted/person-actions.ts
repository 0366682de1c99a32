// Actions that a person configures for their peer in the registry. Tools are those of servers that are the person's own (ADR 0024).

import type { AddPeerAction, PeerActions, PeerOwner } from '@parley/protocol';
import { viewAction } from '../actions/configured-actions.ts';
import { PeerError } from '../packets/errors.ts';
import type { PeerRegistry } from './peer-registry.ts';
import type { HostedPeer } from './hosted-peer.ts';

export async function actionsOf(registry: PeerRegistry, { memberId }: PeerOwner, hosted: HostedPeer | undefined): Promise<PeerActions> {
  const { actions = [] } = (await hosted?.negotiations.profile()) ?? {};
  return { actions: actions.map(viewAction), tools: await registry.hub.toolsOf(memberId) };
}

export async function mustOwnTools(registry: PeerRegistry, { memberId }: PeerOwner, { run, undo }: AddPeerAction): Promise<void> {
  const own = await registry.hub.toolsOf(memberId);
  const unknown = [run, undo].find((tool) => tool !== null && !own.includes(tool));
  if (unknown === undefined) return;
  const known = own.length === 0 ? 'No tool server of this hub is yours, or none answers now' : `Yours are: ${own.slice(0, 20).join(', ')}`;
  throw new PeerError('bad_input', `${JSON.stringify(unknown)} is no tool of a server of yours. ${known}.`);
}
