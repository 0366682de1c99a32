// Connects a peer's brain with a model: the hub's code for providers, and the person's own key.

import { type NegotiationParts, type AskModel, modelBrain } from '@parley/peer';
import type { OwnModelProvider } from '@parley/protocol';
import type { Clock } from '@parley/hub/models';
import { me } from '../../hints.ts';

type Environment = Record<string, string | undefined>;

/** `clock` times the waits between two tries. */
export const modelBrainFor = (env: Environment, clock?: Clock): NonNullable<NegotiationParts['modelBrain']> => {
  const ask = askModel(env, clock);
  return ({ model }) => model && modelBrain(model, ask);
};

const askModel =
  (env: Environment, clock: Clock | undefined): AskModel =>
  async ({ provider, model, system, user, tools, signal = new AbortController().signal }) => {
    // Loaded when a person has chosen a model, not before.
    const { askOnce, systemClock } = await import('@parley/hub/models');
    const { provider: name, baseUrl } = provider;
    const config = { provider: name, model, ...(baseUrl === null ? {} : { baseUrl }) };
    const asked = { config, key: keyOf(provider, env), system, user, tools, outbound: fetch, clock: clock ?? systemClock, signal };
    const answer = await askOnce(asked);
    if ('calls' in answer) return answer;
    return { failed: answer.wantsKey ? missingKey(provider) : answer.failed };
  };

function keyOf({ key }: OwnModelProvider, env: Environment): string | undefined {
  if (key === null) return undefined;
  return 'value' in key ? key.value : env[key.variable] || undefined;
}

const missingKey = ({ provider, key }: OwnModelProvider): string =>
  key !== null && 'variable' in key
    ? `There is no key for ${provider}: the variable ${key.variable} is not set where the peer runs`
    : `There is no key for ${provider}: set it with \`${me} peer model set\``;
