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
