import { z } from 'zod';

/** A text on one line: what reorders or hides other text is no part of it. */
export const oneLine = (most: number) => withinLine(z.string().trim(), most);

/** As `oneLine`, with its spaces: they may be part of a password. */
export const exactLine = (most: number) => withinLine(z.string(), most);

const withinLine = (text: z.ZodString, most: number) =>
  text
    .max(most, `must be at most ${most} characters`)
    .regex(/^[^\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]*$/u, 'must be one line without control characters');

/** Joiners stay: scripts and emoji need them. */
const unprintable = /(?:(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}])+/gu;

/**
 * A text of somebody else on its way out: to a terminal, a page, a log, a file name or a calendar. It can neither end a line nor reorder
 * or hide other text, and every program can read the file that holds it.
 */
export const toOneLine = (text: string): string => text.replaceAll(unprintable, ' ');

/** The same for a text that may have several lines. */
export const toLines = (text: string): string => text.split(/\r?\n/).map(toOneLine).join('\n');

/** The same for every text in a JSON value, also for the names of its members. */
export function toPlainTexts<T>(value: T): T {
  if (typeof value === 'string') return toLines(value) as T;
  if (Array.isArray(value)) return value.map((one: unknown) => toPlainTexts(one)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [toOneLine(name), toPlainTexts(one as unknown)])) as T;
}
