import { z } from 'zod';

/** A text on one line, without characters that reorder or hide other text. */
export const oneLine = (most: number) => withinLine(z.string().trim(), most);

/** Like `oneLine`, but with the spaces at its ends: they may be part of a password. */
export const exactLine = (most: number) => withinLine(z.string(), most);

const withinLine = (text: z.ZodString, most: number) =>
  text
    .max(most, `must be at most ${most} characters`)
    .regex(/^[^\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]*$/u, 'must be one line without control characters');

/** A text on one line that is not empty, without any invisible character. */
export const printableLine = (most: number) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(most, `must be at most ${most} characters`)
    .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, 'must not hold control characters');

/** Joiners stay, because scripts and emoji need them. */
const unprintable = /(?:(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}])+/gu;

/**
 * Cleans a text of somebody else for a terminal, a page, a log, a file name or a calendar. The result can neither end a line nor reorder
 * or hide other text, and every program can read the file that holds it.
 */
export const toOneLine = (text: string): string => text.replaceAll(unprintable, ' ');

/** Like `toOneLine`, for a text that may have several lines. */
export const toLines = (text: string): string => text.split(/\r?\n/).map(toOneLine).join('\n');

/** Like `toLines`, for every text in a JSON value and the names of its members. */
export function toPlainTexts<T>(value: T): T {
  if (typeof value === 'string') return toLines(value) as T;
  if (Array.isArray(value)) return value.map((one: unknown) => toPlainTexts(one)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [toOneLine(name), toPlainTexts(one as unknown)])) as T;
}
