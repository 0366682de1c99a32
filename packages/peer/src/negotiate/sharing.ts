// The values of a person in one negotiation, and which of them go to the peer. core/consent decides; here its words are collected.

import { consentFor, type PersonalValues, type SharingScope } from '@parley/core/consent';
import type { BusyInterval } from '@parley/core';
import type { FreeFields, Need } from '@parley/protocol/relay';
import { badInput } from '@parley/protocol';
import type { RemotePeer } from '../packets/peer-records.ts';
import { offersOf } from '../actions/configured-actions.ts';
import type { ActionHandlers } from '../actions/port.ts';
import { extraWindowsField, formatsFor, meetingKind, offersField, readIntentWords } from './meetings/intent-words.ts';
import { dateOf, day, dayFrom, dayOf, type LocalZone, type TimeWindow, utc } from './meetings/local-time.ts';
import { mostWishedDays, usualDays } from './limits.ts';
import type { MachineRecord, ProfileRecord } from './negotiation-records.ts';
import { freeWindows, travelWindows, visibleTime, writeWindows } from './meetings/windows.ts';

export interface PersonalTime {
  now: number;
  zone: LocalZone;
  /** In which the peer may see times: UTC where it may not know the zone. */
  shownZone: LocalZone;
  busy: readonly BusyInterval[];
  /** The way between an event elsewhere and a meeting in person. */
  travelMs: number;
}

/** UTC where the peer may not know the person's zone. */
export const shownZone = (zone: LocalZone, scope: SharingScope): LocalZone => (consentFor('timezone', scope) === 'share' ? zone : utc);

const longestTravelMinutes = 240;

/** The field `travel_minutes`, which is used here and needs not be shared. */
export function travelOf({ fields }: ProfileRecord): number {
  const minutes = Number(fields['travel_minutes'] ?? 0);
  return minutes > 0 ? Math.min(minutes, longestTravelMinutes) * 60_000 : 0;
}

/** Likely values of fields that people are asked for (the prompt's one-tap choices). */
const likely: PersonalValues['likely'] = {
  dietary: ['No restrictions', 'Vegetarian', 'Vegan'],
  transport_mode: ['Driving', 'Walking', 'Train'],
  cuisine_preference: ['Anything', 'Italian', 'Indian'],
};

export const scopeFor = (
  profile: ProfileRecord,
  peer: RemotePeer,
  { machine, stated, decisions, outside }: MachineRecord,
): SharingScope => ({
  rules: profile.rules,
  recipient: { address: peer.address, isVerified: peer.trust !== 'unverified', ...(outside ? { isOutside: true } : {}) },
  decisions,
  // A person who opened it, or changed what it is about, stated values for this peer (A2C-24).
  request: { names: [machine.peer], states: Object.keys(stated) },
});

export function personIn(profile: ProfileRecord, record: MachineRecord, time: PersonalTime, handlers: ActionHandlers = {}): PersonalValues {
  const { fields, approvals, actions = [] } = profile;
  const offers = offersOf(actions, handlers);
  const offered: FreeFields = offers.length === 0 ? {} : { [offersField]: offers };
  const computed: FreeFields = { timezone: time.zone.name, time_windows: timeWindows(record, time), ...offered };
  const values = { ...computed, ...fields, ...record.stated, ...record.given };
  return { values, likely: { ...likely, ...suggestedIn(record.machine.openNeeds) }, approvals: approvals[record.machine.peer] ?? {} };
}

/** A coordinator's question about a time comes with the times that would help, as one-tap choices. */
const suggestedIn = (needs: readonly Need[]): PersonalValues['likely'] =>
  Object.fromEntries(
    needs
      .filter(({ field, suggested }) => field === extraWindowsField && Array.isArray(suggested))
      .map(({ field, suggested }) => [
        field,
        (suggested as unknown[]).filter((one): one is string => typeof one === 'string' && one.length <= 100).slice(0, 3),
      ]),
  );

const isInPerson = ({ intent, received, stated }: MachineRecord): boolean =>
  formatsFor(meetingKind(intent, { ...received, ...stated }))[0]?.inPerson === true;

/** The person's time as a brain may see it: `busy` with the way to and from events. */
export const shownTime = (busy: readonly BusyInterval[], { zone, travelMs }: PersonalTime, scope: SharingScope, record: MachineRecord) =>
  visibleTime(busy, zone, {
    ms: travelMs,
    isShared: consentFor('travel_minutes', scope) === 'share',
    isInPerson: isInPerson(record),
  });

/** Wished days first, then the next two weeks. */
function timeWindows(record: MachineRecord, { now, zone, shownZone, busy, travelMs }: PersonalTime): string[] {
  const { intent, received } = record;
  const named = [received['proposed_date']].flat().filter((one): one is string => typeof one === 'string');
  const wished = [...named, ...readIntentWords(intent?.summary ?? '', now, zone).dates];
  const last = Math.max(now, ...wished.map((date) => dayFrom(date) * day).filter(Number.isFinite));
  const span: TimeWindow = { from: now, to: Math.min(last, now + mostWishedDays * day) + usualDays * day };
  // The peer cannot know when somebody is on the way, so those times are no free ones.
  const away = isInPerson(record) ? travelWindows(busy, travelMs, span) : [];
  const windows = freeWindows([...busy, ...away], span, zone);
  const isWished = ({ from }: TimeWindow): boolean => wished.includes(dateOf(dayOf(zone, from)));
  return writeWindows([...windows.filter(isWished), ...windows.filter((window) => !isWished(window))], shownZone);
}

// A value of a person's field has to fit into a packet. It is refused where the person gives it: later nobody could say which field was too large.

const mostBytes = 8192;
const mostLevels = 16;

export function mustFitPackets(field: string, value: FreeFields[string]): void {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes > mostBytes) throw badInput(`${field}: a value has at most ${mostBytes} bytes, and this one has ${bytes}.`);
  if (levelsOf(value) > mostLevels) throw badInput(`${field}: a value nests at most ${mostLevels} levels deep.`);
}

const levelsOf = (value: FreeFields[string]): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(levelsOf)) : 0;
