import * as core from '@parley/core/provoke';
import { expect, test } from 'vitest';
import type { ProvokeObjectRow } from '../store/tables.ts';
import { Answers } from '../regex/answers.ts';
import { CompiledDefinitions } from './compiled-definitions.ts';

test('[PRV-4] the document of a command is compiled once, however often the command is decided', () => {
  const library = new CompiledDefinitions(core);
  const answers = new Answers('');
  const body = { id: 'calm', risk_level: 'low' };
  const first = library.document('agent', body, answers);
  expect(first).toMatchObject({ ok: true });
  expect(library.document('agent', body, answers)).toBe(first);
  // Another that says the same, and the same as something else.
  expect(library.document('agent', { ...body }, answers)).not.toBe(first);
  expect(library.document('trigger', body, answers)).toMatchObject({ ok: false });
  // Not before it is known what RE2 makes of its patterns.
  const trigger = { id: 'a', agent: 'b', match: { type: 'a.b.c', filter: [{ path: '$.data.a', operator: 'regex', value: '(' }] } };
  const unknown = new Answers('');
  const again = library.document('trigger', trigger, unknown);
  expect([unknown.isComplete, library.document('trigger', trigger, unknown) === again]).toEqual([false, false]);
});

test('[PRV-4] a change of one object leaves what is looked up for the other types as it was', () => {
  const library = new CompiledDefinitions(core);
  const row = (id: string, type: string, version = 1): ProvokeObjectRow => ({
    kind: 'trigger',
    id,
    version,
    owner_id: 'u',
    enabled: 1,
    body: JSON.stringify({ id, description: String(version), agent: 'calm', match: { type, filter: [] } }),
    file: null,
    removed_at: null,
    at: 0,
  });
  const event = (type: string) => ({ pap_version: '0.2' as const, id: 'e', type, source: 's', time: '2026-03-11T06:00:00Z', data: {} });
  const asked = (stamp: string, rows: ProvokeObjectRow[]) => {
    const { triggers } = library.inForce(stamp, [], () => rows);
    return ['a.b.c', 'd.e.f'].map(
      (type) => [triggers.matching(event(type), core.directPatterns()).length, triggers.index.get(type)?.branch] as const,
    );
  };
  const [one, other] = asked('1', [row('one', 'a.b.c'), row('other', 'd.e.f')]);
  const [changed, same] = asked('2', [row('one', 'a.b.c', 2), row('other', 'd.e.f')]);
  expect([one![0], other![0], changed![0], same![0]]).toEqual([1, 1, 1, 1]);
  expect(same![1]).toBe(other![1]);
  expect(changed![1]).not.toBe(one![1]);
});

test('[PRV-4] after a change of one object, that one is loaded and no other', () => {
  const library = new CompiledDefinitions(core);
  const row = (id: string, version = 1): ProvokeObjectRow => ({
    kind: 'manifest',
    id,
    version,
    owner_id: 'u',
    enabled: 1,
    body: '{}',
    file: null,
    removed_at: null,
    at: 0,
  });
  const asked: unknown[] = [];
  const loads = (rows: ProvokeObjectRow[]) => (changed: unknown) => {
    asked.push(changed);
    return rows;
  };
  library.inForce('1', [], loads([row('one'), row('other')]));
  const change = { before: '1', kind: 'manifest', id: 'one' } as const;
  const next = library.inForce('2', [{ before: '0', kind: 'manifest', id: 'zero' }, change], loads([row('one', 2)]));
  expect(['one', 'other'].map((id) => next.row('manifest', id)?.version)).toEqual([2, 1]);
  const removal = { before: '2', kind: 'manifest', id: 'other' } as const;
  const last = library.inForce('3', [change, removal], loads([{ ...row('other'), removed_at: 1 }]));
  expect(['one', 'other'].map((id) => last.row('manifest', id)?.version)).toEqual([2, undefined]);
  // From a state that is not known any more, all are loaded.
  library.inForce('9', [{ before: '8', kind: 'manifest', id: 'one' }], loads([row('one', 9)]));
  expect(asked).toEqual([undefined, [change], [removal], undefined]);
});
