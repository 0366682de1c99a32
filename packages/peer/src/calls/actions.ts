// Actions that a person configures for their peer. Tools are those of servers that are the person's own (ADR 0024).

import { badInput, type AddPeerAction, type PeerActions } from '@parley/protocol';
import { removeAction, viewAction, withAction } from '../actions/configured-actions.ts';
import { type CallAnswers, type CallContext, changeProfile, mustHave, type OpenPeer } from './context.ts';

export const actionAnswers: CallAnswers<'actions' | 'addAction' | 'removeAction'> = {
  actions: async (context) => actionsOf(context, await context.find()),
  addAction: async (context, action) => {
    if (action.kind === 'tool') await mustOwnTools(context, action);
    const open = await context.make();
    await changeProfile(open, (profile) => withAction(profile, action));
    context.reportSharing?.(open);
    return actionsOf(context, open);
  },
  removeAction: async (context, { name }) => {
    const open = await mustHave(context);
    await changeProfile(open, (profile) => ({ ...profile, actions: removeAction(profile.actions ?? [], name) }));
    return actionsOf(context, open);
  },
};

async function actionsOf(context: CallContext, open: OpenPeer | undefined): Promise<PeerActions> {
  const { actions = [] } = (await open?.negotiations.profile()) ?? {};
  return { actions: actions.map(viewAction), tools: (await context.tools?.()) ?? [] };
}

async function mustOwnTools(context: CallContext, { run, undo }: AddPeerAction): Promise<void> {
  const own = (await context.tools?.()) ?? [];
  const unknown = [run, undo].find((tool) => tool !== null && !own.includes(tool));
  if (unknown === undefined) return;
  const known = own.length === 0 ? 'No tool server of this hub is yours, or none answers now' : `Yours are: ${own.slice(0, 20).join(', ')}`;
  throw badInput(`${JSON.stringify(unknown)} is no tool of a server of yours. ${known}.`);
}
