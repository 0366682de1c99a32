// Reads cost the same however much is stored. `setup/query-plans.ts` of testkit asks the plan of each statement that a test
// brings about; here are the lookups of decisions, and the lists on PostgreSQL, which other tests read on SQLite only.

import { tableNames, tables } from '@parley/hub';
import { routes, type RouteName } from '@parley/protocol';
import { growingCosts, hubFor, onEveryEngine } from '@parley/testkit';
import { describe, expect, test } from 'vitest';
import { lookupColumns, sqlite } from '../../src/store/statements.ts';

/** All of them are wanted: triggers, at the first event after a start (even-cost.test.ts counts later ones); owners and admins, of whom there are few. */
const whole = new Set(['provoke_objects.kind', 'members.role']);

onEveryEngine('reads of a workspace that grows', (engine) => {
  test('[SYS-4] an index leads to the rows of every key and lookup of a decision', async () => {
    const lookups = tableNames.flatMap((table) => [
      { table, lookup: undefined },
      ...Object.keys(tables[table].lookups).map((lookup) => ({ table, lookup })),
    ]);
    const asked = lookups.filter(({ table, lookup }) => !whole.has(`${table}.${lookup}`));
    // What a group and `readRows` ask for, both by the same columns.
    const statements = asked.map(({ table, lookup }) => ({ sql: sqlite.find(table, lookup), at: `${table}.${lookup ?? 'key'}` }));
    expect(statements.every(({ sql }, i) => sql.includes(lookupColumns(asked[i]!.table, asked[i]!.lookup)[0]!))).toBe(true);
    expect(await growingCosts(engine, statements)).toEqual([]);
  });

  const kit = hubFor(engine);
  const lists = Object.entries(routes).flatMap(([name, route]) => {
    const { method, path, query } = route as { method: string; path: string; query?: { shape?: object } };
    return method === 'GET' && !path.includes(':') ? [{ name: name as RouteName, keys: Object.keys(query?.shape ?? {}) }] : [];
  });

  test('[SYS-4] every list, with and without its filters, is read by owner and member', async () => {
    const [member, agent, conversationId] = [await kit.person('ben'), await kit.agent('BOT'), await kit.general()];
    const ids = { memberId: agent.id, agentId: agent.id, ownerId: agent.id, conversationId };
    const filters: Record<string, string> = { type: 'a.b.c', eventId: 'e', q: 'word', before: '9', since: '2', until: '9', ...ids };
    const forms = lists.flatMap(({ name, keys }) => [
      { name, query: {} },
      ...keys.flatMap((key) => (filters[key] === undefined ? [] : [{ name, query: { [key]: filters[key] } }])),
    ]);
    const kinds = ['contact', 'tool'].map((kind) => ({ name: 'listAudit' as RouteName, query: { kind } }));
    for (const who of [kit.owner, member])
      await Promise.all([...forms, ...kinds].map(({ name, query }) => who.ask(name, { query } as never)));
    // The plans are asked for after the file.
    expect(forms.length).toBeGreaterThan(30);
  });
});

describe('what the plans are searched for', () => {
  const messages = 'select seq from messages where conversation_id = ? and seq >= ? order by seq limit ?';

  test('[SYS-4] a column that is bounded twice in one direction is found', async () => {
    const twice = messages.replace('order', 'and seq > ? order');
    expect(await growingCosts('sqlite', [{ sql: twice, at: 'here' }])).toEqual([`here: seq is bounded twice by >: ${twice}`]);
  });

  test('[SYS-4] so is a table that is read whole, on both engines', async () => {
    const all = { sql: 'select id from messages where reply_to = ?', at: 'here' };
    expect((await growingCosts('sqlite', [all])).length).toBe(1);
    expect((await growingCosts('postgres', [all])).length).toBe(1);
    expect(await growingCosts('sqlite', [{ sql: messages, at: 'here' }])).toEqual([]);
  });
});
