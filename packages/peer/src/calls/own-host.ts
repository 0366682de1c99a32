// A peer that a person runs themselves answers its calls: in their program, beside a terminal, or in one command that opens its folder.

import { type OwnPeerCalls, type PeerCall, PeerCallError, type PeerCalls } from '@parley/protocol';
import { addressParts } from '@parley/protocol/relay';
import { addressName } from '../actions/agreed-texts.ts';
import type { Negotiations } from '../negotiate/negotiations.ts';
import { outsideName } from '../outside/outside-people.ts';
import type { PeerLink } from '../packets/reconnection.ts';
import { answerCall } from './calls.ts';
import type { CalendarReader, CallContext, OpenPeer } from './context.ts';
import { whyNot } from './people.ts';

/** One method for each call. */
export const callsBy = (answer: (call: PeerCall, argument: never) => Promise<unknown>): OwnPeerCalls =>
  new Proxy({} as OwnPeerCalls, {
    get: (_, call) =>
      typeof call === 'string' && call !== 'then' ? (argument: unknown = null) => answer(call as PeerCall, argument as never) : undefined,
  });

/** `onLine` runs an act while the line is open. */
export function callsOf(link: PeerLink, onLine: <T>(act: () => Promise<T>) => Promise<T>, negotiations: Negotiations): OwnPeerCalls {
  const context = contextOf(link, onLine, negotiations);
  return callsBy((call, argument: PeerCalls[PeerCall]['in']) => answerCall('own', context, call, argument));
}

function contextOf(link: PeerLink, onLine: OpenPeer['onLine'], negotiations: Negotiations): CallContext {
  const { peer } = link;
  const open: OpenPeer = {
    peer,
    store: peer.parts.store,
    negotiations,
    link,
    calendars: ownCalendars,
    // A command must not ask each server only to show a name.
    calendarViews: async ({ calendars, servers = [] }) => [
      ...calendars.map((name) => ({ name, username: null, events: null, problem: null })),
      ...servers.map(({ url, username }) => ({ name: url, username, events: null, problem: null })),
    ],
    onLine,
    reach: () => whyNot(onLine(() => link.drained())),
  };
  return {
    owner: { memberId: '', displayName: addressName(peer.address) },
    find: async () => open,
    make: async () => open,
    nameOf: (address) => outsideName(address) ?? addressParts(address).name,
    introduce: async (_, { displayName }) => {
      throw new PeerCallError('refused', `${displayName} is a member of a hub. Name the address of their peer.`);
    },
  };
}

/** The libraries for calendars are loaded when one is read. */
const library = () => import('../calendar/index.ts');
const ownCalendars: CalendarReader = {
  fetchText: async (link) => (await library()).readLinked(link),
  readText: async (ics, span) => ({ events: (await library()).readCalendar(ics, span).events.length }),
  readServer: async (server, span) => {
    const { accessTo, readRemoteCalendar } = await library();
    return { events: (await readRemoteCalendar(accessTo(server, fetch), span)).events.length };
  },
  findCalendar: async (server) => {
    const { accessTo, onlyCalendar } = await library();
    return (await onlyCalendar(accessTo(server, fetch))).url;
  },
};
