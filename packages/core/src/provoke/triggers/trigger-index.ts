// Within one type, which triggers could an event start? The index has each trigger under its most selective filter: by a
// value, or by a range. Candidates are still checked whole; a trigger that is not found cannot match. So ten thousand
// triggers on one type cost as much as those that come into question.

import type { PapEvent } from '@parley/protocol';
import { type Checks, type Into, listOf, searchesLast, run } from './filter-operators.ts';
import { type FilterLookup, type Comparable, mostValues, type CompiledTrigger } from './trigger.ts';
import { averageHeld, visitContaining, inOrder, type Intervals, intervalsOf, pieceAt, type Segments, segmentsOf } from './ranges.ts';
import { type Path, type PathReader, stepInto } from './event-path.ts';
import type { Patterns } from './regex.ts';

/** A trigger with its place in the set: answers come in that order. */
export interface OrderedTrigger extends CompiledTrigger {
  order: number;
  /** The filters that the way to this node has not settled yet. */
  open: CompiledTrigger['filters'];
  /** How often it stands in the index so far: lists of values within lists multiply. */
  copies: number;
}

type Equal = Extract<FilterLookup, { kind: 'equal' }>;
type Range = Extract<FilterLookup, { kind: 'range' }>;
type List = Checks<OrderedTrigger>;

interface Table {
  read: PathReader;
  equal: Map<unknown, IndexBranch> | null;
  /** Ranges on it: cut in pieces, or in a tree where too much overlaps. */
  pieces: Segments<List> | null;
  tree: Intervals<List>;
}

/** Tables of fields that lie in the same object: with many of them, the object's own fields are gone through instead. */
interface Beside {
  parent: Path['steps'];
  byName: Map<string, Table>;
}

export interface IndexBranch {
  /** To be checked in any case. */
  always: List;
  tables: readonly Table[];
  beside: readonly Beside[];
}

/** So few are checked faster than looked up. */
const few = 4;
const manyTables = 8;
/** A filter that all but one share splits off one at a time; after so many there is nothing to be gained. */
const deepest = 8;

const checked = (triggers: readonly OrderedTrigger[]): List => listOf(triggers, ({ open }) => searchesLast(open.map(({ check }) => check)));

const settled = (placed: OrderedTrigger, { kind, path }: FilterLookup): OrderedTrigger => ({
  ...placed,
  open: placed.open.filter(({ access }) => access === null || access.kind !== kind || access.path.text !== path.text),
});

interface Member<A extends FilterLookup = FilterLookup> {
  placed: OrderedTrigger;
  access: A;
}

export function branchOf(triggers: readonly OrderedTrigger[], used: ReadonlySet<string> = new Set(), depth = 0): IndexBranch {
  if (triggers.length <= few || depth >= deepest) return { always: checked(triggers), tables: [], beside: [] };
  const best = chooser(triggers, used);
  const always: OrderedTrigger[] = [];
  const chosen = new Map<string, Member[]>();
  for (const placed of triggers) {
    const access = best(placed);
    if (access === undefined) always.push(placed);
    else added(chosen, nameOf(access), { placed, access });
  }
  const tables = new Map<string, { table: Table; path: Path }>();
  for (const [name, members] of chosen) {
    const { path, kind } = members[0]!.access;
    const entry = tables.get(path.text) ?? { table: { read: path.read, equal: null, pieces: null, tree: null }, path };
    if (kind === 'equal') entry.table.equal = byValue(members as Member<Equal>[], new Set([...used, name]), depth);
    else Object.assign(entry.table, byRange(members as Member<Range>[]));
    tables.set(path.text, entry);
  }
  return { always: checked(always), ...gathered([...tables.values()]) };
}

const nameOf = ({ kind, path }: FilterLookup): string => `${kind} ${path.text}`;

function added<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

function byValue(members: readonly Member<Equal>[], used: ReadonlySet<string>, depth: number): Map<unknown, IndexBranch> {
  const groups = new Map<Comparable, OrderedTrigger[]>();
  for (const { placed, access } of members) {
    // Several equalities on one place are looked up by the first: the others are left to be checked.
    const first = placed.open.find((one) => one.access === access);
    const open = placed.open.filter((one) => one !== first);
    const rest = { ...placed, open, copies: placed.copies * access.values.length };
    for (const value of access.values) added(groups, value, rest);
  }
  return new Map([...groups].map(([value, group]) => [value, branchOf(group, used, depth + 1)]));
}

function byRange(members: readonly Member<Range>[]): Pick<Table, 'pieces' | 'tree'> {
  const ranges = members.map(({ placed, access }) => ({ low: access.low, high: access.high, item: { placed, access } }));
  // Between two ends a range holds or does not; at an end it depends on whether the end belongs to it.
  const pieces = segmentsOf(ranges, (items, between) =>
    checked(items.map(({ placed, access }) => (between ? settled(placed, access) : placed))),
  );
  const tree = pieces ? null : intervalsOf(ranges.map(({ low, high, item }) => ({ low, high, item: checked([item.placed]) })));
  return { pieces, tree };
}

/** The equality that the fewest share, if it parts the set at all; else the range that holds the fewest at once. */
function chooser(triggers: readonly OrderedTrigger[], used: ReadonlySet<string>): (placed: OrderedTrigger) => FilterLookup | undefined {
  const shared = new Map<string, Map<Comparable, number>>();
  const ranges = new Map<string, Range[]>();
  for (const one of triggers.flatMap(({ access }) => access)) {
    const name = nameOf(one);
    if (one.kind === 'range') added(ranges, name, one);
    else if (!used.has(name)) {
      const counts = shared.get(name) ?? new Map<Comparable, number>();
      for (const value of one.values) counts.set(value, (counts.get(value) ?? 0) + 1);
      shared.set(name, counts);
    }
  }
  const held = new Map([...ranges].map(([name, all]) => [name, averageHeld(all)]));
  /** How many come up when it is looked up; undefined where that is no gain. */
  const cost = (one: FilterLookup, kind: FilterLookup['kind'], copies: number): number => {
    const name = nameOf(one);
    if (one.kind !== kind || used.has(name)) return Infinity;
    if (one.kind === 'range') return held.get(name)!;
    if (one.values.length * copies > mostValues) return Infinity;
    const most = one.values.reduce<number>((so, value) => Math.max(so, shared.get(name)!.get(value)!), 0);
    return most < triggers.length ? most : Infinity;
  };
  return ({ access, copies }) => {
    for (const kind of ['equal', 'range'] as const) {
      const [best] = access.map((one) => ({ one, costs: cost(one, kind, copies) })).toSorted((a, b) => inOrder(a.costs, b.costs));
      if (best !== undefined && best.costs < Infinity) return best.one;
    }
    return undefined;
  };
}

function gathered(entries: readonly { table: Table; path: Path }[]): Pick<IndexBranch, 'tables' | 'beside'> {
  const groups = new Map<string, { table: Table; path: Path }[]>();
  for (const entry of entries) {
    const { steps } = entry.path;
    added(groups, typeof steps.at(-1) === 'string' ? JSON.stringify(steps.slice(0, -1)) : '', entry);
  }
  const isMany = ([parent, group]: [string, unknown[]]): boolean => parent !== '' && group.length > manyTables;
  return {
    tables: [...groups].filter((one) => !isMany(one)).flatMap(([, group]) => group.map(({ table }) => table)),
    beside: [...groups].filter(isMany).map(([, group]) => ({
      parent: group[0]!.path.steps.slice(0, -1),
      byName: new Map(group.map(({ table, path }) => [path.steps.at(-1) as string, table])),
    })),
  };
}

/** Runs the filters of every trigger that comes into question. */
export function find(branch: IndexBranch, event: PapEvent, patterns: Patterns, into: Into<OrderedTrigger>): void {
  if (branch.always.length > 0) run(branch.always, event, patterns, into);
  for (const table of branch.tables) lookUp(table, event, patterns, into);
  for (const { parent, byName } of branch.beside) {
    const object = parent.reduce<unknown>(stepInto, event);
    if (typeof object !== 'object' || object === null || Array.isArray(object)) continue;
    for (const name of Object.keys(object)) {
      const table = byName.get(name);
      if (table !== undefined) lookUp(table, event, patterns, into);
    }
  }
}

function lookUp(table: Table, event: PapEvent, patterns: Patterns, into: Into<OrderedTrigger>): void {
  const value = table.read(event);
  if (table.equal !== null) {
    const branch = table.equal.get(value);
    if (branch !== undefined) find(branch, event, patterns, into);
  }
  if (typeof value !== 'number') return;
  const list = table.pieces === null ? null : pieceAt(table.pieces, value);
  if (list !== null) run(list, event, patterns, into);
  if (table.tree !== null) visitContaining(table.tree, value, (one) => run(one, event, patterns, into));
}
