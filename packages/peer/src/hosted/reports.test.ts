import { describe, expect, test, vi } from 'vitest';
import { type Report, Reporter } from './reports.ts';

function bench() {
  const ending = new AbortController();
  const reporter = new Reporter(ending.signal, () => 0);
  const stored: object[] = [];
  const hub = { failures: 0, tries: 0 };
  const report = (name: string, read: () => object | undefined): Report<object> => ({
    name,
    read: async () => read(),
    send: async (value: object) => {
      hub.tries += 1;
      if (hub.failures-- > 0) throw new Error('The hub is busy.');
      stored.push(value);
    },
  });
  return { ending, reporter, stored, hub, report };
}

describe('[A2C-34] reports to the hub', () => {
  test('are repeated until the hub has stored them', async () => {
    const { reporter, stored, hub, report } = bench();
    hub.failures = 2;
    reporter.report(report('a', () => ({ a: 1 })));
    await reporter.settled();
    expect([stored, hub.tries]).toEqual([[{ a: 1 }], 3]);
  });

  test('carry what is true when they are sent, once', async () => {
    const { reporter, stored, report } = bench();
    let state = 1;
    for (const next of [2, 3]) {
      reporter.report(report('a', () => ({ state })));
      reporter.report(report('b', () => undefined));
      state = next;
    }
    await reporter.settled();
    reporter.report(report('a', () => ({ state })));
    await reporter.settled();
    expect(stored).toEqual([{ state: 1 }, { state: 3 }]);
  });

  test('that are less urgent wait for what follows them, and end with the peer', async () => {
    const { ending, reporter, stored, report } = bench();
    reporter.report(
      report('a', () => ({ state: 'talking' })),
      60_000,
    );
    reporter.report(report('a', () => ({ state: 'ended' })));
    await reporter.settled();
    ending.abort();
    await reporter.settled();
    expect(stored).toEqual([{ state: 'ended' }]);
  });

  test('[A2C-22] that are more urgent do not wait for one that is less', async () => {
    vi.useFakeTimers();
    const { ending, reporter, stored, report } = bench();
    for (const [state, ms] of [['talking', 60_000] as const, ['withdrawn', 5000] as const])
      reporter.report(
        report('a', () => ({ state })),
        ms,
      );
    await vi.advanceTimersByTimeAsync(5000);
    expect(stored).toEqual([{ state: 'withdrawn' }]);
    ending.abort();
    vi.useRealTimers();
  });
});
