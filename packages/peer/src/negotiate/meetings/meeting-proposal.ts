// A proposal for a meeting: the best common window, with alternatives and reasons; or the conflict, where there is none (A2C-18, A2C-26).

import { type DayRange, type MeetingFormat, type MeetingOptions, type MeetingParticipant, type MeetingWindow } from '@parley/core';
import { addressParts } from '@parley/protocol/relay';
import { actionsFor } from '../proposed-actions.ts';
import { mostWishedDays, usualDays } from '../limits.ts';
import type { BrainMove, BrainView } from '../peer-brain.ts';
import { formatsFor, isPlaceOnly, placeIn, requestedPlace, readWishes } from './intent-words.ts';
import { dateOf, day, dayFrom, dayOf, hour, minuteOf, type TimeWindow, wordsFor, writeTime } from './local-time.ts';
import { kindOf, kindWords, title, windowsByKind, type MeetingSearch, otherDaysFirst, withExactTime } from './window-order.ts';
import { pickedWindows, spokenWindows } from './spoken-windows.ts';
import { afterSibling, formatsBeside, siblingReason, siblingWindows } from '../forks/sibling-times.ts';
import { between, freeWindows, readWindows } from './windows.ts';

const mostAlternatives = 3;
const mostConflictValues = 5;
export const allDay = Array.from({ length: 7 }, () => [{ from: 0, to: 24 * 60 }]);

export const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === 'string').slice(0, 14);
export const dates = (value: unknown): string[] =>
  textsOf(value).filter((text) => /^\d{4}-\d\d-\d\d$/.test(text) && Number.isFinite(dayFrom(text)));

/** The best windows that nobody refused, the best first. */
export function meetingWindows(view: BrainView, event: string): MeetingOptions & { asked: string } {
  const search = meetingSearch(view, event);
  const isPossible = ({ from, to }: TimeWindow): boolean => !view.rejected.some((start) => from <= start && start < to);
  const options = windowsByKind({ ...search.span, ...search }, isPossible);
  const windows = withExactTime(search, options.windows).filter(isPossible);
  // Nobody said a wish that the peer made up, so nobody reads that it was not possible.
  const said = (window: MeetingWindow) => ({ ...window, reasons: window.reasons.filter(({ wish }) => !search.madeUp.includes(wish)) });
  return { ...options, windows: windows.map(said), asked: kindOf(search) };
}

export function proposeMeeting(view: BrainView, event: string): BrainMove {
  const { windows, asked, ...options } = meetingWindows(view, event);
  const wish = view.peerWish ?? view.ownWish ?? '';
  const [best, ...others] = otherDaysFirst(view, wish, windows);
  if (!best) return conflictOf(view, options);
  return meetingMove(view, {
    window: best,
    asked,
    place: [
      placeIn(wish) ?? requestedPlace(view.intent.summary, best.format),
      view.visible['location_preference'],
      view.received['location_preference'],
    ].flatMap(textsOf)[0],
    alternatives: others.slice(0, mostAlternatives).map((window) => ({
      window,
      reason: window.format !== asked ? kindWords(window.format, asked) : whyThen(view, window, 'Both are free then too'),
    })),
    reasoning: reasonsFor(view, best, asked),
  });
}

type NamedWindow = TimeWindow & { format: string };

export interface MeetingChoice {
  window: NamedWindow;
  /** The kind that was asked for; undefined: any. */
  asked: string | undefined;
  place: string | undefined;
  alternatives: { window: NamedWindow; reason: string }[];
  reasoning: string;
}

/** A clock time alone would be another moment for somebody elsewhere. */
const summaryIn = (
  { zone, received: { timezone: theirs } }: Pick<BrainView, 'zone' | 'received'>,
  window: NamedWindow,
  asked = window.format,
): string =>
  `${kindWords(window.format, asked)}, ${wordsFor(zone, window)}${typeof theirs === 'string' && theirs !== zone.name ? ` (${zone.name})` : ''}`;

/** Summary, details and actions come from the same times, so that people confirm what is done. */
export function meetingMove(
  view: Pick<BrainView, 'role' | 'own' | 'peer' | 'intent' | 'visible' | 'received' | 'zone'>,
  { window: best, asked, place, alternatives, reasoning }: MeetingChoice,
): Extract<BrainMove, { kind: 'propose' }> {
  const { zone, received } = view;
  const details = {
    event_type: best.format,
    start: writeTime(zone, best.from),
    end: writeTime(zone, best.to),
    timezone: zone.name,
    ...(place === undefined ? {} : { location: place }),
    ...Object.fromEntries(['dietary', 'cuisine_preference'].filter((name) => name in received).map((name) => [name, received[name]])),
  };
  return {
    kind: 'propose',
    content: {
      proposal: {
        summary: `${summaryIn(view, best, asked)}${place === undefined ? '' : `, ${place}`}`.slice(0, 500),
        details,
        alternatives: alternatives.map(({ window, reason }) => ({ summary: summaryIn(view, window), reason })),
        reasoning,
      },
      actions_on_confirm: actionsFor(view),
      confirmation_timeout: view.intent.urgency === 'urgent' ? 'PT2H' : 'PT24H',
      on_timeout: 'remind_then_expire',
    },
  };
}

/** Where to look, and both people's conditions. */
export function meetingSearch(view: BrainView, event: string): MeetingSearch {
  const { now, zone, received, visible, unavailable, intent } = view;
  const read = readWishes(view, event);
  // The days of the request, as its author counts them; with a time, they are those of the moment.
  const isMoment = read[2]!.times.length > 0 && read[2]!.dates.length > 0;
  const stated = isMoment ? [read[2]!.dates] : [dates(visible['proposed_date']), dates(received['proposed_date'])];
  const minutes = read.map((words) => words.minutes).find((one) => one !== undefined);
  const usual = minutes ?? formatsFor(event)[0]?.minutes ?? 60;
  const kept = keptTime(view, usual);
  const said = [...read.slice(0, 2).map((words) => words.dates), ...stated, read[2]!.dates].find((one) => one.length > 0);
  const after = afterSibling(view, said, usual);
  const wished = kept ? [kept.date] : (said ?? (after ? [after.date] : undefined));
  const named = read
    .map((words) => words.times)
    .find((one) => one.length > 0)
    ?.map((range) => roomFor(range, minutes));
  const times = kept ? [kept.time] : (named ?? (after ? [after.time] : undefined));
  const lead = intent.urgency === 'urgent' ? hour / 2 : 2 * hour;
  const endAfter = (wishes: readonly string[]): number =>
    Math.min(Math.max(now, ...wishes.map((date) => dayFrom(date) * day)), now + mostWishedDays * day) + usualDays * day;
  // Their peer told its free time for the days that the first packet names.
  const told = endAfter([...stated.flat(), ...read[2]!.dates]);
  const span: TimeWindow = { from: now + lead, to: Math.max(told, endAfter(wished ?? []), now + view.searchDays * day) };
  const formats = formatsIn(view, read.slice(0, 2).find((words) => words.event)?.event ?? event, minutes);
  const own: MeetingParticipant = {
    id: 'own',
    offsets: zone.offsets,
    busy: [...between(view.free(span), span), ...siblingWindows(view)],
    travel: view.travel(span),
    hours: allDay,
    ...(wished ? { dates: wished } : {}),
    ...(times ? { times } : {}),
    ...preferred(visible['format_preference'], formats),
    flexibility: flexibilityOf(visible['flexibility'] ?? received['flexibility']),
  };
  const given = 'time_windows' in received && !unavailable.includes('time_windows');
  const peer: MeetingParticipant = {
    id: 'peer',
    offsets: zone.offsets,
    // Who does not say when they are free gets a broad proposal: any usual hour (A2C-16).
    ...(given ? { busy: between(theirWindows(view, { from: told, to: span.to }), span), hours: allDay } : { busy: [] }),
    ...preferred(received['format_preference'], formats),
    flexibility: { format: flexibilityOf(received['flexibility']).format },
  };
  const madeUp: MeetingSearch['madeUp'] = kept ? [] : [...(said ? [] : ['date' as const]), ...(named ? [] : ['time' as const])];
  return { span, participants: [own, peer], formats, madeUp };
}

/** A wish for another place alone leaves the time as it was proposed. */
function keptTime({ peerWish, ownWish, lastStart, zone }: BrainView, minutes: number): { date: string; time: DayRange } | undefined {
  if (lastStart === null || !isPlaceOnly(peerWish ?? ownWish ?? '')) return undefined;
  const from = minuteOf(zone, lastStart);
  return { date: dateOf(dayOf(zone, lastStart)), time: { from, to: from + minutes } };
}

/** `at 19:00 for 3h` is from 19:00 to 22:00. */
const roomFor = ({ from, to }: DayRange, minutes = 0): DayRange => ({ from, to: to > from ? Math.max(to, from + minutes) : to });

/** Somebody who picks a time may be busy then: that they chose it is all that is known. */
function whyThen(view: BrainView, window: TimeWindow, free = 'Both are free'): string {
  const chooser = [
    { words: view.ownWish, address: view.own },
    { words: view.peerWish, address: view.peer },
  ].find(({ words }) => isPicked(view, words ?? '', window));
  if (chooser) return `${title(addressParts(chooser.address).name)} chose this time`;
  return areBothFree(view, window) ? free : 'It suits the free time that is known';
}

const isPicked = ({ now, zone }: BrainView, words: string, { from, to }: TimeWindow): boolean =>
  readWindows(pickedWindows(words, now, zone), [], zone).some((window) => window.from <= from && to <= window.to);

const areBothFree = (view: BrainView, { from, to }: TimeWindow): boolean =>
  view.isOwnTimeKnown && toldWindows(view).some((window) => window.from <= from && to <= window.to);

const toldWindows = ({ received, zone, peerWish, now }: BrainView): TimeWindow[] => [
  ...readWindows(received['time_windows'], dates(received['proposed_date']), zone),
  // A time that they suggest themselves suits them.
  ...spokenWindows(peerWish ?? '', now, zone),
];

/** As they told them. Of later days, where a person wants to look further, nothing is known: any usual hour. */
const theirWindows = (view: BrainView, later: TimeWindow): TimeWindow[] => [
  ...toldWindows(view),
  ...(later.to > later.from ? freeWindows([], later, view.zone) : []),
];

/** Somebody who prefers calls gets one as a choice, also instead of a dinner. */
function formatsIn(view: BrainView, event: string, minutes: number | undefined): MeetingFormat[] {
  const wants = [view.visible['format_preference'], view.received['format_preference']].flatMap(textsOf);
  const usual = formatsBeside(view, formatsFor(event, minutes));
  return wants.includes('call') && !usual.some(({ name }) => name === 'call') ? [...usual, ...formatsFor('call', minutes)] : usual;
}

/** `call`, `in_person`, or names of formats. */
export function preferred(value: unknown, formats: readonly MeetingFormat[]): Pick<MeetingParticipant, 'formats'> {
  const wants = textsOf(value);
  const names = formats
    .filter(({ name, inPerson }) => wants.includes(name) || (inPerson && wants.includes('in_person')))
    .map(({ name }) => name);
  return names.length > 0 ? { formats: names } : {};
}

export function flexibilityOf(value: unknown): NonNullable<MeetingParticipant['flexibility']> {
  const words = ['not_flexible', 'somewhat_flexible', 'flexible'] as const;
  const given = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  return Object.fromEntries((['date', 'time', 'format'] as const).map((kind) => [kind, words.find((word) => word === given[kind])]));
}

function reasonsFor(view: BrainView, best: MeetingWindow, asked: string): string {
  const { zone, unavailable } = view;
  const missed = best.reasons.filter(({ isKept }) => !isKept).map(({ wish }) => `the wished ${wish} was not possible`);
  const instead = best.format === asked ? [] : [`no ${asked} suits both`];
  // Their peer may have had no value, or asked nobody: that nobody shared it would be a guess.
  const without = unavailable.length > 0 ? [`arranged without ${unavailable.join(', ')}`] : [];
  return [`${whyThen(view, best)} on ${wordsFor(zone, best)}`, ...siblingReason(view, best), ...instead, ...missed, ...without]
    .join('; ')
    .slice(0, 2000);
}

/** Every day, time and format was tried: people decide. */
function conflictOf(view: BrainView, { relaxations }: Pick<MeetingOptions, 'relaxations'>): BrainMove {
  const { visible, received, answers } = view;
  const reason = 'No time suits both, also on other days, at other times and in other formats';
  const alternatives = relaxations.slice(0, mostAlternatives).map(({ best, constraints }) => ({
    option: summaryIn(view, best),
    rationale: `Possible if this gives way: ${constraints.map(({ who, kind }) => `${who === 'own' ? 'sender' : 'recipient'}’s ${kind}`).join(' and ')}`,
  }));
  return {
    kind: 'send',
    type: 'context',
    content: {
      ...answers,
      context: {
        conflict: {
          type: 'no_overlap',
          field: 'time_windows',
          agent_a_values: textsOf(visible['time_windows']).slice(0, mostConflictValues),
          agent_b_values: textsOf(received['time_windows']).slice(0, mostConflictValues),
          attempted_resolution: reason,
        },
        proposed_alternatives: alternatives,
      },
      escalation: { recommend: 'surface_to_users', reason, suggested_prompt: 'No time suits both. Try other days, or leave it?' },
    },
  };
}
