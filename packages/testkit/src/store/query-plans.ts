// The cost of a statement as tables grow, from the plans of the databases themselves.

import { columnsOf, type TableName, tableNames } from '@parley/hub';

/** Tables that a workspace fills by hand: a person wrote each row, or there is one for each of something like that. */
const small = new Set<string>(['settings', 'roles', 'tool_servers', 'tool_pins', 'secrets', 'secret_hosts', 'agent_handovers']);
const grows = (table: string): table is TableName => tableNames.includes(table as TableName) && !small.has(table);

/** Columns of a few words: equal to one of them, a large part of the table is left. */
const wide = new Set(['kind', 'status', 'type', 'scope', 'visibility', 'enabled', 'source', 'clock', 'via', 'purpose', 'role', 'cause']);

/** Which table an alias stands for. */
function aliasesIn(sql: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, table, alias] of sql.matchAll(/\b(?:from|join)\s+(\w+)(?:\s+(?:as\s+)?(\w+))?/g)) {
    found.set(table!, table!);
    if (alias !== undefined) found.set(alias, table!);
  }
  return found;
}

/** The columns that a statement bounds twice in one direction: SQLite uses the first of the two, however loose it is. */
export function doubleBounds(sql: string): string[] {
  const twice: string[] = [];
  // A parenthesis has bounds of its own, and so has each side of `or` and of `union`.
  const groups = [new Set<string>()];
  const bare = sql.replaceAll(/'[^']*'/g, "''");
  for (const [token, column, sign] of bare.matchAll(/\(?\b([\w.]+)\)?\s*(<=?|>=?)(?![>=])|\(|\)|\b(?:or|union|select|where|on)\b/g)) {
    if (sign !== undefined) {
      const bound = `${column} ${sign[0]}`;
      if (groups.at(-1)!.has(bound)) twice.push(`${column} is bounded twice by ${sign[0]}`);
      groups.at(-1)!.add(bound);
    } else if (token === '(') groups.push(new Set());
    else if (token === ')') groups.pop();
    else groups.splice(-1, 1, new Set());
  }
  return twice;
}

/** The columns that a statement of one table compares; undefined: it has more than one part. */
function comparedColumns(sql: string, table: TableName): string[] | undefined {
  const [, where = ''] =
    /^select (?:(?!\bselect\b|\bjoin\b).)* from \w+ (?:where (.*?))?\s*(?:order by .*)?(?:limit (?:\?|\d+))$/s.exec(sql) ?? [];
  if (!/limit (\?|\d+)$/.test(sql) || /select|join/.test(sql.slice(6))) return undefined;
  return columnsOf(table).filter((column) => new RegExp(`\\b${column}\\b`).test(where));
}

/** A step of SQLite's plan, such as `SEARCH m USING INDEX messages_conversation (conversation_id=? AND seq<?)`. */
function sqliteProblem(sql: string, step: string, sorts: boolean, conditions: ReadonlyMap<string, string>): string | undefined {
  const [, alias = ''] = /^(?:SCAN|SEARCH) (\w+)/.exec(step) ?? [];
  const table = aliasesIn(sql).get(alias) ?? alias;
  // `max(seq)` reads the end of an index.
  if (!grows(table) || step === `SEARCH ${alias}`) return undefined;
  const key = /\(([^()]*(?:\([^()]*\)[^()]*)*)\)(?: LEFT-JOIN)?$/.exec(step)?.[1] ?? '';
  const comparisons = [...key.replaceAll('rowid', 'seq').matchAll(/(\w+)\)?\s*(=|<|>)/g)].map(([, column, sign]) => ({
    column: column!,
    sign,
  }));
  if (comparisons.some(({ column, sign }) => sign === '=' && !wide.has(column))) return undefined;
  const signs = new Set(comparisons.map(({ sign }) => sign));
  if (signs.has('<') && signs.has('>')) return undefined;
  // As many as asked for from one end, and nothing that is read is left out.
  const compared = sorts ? undefined : comparedColumns(sql, table);
  const condition = conditions.get(/INDEX (\w+)/.exec(step)?.[1] ?? '') ?? '';
  const isHeld = (column: string): boolean =>
    comparisons.some((one) => one.column === column) || new RegExp(`\\b${column}\\b`).test(condition);
  if (compared?.every(isHeld)) return undefined;
  return step;
}

/** `conditions`: of indexes that hold some of a table's rows only. */
export function sqliteProblems(sql: string, steps: readonly string[], conditions: ReadonlyMap<string, string>): string[] {
  const sorts = steps.some((step) => step.startsWith('USE TEMP B-TREE'));
  return steps.flatMap((step) => sqliteProblem(sql, step, sorts, conditions) ?? []);
}

export interface PostgresNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Filter?: string;
  Plans?: PostgresNode[];
}

/** PostgreSQL plans with `enable_seqscan = off`: where it still reads all of a table, no index leads to the rows. */
export function postgresProblems(node: PostgresNode, partial: ReadonlySet<string>): string[] {
  const { 'Relation Name': table = '', 'Index Name': index = '', 'Node Type': type, Filter: filter } = node;
  const unbound = /^Index (Only )?Scan/.test(type) && node['Index Cond'] === undefined && filter !== undefined;
  // In an empty table, an index with few rows is as good as any.
  const all = type === 'Seq Scan' || (unbound && !partial.has(index));
  return [
    ...(all && grows(table) ? [`${type} on ${table} ${filter ?? ''}`.trim()] : []),
    ...(node.Plans ?? []).flatMap((below) => postgresProblems(below, partial)),
  ];
}

/** Reads that go through all there is. Each is matched with its caller, what the plan does, and the statement. */
const exceptions: { which: RegExp; because: string }[] = [
  { which: /^hub\/src\/(backup\/|store\/blobs|demo\/)/, because: 'verify, backup and the demo read everything, beside the work' },
  {
    which:
      /^hub\/src\/(kernel|engine\/timers|peers\/peers|turns\/scheduler|webhook-agents\/webhook-agents)\.ts.* (conversations|outbox|timers|negotiations|offers|identities)\b/,
    because: 'once, when a hub starts',
  },
  { which: /reads\/waiting-work\.ts/, because: 'a scrape counts what is open in indexes of open rows, and effects that wait' },
  { which: /handle_skeletons|private_names|name_pins|source = 'folder'/, because: 'once, when a hub starts' },
  { which: /min\(due_at\)|from outbox where due_at <= \?/, because: 'the end of an index; effects that are due are few' },
  { which: /\btasks(_open)? .*\bopen = 1\b/, because: 'open tasks, of which there are as many as agents have in hand' },
  {
    which: /order by seq desc(, id desc)? limit 1 offset \d+$| and seq >= (\?|\d+) order by seq desc| and \(seq, id\) >= \(/,
    because: 'so many of the newest, and no more',
  },
  { which: /conversations_open \(id>\?\): .* union select id from /, because: 'a page of the public channels, limited inside' },
  { which: /^hub\/src\/store\/reads\/waiting-work/, because: 'an operator’s numbers count what is open' },
  { which: /links USING INDEX links_open/, because: 'invitations that are open' },
  {
    which: /conversations_dms|Index Scan on conversations .*where conversations\.kind = 'dm'/,
    because: 'DMs between agents are found among all DMs, the newest first',
  },
  { which: /audit_entries where .*\bat (<|>=) /, because: 'a stretch of time is looked for from the newest entry on' },
  { which: /from members where kind = \? and status = \? order by handle_fold/, because: 'a list of all agents' },
  {
    which: /dry-runs\.ts.*provoke_objects where kind = \?/,
    because: 'a dry run tries every trigger',
  },
  {
    which: /provoke_objects where kind = \? and id > \? and removed_at is null order by id/,
    because: 'removed objects stay, and are passed over',
  },
  { which: /provoke_objects where file is not null/, because: 'as many as there are files, which are read as well' },
  { which: /from provoke_versions where kind = 'absence'/, because: 'monitors are few: a person wrote each' },
  { which: /seq <= \? and author_id = \?|from messages where seq > /, because: 'an export reads all messages, a stretch at a time' },
];

export const isMeant = (problem: string): boolean => exceptions.some(({ which }) => which.test(problem));
