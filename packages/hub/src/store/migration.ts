// What a schema change is. `{rowless}` stands for SQLite's clustered tables.

export interface Migration {
  version: number;
  name: string;
  both: string[];
  sqlite: string[];
  postgres: string[];
}

export const table = (name: string, columns: string, key: string): string =>
  `create table ${name} (${columns}, sum text not null, primary key (${key})){rowless}`;
