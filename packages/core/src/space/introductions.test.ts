import { expect, test } from 'vitest';
import { introductionsFor, type KnownNegotiation } from './introductions.ts';

const known = (...all: Partial<KnownNegotiation>[]): KnownNegotiation[] =>
  all.map((one, n) => ({ id: String(n), peer: 'agent:bob@x', kind: 'pair', intent: 'Dinner', ...one }));
const last = (...all: Partial<KnownNegotiation>[]) => introductionsFor(String(all.length - 1), known(...all));

test('[A2C-39] each capability is introduced where it helps first, and not again', () => {
  expect(last({})).toEqual(['person']);
  expect(last({}, {})).toEqual([]);
  expect(last({}, { peer: 'agent:cleo@x' }), 'another person').toEqual(['person']);
  expect(last({}, { kind: 'group' })).toEqual(['group']);
  expect(last({ kind: 'group' }, { kind: 'group' })).toEqual([]);
  expect(last({}, { intent: 'Plan the trip to Rome' })).toEqual(['project']);
  expect(last({ intent: 'A wedding' }, { intent: 'Plan the trip' })).toEqual([]);
  expect(last({ kind: 'outside', peer: 'outside' }), 'somebody without an agent').toEqual([]);
});

test('[A2C-39] the tenth negotiation introduces the memory, and later ones nothing', () => {
  const ten = Array.from({ length: 10 }, () => ({}));
  expect(last(...ten)).toEqual(['memory']);
  expect(last(...ten, { kind: 'group' })).toEqual([]);
});
