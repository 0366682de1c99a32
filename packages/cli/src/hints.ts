// The command that runs this program, for hints: `parley` if it is on the PATH by itself, else `npx parley`.

import { basename } from 'node:path';

/** `started` is the path the program was started by, `home` where it lies. */
export function commandName(env: Record<string, string | undefined>, started: string, home: string): string {
  const local = env['npm_command'] !== undefined || /[\\/]node_modules[\\/]\.bin[\\/]/.test(started);
  const onPath = basename(started) === 'parley' || /[\\/]node_modules[\\/]/.test(home);
  return !local && onPath ? 'parley' : 'npx parley';
}

export const me = commandName(process.env, process.argv[1] ?? '', import.meta.dirname);

/** "Did you mean …?" for a name that was mistyped; undefined when nothing is near. */
export function didYouMean(typed: string, known: readonly string[], sign = ''): string | undefined {
  const near = known
    .map((name) => ({ name, distance: distance(typed.toLowerCase(), name.toLowerCase()) }))
    .filter((one) => one.distance <= Math.max(1, Math.floor(typed.length / 3)))
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map((one) => `${sign}${one.name}`);
  return near.length === 0 ? undefined : `Did you mean ${near.join(' or ')}?`;
}

/** The number of letters to insert, remove, change or swap with their neighbour. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + change);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, before[j - 2]! + 1);
      next.push(least);
    }
    before = row;
    row = next;
  }
  return row[b.length]!;
}
