// The hub's model as the brain of a peer whose person chose it. The hub asks the model and pays; this thread has no key.

import type { HubModels } from '@parley/protocol';
import { modelBrain } from '../brains/model-brain.ts';
import type { ModelSettings } from '../brains/model-settings.ts';
import type { NegotiationParts } from '../negotiate/negotiations.ts';
import type { HubCalls } from './calls.ts';

const settingsOf = ({ first, second }: HubModels): ModelSettings => ({
  first: { ...first, key: null },
  second: second && { ...second, key: null },
});

/** Undefined where this hub offers no model. */
export function hubModelBrain(models: HubModels | null, hub: HubCalls, memberId: string | null): NegotiationParts['modelBrain'] {
  if (!models || memberId === null) return undefined;
  const settings = settingsOf(models);
  const brain = modelBrain(settings, async ({ provider, model, system, user, tools }) =>
    hub.askModel(memberId, { isSecond: provider === settings.second, model, system, user, tools: [...tools] }),
  );
  return ({ usesHubModel }) => (usesHubModel ? brain : undefined);
}
