// The values of a person in one negotiation, and which of them go to the peer. core/consent decides; here its words are collected.

import type { PersonalValues, SharingScope } from '@parley/core/consent';
import type { BusyInterval } from '@parley/core';
import type { FreeFields } from '@parley/protocol/relay';
import type { PeerRecord } from '../peer/records.ts';
import { offersOf } from '../actions/configured-actions.ts';
import { offersField, readIntentWords } from './intent-words.ts';
import { dateOf, day, dayFrom, dayOf, type LocalZone, type TimeWindow } from './local-time.ts';
import type { MachineRecord, ProfileRecord } from './records.ts';
import { freeWindows, writeWindows } from './windows.ts';

const sharedDays = 14;
export const mostSearchedDays = 74;

export interface PersonalTime {
  now: number;
  zone: LocalZone;
  /** In which the peer may see times: UTC where it may not know the zone. */
  shownZone: LocalZone;
  busy: readonly BusyInterval[];
}

/** Likely values of fields that people are asked for (the prompt's one-tap choices). */
const likely: PersonalValues['likely'] = {
  dietary: ['No restrictions', 'Vegetarian', 'Vegan'],
  transport_mode: ['Driving', 'Walking', 'Train'],
  cuisine_preference: ['Anything', 'Italian', 'Indian'],
};

export const scopeFor = (profile: ProfileRecord, peer: PeerRecord, { machine, stated, decisions }: MachineRecord): SharingScope => ({
  rules: profile.rules,
  recipient: { address: peer.address, isVerified: peer.trust !== 'unverified' },
  decisions,
  request: machine.role === 'initiator' ? { names: [machine.peer], states: Object.keys(stated) } : null,
});

export function personIn(profile: ProfileRecord, record: MachineRecord, time: PersonalTime): PersonalValues {
  const { fields, approvals, actions = [] } = profile;
  const offered: FreeFields = actions.length === 0 ? {} : { [offersField]: offersOf(actions) };
  const computed: FreeFields = { timezone: time.zone.name, time_windows: timeWindows(record, time), ...offered };
  const values = { ...computed, ...fields, ...record.stated, ...record.given };
  return { values, likely, approvals: approvals[record.machine.peer] ?? {} };
}

/** Wished days first, then the next two weeks. */
function timeWindows({ intent, received }: MachineRecord, { now, zone, shownZone, busy }: PersonalTime): string[] {
  const named = [received['proposed_date']].flat().filter((one): one is string => typeof one === 'string');
  const wished = [...named, ...readIntentWords(intent?.summary ?? '', now, zone).dates];
  const last = Math.max(now, ...wished.map((date) => dayFrom(date) * day).filter(Number.isFinite));
  const span: TimeWindow = { from: now, to: Math.min(last, now + (mostSearchedDays - sharedDays) * day) + sharedDays * day };
  const windows = freeWindows(busy, span, zone);
  const isWished = ({ from }: TimeWindow): boolean => wished.includes(dateOf(dayOf(zone, from)));
  return writeWindows([...windows.filter(isWished), ...windows.filter((window) => !isWished(window))], shownZone);
}
