// Which of many ranges hold a number: an interval tree, so that the answer costs as much as it is long, and not as many
// ranges as there are.

export interface Interval<T> {
  low: number;
  high: number;
  item: T;
}

interface Node<T> {
  centre: number;
  /** The intervals that hold the centre, by their lower end and by their upper end. */
  byLow: readonly Interval<T>[];
  byHigh: readonly Interval<T>[];
  below: Node<T> | null;
  above: Node<T> | null;
}
export type Intervals<T> = Node<T> | null;

const ends = ({ low, high }: Interval<unknown>): number[] => [low, high].filter((end) => Number.isFinite(end));
/** No difference: two ends that are both infinite have none. */
export const inOrder = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0);

export function intervalsOf<T>(all: readonly Interval<T>[]): Intervals<T> {
  // One that ends before it begins holds nothing.
  return build(all.filter(({ low, high }) => low <= high));
}

/** The centre is an end of one of them, which then holds it: each step down has fewer, and at most half the ends. */
function build<T>(all: readonly Interval<T>[]): Node<T> | null {
  const points = all.flatMap(ends).sort(inOrder);
  const centre = points[points.length >> 1];
  if (centre === undefined) return null;
  const here = all.filter(({ low, high }) => low <= centre && centre <= high);
  return {
    centre,
    byLow: here.toSorted((a, b) => inOrder(a.low, b.low)),
    byHigh: here.toSorted((a, b) => inOrder(b.high, a.high)),
    below: build(all.filter(({ high }) => high < centre)),
    above: build(all.filter(({ low }) => low > centre)),
  };
}

export function visitContaining<T>(tree: Intervals<T>, value: number, take: (item: T) => void): void {
  for (let node = tree; node !== null;) {
    if (value <= node.centre) {
      for (const one of node.byLow) {
        if (one.low > value) break;
        take(one.item);
      }
      node = value === node.centre ? null : node.below;
    } else {
      for (const one of node.byHigh) {
        if (one.high < value) break;
        take(one.item);
      }
      node = node.above;
    }
  }
}

/** How many hold a number, on the average over their own ends: what one look-up brings up. */
export function averageHeld(all: readonly { low: number; high: number }[]): number {
  const lows = all.map(({ low }) => low).sort(inOrder);
  const highs = all.map(({ high }) => high).sort(inOrder);
  const points = all.flatMap(({ low, high }) => [low, high]).filter((end) => Number.isFinite(end));
  const every = Math.max(1, Math.floor(points.length / 64));
  const sample = points.filter((_, i) => i % every === 0);
  const held = sample.reduce((sum, point) => sum + countUpTo(lows, point, true) - countUpTo(highs, point, false), 0);
  return held / Math.max(1, sample.length);
}

function countUpTo(sorted: readonly number[], value: number, including: boolean): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (sorted[middle]! < value || (including && sorted[middle] === value)) from = middle + 1;
    else to = middle;
  }
  return from;
}

// Ranges that overlap little, cut at all their ends: between two ends it is always the same few that hold, and finding
// the piece is one search in a plain list of numbers. Where much overlaps the pieces would be too many: see ranges.ts.

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
