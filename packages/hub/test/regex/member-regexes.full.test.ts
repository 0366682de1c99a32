// Regular expressions of members at a hub: who waits for them, what is recorded, and that nothing is timed twice.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onBothEngines, type Person, Random, waitFor, makeOnce } from '@parley/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Matcher, regexLimits } from '../../src/regex/matcher.ts';
import { type Accepted, event, type Provoking, startProvoking, provokingFor } from '../kit/provoke.ts';
import { ToldRegexes } from '../kit/scripted-regexes.ts';

const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));
const regex = (value: string, path = '$.data.text') => ({ path, operator: 'regex', value });
const reasons = ({ triggers }: Pick<Accepted, 'triggers'>) => Object.fromEntries(triggers.map((one) => [one.triggerId, one.reason]));

const batchOf = async (world: Provoking, who: Person, type: string, count: number, text: string): Promise<Accepted[]> => {
  const events = times(count, (i) => ({ specversion: '1.0', id: `${type}-${i}`, type, source: `member:${who.id}`, data: { text } }));
  const response = await fetch(`${world.kit.url}/api/v1/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${who.token}`, 'content-type': 'application/cloudevents-batch+json' },
    body: JSON.stringify(events),
  });
  return ((await response.json()) as { events: Accepted[] }).events;
};

onBothEngines('regexes of members', (engine) => {
  const told = new ToldRegexes();
  const groups: number[] = [];
  const world = provokingFor(engine, { matcher: told.matcher, onGroup: ({ commands }) => void groups.push(commands) });
  const mia = makeOnce(() => world.kit.person('mia'));
  const ann = makeOnce(() => world.kit.person('ann'));
  const dan = makeOnce(() => world.kit.person('dan'));
  beforeAll(async () => {
    await world.put('manifest', { id: 'mias', risk_level: 'low' }, mia);
  });
  afterEach(() => told.release());

  const trigger = (id: string, type: string, filter: object[], who = world.owner) =>
    world.put('trigger', { id, agent: who === mia ? 'mias' : 'calm', match: { type, filter } }, who);
  /** ModelCall for so many matches by what is done. */
  const matches = async (work: () => Promise<unknown>): Promise<number> => {
    const before = told.asked.length;
    await work();
    return told.asked.length - before;
  };
  const asksSomething = (before: number) => waitFor(() => expect(told.asked.length).toBeGreaterThan(before));

  test('[PRV-5] [PRV-6] a batch of events at deep paths is decided a few at a time, and each comes to its end', async () => {
    const type = 'a.deep.came';
    const filter = times(50, (i) => ({ path: `$.data.text${'.a'.repeat(60)}`, operator: i === 49 ? 'exists' : 'ne', value: true }));
    await Promise.all(times(40, (i) => trigger(`deep-${i}`, type, filter, dan)));
    groups.length = 0;
    const events = await batchOf(world, dan, type, 70, 'abab');
    expect(events.map(({ awaited }) => awaited)).toEqual(times(70, () => 40));
    expect(Math.max(...groups)).toBeLessThan(8);
  });

  test('[PRV-6] [SYS-4] a batch of 200 events at 100 regexes: others are answered while the first of them is asked', async () => {
    const type = 'a.text.came';
    await Promise.all(times(100, (i) => trigger(`many-${i}`, type, [regex(`(a|b)*a(a|b){${i + 1}}d`)], ann)));
    const general = await world.kit.general();
    const before = told.asked.length;
    told.hold();
    let isDone = false;
    const sent = batchOf(world, ann, type, 200, 'abab').finally(() => (isDone = true));
    await asksSomething(before);
    // The thread is at its first question, and stays there.
    await world.owner.post(general, 'Still here?');
    expect((await world.emit({ type: 'a.nobody.waits' })).triggers).toEqual([]);
    expect([isDone, told.asked.length - before]).toEqual([false, 1]);
    told.release();
    const events = await sent;
    expect(events.map(({ eventId }) => eventId)).toEqual(times(200, (i) => `${type}-${i}`));
    expect(await world.kit.hub.kernel.store.rows('events', 'where type = ?', [type])).toHaveLength(200);
  });

  test('[PRV-6] one that is too slow is told with its trigger, kept so, and never timed again', async () => {
    const type = 'a.slow.text';
    await trigger('slow', type, [regex('x'), { path: '$.data.n', operator: 'gt', value: 1 }]);
    await trigger('beside', type, [regex('x', '$.data.other')]);
    await trigger('other', type, [regex('y', '$.data.other'), regex('q', '$.data.other')]);
    const data = { text: 'slow x', n: 2, other: 'xy' };
    world.clock.advance(1);
    const came = await world.emit({ type, data });
    expect(reasons(came)).toEqual({ slow: 'too_slow', beside: null, other: 'filter' });
    expect(came.triggers.find(({ triggerId }) => triggerId === 'slow')).toMatchObject({
      outcome: 'rejected',
      step: 'match',
      invocationId: null,
    });
    expect(came.triggers.find(({ triggerId }) => triggerId === 'other')!.filter).toMatchObject({ value: 'q' });
    world.clock.advance(1);
    const again = await matches(async () => {
      const shown = await world.owner.call('getEvent', { params: { eventRef: came.id } });
      expect(reasons(shown)).toEqual({ slow: 'too_slow', beside: null, other: 'filter' });
      expect(shown.triggers.find(({ triggerId }) => triggerId === 'other')!.filter).toMatchObject({ value: 'q' });
      await world.kit.restart();
      expect(reasons(await world.owner.call('getEvent', { params: { eventRef: came.id } }))).toMatchObject({ slow: 'too_slow' });
    });
    expect(again).toBe(0);
    // Where another filter does not hold, no regex is asked at all.
    expect(await matches(() => world.emit({ type, data: { text: 'slow x', n: 1 } }))).toBe(0);
  });

  test('[PRV-6] the trigger says that it was too slow, until it is written again', async () => {
    const warnings = async () => (await world.owner.call('getProvoke', { params: { kind: 'trigger', id: 'slow' } })).warnings;
    expect(await warnings()).toEqual([
      'A regex or contains took too long on an event at 11 March 2026, 06:00 UTC, and the event was not counted. Simplify it, or match a shorter text.',
    ]);
    await trigger('slow', 'a.slow.text', [regex('^x')]);
    expect(await warnings()).toEqual([]);
  });

  test('[PRV-6] [PRV-16] of many triggers on a type those that were too slow are told, each of them; a dry run says the same', async () => {
    const type = 'a.many.slow';
    for (let i = 0; i < 22; i++) await trigger(`quick-${i}`, type, [regex('never', '$.data.other')]);
    for (const id of ['slow-a', 'slow-b']) await trigger(id, type, [regex('x')]);
    const one = event({ type, data: { text: 'slow', other: 'z' } });
    const came = (await world.kit.operator.call('emitEvent', { body: one })) as Accepted;
    expect([came.awaited, reasons(came)]).toEqual([24, { 'slow-a': 'too_slow', 'slow-b': 'too_slow' }]);
    const { results } = await world.owner.call('testTriggers', {
      body: { events: [{ ...one, id: 'dry' }], triggers: ['slow-a', 'quick-0'] },
    });
    expect(results.map(({ reason }) => reason)).toEqual(['filter', 'too_slow']);
    expect(results[1]!.steps[0]!.text).toMatch(/^A regex or contains took too long on this event/);
    expect(results[1]!.filters).toMatchObject([{ operator: 'regex', holds: false }]);
  });

  test('[PRV-6] the regexes of one owner have so much time, whatever they are asked; another’s are asked still', async () => {
    const type = 'a.shared.text';
    for (let i = 0; i < 10; i++) await trigger(`greedy-${i}`, type, [regex(`x${i}`)], mia);
    await trigger('modest', type, [regex('w')]);
    const emit = () => world.emit({ type, data: { text: 'slow w' } }, mia);
    // Of one event, three are stopped at 100 ms each: then its 250 ms are used up. After seven events the owner's 2 s are, too.
    for (let i = 0; i < 6; i++) expect(await matches(emit)).toBe(3);
    await emit();
    const quick = { type, data: { text: 'no x0' } };
    let came: Accepted | undefined;
    expect(await matches(async () => (came = await world.emit(quick)))).toBe(1);
    expect(reasons(came!)).toEqual({ modest: 'filter', ...Object.fromEntries(times(10, (i) => [`greedy-${i}`, 'too_slow'])) });
  });

  test('[PRV-6] [SYS-4] events that a trigger does not take from their sender cost its owner no time; its own monitor is heard', async () => {
    const type = 'a.guarded.text';
    const bob = await world.kit.person('bob');
    await world.put('manifest', { id: 'bobs', risk_level: 'low' }, bob);
    await world.put('trigger', { id: 'guarded', agent: 'bobs', match: { type, filter: [regex('disk full')] } }, bob);
    const floods = () => Promise.all(times(30, () => world.emit({ type, data: { text: 'slow' } }, ann)));
    expect(await matches(floods)).toBe(0);
    expect(reasons(await world.emit({ type, data: { text: 'disk full' } }))).toEqual({ guarded: null });
    const { results } = await bob.call('testTriggers', {
      body: { events: [event({ type, source: `member:${ann.id}` })], triggers: ['guarded'] },
    });
    expect(results.map(({ reason }) => reason)).toEqual(['sender']);
  });

  test('[PRV-6] a monitor whose regex was too slow takes no note and says so; one that took note is not asked again', async () => {
    const type = 'a.heart.beat';
    const beat = { key: '$.data.host', within_seconds: 60, emit: { type: 'a.heart.lost' } };
    await world.put('absence', { id: 'beats', ...beat, match: { type, filter: [regex('x')] } });
    await world.put('absence', { id: 'others', ...beat, match: { type, filter: [regex('z', '$.data.host')] } });
    world.clock.advance(1);
    const slow = await world.emit({ type, data: { text: 'slow x', host: 'a' } });
    expect([slow.absences, slow.warnings]).toEqual([
      [],
      [{ field: '(event)', message: 'took a regex or contains of beats too long: beats does not count it' }],
    ]);
    const heard = await world.emit({ type, data: { text: 'x', host: 'a' } });
    expect(heard.absences).toEqual([{ absenceId: 'beats', key: 'a' }]);
    const shown = async ({ id }: Accepted) => (await world.owner.call('getEvent', { params: { eventRef: id } })).absences;
    expect(await matches(async () => expect([await shown(slow), await shown(heard)]).toEqual([[], heard.absences]))).toBe(0);
    const [object] = (await world.owner.call('listProvoke', { params: { kind: 'absence' }, query: {} })).objects;
    expect([object!.id, object!.warnings.length]).toEqual(['beats', 1]);
  });

  test('[PRV-4] [PRV-6] what takes too long to compile is refused by its field, over the API and in a file', async () => {
    const message = 'takes too long to compile: shorten it, or repeat less';
    const object = { id: 'bad', agent: 'calm', match: { type: 'a.b.c', filter: [regex('x'), regex('slow')] } };
    const { status, body } = await world.owner.ask('putProvoke', { params: { kind: 'trigger', id: 'bad' }, body: { version: 0, object } });
    expect([status, body.error?.problems]).toEqual([400, [{ field: 'object.match.filter.1.value', message }]]);
    const tried = await world.owner.ask('testTriggers', { body: { events: [event({ type: 'a.b.c' })], trigger: object } });
    expect(tried.body.error?.problems).toEqual([{ field: 'trigger.match.filter.1.value', message }]);
    const output = { type: 'structured', schema: { type: 'object', properties: { a: { type: 'string', pattern: 'slow' } } } };
    const manifest = await world.owner.ask('putProvoke', {
      params: { kind: 'manifest', id: 'worse' },
      body: { version: 0, object: { id: 'worse', risk_level: 'low', output } },
    });
    expect(manifest.body.error?.problems).toEqual([{ field: 'object.output.schema', message: expect.stringContaining(message) }]);
    const [folder] = world.kit.hub.dataDir.provokePaths;
    await writeFile(
      join(folder!.path, 'bad.yaml'),
      `pap_version: "0.2"\ntrigger:\n  id: bad\n  agent: calm\n  match:\n    type: a.b.c\n    filter:\n      - path: $.data.a\n        operator: regex\n        value: slow\n`,
    );
    await world.kit.hub.kernel.provokeFiles.scan();
    const { files } = await world.owner.call('listProvokeFiles', {});
    expect(files.flatMap(({ problems }) => problems)).toMatchObject([{ line: 10, field: 'trigger.match.filter.0.value', message }]);
  });

  test('[PRV-6] what changed while regexes were asked counts, and is asked for', async () => {
    const type = 'a.changing.text';
    await trigger('changing', type, [regex('x')]);
    await trigger('staying', type, [regex('x')]);
    const before = told.asked.length;
    told.hold();
    const came = world.emit({ type, data: { text: 'xy' } });
    await asksSomething(before);
    await world.owner.call('enableProvoke', { params: { kind: 'trigger', id: 'changing' }, body: { version: 1, enabled: false } });
    told.release();
    expect(reasons(await came)).toEqual({ changing: 'disabled', staying: null });
  });

  test('[PRV-6] [SYS-4] without a thread nothing is taken and nothing lost: a schedule strikes once there is one', async () => {
    const type = 'a.clock.struck';
    await trigger('struck', type, [regex('x')]);
    await world.put('schedule', { id: 'hourly', cron: '0 * * * *', emit: { type, data: { text: 'x' } } });
    told.isAway = true;
    const { status, body } = await world.kit.operator.ask('emitEvent', { body: event({ type, data: { text: 'x' } }) });
    expect([status, body.error?.code]).toEqual([503, 'unavailable']);
    world.clock.advance(3_600_000);
    await world.kit.hub.kernel.timers.tick().catch(() => {});
    const kept = () => world.kit.hub.kernel.store.rows('events', 'where type = ?', [type]);
    expect(await kept()).toEqual([]);
    await world.kit.restart();
    told.isAway = false;
    await world.kit.hub.kernel.timers.tick();
    expect((await kept()).map(({ via }) => via)).toEqual(['schedule']);
    await world.kit.hub.kernel.timers.tick();
    expect(await kept()).toHaveLength(1);
  });
});

describe('[PRV-6] a thread in earnest', () => {
  let world: Provoking;
  beforeAll(async () => {
    const limits = { ...regexLimits, deadlines: { ...regexLimits.deadlines, match: 10 } };
    world = await startProvoking('sqlite', { matcher: () => new Matcher({ limits }) });
  });
  afterAll(() => world.kit.stop());

  test('patterns that take long on 100 KB: every event is taken, and every trigger says what became of it', async () => {
    const type = 'a.real.text';
    const patterns = ['^.{1,26}$', 'error.{0,24}timeout', 'a{51}', '(a|b)*a(a|b){47}d', '(a|b)*a(a|b){400}[^ab]', '(.*a){1000}', 'b$'];
    for (const [i, value] of patterns.entries()) await world.trigger(`real-${i}`, type, { match: { type, filter: [regex(value)] } });
    const random = new Random(7);
    const text = times(100_000, () => (random.int(2) === 0 ? 'a' : 'b')).join('');
    const events = await batchOf(world, world.owner, type, 8, text);
    expect(events.map(({ triggers }) => triggers.length)).toEqual(times(8, () => patterns.length));
    const ends = new Set(events.flatMap(({ triggers }) => triggers.map(({ reason }) => reason)));
    expect([...ends].filter((reason) => reason !== 'filter' && reason !== 'too_slow' && reason !== null)).toEqual([]);
    expect(events[0]!.triggers.find(({ triggerId }) => triggerId === 'real-4')!.reason).toBe('too_slow');
  });
});
