// What no value from outside may be, wherever it stands: so deep that whoever walks it runs out of stack, named so that
// copying it changes what objects are, or a number that JSON cannot hold and that would be stored as something else.

import type { Problem } from '@parley/protocol';

export const deepest = 64;
const most = 20;

/** Walks without recursion: the depth it looks for must not be its own end. */
export function shapeProblems(value: unknown, at = ''): Problem[] {
  const problems: Problem[] = [];
  const open: { value: unknown; at: string; depth: number }[] = [{ value, at, depth: 0 }];
  for (let one = open.pop(); one !== undefined && problems.length < most; one = open.pop()) {
    if (typeof one.value === 'number' && !Number.isFinite(one.value))
      problems.push({ field: one.at || '(body)', message: 'must be a number that JSON can hold' });
    if (typeof one.value !== 'object' || one.value === null) continue;
    if (one.depth >= deepest) {
      problems.push({ field: one.at || '(body)', message: `must not be nested more than ${deepest} levels deep` });
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
