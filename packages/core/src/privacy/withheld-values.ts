// The second line of consent (SYS-6): whether a text that is about to leave says a value that its receiver may not have. The first is
// that its writer never got the value, so a find here is an alarm.

import { scan } from './private-value-scan.ts';

export interface WithheldValue {
  field: string;
  value: unknown;
}

/** `open`: what the receiver has or may have. A value that stands there too is no secret from them. */
export function withheldIn(content: unknown, withheld: readonly WithheldValue[], open: unknown): string[] {
  const isSaid = scan(textOf(content), ...textsIn(content).filter(isSentence));
  let scanned: ((value: string) => boolean) | undefined;
  const isOpen = (value: string): boolean => (scanned ??= scan(textOf(open)))(value);
  return [...new Set(withheld.filter(({ value }) => textsIn(value).some((one) => isSaid(one) && !isOpen(one))).map(({ field }) => field))];
}

/** Some disguises show only where no other words stand around them. A window of free time is no text. */
const isSentence = (text: string): boolean => text.length >= 16 && !/^20\d\d-\d\d-\d\dT[\d:+Z-]+\/20\d\d-\d\d-\d\dT[\d:+Z-]+$/.test(text);

/** Values first and names after them, so that neither takes the other apart. */
const textOf = (content: unknown): string => [...textsIn(content), ...namesIn(content)].join('\n');

const namesIn = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? [...(Array.isArray(value) ? [] : Object.keys(value)), ...Object.values(value).flatMap(namesIn)]
    : [];

/** Each text and number of it, however deep. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
