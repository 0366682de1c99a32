// From the text of an iCalendar file to its components, with the line of every property. Values are not read yet: most events of a file are
// outside of the time that somebody asks about.

import ICAL from 'ical.js';
import { notACalendar, problemIn, quote, reasonOf, tooLarge } from './problems.ts';

const megabyte = 1024 * 1024;
export const calendarLimits = {
  /** UTF-16 units of a file. */
  fileLength: 10 * megabyte,
  /** One unfolded line that is read; others are skipped at any length. */
  lineLength: 128 * 1024,
  nesting: 8,
  components: 100_000,
} as const;

export interface ContentLine {
  /** Counted from 1, before unfolding. */
  line: number;
  text: string;
}

export interface CalendarComponent {
  /** In capitals, such as VEVENT. */
  name: string;
  line: number;
  properties: Map<string, ContentLine[]>;
  components: CalendarComponent[];
}

const readProperties = new Set(
  'DTSTART DTEND DURATION RRULE RDATE EXDATE RECURRENCE-ID UID SUMMARY LOCATION STATUS TRANSP FREEBUSY TZID TZOFFSETFROM TZOFFSETTO'.split(
    ' ',
  ),
);

/** Unfolds and nests the lines. Properties that nobody reads are dropped at once. */
export function readComponents(text: string): CalendarComponent[] {
  if (text.length > calendarLimits.fileLength)
    throw tooLarge(`The file has ${text.length} characters; at most ${calendarLimits.fileLength} are read. Export a shorter time.`);
  const root: CalendarComponent = { name: '', line: 0, properties: new Map(), components: [] };
  const open = [root];
  let count = 0;
  for (const { line, text: content } of unfolded(text)) {
    const name = /^[\w-]+(?=[:;])/.exec(content)?.[0].toUpperCase();
    if (name === undefined) throw notACalendar(`This is no calendar file: line ${line} has no property name: ${quote(content)}.`, line);
    const inside = open.at(-1)!;
    if (name === 'BEGIN') {
      if (open.length > calendarLimits.nesting)
        throw notACalendar(`Line ${line} nests components more than ${calendarLimits.nesting} deep.`, line);
      if (++count > calendarLimits.components)
        throw tooLarge(
          `Line ${line} begins component ${count}; at most ${calendarLimits.components} are read. Export a shorter time.`,
          line,
        );
      const component = { name: content.slice(6).trim().toUpperCase(), line, properties: new Map<string, ContentLine[]>(), components: [] };
      inside.components.push(component);
      open.push(component);
    } else if (name === 'END') {
      const ended = content.slice(4).trim().toUpperCase();
      if (ended !== inside.name) throw notACalendar(`Line ${line} ends ${quote(ended)}, but ${inside.name || 'nothing'} is open.`, line);
      open.pop();
    } else if (inside === root) {
      throw notACalendar(`Line ${line} is outside of a calendar: ${quote(content)}.`, line);
    } else if (readProperties.has(name)) {
      const lines = inside.properties.get(name);
      if (lines) lines.push({ line, text: content });
      else inside.properties.set(name, [{ line, text: content }]);
    }
  }
  const unended = open.at(-1)!;
  if (unended !== root)
    throw notACalendar(`${unended.name} begins in line ${unended.line} and does not end. The file may be cut off.`, unended.line);
  const stranger = root.components.find(({ name }) => name !== 'VCALENDAR');
  if (stranger || root.components.length === 0)
    throw notACalendar(`The file begins with ${stranger?.name ?? 'nothing'}, not with VCALENDAR.`, stranger?.line ?? 0);
  return root.components;
}

function* unfolded(text: string): Generator<ContentLine> {
  let current: { line: number; parts: string[] } | undefined;
  let line = 0;
  for (let at = text.startsWith('\uFEFF') ? 1 : 0; at < text.length;) {
    const end = text.indexOf('\n', at);
    const raw = text.slice(at, end === -1 ? text.length : end).replace(/\r$/, '');
    at = end === -1 ? text.length : end + 1;
    line++;
    if (current && /^[ \t]/.test(raw)) current.parts.push(raw.slice(1));
    else if (raw.trim() !== '') {
      if (current) yield { line: current.line, text: current.parts.join('') };
      current = { line, parts: [raw] };
    }
  }
  if (current) yield { line: current.line, text: current.parts.join('') };
}

export interface CalendarProperty extends ContentLine {
  field: string;
  parameters: Readonly<Record<string, string | string[]>>;
  /** As jCal (RFC 7265) writes it: date-times as 2026-11-17T09:00:00, rules as objects. */
  values: unknown[];
}

export function readProperty({ line, text }: ContentLine): CalendarProperty {
  const field = /^[\w-]+/.exec(text)![0].toUpperCase();
  if (text.length > calendarLimits.lineLength) throw problemIn({ line, field }, `is longer than ${calendarLimits.lineLength} characters.`);
  try {
    const [, parameters, , ...values] = ICAL.parse.property(text) as [string, CalendarProperty['parameters'], string, ...unknown[]];
    return { line, text, field, parameters, values };
  } catch (error) {
    throw problemIn({ line, field }, `cannot be read: ${reasonOf(error)}.`);
  }
}

/** All properties of a name, then the first of them. */
export const propertiesOf = (component: CalendarComponent, name: string): CalendarProperty[] =>
  (component.properties.get(name) ?? []).map(readProperty);

export function propertyOf(component: CalendarComponent, name: string): CalendarProperty | undefined {
  const first = component.properties.get(name)?.[0];
  return first && readProperty(first);
}

export function textOf(component: CalendarComponent, name: string): string | undefined {
  const value = propertyOf(component, name)?.values[0];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
