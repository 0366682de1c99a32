// The actions of a proposal, in the order in which they run: confirming approves exactly these (A2C-24).

import { ProposedAction } from '@parley/protocol/relay';
import type { BrainView } from './peer-brain.ts';
import { audienceField, offersField } from './meetings/intent-words.ts';

const mostOffers = 5;

/** The coordinator's actions are for both; the responder's run at the responder. The outcome is posted by the coordinator, at last. */
export function actionsFor({
  role,
  own,
  peer,
  visible,
  received,
}: Pick<BrainView, 'role' | 'own' | 'peer' | 'visible' | 'received'>): ProposedAction[] {
  const [first, second] = role === 'initiator' ? [visible, received] : [received, visible];
  const [coordinator, responder] = role === 'initiator' ? [own, peer] : [peer, own];
  const audience = first[audienceField];
  const add = (action: string, reversible: boolean, where: Partial<ProposedAction>): ProposedAction => ({
    action,
    ...where,
    requires_user_approval: true,
    reversible,
  });
  return [
    ...offersIn(first[offersField]).map(({ action, reversible, ...service }) => add(action, reversible, { ...service, scope: 'shared' })),
    add('add_calendar_event', true, { scope: 'own' }),
    ...offersIn(second[offersField]).map(({ action, reversible, ...service }) =>
      add(action, reversible, { ...service, scope: 'own', by: responder }),
    ),
    ...(typeof audience === 'string' ? [add('post_outcome', false, { service: audience, scope: 'own', by: coordinator })] : []),
  ];
}

/** As a proposal lists it for its own side. */
export const asOffer = ({
  action,
  reversible = false,
  service,
}: ProposedAction): { action: string; reversible: boolean; service?: string } => ({
  action,
  reversible,
  ...(service === undefined ? {} : { service }),
});

const offersIn = (value: unknown): ReturnType<typeof asOffer>[] =>
  (Array.isArray(value) ? value : []).slice(0, mostOffers).flatMap((one: unknown) => {
    const offer = ProposedAction.safeParse(one);
    return offer.success ? [asOffer(offer.data)] : [];
  });
