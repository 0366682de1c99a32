// Fields and values of a negotiation, for reading. The values come from another person's peer: text, whatever it looks like.

import { dayWords, momentWords, readMoment, spanWords, windowRows, windowsWords } from '@parley/core';
import type { ProposalCard } from '@parley/protocol';
import { ownZone } from './moments.ts';

type FreeFields = ProposalCard['details'];

const labels: Readonly<Record<string, string>> = {
  budget_range: 'Budget range',
  cuisine_preference: 'Preferred cuisine',
  dietary: 'Dietary preferences',
  event_type: 'What',
  general_availability: 'Calendar availability',
  general_location_area: 'General area (city)',
  health_info: 'Health',
  location: 'Where',
  location_preference: 'Preferred area',
  outcome_audience: 'Outcome posted in',
  other_peoples_information: 'Other people’s information',
  party_size: 'Number of people',
  specific_location: 'Specific location',
  time_windows: 'Calendar availability',
  timezone: 'Time zone',
  transport_mode: 'Means of transport',
};

/** A sentence of the platform with the fields' names as people say them. */
export const withFieldLabels = (sentence: string): string =>
  sentence.replaceAll(/(?<![\w@:/.-])[a-z]+(?:_[a-z]+)+(?![\w@:/])/g, (field) => {
    const label = fieldLabel(field);
    return `${label.charAt(0).toLowerCase()}${label.slice(1)}`;
  });

/** The field that people see under this label; undefined: they mean one of their own. */
export const fieldLabelled = (typed: string): string | undefined =>
  Object.keys(labels).findLast((field) => labels[field]!.toLowerCase() === typed.trim().toLowerCase());

/** Labels of fields that a person may want to set. */
export const settableLabels = ['dietary', 'cuisine_preference', 'location_preference', 'transport_mode', 'budget_range', 'timezone'].map(
  (field) => labels[field]!,
);

export function fieldLabel(field: string): string {
  const key = field.toLowerCase();
  if (Object.hasOwn(labels, key)) return labels[key]!;
  const words = field.replaceAll(/[-_. ]+/g, ' ').trim();
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

type FieldValue = FreeFields[string];

/** No window in a calendar is an answer of its own. */
export const fieldText = (field: string, value: FieldValue): string =>
  Array.isArray(value) && value.length === 0 && ['time_windows', 'general_availability'].includes(field.toLowerCase())
    ? 'No free time in these days'
    : valueText(value);

const mostEntries = 3;
const deepest = 4;

/** All of a value, a row for each entry: people read it before they share it. */
export function fieldRows(field: string, value: FieldValue, zone = ownZone()): string[] {
  if (Array.isArray(value) && value.length > 0) return windowRows(value, zone) ?? value.map((one) => textOf(one, zone, true));
  return [Array.isArray(value) ? fieldText(field, value) : textOf(value, zone, true)];
}

/** `zone`: the reader's. */
export const valueText = (value: FieldValue, zone = ownZone()): string => textOf(value, zone, false);

/** `isWhole`: nothing is left out; deep values stand as they go out. */
function textOf(value: FieldValue, zone: string, isWhole: boolean, depth = 0): string {
  if (value === null) return 'Nothing';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return timeText(value, zone) ?? value;
  if (depth === deepest) return isWhole ? JSON.stringify(value) : '…';
  const windows = !Array.isArray(value) ? undefined : isWhole ? windowRows(value, zone)?.join('; ') : windowsWords(value, zone);
  if (windows !== undefined) return windows;
  const below = (one: FieldValue): string => textOf(one, zone, isWhole, depth + 1);
  const entries = Array.isArray(value)
    ? value.map((one) => () => below(one))
    : Object.entries(value).map(
        ([name, one]) =>
          () =>
            `${fieldLabel(name)}: ${below(one)}`,
      );
  if (entries.length === 0) return 'Nothing';
  // A few more are named rather than counted.
  const shown = !isWhole && entries.length > 2 * mostEntries ? entries.slice(0, mostEntries) : entries;
  const rest = entries.length - shown.length;
  const texts = shown.map((write) => write());
  const between = Array.isArray(value) && !texts.some((text) => text.includes(',')) ? ', ' : '; ';
  return `${texts.join(between)}${rest > 0 ? ` and ${rest} more` : ''}`;
}

const date = /^\d{4}-\d\d-\d\d$/;

/** A date, a moment or an interval; undefined for any other text. */
function timeText(text: string, zone: string): string | undefined {
  if (date.test(text) && !Number.isNaN(Date.parse(text))) return dayWords(Date.parse(text), 'UTC');
  const at = readMoment(text);
  return at === undefined ? windowsWords([text], zone) : momentWords(at, zone);
}

function isZone(name: unknown): name is string {
  try {
    return typeof name === 'string' && new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== '';
  } catch {
    return false;
  }
}

/** The details of a proposal as names and values: when and where first, in the reader's own time. */
export function proposalParts(details: FreeFields, zone = ownZone()): [name: string, text: string][] {
  const { start, end, timezone, location, ...others } = details;
  const [from, to] = [readMoment(start), readMoment(end)];
  const span = (place: string): string => (to === undefined || to <= from! ? momentWords(from!, place) : spanWords(from!, to, place));
  const parts: [string, string][] = [];
  const rest: FreeFields = { ...others };
  if (from === undefined) Object.assign(rest, start === undefined ? {} : { start }, end === undefined ? {} : { end });
  else parts.push(['When', `${span(zone)} (${zone})`]);
  if (from !== undefined && isZone(timezone)) {
    if (span(timezone) !== span(zone)) parts.push(['There', `${span(timezone)} (${timezone})`]);
  } else if (timezone !== undefined) rest['timezone'] = timezone;
  if (location !== undefined) parts.push(['Where', valueText(location, zone)]);
  return [...parts, ...Object.entries(rest).map(([name, value]): [string, string] => [fieldLabel(name), valueText(value, zone)])];
}

/** Without what the headline says already. */
export const partsBeside = (headline: string, parts: readonly (readonly [name: string, text: string])[]) =>
  parts.filter(([name, text]) => {
    const told = name === 'When' ? text.replace(/ \([^()]*\)$/, '') : text;
    return !(['When', 'What', 'Where'].includes(name) && headline.toLowerCase().includes(told.toLowerCase()));
  });
