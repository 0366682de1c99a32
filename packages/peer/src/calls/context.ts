// The calls of a person's peer need this of the place where it runs: a hub's thread, a program, or a command that opens its folder.

import { type HubModels, PeerCallError, type PeerOwner, type PeerProfile, type PeerCall, type PeerCalls } from '@parley/protocol';
import type { NameOf } from '../actions/agreed-texts.ts';
import type { CalendarSpan } from '../calendar/read-calendar.ts';
import type { CalendarServer } from '../negotiate/personal-calendar.ts';
import type { Negotiations } from '../negotiate/negotiations.ts';
import { type ProfileRecord, putProfile } from '../negotiate/negotiation-records.ts';
import type { LocalPeer } from '../packets/local-peer.ts';
import type { PeerLink } from '../packets/reconnection.ts';
import type { PeerStore } from '../store/port.ts';

/** Reads calendars that a person names. Throws where one cannot be read. */
export interface CalendarReader {
  /** The text of an address or of a file. */
  fetchText: (link: string) => Promise<string>;
  readText: (ics: string, span: CalendarSpan) => Promise<{ events: number }>;
  readServer: (server: CalendarServer, span: CalendarSpan) => Promise<{ events: number }>;
  /** The address of the one calendar that the server has for the person. */
  findCalendar: (server: CalendarServer) => Promise<string>;
}

/** A person's peer that is open, wherever it runs. */
export interface OpenPeer {
  readonly peer: LocalPeer;
  readonly store: PeerStore;
  readonly negotiations: Negotiations;
  readonly link: PeerLink;
  /** Why it is not on the line; absent or null: it is, or connects for the first time. */
  readonly problem?: string | null;
  readonly calendars: CalendarReader;
  /** As the person reads them. */
  calendarViews: (profile: ProfileRecord) => Promise<PeerProfile['calendars']>;
  /** Drops what is kept of earlier readings. */
  calendarsChanged?: () => void;
  /** Runs an act while the line is open. */
  onLine: <T>(act: () => Promise<T>) => Promise<T>;
  /** Exchanges what waits, where nobody else does; why the relay was not reached. */
  reach: () => Promise<string | null>;
  /** The alarms of its lines may have changed. */
  reportAlarms?: () => void;
}

/** Somebody to negotiate with. */
export interface Acquaintance {
  address: string;
  /** Of somebody whom this hub introduces. */
  card?: string;
  memberId?: string;
}

/** One person's peer, and the means of its host. A hub has those that are optional. */
export interface CallContext {
  readonly owner: Pick<PeerOwner, 'memberId' | 'displayName'>;
  /** Undefined: the person has none yet. */
  find: () => Promise<OpenPeer | undefined>;
  /** Makes it where there is none. */
  make: () => Promise<OpenPeer>;
  readonly nameOf: NameOf;
  introduce: (open: OpenPeer, other: PeerOwner) => Promise<Acquaintance>;
  introduceMembers?: (addresses: readonly string[]) => Promise<void>;
  introduceToGroup?: (open: OpenPeer, threadId: string, to: string) => Promise<void>;
  /** Of this hub; null for somebody elsewhere. */
  memberOf?: (address: string) => Promise<string | null>;
  isSample?: (address: string) => boolean;
  /** As people outside reach the relay, where that is another address than the peer's own. */
  readonly publicRelayUrl?: string | null;
  /** Why there can be no peer. */
  readonly noPeer?: string | null;
  readonly models?: HubModels | null;
  /** Tools of servers that are the person's own. */
  tools?: () => Promise<string[]>;
  /** Throws where the person opened too many negotiations in the last hour. */
  mustHaveRoom?: (open: OpenPeer) => Promise<void>;
  /** The tiers of the person may have changed. */
  reportSharing?: (open: OpenPeer) => void;
}

export async function mustHave(context: CallContext): Promise<OpenPeer> {
  const open = await context.find();
  if (!open) throw new PeerCallError('not_found', 'You have no peer on this hub yet. Open a negotiation, or make one first.');
  return open;
}

export const changeProfile = (
  { peer, negotiations, store }: OpenPeer,
  change: (profile: ProfileRecord) => ProfileRecord,
): Promise<ProfileRecord> =>
  peer.inTurn(async () => {
    const next = change(await negotiations.profile());
    await store.commit([putProfile(next)]);
    return next;
  });

// How calls are answered: one function for each, with the host's means and the argument.

export type CallAnswers<C extends PeerCall, Context = CallContext> = {
  readonly [N in C]: (context: Context, argument: PeerCalls[N]['in']) => Promise<PeerCalls[N]['out']>;
};
