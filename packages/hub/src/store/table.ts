// How a table is described: its columns with the type of their values, its key, and the lookups that find its rows.

interface ColumnValues {
  text: string;
  int: number;
  'text?': string | null;
  'int?': number | null;
}
type ColumnType = keyof ColumnValues;

/** A column of text that holds one of a few words. Which ones is for the compiler only. */
type Words<C extends ColumnType, V> = C & { readonly values: V };
export const oneOf = <V extends string>(): Words<'text', V> => 'text' as Words<'text', V>;
export const oneOfOrNull = <V extends string>(): Words<'text?', V | null> => 'text?' as Words<'text?', V | null>;

export interface TableSpec {
  columns: Readonly<Record<string, ColumnType>>;
  key: readonly string[];
  /** Named ways to find rows besides the key; `unique` ones are enforced by the database. */
  lookups: Lookups;
}
type Lookups<C = string> = Readonly<Record<string, { readonly columns: readonly C[]; readonly unique?: true }>>;

export const table = <const C extends TableSpec['columns'], const L extends Lookups<keyof C> = {}>(spec: {
  columns: C;
  key: readonly (keyof C & string)[];
  lookups?: L;
}) => ({ lookups: {} as L, ...spec });

type ValueOf<C> = C extends { readonly values: infer V } ? V : C extends ColumnType ? ColumnValues[C] : never;
export type RowOf<T extends { columns: object }> = { -readonly [C in keyof T['columns']]: ValueOf<T['columns'][C]> };
