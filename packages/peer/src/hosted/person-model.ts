// The brain of a person's peer in the registry: rules, or the hub's model where the person chose it. The hub asks the model and pays;
// this thread has no key.

import type { HubModels, PeerModel } from '@parley/protocol';
import { modelBrain } from '../brains/model-brain.ts';
import type { ModelSettings } from '../brains/model-settings.ts';
import { retryNow } from '../control/model-commands.ts';
import type { NegotiationParts } from '../negotiate/negotiations.ts';
import { putProfile } from '../negotiate/records.ts';
import { PeerError } from '../packets/errors.ts';
import type { HubLine } from './calls.ts';
import type { PeerRegistry } from './peer-registry.ts';
import type { HostedPeer } from './hosted-peer.ts';

const settingsOf = ({ first, second }: HubModels): ModelSettings => ({
  first: { ...first, key: null },
  second: second && { ...second, key: null },
});

/** Undefined where this hub offers no model. */
export function hubModelBrain(models: HubModels | null, hub: HubLine, memberId: string | null): NegotiationParts['modelBrain'] {
  if (!models || memberId === null) return undefined;
  const settings = settingsOf(models);
  const brain = modelBrain(settings, async ({ provider, model, system, user, tools }) =>
    hub.askModel(memberId, { isSecond: provider === settings.second, model, system, user, tools: [...tools] }),
  );
  return ({ usesHubModel }) => (usesHubModel ? brain : undefined);
}

export async function personModel({ settings: { models } }: PeerRegistry, hosted: HostedPeer | undefined): Promise<PeerModel> {
  const offered = models ? [models.first, ...(models.second ? [models.second] : [])] : [];
  const { usesHubModel = false } = (await hosted?.negotiations.profile()) ?? {};
  return {
    offered: offered.map(({ provider, models: names }) => ({ provider, models: [...new Set(Object.values(names))] })),
    isOn: usesHubModel,
  };
}

export async function setPersonModel(registry: PeerRegistry, { peer, negotiations, store }: HostedPeer, isOn: boolean): Promise<void> {
  if (isOn && !registry.settings.models)
    throw new PeerError('bad_input', 'This hub offers no model. Its operator names one in PARLEY_PEER_MODEL.');
  await peer.inTurn(async () => store.commit([putProfile({ ...(await negotiations.profile()), usesHubModel: isOn })]));
  await retryNow(negotiations);
}
