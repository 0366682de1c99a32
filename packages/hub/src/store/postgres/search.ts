// PostgreSQL's search index, one row of words per message, keyed by its position.

import type { Pool } from 'pg';
import type { Reader, SearchAsk, SearchHit, SearchIndex } from '../port.ts';
import { findMessages, searchPosition, wordsOf } from '../search-words.ts';
import { beginUntimed, inTransaction } from './group.ts';

export class PostgresSearch implements SearchIndex {
  private readonly reader: Reader;
  private readonly pool: Pool;

  constructor(reader: Reader, pool: Pool) {
    this.reader = reader;
    this.pool = pool;
  }

  position(): Promise<number> {
    return searchPosition(this.reader);
  }

  async write(from: number, upTo: number, puts: Parameters<SearchIndex['write']>[2], removes: number[]): Promise<void> {
    await inTransaction(await this.pool.connect(), beginUntimed(), async (client) => {
      const position = await client.query<{ value: string }>("select value from meta where key = 'search' for update");
      if (Number(position.rows[0]?.value) !== from) return;
      await client.query('delete from search_index where seq = any($1::int8[])', [[...removes, ...puts.map((put) => put.seq)]]);
      for (const { seq, body } of puts) {
        await client.query(
          'insert into search_index (seq, words) values ($1, array_to_tsvector($2::text[])) on conflict (seq) do update set words = excluded.words',
          [seq, wordsOf(body)],
        );
      }
      await client.query("update meta set value = $1 where key = 'search'", [String(upTo)]);
    });
  }

  find(ask: SearchAsk): Promise<SearchHit[]> {
    const term = (word: string, isLast: boolean): string => (isLast ? `'${word}':*` : `'${word}'`);
    return findMessages(this.reader, ask, { seq: 's.seq', matches: 's.words @@ ?::tsquery', term, and: ' & ' });
  }
}
