// Actions that a person configures for their peer in the house. Tools are those of servers that are the person's own (ADR 0024).

import type { AddPeerAction, PeerActions, PeerOwner } from '@parley/protocol';
import { viewAction } from '../actions/configured-actions.ts';
import { PeerError } from '../peer/errors.ts';
import type { House } from './house.ts';
import type { Resident } from './resident.ts';

export async function actionsOf(house: House, { memberId }: PeerOwner, resident: Resident | undefined): Promise<PeerActions> {
  const { actions = [] } = (await resident?.negotiations.profile()) ?? {};
  return { actions: actions.map(viewAction), tools: await house.hub.toolsOf(memberId) };
}

export async function mustOwnTools(house: House, { memberId }: PeerOwner, { run, undo }: AddPeerAction): Promise<void> {
  const own = await house.hub.toolsOf(memberId);
  const unknown = [run, undo].find((tool) => tool !== null && !own.includes(tool));
  if (unknown === undefined) return;
  const known = own.length === 0 ? 'No tool server of this hub is yours, or none answers now' : `Yours are: ${own.slice(0, 20).join(', ')}`;
  throw new PeerError('bad_input', `${JSON.stringify(unknown)} is no tool of a server of yours. ${known}.`);
}
