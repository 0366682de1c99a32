import { describe, expect, test } from 'vitest';
import { defaultSharing } from '../consent/tiers.ts';
import { linksIn } from './links.ts';
import type { SpaceField, SpaceFields, SpaceValue } from './space.ts';
import { soundsLikeProject } from './introductions.ts';
import { heldBack } from './sharing.ts';
import { agreementField, channelLine, hasAgreed, noticeDelayMs, type PostedSpace, reasonFor } from './surfacing.ts';

const [ann, bob, cat] = ['ann', 'bob', 'cat'].map((name) => `agent:${name}@localhost`) as [string, string, string];
const by = (address: string, value: SpaceValue, earlier: SpaceField['earlier'] = []): SpaceField => ({
  current: { counter: 1, by: address, value },
  earlier,
});
const task = (whom: string, more: object = {}) => ({ task: 'Book the train', assigned_to: whom, ...more });

describe('why a person is notified of a change', () => {
  test.each<[string, string, SpaceValue, SpaceValue, SpaceField | undefined, string[], string | undefined]>([
    ['somebody else’s field', 'hotel', 'Astoria', 'Ritz', by(bob, 'Astoria'), [], undefined],
    ['what the person wrote', 'hotel', 'Astoria', 'Ritz', by(ann, 'Astoria'), [], 'yours'],
    ['what the person wrote once', 'hotel', 'x', 'Ritz', by(bob, 'x', [{ counter: 0, by: ann, value: 'y' }]), [], 'yours'],
    ['only capitals of what they wrote', 'hotel', 'astoria', 'ASTORIA ', by(ann, 'astoria'), [], undefined],
    ['a watched field', 'hotel', null, 'Ritz', undefined, ['hotel'], 'watched'],
    ['any field, where all are watched', 'hotel', null, 'Ritz', undefined, ['*'], 'watched'],
    ['a decision', 'decisions', [], ['Max 8 players'], undefined, [], 'decision'],
    ['a decision in a part', 'phase_2.decision', null, 'Go', undefined, [], 'decision'],
    ['a word that only ends so', 'indecision', null, 'Go', undefined, [], undefined],
    ['a task for them', 'next_actions', null, [task('Ann')], undefined, [], 'assigned'],
    ['a task by address', 'next_actions', null, task(ann), undefined, [], 'assigned'],
    ['a task for somebody else', 'next_actions', null, [task('bob')], undefined, [], undefined],
    ['the same task again, another beside it', 'next_actions', [task('ann')], [task('ann'), task('bob')], undefined, [], undefined],
    ['a task that is done', 'next_actions', [task('ann')], [task('ann', { status: 'done' })], undefined, [], undefined],
    ['a hostile value', 'next_actions', null, [null, 1, [], { assigned_to: 7 }], undefined, [], undefined],
  ])('[A2C-33] %s', (_, field, before, value, known, watches, reason) => {
    expect(reasonFor({ field, by: bob, before, value }, known, { own: ann, watches })).toBe(reason);
    // One's own change is news to nobody.
    expect(reasonFor({ field, by: ann, before, value }, known, { own: ann, watches })).toBeUndefined();
  });

  test('[A2C-33] a task comes sooner than other news, and neither with every keystroke', () => {
    expect([noticeDelayMs([]), noticeDelayMs(['yours', null]), noticeDelayMs(['yours', 'assigned'])]).toEqual([60_000, 60_000, 5000]);
  });
});

describe('what a channel reads', () => {
  const audience = '#trip at Acme';
  const agreed = (address: string, writer = address, value: SpaceValue = audience): SpaceFields => ({
    [agreementField(address)]: by(writer, value),
  });
  const posted = (more: Partial<PostedSpace>): string =>
    channelLine({
      name: 'Rome',
      creator: ann,
      fields: {},
      changes: [{ field: 'hotel', by: bob, before: null, value: 'Ritz' }],
      audience,
      own: ann,
      rules: defaultSharing,
      values: {},
      ...more,
    });

  test.each<[string, SpaceFields, string]>([
    ['nobody agreed', {}, 'A shared space has 1 change.'],
    ['the creator agreed', agreed(ann), '“Rome” has 1 change.'],
    ['the writer agreed', agreed(bob), 'A shared space has 1 change: hotel: Ritz (bob)'],
    ['both agreed', { ...agreed(ann), ...agreed(bob) }, '“Rome” has 1 change: hotel: Ritz (bob)'],
    ['somebody agreed for the writer', agreed(bob, cat), 'A shared space has 1 change.'],
    ['the writer agreed to another place', agreed(bob, bob, '#general at Acme'), 'A shared space has 1 change.'],
    ['the writer took it back', agreed(bob, bob, null), 'A shared space has 1 change.'],
  ])('[A2C-33] [SYS-6] %s', (_, fields, line) => {
    expect(posted({ fields })).toBe(line);
  });

  test('[A2C-33] [SYS-6] a value that the person does not share with everybody keeps all words back', () => {
    const fields = { ...agreed(ann), ...agreed(bob) };
    const changes = [{ field: 'notes', by: bob, before: null, value: 'Ann has asthma since 2019' }];
    expect(posted({ fields, changes, values: { health_info: 'asthma since 2019' } })).toBe('A shared space has 1 change.');
  });

  test('[A2C-33] [SYS-6] nor does a part of such a value get into the line where its words are cut', () => {
    const value = `${'x'.repeat(109)} at 4711-9934`;
    const changes = [{ field: 'where', by: bob, before: null, value }];
    expect(posted({ fields: agreed(bob), changes })).toContain('4711-9…');
    expect(posted({ fields: agreed(bob), changes, values: { door_code: '4711-9934' } })).toBe('A shared space has 1 change.');
  });

  test('[A2C-33] a long value is cut, many changes are counted, and lines stay one line', () => {
    const changes = Array.from({ length: 9 }, (_, at) => ({ field: `f${at}`, by: bob, before: null, value: 'x\n'.repeat(400) }));
    const line = posted({ fields: agreed(bob), changes });
    expect(line).toMatch(/ has 9 changes: f0: .*; and 4 more$/);
    expect(line.length).toBeLessThan(800);
  });

  test('[A2C-33] [A2C-24] words of others can neither turn the line around nor hide a part of it', () => {
    const changes = [{ field: 'hotel', by: bob, before: null, value: 'Ri\u202etz\u200b\u009b' }];
    expect(posted({ name: 'Ro\u2066me', fields: { ...agreed(ann), ...agreed(bob) }, changes })).toBe(
      '“Ro me” has 1 change: hotel: Ri tz (bob)',
    );
  });

  test('[A2C-33] a name that every object has is no agreement', () => {
    expect(hasAgreed({}, 'agent:constructor@localhost', audience)).toBe(false);
  });
});

test.each<[SpaceValue, object[]]>([
  ['file:///rules.md', []],
  [{ name: 'Rules', uri: 'file:///rules.md', server: 'drive' }, [{ name: 'Rules', uri: 'file:///rules.md', server: 'drive' }]],
  [{ uri: 'notion://page/1' }, [{ name: 'notion://page/1', uri: 'notion://page/1', server: null }]],
  [[{ name: 'a', uri: 'x:1' }, { name: 'b', uri: 'no uri' }, 'c'], [{ name: 'a', uri: 'x:1', server: null }]],
  [{ name: 'two\nlines', uri: 'x:1', server: 7 }, [{ name: 'x:1', uri: 'x:1', server: null }]],
  [{ uri: `x:${'y'.repeat(2000)}` }, []],
  [{ uri: 'x:1 2' }, []],
  [null, []],
])('[A2C-33] links in %j', (value, links) => {
  expect(linksIn(value)).toEqual(links);
});

test('[A2C-33] [SYS-6] the person reads which of their fields stay out of a space', () => {
  const values = { timezone: 'Europe/London', dietary: 'vegan', health_info: 'asthma' };
  expect(heldBack({ rules: defaultSharing, values, readers: [bob] })).toEqual([
    { field: 'dietary', tier: 'ask_first' },
    { field: 'health_info', tier: 'never_share' },
  ]);
});

test.each([
  ['Plan our trip to Rome', true],
  ['Kick off the Side Quests project', true],
  ['playtests next month', true],
  ['Dinner on Friday', false],
  ['A tripod for the camera', false],
])('[A2C-39] %j is a project: %s', (intent, isOne) => {
  expect(soundsLikeProject(intent)).toBe(isOne);
});
