import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultSharing, setOverride } from '../consent/tiers.ts';
import { withheldFrom } from './sharing.ts';
import {
  type FieldUpdate,
  highestCounter,
  largestStep,
  isMeaningful,
  mayWrite,
  mergeUpdate,
  type SpaceDefinition,
  type SpaceFields,
  writeField,
} from './space.ts';

const [ann, bob, cat, eve] = ['ann', 'bob', 'cat', 'eve'].map((name) => `agent:${name}@localhost`) as [string, string, string, string];
const trip: SpaceDefinition = {
  name: 'Trip',
  creator: ann,
  participants: { [ann]: 'full-write', [bob]: 'write-own-fields', [cat]: 'read-all' },
};
const all: SpaceDefinition = { ...trip, participants: { [ann]: 'full-write', [bob]: 'full-write', [cat]: 'full-write' } };
const merged = (definition: SpaceDefinition, updates: readonly FieldUpdate[]): SpaceFields =>
  updates.reduce((fields: SpaceFields, update) => mergeUpdate(definition, fields, update).fields, {});

describe('who may write', () => {
  test('[A2C-33] [A2C-10] nobody writes the own fields of somebody whose name begins as theirs, or is theirs at another relay', () => {
    const [lee, elsewhere] = ['agent:bob.lee@localhost', 'agent:bob@b.example'];
    const near = { ...trip, participants: { [bob]: 'write-own-fields', [lee]: 'write-own-fields' } } as const;
    expect([mayWrite(near, 'bob.lee.flight', bob), mayWrite(near, 'bob.lee.flight', lee)]).toEqual([false, true]);
    expect([mayWrite(near, 'bob.flight', bob), mayWrite(near, 'bob.flight', lee)]).toEqual([true, false]);
    const same = { ...trip, participants: { [bob]: 'write-own-fields', [elsewhere]: 'write-own-fields' } } as const;
    expect([bob, elsewhere].map((address) => mayWrite(same, 'bob.flight', address))).toEqual([false, false]);
  });

  test.each([
    [ann, 'hotel', true],
    [ann, 'bob.flight', true],
    [bob, 'hotel', false],
    [bob, 'bob.flight', true],
    [bob, 'bob', false],
    [bob, 'bobby.flight', false],
    [bob, 'cat.flight', false],
    [cat, 'cat.flight', false],
    [eve, 'eve.flight', false],
    ['constructor', 'hotel', false],
  ])('[A2C-33] %s writes %s: %s', (address, field, allowed) => {
    expect(mayWrite(trip, field, address)).toBe(allowed);
    expect(mergeUpdate(trip, {}, { field, counter: 1, by: address, value: 1 }).verdict).toBe(allowed ? 'changed' : 'not_allowed');
    expect(writeField(trip, {}, { field, by: address, value: 1 })).toEqual(
      allowed ? { update: { field, counter: 1, by: address, value: 1 } } : { refused: 'not_allowed' },
    );
  });
});

describe('the last write wins per field', () => {
  const first: FieldUpdate = { field: 'hotel', counter: 3, by: ann, value: 'Astoria' };
  test.each<[string, FieldUpdate, string, unknown]>([
    ['a higher counter', { ...first, counter: 4, value: 'Ritz' }, 'changed', 'Ritz'],
    ['a lower counter of a greater address', { ...first, counter: 2, by: cat, value: 'Ritz' }, 'older', 'Astoria'],
    ['the same counter of a greater address', { ...first, by: bob, value: 'Ritz' }, 'changed', 'Ritz'],
    ['the same again', first, 'repeated', 'Astoria'],
    ['two values under one number, the greater text', { ...first, value: 'Ritz' }, 'changed', 'Ritz'],
    ['two values under one number, the smaller text', { ...first, value: 'Abbey' }, 'older', 'Astoria'],
    ['a removal', { ...first, counter: 9, value: null }, 'changed', null],
    ['a counter that no honest writer has', { ...first, counter: highestCounter + 1, value: 'Ritz' }, 'too_large', 'Astoria'],
    ['a step that no honest writer takes', { ...first, counter: 3 + largestStep + 1, value: 'Ritz' }, 'too_far', 'Astoria'],
    ['the longest step', { ...first, counter: 3 + largestStep, value: 'Ritz' }, 'changed', 'Ritz'],
    ['a number that others read as another one', { ...first, counter: 4, value: { room: [2 ** 53] } }, 'not_exact', 'Astoria'],
    ['a number beyond all', { ...first, counter: 4, value: Infinity }, 'not_exact', 'Astoria'],
    ['a fraction', { ...first, counter: 4, value: 0.1 }, 'changed', 0.1],
    ['a value of a megabyte', { ...first, counter: 4, value: 'x'.repeat(1e6) }, 'too_large', 'Astoria'],
  ])('[A2C-33] %s', (_, update, verdict, value) => {
    const result = mergeUpdate(all, merged(all, [first]), update);
    expect([result.verdict, result.fields['hotel']!.current.value]).toEqual([verdict, value]);
  });

  test('[A2C-33] replaced versions stay to be read, at most twenty', () => {
    const fields = merged(
      all,
      Array.from({ length: 30 }, (_, at) => ({ ...first, counter: at + 1, value: at })),
    );
    expect(fields['hotel']).toMatchObject({ current: { value: 29 }, earlier: { length: 20, 0: { value: 28 }, 19: { value: 9 } } });
  });

  test('[A2C-33] whatever the order, and however often an update comes, everybody has the same fields', () => {
    const update = fc.record({
      field: fc.constantFrom('hotel', 'bob.flight', 'constructor', '__proto__'),
      counter: fc.integer({ min: 1, max: 4 }),
      by: fc.constantFrom(ann, bob, cat, eve),
      value: fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<string>,
    });
    fc.assert(
      fc.property(fc.array(update, { maxLength: 12 }), fc.infiniteStream(fc.nat()), (updates, numbers) => {
        const shuffled = [...updates, ...updates.slice(0, 3)]
          .map((one) => ({ one, at: numbers.next().value as number }))
          .toSorted((a, b) => a.at - b.at)
          .map(({ one }) => one);
        const current = (fields: SpaceFields) =>
          Object.fromEntries(Object.entries(fields).map(([name, { current: one }]) => [name, JSON.stringify(one)]));
        expect(current(merged(all, shuffled))).toEqual(current(merged(all, updates)));
      }),
    );
  });

  test('[A2C-33] of 10,000 fields a space keeps 2,000, and one’s own peer writes 500', () => {
    let fields: SpaceFields = {};
    const verdicts = new Map<string, number>();
    for (let at = 0; at < 2100; at += 1) {
      const result = mergeUpdate(all, fields, { field: `f${at}`, counter: 1, by: bob, value: at });
      ({ fields } = result);
      verdicts.set(result.verdict, (verdicts.get(result.verdict) ?? 0) + 1);
    }
    expect(Object.fromEntries(verdicts)).toEqual({ changed: 2000, too_many: 100 });
    expect(writeField(all, fields, { field: 'another', by: ann, value: 1 })).toEqual({ refused: 'too_many' });
    expect(writeField(all, fields, { field: 'f1', by: ann, value: 2 })).toMatchObject({ update: { counter: 2 } });
  });

  test('[A2C-33] a write is above every version that its writer knows; a counter at its end is said to be so', () => {
    const far = { hotel: { current: { ...first, counter: highestCounter, by: bob }, earlier: [] } };
    expect(writeField(all, far, { field: 'hotel', by: ann, value: 'Ritz' })).toEqual({ refused: 'exhausted' });
    expect(writeField(all, merged(all, [first]), { field: 'hotel', by: bob, value: 'Astoria' })).toEqual({ refused: 'unchanged' });
    // The second device of this person.
    for (const [fields, counter] of [
      [{}, 1001],
      [merged(all, [first]), 1001],
      [merged(all, [{ ...first, counter: 1200 }]), 1201],
    ] as const)
      expect(writeField(all, fields, { field: 'hotel', by: bob, value: 'Ritz' }, 2)).toMatchObject({ update: { counter } });
    expect(writeField(all, {}, { field: 'hotel', by: bob, value: 'y'.repeat(9000) })).toEqual({ refused: 'too_large' });
    expect(writeField(all, {}, { field: 'hotel', by: bob, value: null })).toEqual({ refused: 'unchanged' });
    expect(writeField(all, {}, { field: 'hotel', by: bob, value: [1e300] })).toEqual({ refused: 'not_exact' });
  });
});

test.each<[unknown, unknown, string, boolean]>([
  ['Astoria', 'Ritz', bob, true],
  [undefined, 'Ritz', bob, true],
  ['Astoria', 'astoria  ', bob, false],
  ['two  rooms', 'Two rooms', bob, false],
  ['Astoria', 'Ritz', ann, false],
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, bob, false],
])('[A2C-33] from %j to %j by %s, the person wants to know: %s', (before, value, by, wanted) => {
  expect(isMeaningful(before as string, { counter: 2, by, value: value as string }, ann)).toBe(wanted);
});

describe('tiers in a space', () => {
  const values = { dietary: 'no shellfish at all', health_info: 'asthma since 2019', budget_range: 'GBP 300' };
  const readers = { values, readers: [bob, cat], rules: setOverride(defaultSharing, cat, 'budget_range', 'never_share') };
  test.each<[string, unknown, 'own' | 'agent', string | undefined]>([
    ['status', 'booked', 'agent', undefined],
    ['hotel', 'Ritz', 'own', undefined],
    ['dietary', 'vegan', 'own', undefined],
    ['Dietary', 'vegan', 'agent', 'Dietary'],
    ['health_info', 'fine', 'own', 'health_info'],
    ['notes', 'I have asthma since 2019', 'own', 'health_info'],
    ['notes', 'no shellfish at all', 'own', undefined],
    ['notes', 'no shellfish at all', 'agent', 'dietary'],
    ['budget_range', 'low', 'own', 'budget_range'],
    ['timezone', 'Europe/Berlin', 'agent', undefined],
    ['asthma_since_2019', true, 'own', 'health_info'],
    ['notes', { 'asthma since 2019': true }, 'own', 'health_info'],
  ])('[A2C-33] [SYS-6] %s: %j in %s words', (field, value, words, withheld) => {
    expect(withheldFrom({ field, value: value as string, words }, readers)?.field).toBe(withheld);
  });
});
