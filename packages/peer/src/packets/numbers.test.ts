import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NumberRanges } from '@parley/protocol/relay';
import { hasGap, hasNumber, withNumber } from './numbers.ts';

const after = (numbers: readonly number[]): NumberRanges[] =>
  numbers.reduce<NumberRanges[]>((received, number) => withNumber(received, { epoch: 1, number }), []);

describe('received numbers', () => {
  it('[A2C-7] in any order, with repeats, are those that came; a gap shows until it is filled', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 90 }), (numbers) => {
        const received = after(numbers);
        for (let number = 1; number <= 61; number += 1) expect(hasNumber(received, 1, number)).toBe(numbers.includes(number));
        const highest = Math.max(0, ...numbers);
        const filled = new Set(numbers).size === highest;
        expect(hasGap(received)).toBe(!filled);
      }),
    );
  });

  it('[A2C-8] of each device epoch are counted apart', () => {
    const received = withNumber(after([1, 2]), { epoch: 2, number: 1 });
    expect(hasNumber(received, 2, 1)).toBe(true);
    expect(hasNumber(received, 2, 2)).toBe(false);
    expect(hasNumber(received, 1, 2)).toBe(true);
  });

  it('[A2C-7] above one gap are all remembered, however many, and the gap closes with the packet that was missing', () => {
    const above = after(Array.from({ length: 500 }, (_, n) => n + 2));
    expect(above).toEqual([{ epoch: 1, ranges: [[2, 501]] }]);
    const filled = withNumber(above, { epoch: 1, number: 1 });
    expect(filled).toEqual([{ epoch: 1, ranges: [[1, 501]] }]);
    expect([hasGap(above), hasGap(filled)]).toEqual([true, false]);
  });

  it('[A2C-7] of a sender that jumps about stay few, in one epoch and in many', () => {
    const [received] = after(Array.from({ length: 500 }, (_, n) => 2 * n + 2));
    expect(received!.ranges).toHaveLength(100);
    const epochs = Array.from({ length: 500 }, (_, n) => ({ epoch: n + 1, number: 1 }));
    const many = epochs.reduce<NumberRanges[]>(withNumber, []);
    expect(many).toHaveLength(100);
    expect(hasNumber(many, 500, 1)).toBe(true);
  });
});
