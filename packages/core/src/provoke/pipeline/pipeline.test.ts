import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compiledOf, eventOf, manifestOf, on, patterns } from '../../../test/provoke/sample.ts';
import { type Cascade, cascade, isStarted, speaksIn } from './cascade.ts';
import { dryRun } from './dry-run.ts';
import { eventIdentity, idempotencyRetentionMs, keyName, pairText } from '../../invocation/retention.ts';
import { compileManifest } from '../files/document.ts';
import type { Patterns } from '../triggers/regex.ts';
import { decide, matchOf, type PipelineRecord, type PipelineVerdict } from './pipeline.ts';
import { audits, effectiveRisk } from '../../invocation/transitions.ts';
import { bucketOf, sharedBucket, throttle } from '../events/throttle.ts';
import type { CompiledTrigger } from '../triggers/trigger.ts';
import { triggerSet } from '../triggers/trigger-set.ts';

const now = Date.UTC(2026, 2, 11, 6);
const compiledManifest = (more: object = {}) => {
  const compiled = compileManifest(manifestOf(more), patterns);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  return compiled.value;
};
const low = compiledManifest();
const high = compiledManifest({ risk_level: 'high' });
const record = (more: Partial<PipelineRecord> = {}): PipelineRecord => ({
  owned: true,
  sender: undefined,
  known: false,
  cascade: { from: 'root' },
  started: 0,
  starts: [],
  manifest: low,
  now,
  ...more,
});
/** What would take too long, by its name. */
const answers: Patterns = { ...patterns, holds: (source, text, owner) => (text === 'slow' ? null : patterns.holds(source, text, owner)) };
const limited = { throttle: { max_per_window: 1, window_key: '$.data.region', window_seconds: 3600 } };
const deep: Cascade = { from: 'invocation', emitter: { level: 3, depth: 2 } };
const price = [on('$.data.price', 'gt', 3)];

describe('[PRV-7] where an event stops, and why', () => {
  test.each<[string, object, Partial<PipelineRecord>, Record<string, unknown>, Partial<PipelineVerdict>]>([
    ['another type', { match: { type: 'a.b.c' } }, {}, {}, { outcome: 'discarded', step: 'match', reason: 'type', key: false }],
    ['switched off', { enabled: false }, {}, { price: 4 }, { outcome: 'discarded', step: 'match', reason: 'disabled', key: false }],
    [
      'too slow for a regex',
      { match: { type: eventOf().type, filter: [on('$.data.text', 'regex', 'x')] } },
      {},
      { text: 'slow' },
      { outcome: 'rejected', step: 'match', reason: 'too_slow', key: false },
    ],
    [
      'too slow for a regex, and not what it waits for anyway',
      { match: { type: eventOf().type, filter: [on('$.data.text', 'regex', 'x'), on('$.data.price', 'gt', 3)] } },
      {},
      { text: 'slow', price: 3 },
      { outcome: 'discarded', step: 'match', reason: 'filter', key: false },
    ],
    [
      'too slow for one regex, and not what another waits for',
      { match: { type: eventOf().type, filter: [on('$.data.text', 'regex', 'x'), on('$.data.other', 'regex', 'x')] } },
      {},
      { text: 'slow', other: 'y' },
      { outcome: 'discarded', step: 'match', reason: 'filter', key: false },
    ],
    [
      'a regex that holds in time',
      { match: { type: eventOf().type, filter: [on('$.data.text', 'regex', 'x')] } },
      {},
      { text: 'x' },
      { outcome: 'run', step: 'run', reason: null },
    ],
    ['its owner is gone', {}, { owned: false }, { price: 4 }, { outcome: 'discarded', step: 'match', reason: 'disabled', key: false }],
    [
      'a filter, whoever owns it',
      {},
      { owned: false },
      { price: 3 },
      { outcome: 'discarded', step: 'match', reason: 'filter', key: false },
    ],
    ['a filter', {}, {}, { price: 3 }, { outcome: 'discarded', step: 'match', reason: 'filter', key: false }],
    [
      'known',
      {},
      { known: true },
      { price: 4 },
      { outcome: 'discarded', step: 'idempotency', reason: 'duplicate', key: false, bucket: null },
    ],
    [
      'too deep',
      {},
      { cascade: deep },
      { price: 4 },
      { outcome: 'rejected', step: 'cascade', reason: 'too_deep', key: true, bucket: null },
    ],
    [
      'from nowhere',
      {},
      { cascade: { from: 'unknown' } },
      { price: 4 },
      { outcome: 'rejected', step: 'cascade', reason: 'unknown_invocation', key: true },
    ],
    [
      'too often',
      limited,
      { starts: [now - 1] },
      { price: 4 },
      { outcome: 'discarded', step: 'throttle', reason: 'throttled', key: true, bucket: null, until: now - 1 + 3_600_000 },
    ],
    [
      'no manifest',
      limited,
      { manifest: undefined },
      { price: 4 },
      { outcome: 'rejected', step: 'risk', reason: 'no_manifest', key: true, bucket: null },
    ],
    [
      'high risk',
      limited,
      { manifest: high },
      { price: 4, region: 'NO1' },
      { outcome: 'paused', step: 'risk', reason: 'needs_approval', key: true, bucket: '"NO1"', place: { level: 1, depth: 0 } },
    ],
    [
      'the mode of its agent',
      limited,
      { manifest: compiledManifest({ tools: [{ name: 'x', source: 'mcp://y' }] }), mode: 'supervised' },
      { price: 4, region: 'NO1' },
      { outcome: 'paused', step: 'risk', reason: 'needs_approval', asks: 'mode', key: true, place: { level: 1, depth: 0 } },
    ],
    ['a mode without a tool to ask for', {}, { mode: 'strict' }, { price: 4 }, { outcome: 'run', asks: null }],
    ['a high risk, whatever the mode', {}, { manifest: high, mode: 'strict' }, { price: 4 }, { outcome: 'paused', asks: 'risk' }],
    [
      'nothing stops it',
      limited,
      {},
      { price: 4, region: 'NO1' },
      { outcome: 'run', step: 'run', reason: null, key: true, bucket: '"NO1"', place: { level: 1, depth: 0 } },
    ],
    ['nothing to count', {}, {}, { price: 4 }, { outcome: 'run', step: 'run', key: true, bucket: null }],
  ])('%s', (_, more, on, data, expected) => {
    const compiled = compiledOf(more, price);
    const trigger = 'match' in more ? compiledOf(more) : compiled;
    const event = eventOf(data);
    expect(decide(trigger, event, record(on), matchOf(trigger, event, answers))).toMatchObject(expected);
  });

  test.each<[string, Partial<PipelineRecord>, string]>([
    ['its owner before idempotency', { owned: false, known: true, manifest: high }, 'disabled'],
    ['idempotency before cascade', { known: true, cascade: deep, starts: [now], manifest: high }, 'duplicate'],
    ['cascade before throttle', { cascade: deep, starts: [now], manifest: high }, 'too_deep'],
    ['throttle before risk', { starts: [now], manifest: high }, 'throttled'],
    ['risk before the run', { manifest: high }, 'needs_approval'],
  ])('[PRV-7] the order: %s', (_, on, reason) => {
    expect(decide(compiledOf(limited), eventOf(), record(on)).reason).toBe(reason);
  });

  test('[PRV-5] [PRV-6] regexes are asked after all other filters, and only where those hold', () => {
    const compiled = compiledOf({}, [on('$.data.text', 'regex', 'x'), on('$.data.price', 'gt', 3)]);
    const asked: string[] = [];
    const counting: Patterns = { ...patterns, holds: (_, text) => asked.push(text) > 0 };
    expect(matchOf(compiled, eventOf({ text: 'a', price: 3 }), counting)).toEqual({ filter: 1 });
    expect(triggerSet([compiled]).matching(eventOf({ text: 'b', price: 3 }), counting)).toEqual([]);
    expect(asked).toEqual([]);
    expect(matchOf(compiled, eventOf({ text: 'c', price: 4 }), counting)).toBe(null);
    expect(triggerSet([compiled]).matching(eventOf({ text: 'd', price: 4 }), counting)).toHaveLength(1);
    expect(asked).toEqual(['c', 'd']);
  });

  test('[PRV-5] [PRV-6] contains is asked like a regex: last, as its owner’s, and too slow where there is no answer', () => {
    const compiled = compiledOf({}, [on('$.data.text', 'contains', 'x'), on('$.data.price', 'gt', 3)]);
    const asked: string[] = [];
    const counting: Patterns = { ...patterns, contains: (part, text) => (asked.push(`${part} in ${text}`), null) };
    expect(matchOf(compiled, eventOf({ text: 'a', price: 3 }), counting)).toEqual({ filter: 1 });
    expect(matchOf(compiled, eventOf({ text: 'b', price: 4 }), counting, false)).toBe(null);
    const slow: CompiledTrigger[] = [];
    expect(triggerSet([compiled]).matching(eventOf({ text: 'c', price: 4 }), counting, slow, () => false)).toHaveLength(1);
    expect([asked, slow]).toEqual([[], []]);
    expect(matchOf(compiled, eventOf({ text: 'd', price: 4 }), counting)).toBe('too_slow');
    expect(triggerSet([compiled]).matching(eventOf({ text: 'e', price: 4 }), counting, slow)).toEqual([]);
    expect([asked, slow.length]).toEqual([['x in d', 'x in e'], 1]);
  });

  test('[PRV-16] a value is shown by its beginning, and the rest is not read, whatever lies around it', () => {
    let reads = 0;
    const list = Array.from({ length: 9000 }, (_, i) => i);
    const wide = new Proxy(list, { get: (target, name) => (reads++, Reflect.get(target, name) as unknown) });
    const event = eventOf({ d: [{ a: [wide, '"'] }, null, true, { b: 'x'.repeat(300) }] });
    const paths = ['$.data.d', '$.data.d[0]', '$.data.d[0].a', '$.data.d[0].a[0]', '$.data.d[3]', '$.data.d[0].a[1]'];
    const filters = paths.map((path) => on(path, 'eq', 'none'));
    const { filters: told } = dryRun(compiledOf({}, filters), event, record({}), patterns);
    expect(reads).toBeLessThan(500);
    const whole = [[{ a: [list, '"'] }, null, true, { b: 'x'.repeat(300) }], { a: [list, '"'] }, [list, '"'], list, { b: 'x'.repeat(300) }];
    expect(told.map(({ found }) => found)).toEqual([...whole.map((one) => `${JSON.stringify(one).slice(0, 200)}…`), '"']);
    const small = { a: [1, { b: [] }], c: {} };
    const shown = dryRun(compiledOf({}, [on('$.data.s', 'eq', 'none')]), eventOf({ s: small }), record({}), patterns).filters;
    expect(shown.map(({ found }) => found)).toEqual([small]);
  });

  test('[PRV-16] a dry run says so step by step, and says the same', () => {
    const compiled = compiledOf(limited, price);
    const event = eventOf({ price: 4, region: 'NO1' });
    const told = dryRun(compiled, event, record({ starts: [now - 1000] }), patterns);
    expect(told.verdict).toEqual(decide(compiled, event, record({ starts: [now - 1000] })));
    expect(told.steps.map(({ step, state }) => `${step} ${state}`)).toEqual([
      'match passed',
      'idempotency passed',
      'cascade passed',
      'throttle stopped',
      'risk not_reached',
      'run not_reached',
    ]);
    expect(told.steps[3]!.text).toBe('At most 1 in 3600 s for $.data.region = "NO1"; there is room again at 11 March 2026, 06:59:59 UTC.');
    expect(told.filters).toEqual([{ path: '$.data.price', operator: 'gt', value: 3, found: 4, holds: true }]);
    const unkeyed = dryRun(compiled, eventOf({ price: 4 }), record(), patterns);
    expect(unkeyed.steps[3]!.text).toBe(
      'At most 1 in 3600 s for all without $.data.region together: its key is not in this event, or too long; there is room.',
    );
    expect(dryRun(compiled, eventOf({ price: 3 }), record(), patterns).steps[0]).toMatchObject({
      state: 'stopped',
      text: '$.data.price gt 3 does not hold.',
    });
    for (const { text, state } of dryRun(compiledOf(), event, record(), patterns).steps)
      expect([state, text]).toEqual(['passed', expect.stringMatching(/\.$/)]);
  });
});

describe('[PRV-8] the key', () => {
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

  test('has the published name', () => {
    expect(keyName({ eventId: 'evt_a3f92b', triggerId: 'planner' }, sha256)).toBe(sha256('evt_a3f92bplanner'));
  });

  test('[PRV-8] two pairs with the same name are two', () => {
    const [one, other] = [
      { eventId: 'ab', triggerId: 'c' },
      { eventId: 'a', triggerId: 'bc' },
    ];
    expect(keyName(one, sha256)).toBe(keyName(other, sha256));
    expect(pairText(one)).not.toBe(pairText(other));
  });

  test('[PRV-8] no two pairs have the same text', () => {
    fc.assert(fc.property(fc.string(), fc.string(), fc.string(), fc.string(), (a, b, c, d) => {
      expect(pairText({ eventId: a, triggerId: b }) === pairText({ eventId: c, triggerId: d })).toBe(a === c && b === d);
    })); // prettier-ignore
  });

  test('[PRV-8] is kept for a day at the least, and over a clock set forward by one', () => {
    expect(idempotencyRetentionMs).toBeGreaterThanOrEqual(2 * 24 * 3_600_000);
  });
});

describe('[PRV-9] how far an event reaches', () => {
  test.each<[string, Cascade, ReturnType<typeof cascade>]>([
    ['a monitor’s', { from: 'root' }, { ok: true, level: 1, depth: 0 }],
    ['of the first invocation', { from: 'invocation', emitter: { level: 1, depth: 0 } }, { ok: true, level: 2, depth: 1 }],
    ['of the second', { from: 'invocation', emitter: { level: 2, depth: 1 } }, { ok: true, level: 3, depth: 2 }],
    ['of the third', { from: 'invocation', emitter: { level: 3, depth: 2 } }, { ok: false, reason: 'too_deep' }],
    ['of the first, after three hops', { from: 'invocation', emitter: { level: 1, depth: 3 } }, { ok: false, reason: 'too_deep' }],
    ['of the first, after two hops', { from: 'invocation', emitter: { level: 1, depth: 2 } }, { ok: true, level: 2, depth: 3 }],
    ['of one that is not on record', { from: 'unknown' }, { ok: false, reason: 'unknown_invocation' }],
  ])('%s', (_, from, expected) => {
    expect(cascade(from, 0)).toEqual(expected);
  });

  test('[PRV-9] [SYS-10] of one owner’s, invocations of a chain start fifty; what the world starts is not counted', () => {
    const first: Cascade = { from: 'invocation', emitter: { level: 1, depth: 0 } };
    expect([cascade(first, 49), cascade(first, 50)]).toEqual([
      { ok: true, level: 2, depth: 1 },
      { ok: false, reason: 'chain_full' },
    ]);
    expect(cascade({ from: 'root' }, 50)).toMatchObject({ ok: true });
    expect(cascade({ from: 'invocation', emitter: { level: 3, depth: 2 } }, 50)).toMatchObject({ reason: 'too_deep' });
    expect([1, 2, 3].map((level) => isStarted({ level }))).toEqual([false, true, true]);
  });

  test.each<[string, string | undefined, string]>([
    ['the deepest, the newest of several', undefined, 'b3-too'],
    ['the deepest, where it names none of its own', 'other', 'b3-too'],
    ['the deepest of the chain of the one it names', 'a1', 'a2'],
    ['the one it names, where none is deeper', 'b3', 'b3'],
    ['none that is shallower', 'b1', 'b3-too'],
  ])('[PRV-9] an agent speaks in %s', (_, named, id) => {
    const at = (one: string, chain_id: string, level: number) => ({ id: one, chain_id, level, depth: level - 1 });
    const running = [at('a1', 'a', 1), at('b1', 'b', 1), at('b3', 'b', 3), at('b3-too', 'b', 3), at('a2', 'a', 2)];
    expect(speaksIn(running, named)?.id).toBe(id);
    expect(speaksIn([], named)).toBeUndefined();
  });

  test('[PRV-9] an event that emits itself runs three times', () => {
    let from: Cascade = { from: 'root' };
    let runs = 0;
    for (let next = cascade(from, 0); next.ok; next = cascade(from, 0)) {
      runs++;
      from = { from: 'invocation', emitter: next };
    }
    expect(runs).toBe(3);
  });
});

describe('[PRV-10] the throttle', () => {
  const two = { max_per_window: 2, window_seconds: 60 };
  test.each<[string, number[], ReturnType<typeof throttle>]>([
    ['nothing before', [], { ok: true }],
    ['one before', [now - 1000], { ok: true }],
    ['two before: until the first leaves', [now - 1000, now - 50_000], { ok: false, until: now + 10_000 }],
    ['one of them is a window old', [now - 60_000, now - 1], { ok: true }],
    ['one millisecond less', [now - 59_999, now - 1], { ok: false, until: now + 1 }],
    ['more than there may be, after the limit was lowered', [now - 30_000, now - 20_000, now - 10_000], { ok: false, until: now + 40_000 }],
    ['the clock was set back a little: what began counts', [now + 30_000, now], { ok: false, until: now + 60_000 }],
    ['it was set back by more than the window: it does not', [now + 60_001, now + 365 * 86_400_000], { ok: true }],
    ['on the hour nothing begins anew', [now - 30_000, now], { ok: false, until: now + 30_000 }],
  ])('%s', (_, starts, expected) => {
    expect(throttle(two, starts, now)).toEqual(expected);
  });

  test('[PRV-10] in no window of that length are there ever more', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 30_000 }), { maxLength: 60 }), fc.integer({ min: 1, max: 4 }), (gaps, most) => {
        const limit = { max_per_window: most, window_seconds: 60 };
        const starts: number[] = [];
        let at = 0;
        for (const gap of gaps) {
          at += gap;
          const verdict = throttle(limit, starts, at);
          if (verdict.ok) starts.push(at);
          else expect([throttle(limit, starts, verdict.until - 1).ok, throttle(limit, starts, verdict.until).ok]).toEqual([false, true]);
        }
        for (const start of starts)
          expect(starts.filter((other) => other >= start && other < start + 60_000).length).toBeLessThanOrEqual(most);
      }),
    );
  });

  test.each<[string, object, Record<string, unknown>, string]>([
    ['no key', { throttle: two }, { region: 'NO1' }, sharedBucket],
    ['no value there', limited, {}, sharedBucket],
    ['null there', limited, { region: null }, sharedBucket],
    ['a text', limited, { region: 'NO1' }, '"NO1"'],
    ['a number is not its text', limited, { region: 1 }, '1'],
    ['an empty text is a value', limited, { region: '' }, '""'],
    ['an object, however it is written', limited, { region: { b: 1, a: 2 } }, '{"a":2,"b":1}'],
  ])('[PRV-10] one count for each value: %s', (_, more, data, expected) => {
    expect(bucketOf(compiledOf(more), eventOf(data))).toBe(expected);
  });
});

describe('[PRV-11] the effective risk', () => {
  const tool = (risk_override?: string) => ({ name: `t${risk_override}`, source: 'mcp://a', ...(risk_override ? { risk_override } : {}) });
  test.each<[string, (string | undefined)[], string, boolean, boolean]>([
    ['read_only', [], 'read_only', false, false],
    ['low', ['read_only'], 'low', false, false],
    ['medium', [undefined, 'read_only'], 'medium', true, false],
    ['read_only', ['medium', 'low'], 'medium', true, false],
    ['low', ['high', 'read_only'], 'high', true, true],
    ['high', ['read_only'], 'high', true, true],
  ])('%s with tools of %j is %s', (risk_level, tools, level, audit, approval) => {
    expect(effectiveRisk(manifestOf({ risk_level, tools: tools.map(tool) }))).toEqual({ level, audit, approval });
    expect(audits(level as 'low')).toBe(audit);
  });
});

test('[PRV-3] [PRV-8] a CloudEvent is identified by its source and ID, a seed event by its ID', () => {
  const of = (source: string, id: string, via: string): string => eventIdentity({ source, id }, via);
  expect(of('/a', '1', 'api')).toBe('1');
  expect(of('/a', '1', 'api')).toBe(of('/b', '1', 'api'));
  const all = [of('/a', '1', 'cloudevents'), of('/b', '1', 'cloudevents'), of('/a 1', '1', 'cloudevents'), of('/a', '1 1', 'cloudevents')];
  expect(new Set([...all, '1']).size).toBe(5);
});
