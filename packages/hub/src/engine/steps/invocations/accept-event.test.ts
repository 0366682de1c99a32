import * as core from '@parley/core/provoke';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CompiledDefinitions } from '../../../provoke/compiled-definitions.ts';
import type { ProvokeObjectRow } from '../../../store/tables.ts';
import { likelyWants } from './accept-event.ts';

const filters = [
  { path: '$.data.n', operator: 'gt', value: 1 },
  { path: '$.data.n', operator: 'lte', value: 9 },
  { path: '$.data.region', operator: 'eq', value: 'NO1' },
  { path: '$.data.region', operator: 'in', value: ['NO1', 2, null] },
  { path: '$.data.tags', operator: 'contains', value: 'x' },
  { path: "$.data['n'][0].deep", operator: 'exists', value: true },
];
const row = (kind: 'trigger' | 'manifest', body: { id: string }): ProvokeObjectRow => ({
  kind,
  id: body.id,
  version: 1,
  owner_id: 'u',
  enabled: 1,
  body: JSON.stringify(body),
  file: null,
  removed_at: null,
  at: 0,
});
const library = new CompiledDefinitions(core);
const trigger = (id: string, filter: unknown[], throttle?: object) =>
  row('trigger', { id, agent: 'calm', match: { type: 'a.b.c', filter }, ...(throttle ? { throttle } : {}) } as { id: string });
library.inForce('1', [], () => [
  row('manifest', { id: 'calm' }),
  ...filters.map((filter, i) => trigger(`t${i}`, [filter])),
  trigger('all', [], { max_per_window: 1, window_seconds: 1, window_key: '$.data.region' }),
]);

test('[PRV-1] the rows of an event are guessed from any value, without a failure', () => {
  const shaped = fc.record(
    {
      id: fc.oneof(fc.string(), fc.string({ unit: 'binary', maxLength: 300 }), fc.jsonValue()),
      type: fc.oneof(fc.constant('a.b.c'), fc.jsonValue()),
      data: fc.oneof(fc.jsonValue(), fc.record({ n: fc.jsonValue(), region: fc.jsonValue(), tags: fc.jsonValue() }, { requiredKeys: [] })),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), shaped, fc.constant(undefined)), (value) => {
      for (const { values } of likelyWants(value, library)) for (const one of values) expect(String(one)).toMatch(/^[ -~]*$/);
    }),
    { numRuns: 2000 },
  );
});

test('[PRV-8] an event loads the pair of event and trigger, their owners, and the throttle window', () => {
  const event = { id: 'e', type: 'a.b.c', data: { n: 5, region: 'NO2' } };
  const asked = likelyWants(event, library).map(({ table, values }) => `${table} ${values[0] === 'e' ? values[1] : values[0]}`);
  expect([...new Set(asked)].toSorted()).toEqual([
    'members u',
    'provoke_keys all',
    'provoke_keys t0',
    'provoke_keys t1',
    'throttle_starts all',
  ]);
  // Never seen by a database, it would be refused by one: the event is, and not the group it comes with.
  expect(likelyWants({ ...event, id: 'a\0b' }, library)).toEqual([]);
});
