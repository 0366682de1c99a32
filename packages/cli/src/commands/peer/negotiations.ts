// The negotiations of a peer's folder: the rules negotiate, or the model that the person chose.

import { Negotiations, type NegotiationParts, type LocalPeer, type PersonalCalendar, rulesBrain } from '@parley/peer';
import { modelBrainFor } from './peer-models.ts';

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
