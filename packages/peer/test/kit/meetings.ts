// Two calendars and a request, as a peer has them before it proposes.

import type { BusyInterval } from '@parley/core';
import type { BrainView } from '../../src/negotiate/peer-brain.ts';
import { withExpectedTimes } from '../../src/negotiate/forks/families.ts';
import { day, type LocalZone } from '../../src/negotiate/meetings/local-time.ts';
import { proposeMeeting } from '../../src/negotiate/meetings/meeting-proposal.ts';
import { freeWindows, travelWindows, writeWindows } from '../../src/negotiate/meetings/windows.ts';
import { tuesday } from './views.ts';

export const berlin: LocalZone = {
  name: 'Europe/Berlin',
  offsets: [
    { from: 0, minutes: 60 },
    { from: Date.parse('2026-03-29T01:00Z'), minutes: 120 },
    { from: Date.parse('2026-10-25T01:00Z'), minutes: 60 },
  ],
};
export interface Situation extends Partial<Omit<BrainView, 'free' | 'travel'>> {
  busy?: BusyInterval[];
  theirBusy?: BusyInterval[];
  travelMinutes?: number;
}

export function move({ busy = [], theirBusy, travelMinutes = 0, ...given }: Situation, event = 'dinner') {
  const now = given.now ?? tuesday;
  const zone = given.zone ?? berlin;
  const told = theirBusy && { time_windows: writeWindows(freeWindows(theirBusy, { from: now, to: now + 14 * day }, zone), zone) };
  const view = {
    own: 'agent:bob@relay.example',
    peer: 'agent:ann@relay.example',
    role: 'responder',
    intent: { summary: `${event} on Friday` },
    visible: {},
    answers: null,
    unavailable: [],
    rejected: [],
    peerWish: null,
    ownWish: null,
    lastStart: null,
    searchDays: 14,
    siblings: [],
    isOwnTimeKnown: true,
    now,
    zone,
    ...given,
    received: { ...told, ...given.received },
    free: (span) => freeWindows(busy, span, zone),
    travel: (span) => travelWindows(busy, travelMinutes * 60_000, span),
  } as BrainView;
  return proposeMeeting(withExpectedTimes(view), event);
}

export function proposed(situation: Situation, event?: string): { start: string; format: string; location?: string; reasoning: string } {
  const made = move(situation, event);
  if (made.kind !== 'propose') throw new Error(`It is no proposal: ${JSON.stringify(made)}`);
  const { details, reasoning } = made.content.proposal as { details: Record<string, string>; reasoning: string };
  return { start: details['start']!, format: details['event_type']!, location: details['location']!, reasoning };
}

export const at = (from: string, to: string, place?: string): BusyInterval => ({ from: Date.parse(from), to: Date.parse(to), place });
export const always = at('2020-01-01T00:00Z', '2099-01-01T00:00Z');
