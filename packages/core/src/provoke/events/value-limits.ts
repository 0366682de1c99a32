// The limits of values from outside, wherever they are: a value so deep that walking it runs out of stack, a name that
// changes what objects are when copied, or a number that JSON cannot hold and that would be stored as something else.

import type { Problem } from '@parley/protocol';

export const maxNesting = 64;
export const tooDeep = `must not be nested more than ${maxNesting} levels deep`;
const most = 20;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Walks without recursion: the depth it looks for must not be its own end. */
export function shapeProblems(value: unknown, at = ''): Problem[] {
  const problems: Problem[] = [];
  const open: { value: unknown; at: string; depth: number }[] = [{ value, at, depth: 0 }];
  for (let one = open.pop(); one !== undefined && problems.length < most; one = open.pop()) {
    if (typeof one.value === 'number' && !Number.isFinite(one.value))
      problems.push({ field: one.at || '(body)', message: 'must be a number that JSON can hold' });
    if (typeof one.value !== 'object' || one.value === null) continue;
    if (one.depth >= maxNesting) {
      problems.push({ field: one.at || '(body)', message: tooDeep });
      continue;
    }
    // Backwards, because the last one in is the first one out: problems come in the order of the text.
    const entries: [string, unknown][] = Object.entries(one.value);
    for (let i = entries.length - 1; i >= 0; i--) {
      const [key, inner] = entries[i]!;
      const field = one.at === '' ? key : `${one.at}.${key}`;
      if (key === '__proto__') problems.push({ field, message: 'must not be used as a name' });
      else open.push({ value: inner, at: field, depth: one.depth + 1 });
    }
  }
  return problems;
}

/** Whether all of it was seen, and nobody who walks it after this runs out of stack. */
export const isWalkable = (problems: readonly Problem[]): boolean =>
  problems.length < most && problems.every(({ message }) => message !== tooDeep);

/** The further problems: a place that has a problem, or lies in one that has, gets no second one. */
export function otherProblems(reported: readonly Problem[], further: readonly Problem[]): Problem[] {
  const fields = new Set(reported.map(({ field }) => field));
  const isTold = (field: string): boolean => field.split('.').some((_, i, parts) => fields.has(parts.slice(0, i + 1).join('.')));
  return fields.has('(body)') ? [] : further.filter(({ field }) => !isTold(field));
}
