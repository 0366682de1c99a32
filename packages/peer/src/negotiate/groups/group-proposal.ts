// A time for a group (A2C-30): one that suits all; else the one member is asked whose flexibility matters; else one for a quorum; else
// people decide. What the members gave stays here: the proposal carries the result, and no word about who could not.

import { type MeetingOptions, type MeetingParticipant, type MeetingRequest, type MeetingWindow, type Relaxation } from '@parley/core';
import type { ProposalContent } from '@parley/core/negotiation';
import { addressParts, type FreeFields, type Intent, type Need } from '@parley/protocol/relay';
import { extraWindowsField, formatsFor, readIntentWords, placeIn, requestedPlace } from '../meetings/intent-words.ts';
import { day, dayFrom, hour, type LocalZone, type TimeWindow, wordsFor, writeTime } from '../meetings/local-time.ts';
import { allDay, dates, flexibilityOf, preferred, textsOf, meetingMove } from '../meetings/meeting-proposal.ts';
import { kindWords, title, windowsByKind } from '../meetings/window-order.ts';
import { mostWishedDays, usualDays } from '../limits.ts';
import { pickedWindows } from '../meetings/spoken-windows.ts';
import { between, readWindows } from '../meetings/windows.ts';

/** A member, as far as it answered. */
export interface GroupMember {
  agent: string;
  received: FreeFields;
  /** The coordinator has asked for other times; nobody is asked twice. */
  wasAsked: boolean;
}

export interface GroupView {
  own: string;
  intent: Intent;
  event: string;
  /** Those whose answers are there. Members who are silent have no say about the time. */
  members: readonly GroupMember[];
  /** So many have to be free, the coordinator too. */
  quorum: number;
  /** How many take part in all. */
  participants: number;
  /** The free time of the coordinator's person is in `free`; false: not everybody may know it, and `free` has any usual hour. */
  knowsOwnTime: boolean;
  /** Values of the coordinator's person that every member may get. */
  visible: FreeFields;
  ownWish: string | null;
  /** The coordinator's person saw that no time suits enough, and chose this one nevertheless. */
  isPicked: boolean;
  /** The coordinator's wish, or a member's, about an earlier proposal. */
  wishes: readonly string[];
  rejected: readonly number[];
  searchDays: number;
  now: number;
  zone: LocalZone;
  free: (span: TimeWindow) => TimeWindow[];
  travel: (span: TimeWindow) => TimeWindow[];
}

export type GroupMove =
  | { kind: 'propose'; content: ProposalContent }
  | { kind: 'ask'; agent: string; need: Need }
  | { kind: 'escalate'; details: Record<string, unknown> };

const mostAlternatives = 3;

export function proposeToGroup(view: GroupView): GroupMove {
  const { members, quorum } = view;
  const isOpen = ({ from, to }: TimeWindow): boolean => !view.rejected.some((start) => from <= start && start < to);
  const picked = view.isPicked ? pickOf(view).find(isOpen) : undefined;
  if (picked) return proposalOf(view, [picked], members.length + 1);
  let present = [...members];
  let first: MeetingOptions | undefined;
  for (;;) {
    const options = windowsByKind(searchFor(view, present), isOpen);
    first ??= options;
    if (options.windows.length > 0) return proposalOf(view, options.windows, present.length + 1);
    const asked = questionFor(view, options, present);
    if (asked) return asked;
    // Nobody who would have to give way can: the group meets without one of them, where enough are left.
    const absent = bindingMember(options, present);
    if (!absent || present.length < quorum) return conflictOf(view, first);
    present = present.filter(({ agent }) => agent !== absent.agent);
  }
}

/** The members' wishes come before the request. */
const askedKind = ({ wishes, now, zone, event }: GroupView): string =>
  wishes.map((words) => readIntentWords(words, now, zone).event).find((one) => one !== undefined) ?? event;

function searchFor(view: GroupView, members: readonly GroupMember[]): MeetingRequest {
  const { now, zone, intent, visible, wishes } = view;
  const said = [...wishes, intent.summary].map((words) => readIntentWords(words, now, zone));
  const wished = [...said.slice(0, -1).map((words) => words.dates), dates(visible['proposed_date']), said.at(-1)!.dates].find(
    (one) => one.length > 0,
  );
  const times = said.map((words) => words.times).find((one) => one.length > 0);
  const last = Math.min(Math.max(now, ...(wished ?? []).map((date) => dayFrom(date) * day)), now + mostWishedDays * day);
  const span: TimeWindow = {
    from: now + (intent.urgency === 'urgent' ? hour / 2 : 2 * hour),
    to: Math.max(last + usualDays * day, now + view.searchDays * day),
  };
  const minutes = said.map((words) => words.minutes).find((one) => one !== undefined);
  const formats = formatsFor(askedKind(view), minutes);
  const own: MeetingParticipant = {
    id: view.own,
    offsets: zone.offsets,
    busy: between(view.free(span), span),
    travel: view.travel(span),
    hours: allDay,
    ...(wished ? { dates: wished } : {}),
    ...(times ? { times } : {}),
    flexibility: flexibilityOf(visible['flexibility']),
  };
  const others = members.map(({ agent, received }): MeetingParticipant => {
    // A member who does not say when they are free gets usual hours (A2C-16).
    const hours = 'time_windows' in received ? { busy: between(givenWindows(received, zone), span), hours: allDay } : { busy: [] };
    const wish = { format: flexibilityOf(received['flexibility']).format };
    return { id: agent, offsets: zone.offsets, ...hours, ...preferred(received['format_preference'], formats), flexibility: wish };
  });
  return { ...span, participants: [own, ...others], formats };
}

const ownersOf = ({ constraints }: Relaxation): string[] => [...new Set(constraints.map(({ who }) => who))];

/** The binding constraint names the one whose yes would help the most. */
function questionFor(
  { zone, quorum, own }: GroupView,
  { relaxations }: MeetingOptions,
  present: readonly GroupMember[],
): GroupMove | undefined {
  for (const relaxation of relaxations) {
    const owners = ownersOf(relaxation);
    const member = present.find(({ agent }) => owners.length === 1 && owners[0] === agent && agent !== own);
    if (!member || member.wasAsked || !('time_windows' in member.received)) continue;
    const { best } = relaxation;
    const reason = `${present.length < quorum ? 'All' : 'Most'} others could meet on ${wordsFor(zone, best)}. Could you make it?`;
    const suggested = [`${writeTime(zone, best.from)}/${writeTime(zone, best.to)}`];
    return { kind: 'ask', agent: member.agent, need: { field: extraWindowsField, priority: 'required', reason, suggested } };
  }
  return undefined;
}

function bindingMember({ relaxations }: MeetingOptions, present: readonly GroupMember[]): GroupMember | undefined {
  const owners = relaxations.flatMap(ownersOf);
  return present.find(({ agent }) => agent === owners.find((one) => present.some((member) => member.agent === one))) ?? present.at(-1);
}

/** A day with hours in the words of the coordinator's person. */
function pickOf({ ownWish, now, zone, event }: GroupView): GroupWindow[] {
  const words = ownWish ?? '';
  const format = readIntentWords(words, now, zone).event ?? event;
  return readWindows(pickedWindows(words, now, zone), [], zone).map((window) => ({ ...window, format }));
}

type GroupWindow = TimeWindow & Pick<MeetingWindow, 'format'>;
const holds = (windows: readonly TimeWindow[], { from, to }: TimeWindow): boolean =>
  windows.some((window) => window.from <= from && to <= window.to);

/** Nobody is called free of whom that is not known, or who picked the time over their calendar. */
function whyThen(view: GroupView, window: TimeWindow, present: number): string {
  const { own, members, participants, zone, knowsOwnTime } = view;
  if (holds(pickOf(view), window)) return `${title(addressParts(own).name)} chose this time`;
  const free = members.filter(({ received }) => holds(givenWindows(received, zone), window)).length + (knowsOwnTime ? 1 : 0);
  if (free === participants) return `All ${participants} are free`;
  return free >= present ? `${free} of ${participants} are free` : 'It suits the free time that is known';
}

const givenWindows = (received: FreeFields, zone: LocalZone): TimeWindow[] => [
  ...readWindows(received['time_windows'], dates(received['proposed_date']), zone),
  ...readWindows(received[extraWindowsField], [], zone),
];

function proposalOf(view: GroupView, [best, ...others]: readonly GroupWindow[], present: number): GroupMove {
  const { own, zone, visible, wishes, intent } = view;
  const said = wishes.map(placeIn).find((one) => one !== undefined) ?? requestedPlace(intent.summary, best!.format);
  const place = [said, visible['location_preference']].flatMap(textsOf)[0];
  const why = (window: GroupWindow): string => whyThen(view, window, present);
  const asked = askedKind(view);
  const whyToo = (window: GroupWindow): string =>
    window.format === asked ? why(window).replace(/are free$/, 'are free then too') : kindWords(window.format, asked);
  return meetingMove(
    { role: 'initiator', own, peer: own, intent, visible, received: {}, zone },
    {
      window: best!,
      asked,
      place,
      alternatives: others.slice(0, mostAlternatives).map((window) => ({ window, reason: whyToo(window) })),
      reasoning: `${why(best!)} on ${wordsFor(zone, best!)}`,
    },
  );
}

/** Only the coordinator's person learns whose constraint binds: the members told it in confidence. */
function conflictOf({ zone }: GroupView, { relaxations }: MeetingOptions): GroupMove {
  const alternatives = relaxations.slice(0, mostAlternatives).map((one) => ({
    option: `${title(one.best.format)}, ${wordsFor(zone, one.best)}`,
    rationale: `Possible if this gives way: ${one.constraints.map(({ who, kind }) => `${who}’s ${kind}`).join(' and ')}`,
  }));
  const reason = 'No time suits enough participants, also on other days, at other times and in other formats';
  return {
    kind: 'escalate',
    details: { by: 'own', reason, suggested_prompt: 'No time suits enough of them. Try other days, or leave it?', alternatives },
  };
}
