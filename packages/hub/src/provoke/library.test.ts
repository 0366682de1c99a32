import * as core from '@parley/core/provoke';
import { expect, test } from 'vitest';
import type { ProvokeObjectRow } from '../store/provoke-tables.ts';
import { ProvokeLibrary } from './library.ts';

test('[PRV-4] what a command brings is made ready once, however often the command is decided', () => {
  const library = new ProvokeLibrary(core);
  const body = { id: 'calm', risk_level: 'low' };
  const first = library.document('agent', body);
  expect(first).toMatchObject({ ok: true });
  expect(library.document('agent', body)).toBe(first);
  // Another that says the same, and the same as something else.
  expect(library.document('agent', { ...body })).not.toBe(first);
  expect(library.document('trigger', body)).toMatchObject({ ok: false });
});

test('[PRV-4] a change of one object leaves what is looked up for the other types as it was', () => {
  const library = new ProvokeLibrary(core);
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
    const { triggers } = library.inForce(stamp, () => rows);
    return ['a.b.c', 'd.e.f'].map((type) => [triggers.matching(event(type)).length, triggers.index.get(type)?.branch] as const);
  };
  const [one, other] = asked('1', [row('one', 'a.b.c'), row('other', 'd.e.f')]);
  const [changed, same] = asked('2', [row('one', 'a.b.c', 2), row('other', 'd.e.f')]);
  expect([one![0], other![0], changed![0], same![0]]).toEqual([1, 1, 1, 1]);
  expect(same![1]).toBe(other![1]);
  expect(changed![1]).not.toBe(one![1]);
});

test('[PRV-6] where many regexes wait for long events, they are asked before the engine decides, an event in each turn', async () => {
  const library = new ProvokeLibrary(core);
  const filter = Array.from({ length: 50 }, (_, i) => ({ path: '$.data.text', operator: 'regex', value: `(?:\\b|.)*(?:q${i})?c$` }));
  const body = JSON.stringify({ id: 'one', agent: 'calm', match: { type: 'a.b.c', filter } });
  const row: ProvokeObjectRow = {
    kind: 'trigger',
    id: 'one',
    version: 1,
    owner_id: 'u',
    enabled: 1,
    body,
    file: null,
    removed_at: null,
    at: 0,
  };
  library.inForce('1', () => [row]);
  const event = (text: string, type = 'a.b.c') => ({
    pap_version: '0.2' as const,
    id: 'e',
    type,
    source: 's',
    time: '2026-03-11T06:00:00Z',
    data: { text },
  });
  let turns = 0;
  const readyAt = async (one: ReturnType<typeof event>): Promise<number> => {
    await library.ready(one);
    return turns;
  };
  const count = (): void => void (turns++ < 20 && setImmediate(count));
  setImmediate(count);
  const long = Array.from({ length: 3 }, () => event(`${'x'.repeat(100_000)}c`));
  const [first, second, third] = await Promise.all(long.map(readyAt));
  expect([first! < second!, second! < third!]).toEqual([true, true]);
  // They were asked, as far as there is a budget; and what is short, of another type or no event is not waited for.
  expect(long.map((one) => core.leftUntold(one))).toEqual([true, true, true]);
  const now = turns;
  expect(await Promise.all([event('c'), event('x'.repeat(100_000), 'd.e.f')].map(readyAt))).toEqual([now, now]);
  await library.ready({ type: 'a.b.c' });
  await library.ready(null);
});
