import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isReady, keepOpen, maxRestarts, openWindow, type Fragment, pieceAfter, windowLimits } from './composing-window.ts';

const { shortMs, quietMs, typingMs, longestMs } = windowLimits;
type Event = Fragment | 'typing';

describe('[C2A-4] the window in which somebody may still be writing', () => {
  test.each<[string, Fragment, [Event, number][], number]>([
    ['nothing follows something finished', 'finished', [], shortMs],
    ['nothing follows something unfinished', 'unfinished', [], quietMs],
    ['its author says that nothing follows', 'done', [], 0],
    ['an unfinished piece starts the wait again', 'unfinished', [['unfinished', 1000]], 1000 + quietMs],
    ['a finished piece ends it soon', 'unfinished', [['finished', 1000]], 1000 + shortMs],
    ['a finished piece ends the typing', 'finished', [['typing', 400], ['finished', 3000]], 3000 + shortMs], // prettier-ignore
    ['done ends it', 'unfinished', [['typing', 400], ['done', 1000]], 1000], // prettier-ignore
    ['pieces', 'unfinished', [['unfinished', 2000], ['unfinished', 4000]], 4000 + quietMs], // prettier-ignore
    ['typing waits for longer', 'finished', [['typing', 400]], 400 + typingMs],
    ['typing goes on until the longest wait', 'unfinished', [['typing', 2000], ['typing', 6000], ['typing', 10_000], ['typing', 14_000], ['typing', 18_000], ['typing', 22_000], ['typing', 26_000]], longestMs], // prettier-ignore
    ['the last piece comes late', 'unfinished', [['typing', 26_000], ['unfinished', 29_000]], longestMs], // prettier-ignore
  ])('%s', (_, first, events, ready) => {
    const window = events.reduce((now, [by, at]) => keepOpen(now, by, at, windowLimits), openWindow(0, windowLimits, first));
    expect(window).toEqual({ since: 0, readyAt: ready });
    expect([isReady(window, ready - 1), isReady(window, ready)]).toEqual([false, true]);
  });

  test('with no quiet to wait for, it is ready at once', () => {
    expect(isReady(openWindow(7, { ...windowLimits, quietMs: 0 }, 'unfinished'), 7)).toBe(true);
  });

  test('every composing window ends, and typing never brings its end nearer', () => {
    const steps = fc.array(fc.tuple(fc.constantFrom<Event>('finished', 'unfinished', 'typing'), fc.integer({ min: 1, max: 4000 })));
    fc.assert(
      fc.property(steps, (events) => {
        let window = openWindow(0, windowLimits, 'unfinished');
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

  test('[C2A-28] opened again for a request that goes on, it ends half a minute after the first piece', () => {
    expect(openWindow(29_800, windowLimits, 'finished', 0).readyAt).toBe(longestMs);
    expect(openWindow(longestMs + 5, windowLimits, 'finished', 0).readyAt).toBe(longestMs + 5);
  });

  test('[C2A-28] after three restarts every piece waits long, unless its author says done', () => {
    expect([0, maxRestarts - 1, maxRestarts].map((n) => pieceAfter(n, 'finished'))).toEqual(['finished', 'finished', 'unfinished']);
    expect(pieceAfter(maxRestarts, 'done')).toBe('done');
  });
});
