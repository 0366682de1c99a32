// Fields and values of a negotiation, for reading. The values come from another person's peer: text, whatever it looks like.

import type { ProposalCard } from '@parley/protocol';

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
  transport_mode: 'How you get there',
};

/** A sentence of the platform with the fields' names as people say them. */
export const withFieldLabels = (sentence: string): string =>
  sentence.replaceAll(/(?<![\w@:/.-])[a-z]+(?:_[a-z]+)+(?![\w@:/])/g, (field) => {
    const label = fieldLabel(field);
    return `${label.charAt(0).toLowerCase()}${label.slice(1)}`;
  });

export function fieldLabel(field: string): string {
  const key = field.toLowerCase();
  if (Object.hasOwn(labels, key)) return labels[key]!;
  const words = field.replaceAll(/[-_. ]+/g, ' ').trim();
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

type FieldValue = FreeFields[string];

const mostEntries = 3;
const deepest = 4;

/** `zone` and `locale`: the reader's. */
export function valueText(value: FieldValue, zone?: string, locale?: string, depth = 0): string {
  if (value === null) return 'Nothing';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return timeText(value, zone, locale) ?? value;
  if (depth === deepest) return '…';
  const below = (one: FieldValue): string => valueText(one, zone, locale, depth + 1);
  const entries = Array.isArray(value)
    ? value.map((one) => () => below(one))
    : Object.entries(value).map(
        ([name, one]) =>
          () =>
            `${fieldLabel(name)}: ${below(one)}`,
      );
  if (entries.length === 0) return 'Nothing';
  // A few more are named rather than counted.
  const shown = entries.length > 2 * mostEntries ? entries.slice(0, mostEntries) : entries;
  const rest = entries.length - shown.length;
  const texts = shown.map((write) => write());
  const between = Array.isArray(value) && !texts.some((text) => text.includes(',')) ? ', ' : '; ';
  return `${texts.join(between)}${rest > 0 ? ` and ${rest} more` : ''}`;
}

const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/;
const date = /^\d{4}-\d\d-\d\d$/;

/** A date, a moment or an interval; undefined for any other text. */
function timeText(text: string, zone: string | undefined, locale: string | undefined): string | undefined {
  if (date.test(text) && !Number.isNaN(Date.parse(text))) return writer(locale, 'UTC').day(Date.parse(text));
  const [from, to, ...others] = text.split('/');
  const [start, end] = [momentIn(from), momentIn(to)];
  if (start === undefined || others.length > 0 || (to !== undefined && end === undefined)) return undefined;
  return spanText(start, end, zone, locale);
}

const momentIn = (text: unknown): number | undefined => {
  const at = typeof text === 'string' && moment.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
};

function writer(locale: string | undefined, timeZone: string | undefined) {
  const zone = timeZone === undefined ? {} : { timeZone };
  const days = new Intl.DateTimeFormat(locale, { weekday: 'short', day: 'numeric', month: 'short', ...zone });
  const times = new Intl.DateTimeFormat(locale, { timeStyle: 'short', ...zone });
  return { day: (at: number): string => days.format(at), time: (at: number): string => times.format(at) };
}

function spanText(from: number, to: number | undefined, zone: string | undefined, locale: string | undefined): string {
  const { day, time } = writer(locale, zone);
  const start = `${day(from)}, ${time(from)}`;
  if (to === undefined) return start;
  return day(from) === day(to) ? `${start}–${time(to)}` : `${start} – ${day(to)}, ${time(to)}`;
}

const ownZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

function isZone(name: unknown): name is string {
  try {
    return typeof name === 'string' && new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== '';
  } catch {
    return false;
  }
}

/** The details of a proposal as names and values: when and where first, in the reader's own time. */
export function proposalParts(details: FreeFields, zone = ownZone(), locale?: string): [name: string, text: string][] {
  const { start, end, timezone, location, ...others } = details;
  const [from, to] = [momentIn(start), momentIn(end)];
  const parts: [string, string][] = [];
  const rest: FreeFields = { ...others };
  if (from === undefined) Object.assign(rest, start === undefined ? {} : { start }, end === undefined ? {} : { end });
  else parts.push(['When', `${spanText(from, to, zone, locale)} (${zone})`]);
  if (from !== undefined && isZone(timezone)) {
    const there = spanText(from, to, timezone, locale);
    if (there !== spanText(from, to, zone, locale)) parts.push(['There', `${there} (${timezone})`]);
  } else if (timezone !== undefined) rest['timezone'] = timezone;
  if (location !== undefined) parts.push(['Where', valueText(location, zone, locale)]);
  return [...parts, ...Object.entries(rest).map(([name, value]): [string, string] => [fieldLabel(name), valueText(value, zone, locale)])];
}
