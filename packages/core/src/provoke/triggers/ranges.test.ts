import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { averageHeld, visitContaining, intervalsOf, pieceAt, segmentsOf } from './ranges.ts';

const end = fc.integer({ min: -5, max: 5 });
const range = fc.oneof(
  fc.tuple(end, end),
  end.map((low) => [low, Infinity] as [number, number]),
  end.map((high) => [-Infinity, high] as [number, number]),
);
const value = fc.oneof(end, fc.constantFrom(-100, -0, 0.5, 2.5, 100));

/** Of several ranges, which hold the value; closed at both ends. */
const held = (ranges: readonly (readonly [number, number])[], at: number) =>
  ranges.flatMap(([low, high], item) => (low <= at && at <= high ? [item] : []));
const placed = (ranges: readonly (readonly [number, number])[]) => ranges.map(([low, high], item) => ({ low, high, item }));

describe('[PRV-5] which of many ranges hold a number', () => {
  test('in a tree, those that do and no others, each once', () => {
    fc.assert(
      fc.property(fc.array(range, { maxLength: 40 }), fc.array(value, { minLength: 1, maxLength: 10 }), (ranges, values) => {
        const tree = intervalsOf(placed(ranges));
        for (const at of values) {
          const found: number[] = [];
          visitContaining(tree, at, (item) => found.push(item));
          expect(found.sort((a, b) => a - b)).toEqual(held(ranges, at));
        }
      }),
    );
  });

  test('in pieces, the same; or there are too many pieces', () => {
    fc.assert(
      fc.property(fc.array(range, { maxLength: 12 }), fc.array(value, { minLength: 1, maxLength: 10 }), (ranges, values) => {
        const pieces = segmentsOf(placed(ranges), (items, between) => ({ items, between }));
        for (const at of values) {
          if (pieces === null) break;
          const piece = pieceAt(pieces, at);
          expect(piece?.items ?? []).toEqual(held(ranges, at));
          // Between two ends nothing depends on whether an end belongs to its range.
          if (piece?.between) expect(ranges.flat()).not.toContain(at === 0 ? 0 : at);
        }
      }),
    );
  });

  test('intervals that all overlap are not split', () => {
    const above = Array.from({ length: 1000 }, (_, i) => [i, Infinity] as const);
    expect(segmentsOf(placed(above), (items) => items)).toBeNull();
    expect(segmentsOf(placed(above.map(([low]) => [low, low + 1])), (items) => items)).not.toBeNull();
  });

  test('a tree is not deeper than it has to be', () => {
    const depth = (node: ReturnType<typeof intervalsOf>): number =>
      node === null ? 0 : 1 + Math.max(depth(node.below), depth(node.above));
    expect(depth(intervalsOf(placed(Array.from({ length: 4096 }, (_, i) => [i, i + 0.5]))))).toBeLessThanOrEqual(14);
  });

  test('the fewer hold a number at once, the better it tells them apart', () => {
    const apart = Array.from({ length: 200 }, (_, i) => ({ low: i, high: i + 0.5 }));
    const together = Array.from({ length: 200 }, (_, i) => ({ low: 1, high: 2 + i }));
    expect(averageHeld(apart)).toBeCloseTo(1);
    expect(averageHeld(together)).toBeGreaterThan(50);
    expect(averageHeld([])).toBe(0);
  });
});
