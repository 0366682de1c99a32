// How a table is described: its columns, its key, and the lookups that find its rows, each a list as released migrations write it:
// `id, seq int, task_id?` is text unless `int` says otherwise, and never null without a question mark.

type ColumnType = 'text' | 'int' | 'text?' | 'int?';

export interface TableSpec {
  columns: Readonly<Record<string, ColumnType>>;
  key: readonly string[];
  /** Named ways to find rows besides the key; the database enforces the `unique` ones. */
  lookups: Readonly<Record<string, { readonly columns: readonly string[]; readonly unique: boolean }>>;
}

type Trimmed<Text extends string> = Text extends ` ${infer Rest}` ? Trimmed<Rest> : Text extends `\n${infer Rest}` ? Trimmed<Rest> : Text;
/** The entries of a list. */
export type ListEntry<List extends string> = List extends `${infer First},${infer Rest}` ? Trimmed<First> | ListEntry<Rest> : Trimmed<List>;
type WithoutMark<Column extends string> = Column extends `${infer Rest}?` ? Rest : Column;
type NameOf<Column extends string> = WithoutMark<Column> extends `${infer Name} int` ? Name : WithoutMark<Column>;
type ValueOf<Column extends string, Words> = Column extends `${infer Rest}?`
  ? ValueOf<Rest, Words> | null
  : Column extends `${string} int`
    ? number
    : Column extends keyof Words
      ? Words[Column]
      : string;
/** One value for each column of a lookup. */
type Values<List extends string> = List extends `${string},${infer Rest}` ? [string | number, ...Values<Rest>] : [string | number];

interface Table<Columns extends string, Words, Lookups> extends TableSpec {
  lookups: { readonly [Name in keyof Lookups]: TableSpec['lookups'][string] & { readonly values?: Values<Lookups[Name] & string> } };
  /** Used only by the compiler. */
  readonly row?: { -readonly [Column in ListEntry<Columns> as NameOf<Column>]: ValueOf<Column, Words> };
}
export type RowOf<T extends { row?: unknown }> = NonNullable<T['row']>;
export type LookupValuesOf<L> = L extends { readonly values?: infer V extends (string | number)[] } ? V : never;

interface Words<Of> {
  readonly of?: Of;
}
const forTheCompiler: unknown = {};
/** Columns of text that hold one of a few words. Which ones is for the compiler only. */
export const words = <Of>(): Words<Of> => forTheCompiler as Words<Of>;

const entriesOf = (list: string): string[] => list.split(',').map((entry) => entry.trim());

export function table<const Columns extends string, const Lookups extends Readonly<Record<string, string>> = {}, Of = {}>(spec: {
  columns: Columns;
  words?: Words<Of>;
  key: string;
  /** `unique name`: the database enforces it. */
  lookups?: Lookups;
}): Table<Columns, Of, Lookups> {
  const columns = entriesOf(spec.columns).map((entry) => {
    const [, name, int, mark] = /^(\w+)( int)?(\??)$/.exec(entry)!;
    return [name!, `${int === undefined ? 'text' : 'int'}${mark!}` as ColumnType] as const;
  });
  const lookups = Object.entries(spec.lookups ?? {}).map(([name, list]) => {
    const unique = list.startsWith('unique ');
    return [name, { columns: entriesOf(unique ? list.slice('unique '.length) : list), unique }] as const;
  });
  const described: TableSpec = { columns: Object.fromEntries(columns), key: entriesOf(spec.key), lookups: Object.fromEntries(lookups) };
  return described as Table<Columns, Of, Lookups>;
}
