import { describe, expect, test } from 'vitest';
import { compiledOf, eventOf, manifestOf, on, patterns } from '../../../test/provoke/sample.ts';
import { type ApprovalScope, type CurrentDefinitions, afterApproval } from '../../invocation/transitions.ts';
import { type AttemptEnd, afterAttempt, endEvent, mayHaveHappened, retryBy, type StepTaken, wouldBeRepeated } from './attempts.ts';
import { checkEvent } from '../events/event.ts';
import { compileManifest } from '../files/document.ts';
import { idempotencyRetentionMs } from '../../invocation/retention.ts';
import { replay, tally } from './replay.ts';
import { triggerSet } from '../triggers/trigger-set.ts';

const now = Date.UTC(2026, 2, 11, 6);

test.each([
  ['a pause that is as it should be', 30_000, now + 20_000, now + 20_000],
  ['a clock that was ahead when it began', 30_000, now + 1e9, now + 30_000],
  ['none is wanted any more', 0, now + 1e9, now],
  ['its manifest is gone', undefined, now + 1e9, now],
])('[PRV-14] no pause is longer than its manifest has it: %s', (_, ms, due, at) => {
  const manifest = ms === undefined ? undefined : { on_failure: { retry: { max_attempts: 2, backoff_seconds: ms / 1000 } } };
  expect(retryBy(manifest as never, due, now)).toBe(at);
});

describe('[PRV-11] an approval is for what was shown', () => {
  const bound: ApprovalScope = { eventDigest: 'e', manifestVersion: 3, argumentsDigest: 'x' };
  const same: CurrentDefinitions = { enabled: true, eventDigest: 'e', manifestVersion: 3, argumentsDigest: 'x' };
  const until = now + 1000;
  test.each<[string, CurrentDefinitions | null, number, ReturnType<typeof afterApproval>]>([
    ['the trigger or its manifest is gone', null, now, { run: false, reason: 'gone', again: false }],
    ['the trigger was switched off', { ...same, enabled: false }, now, { run: false, reason: 'disabled', again: false }],
    ['another event', { ...same, eventDigest: 'f' }, now, { run: false, reason: 'event_changed', again: false }],
    ['too late', same, until, { run: false, reason: 'expired', again: true }],
    ['another version of the manifest', { ...same, manifestVersion: 4 }, now, { run: false, reason: 'manifest_changed', again: true }],
    ['other arguments', { ...same, argumentsDigest: 'y' }, now, { run: false, reason: 'arguments_changed', again: true }],
    [
      'switched off and too late: it is not asked for again',
      { ...same, enabled: false },
      until,
      { run: false, reason: 'disabled', again: false },
    ],
    ['nothing changed, however long ago the window was', same, until - 1, { run: true }],
  ])('%s', (_, current, at, expected) => {
    expect(afterApproval(bound, until, current, at)).toEqual(expected);
  });
});

describe('[PRV-14] after an attempt', () => {
  const events = { on_complete: { emit_event: 'plan.day.made' }, on_failure: { emit_event: 'plan.day.failed' } };
  const twice = manifestOf({ ...events, on_failure: { ...events.on_failure, retry: { max_attempts: 2, backoff_seconds: 5 } } });
  test.each<[string, object, number, AttemptEnd, ReturnType<typeof afterAttempt>]>([
    ['the first of two fails', twice, 1, 'failed', { next: 'retry', attempt: 2, at: now + 5000 }],
    ['[PRV-15] a crash is an attempt', twice, 1, 'crashed', { next: 'retry', attempt: 2, at: now + 5000 }],
    ['[PRV-15] a crash of the last one is its end', twice, 2, 'crashed', { next: 'end', state: 'failed', emit: 'plan.day.failed' }],
    ['the second of two fails', twice, 2, 'failed', { next: 'end', state: 'failed', emit: 'plan.day.failed' }],
    ['[PRV-13] what does not fit the schema is a failure', twice, 1, 'bad_output', { next: 'retry', attempt: 2, at: now + 5000 }],
    ['[PRV-12] too long', twice, 2, 'timed_out', { next: 'end', state: 'failed', emit: 'plan.day.failed' }],
    ['the second succeeds', twice, 2, 'succeeded', { next: 'end', state: 'completed', emit: 'plan.day.made' }],
    ['a person says no', twice, 1, 'denied', { next: 'end', state: 'denied', emit: null }],
    [
      'nothing is said about attempts: there is one',
      manifestOf(events),
      1,
      'failed',
      { next: 'end', state: 'failed', emit: 'plan.day.failed' },
    ],
    ['nothing is said about events: there are none', manifestOf(), 1, 'succeeded', { next: 'end', state: 'completed', emit: null }],
  ])('%s', (_, manifest, attempt, end, expected) => {
    expect(afterAttempt(manifest as never, attempt, end, now)).toEqual(expected);
  });

  test('[SYS-12] [PRV-14] a call that may have happened is not retried, however many attempts are left', () => {
    for (const end of ['failed', 'crashed', 'timed_out'] as const)
      expect(afterAttempt(twice as never, 1, end, now, true)).toEqual({ next: 'end', state: 'failed', emit: 'plan.day.failed' });
  });

  const write: StepTaken = { kind: 'tool', readOnly: false, done: true, kept: true };
  test.each<[string, Partial<StepTaken>, boolean, boolean]>([
    ['a call that changed something, and what came of it', {}, false, false],
    ['one that nobody saw the end of', { done: false, kept: false }, true, true],
    ['one that ended, and nothing is kept of it', { kept: false }, false, true],
    ['one that only reads', { readOnly: true, done: false, kept: false }, false, false],
    ['a call of the model', { kind: 'model', done: false, kept: false }, false, false],
  ])('[SYS-12] %s', (_, step, happened, repeated) => {
    expect([mayHaveHappened({ ...write, ...step }), wouldBeRepeated({ ...write, ...step })]).toEqual([happened, repeated]);
  });

  test.each([
    [0, 0],
    [0.0001, 1],
    [1.0005, 1001],
    // Times a thousand it is a little more.
    [1.1, 1100],
    [4.35, 4350],
    [3600, 3_600_000],
  ])('a pause of %s seconds ends at a whole millisecond, and not sooner', (backoff_seconds, ms) => {
    const manifest = manifestOf({ on_failure: { retry: { max_attempts: 2, backoff_seconds } } });
    expect(afterAttempt(manifest as never, 1, 'failed', now)).toEqual({ next: 'retry', attempt: 2, at: now + ms });
  });

  test('[PRV-9] [PRV-14] the end event is a valid event, names the invocation, and is the same however often it is made', () => {
    const ended = {
      invocationId: 'inv_1',
      triggerId: 'planner',
      agentId: 'planner-v1',
      event: eventOf(),
      attempts: 2,
      state: 'completed' as const,
      output: { plan: [] },
    };
    const event = endEvent('pap.agent.invocation.completed', ended, now);
    expect(checkEvent(event, 'system')).toMatchObject({ ok: true });
    expect(checkEvent(event, 'agent')).toMatchObject({ ok: false });
    expect(event).toMatchObject({ id: 'inv_1:completed', triggered_by: 'inv_1', data: { output: { plan: [] }, attempts: 2 } });
    expect(endEvent('plan.day.failed', { ...ended, state: 'failed', output: 'timed_out' }, now).data).toMatchObject({ error: 'timed_out' });
  });
});

describe('[PRV-16] [SYS-5] a replay', () => {
  const manifest = compileManifest(manifestOf(), patterns);
  const manifests = new Map(manifest.ok ? [['planner-v1', manifest.value]] : []);
  const recorded = ['NO1', 'NO1', 'NO2', 'NO1'].map((region, i) => ({
    event: eventOf({ region, price: i }, { id: `evt_${i}` }),
    at: now + i * 1000,
    cascade: { from: 'root' as const },
  }));
  const again = [...recorded, { ...recorded[0]!, at: now + 25 * 3_600_000 }];
  const limit = { max_per_window: 1, window_key: '$.data.region', window_seconds: 2 };

  test('says what a changed set would have done', () => {
    const before = triggerSet([compiledOf()]);
    const after = triggerSet([
      compiledOf({ throttle: limit }, [on('$.data.price', 'gte', 0)]),
      compiledOf({ id: 'other', agent: 'nobody' }, [on('$.data.region', 'eq', 'NO2')]),
    ]);
    const counts = (set: typeof before) =>
      Object.fromEntries(
        [...tally(replay(set, ({ agent }) => manifests.get(agent), again, patterns))].map(([id, of]) => [id, Object.fromEntries(of)]),
      );
    expect(counts(before)).toEqual({ planner: { run: 4, duplicate: 1 } });
    expect(counts(after)).toEqual({ planner: { run: 3, throttled: 1, duplicate: 1 }, other: { no_manifest: 1 } });
  });

  test('[PRV-9] [SYS-10] counts what invocations of a chain start, each owner’s by itself', () => {
    const emitted = Array.from({ length: 51 }, (_, i) => ({
      event: eventOf({}, { id: `loop_${i}` }),
      at: now + i,
      cascade: { from: 'invocation' as const, emitter: { level: 1, depth: 0 } },
      chain: 'one',
    }));
    const events = [...emitted, { ...emitted[0]!, event: eventOf({}, { id: 'elsewhere' }), chain: 'another' }];
    const set = triggerSet(['mine', 'mine-too', 'theirs'].map((id) => compiledOf({ id })));
    const counts = tally(
      replay(
        set,
        ({ agent }) => manifests.get(agent),
        events,
        patterns,
        ({ id }) => id.slice(0, 4),
      ),
    );
    expect(Object.fromEntries([...counts].map(([id, of]) => [id, Object.fromEntries(of)]))).toEqual({
      mine: { run: 26, chain_full: 26 },
      'mine-too': { run: 26, chain_full: 26 },
      theirs: { run: 51, chain_full: 1 },
    });
  });

  test('[PRV-6] a text that was too slow for a regex stays so, and is not timed again', () => {
    const slow = triggerSet([
      compiledOf({ id: 'slow' }, [on('$.data.text', 'regex', '(a|b)*c')]),
      compiledOf({ id: 'quick' }, [on('$.data.text', 'regex', '^a')]),
    ]);
    const asked: string[] = [];
    const answers = { ...patterns, holds: (source: string) => asked.push(source) > 0 };
    const one = { event: eventOf({ text: 'abc' }), at: now, cascade: { from: 'root' as const } };
    const ends = (tooSlow: string[]) =>
      [...replay(slow, ({ agent }) => manifests.get(agent), [{ ...one, tooSlow }], answers)].flatMap(({ verdicts }) =>
        verdicts.map(({ triggerId, reason, outcome }) => [triggerId, reason ?? outcome]),
      );
    expect(ends(['(a|b)*c'])).toEqual([
      ['quick', 'run'],
      ['slow', 'too_slow'],
    ]);
    expect(asked).toEqual(['^a']);
    expect(ends([])).toEqual([
      ['slow', 'run'],
      ['quick', 'run'],
    ]);
  });

  test('[PRV-8] knows an event for as long as the hub does, and no longer', () => {
    const [first] = recorded;
    const late = [0, idempotencyRetentionMs, idempotencyRetentionMs + 1].map((after) => ({ ...first!, at: now + after }));
    const verdicts = [...replay(triggerSet([compiledOf()]), ({ agent }) => manifests.get(agent), late, patterns)].flatMap(
      (one) => one.verdicts,
    );
    expect(verdicts.map(({ reason }) => reason)).toEqual([null, 'duplicate', null]);
  });

  test('[PRV-5] [PRV-16] a trigger from a file is its owner’s: their own events reach it, and others’ do not', () => {
    const events = ['mem_ada', 'mem_ben'].map((sender) => ({ ...recorded[0]!, event: eventOf({}, { id: sender }), sender }));
    const reasons = (whose?: () => string) =>
      [...replay(triggerSet([compiledOf()]), ({ agent }) => manifests.get(agent), events, patterns, whose)].map(
        (one) => one.verdicts[0]?.reason,
      );
    expect(reasons(() => 'mem_ada')).toEqual([null, 'sender']);
    // Without a hub nobody owns it, and everybody's events are for it.
    expect(reasons()).toEqual([null, null]);
  });
});
