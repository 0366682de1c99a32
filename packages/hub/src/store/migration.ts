// What a schema change is. `{rowless}` means SQLite's clustered tables.

export interface Migration {
  version: number;
  name: string;
  both: string[];
  sqlite?: string[];
  postgres?: string[];
}

/** `columns` is a list such as `id, seq int, task_id?`: text unless `int` says otherwise, never null without a question mark. */
export function table(name: string, columns: string, key: string): string {
  const described = columns.replaceAll(
    /(\w+)( int)?(\??)(?=,|$)/g,
    (_, column: string, int?: string, nullable?: string) => `${column} ${int ? 'bigint' : 'text'}${nullable ? '' : ' not null'}`,
  );
  return `create table ${name} (${described}, sum text not null, primary key (${key})){rowless}`;
}
