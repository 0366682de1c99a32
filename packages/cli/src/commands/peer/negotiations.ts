// The negotiations of a peer's folder: the rules negotiate, or the model that the person chose.

import {
  Negotiations,
  type NegotiationParts,
  type LocalPeer,
  type PersonalCalendar,
  rulesBrain,
  type AskModel,
  modelBrain,
} from '@parley/peer';
import type { OwnModelProvider } from '@parley/protocol';
import type { Clock } from '@parley/hub/models';
import { me } from '../../hints.ts';

export function negotiationsOf(
  peer: LocalPeer,
  { folder, env }: { folder: string; env: Record<string, string | undefined> },
  options: Pick<NegotiationParts, 'onChange' | 'onFailure' | 'actsInTurn'>,
): Negotiations {
  return new Negotiations(peer, {
    calendar: lazyCalendar(folder),
    brain: rulesBrain,
    modelBrain: modelBrainFor(env),
    random: Math.random,
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    ...options,
  });
}

/** The libraries for calendars are loaded when a negotiation needs them. */
function lazyCalendar(folder: string): PersonalCalendar {
  let loaded: Promise<PersonalCalendar> | undefined;
  const load = (): Promise<PersonalCalendar> =>
    (loaded ??= import('@parley/peer/calendar').then(({ folderCalendar }) => folderCalendar(folder)));
  return {
    offsets: async (...args) => (await load()).offsets(...args),
    busy: async (...args) => (await load()).busy(...args),
    add: async (...args) => (await load()).add(...args),
    remove: async (...args) => (await load()).remove(...args),
  };
}

// How a peer's brain reaches a model: with the hub's code for providers, and the person's own key.

type Environment = Record<string, string | undefined>;

/** `clock`: for the waits between two tries. */
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
