import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isReady, keepOpen, openWindow, windowLimits } from './window.ts';

const { quietMs, typingMs, longestMs } = windowLimits;

describe('[C2A-4] the window in which somebody may still be writing', () => {
  test.each<[string, ['piece' | 'typing', number][], number]>([
    ['nothing follows', [], quietMs],
    ['a piece begins the quiet anew', [['piece', 1000]], 1000 + quietMs],
    ['pieces', [['piece', 2000], ['piece', 4000]], 4000 + quietMs], // prettier-ignore
    ['typing waits for longer', [['typing', 2000]], 2000 + typingMs],
    ['a piece ends the typing', [['typing', 2000], ['piece', 3000]], 3000 + quietMs], // prettier-ignore
    ['typing goes on until the longest wait', [['typing', 4000], ['typing', 8000], ['typing', 12_000], ['typing', 16_000], ['typing', 20_000], ['typing', 24_000], ['typing', 28_000]], longestMs], // prettier-ignore
    ['the last piece comes late', [['typing', 26_000], ['piece', 29_000]], longestMs], // prettier-ignore
  ])('%s', (_, events, ready) => {
    const window = events.reduce((now, [by, at]) => keepOpen(now, by, at, windowLimits), openWindow(0, windowLimits));
    expect(window).toEqual({ since: 0, readyAt: ready });
    expect([isReady(window, ready - 1), isReady(window, ready)]).toEqual([false, true]);
  });

  test('with no quiet to wait for, it is ready at once', () => {
    expect(isReady(openWindow(7, { ...windowLimits, quietMs: 0 }), 7)).toBe(true);
  });

  test('whatever happens, it ends, and typing never brings the end nearer', () => {
    const steps = fc.array(fc.tuple(fc.constantFrom('piece' as const, 'typing' as const), fc.integer({ min: 1, max: 4000 })));
    fc.assert(
      fc.property(steps, (events) => {
        let window = openWindow(0, windowLimits);
        let now = 0;
        for (const [by, after] of events) {
          now += after;
          if (isReady(window, now)) break;
          const next = keepOpen(window, by, now, windowLimits);
          if (by === 'typing') expect(next.readyAt).toBeGreaterThanOrEqual(Math.min(window.readyAt, longestMs));
          window = next;
          expect(window.readyAt).toBeLessThanOrEqual(longestMs);
          expect(window.readyAt).toBeGreaterThan(0);
        }
      }),
    );
  });
});
