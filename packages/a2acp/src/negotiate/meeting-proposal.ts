// A proposal for a meeting: the best common window, with alternatives and reasons; or the conflict, where there is none (A2C-18, A2C-26).

import { findMeetingWindows, type MeetingOptions, type MeetingParticipant, type MeetingWindow } from '@parley/core';
import { actionsFor } from './proposed-actions.ts';
import type { BrainMove, BrainView } from './brain.ts';
import { formatsFor, readIntentWords } from './intent-words.ts';
import { day, dayFrom, hour, type TimeWindow, wordsFor, writeTime } from './local-time.ts';
import { between, readWindows } from './windows.ts';

const searchedDays = 14;
const mostAlternatives = 3;
const allDay = Array.from({ length: 7 }, () => [{ from: 0, to: 24 * 60 }]);
const title = (word: string): string => `${word[0]!.toUpperCase()}${word.slice(1)}`;

const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === 'string').slice(0, 14);
const dates = (value: unknown): string[] =>
  textsOf(value).filter((text) => /^\d{4}-\d\d-\d\d$/.test(text) && Number.isFinite(dayFrom(text)));

export function proposeMeeting(view: BrainView, event: string): BrainMove {
  const options = search(view, event);
  const windows = options.windows.filter(({ from, to }) => !view.rejected.some((start) => from <= start && start < to));
  const [best, ...others] = windows;
  if (!best) return conflictOf(view, options);
  const { zone, received, visible } = view;
  const place = [visible['location_preference'], received['location_preference']].flatMap(textsOf)[0];
  const summary = (window: MeetingWindow): string => `${title(window.format)}, ${wordsFor(zone, window)}`;
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
        summary: `${summary(best)}${place === undefined ? '' : `, ${place}`}`.slice(0, 500),
        details,
        alternatives: others.slice(0, mostAlternatives).map((window) => ({
          summary: summary(window),
          reason: window.format === best.format ? 'Both are free then too' : `${title(window.format)} instead of ${best.format}`,
        })),
        reasoning: reasonsFor(view, best, event),
      },
      actions_on_confirm: actionsFor(view),
      confirmation_timeout: view.intent.urgency === 'urgent' ? 'PT2H' : 'PT24H',
      on_timeout: 'remind_then_expire',
    },
  };
}

function search(view: BrainView, event: string): MeetingOptions {
  const { now, zone, received, visible, unavailable, intent, peerWish } = view;
  const wish = readIntentWords(peerWish ?? '', now, zone);
  const asked = readIntentWords(intent.summary, now, zone);
  const wished = [wish.dates, dates(visible['proposed_date']), dates(received['proposed_date']), asked.dates].find((one) => one.length > 0);
  const times = [wish.times, asked.times].find((one) => one.length > 0);
  const lead = intent.urgency === 'urgent' ? hour / 2 : 2 * hour;
  const lastWish = Math.max(now, ...(wished ?? []).map((date) => dayFrom(date) * day));
  const span: TimeWindow = { from: now + lead, to: Math.min(lastWish, now + 60 * day) + searchedDays * day };
  const flexibility = flexibilityOf(visible['flexibility'] ?? received['flexibility']);
  const given = 'time_windows' in received && !unavailable.includes('time_windows');
  const theirs = given ? readWindows(received['time_windows'], dates(received['proposed_date']), zone) : undefined;
  const own: MeetingParticipant = {
    id: 'own',
    offsets: zone.offsets,
    busy: between(view.free(span), span),
    hours: allDay,
    ...(wished ? { dates: wished } : {}),
    ...(times ? { times } : {}),
    flexibility,
  };
  // Who does not say when they are free gets a broad proposal: any usual hour (A2C-16).
  const peer: MeetingParticipant = theirs
    ? { id: 'peer', offsets: zone.offsets, busy: between(theirs, span), hours: allDay }
    : { id: 'peer', offsets: zone.offsets, busy: [] };
  return findMeetingWindows({ ...span, participants: [own, peer], formats: formatsFor(event) });
}

function flexibilityOf(value: unknown): NonNullable<MeetingParticipant['flexibility']> {
  const words = ['not_flexible', 'somewhat_flexible', 'flexible'] as const;
  const given = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  return Object.fromEntries((['date', 'time', 'format'] as const).map((kind) => [kind, words.find((word) => word === given[kind])]));
}

function reasonsFor({ zone, received, unavailable }: BrainView, best: MeetingWindow, event: string): string {
  const free = 'time_windows' in received ? 'Both are free' : 'It suits the free time that is known';
  const missed = best.reasons.filter(({ isKept }) => !isKept).map(({ wish }) => `the wished ${wish} was not possible`);
  const instead = best.format === event ? [] : [`no ${event} suits both`];
  const without = unavailable.length > 0 ? [`not known: ${unavailable.join(', ')}`] : [];
  return [`${free} on ${wordsFor(zone, best)}`, ...instead, ...missed, ...without].join('; ').slice(0, 2000);
}

/** Every day, time and format was tried: people decide. */
function conflictOf(view: BrainView, { relaxations }: MeetingOptions): BrainMove {
  if (view.sent.includes('conflict')) return { kind: 'wait' };
  const reason = 'No time suits both, also on other days, at other times and in other formats';
  const alternatives = relaxations.slice(0, mostAlternatives).map(({ best, constraints }) => ({
    option: `${title(best.format)}, ${wordsFor(view.zone, best)}`,
    rationale: `Possible if this gives way: ${constraints.map(({ who, kind }) => `${who === 'own' ? 'sender' : 'recipient'}’s ${kind}`).join(' and ')}`,
  }));
  return {
    kind: 'send',
    type: 'context',
    content: {
      ...view.answers,
      context: {
        conflict: { type: 'no_overlap', field: 'time_windows', attempted_resolution: reason },
        proposed_alternatives: alternatives,
      },
      escalation: { recommend: 'surface_to_users', reason, suggested_prompt: 'No time suits both. Choose another day, or make room?' },
    },
  };
}
