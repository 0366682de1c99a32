// Ranges that overlap little, cut at all their ends: between two ends it is always the same few that hold, and finding
// the piece is one search in a plain list of numbers. Where much overlaps the pieces would be too many: see interval-tree.ts.

export interface Segments<T> {
  ends: Float64Array;
  /** Below the first end, at it, between it and the second, at the second … */
  pieces: readonly (T | null)[];
}

export interface RangedItem<T> {
  low: number;
  high: number;
  item: T;
}

const most = 8;

/** Null: too much overlaps. `make` is given all that hold in one piece, and whether it lies between two ends or is one. */
export function segmentsOf<T, P>(all: readonly RangedItem<T>[], make: (items: T[], between: boolean) => P): Segments<P> | null {
  const ends = Float64Array.from(new Set(all.flatMap(({ low, high }) => [low, high]).filter((end) => Number.isFinite(end)))).sort();
  const held: T[][] = Array.from({ length: 2 * ends.length + 1 }, () => []);
  let total = 0;
  for (const { low, high, item } of all) {
    const from = low === -Infinity ? 0 : placeOf(ends, low);
    const to = high === Infinity ? held.length - 1 : placeOf(ends, high);
    total += Math.max(0, to - from + 1);
    if (total > most * held.length) return null;
    for (let i = from; i <= to; i++) held[i]!.push(item);
  }
  return { ends, pieces: held.map((items, i) => (items.length === 0 ? null : make(items, i % 2 === 0))) };
}

export const pieceAt = <P>({ ends, pieces }: Segments<P>, value: number): P | null => pieces[placeOf(ends, value)]!;

/** Odd: at an end; even: between. */
function placeOf(ends: Float64Array, value: number): number {
  let from = 0;
  let to = ends.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (ends[middle]! < value) from = middle + 1;
    else to = middle;
  }
  return ends[from] === value ? 2 * from + 1 : 2 * from;
}
