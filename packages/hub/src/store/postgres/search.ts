import type { Pool } from 'pg';
import type { Reader, SearchAsk, SearchHit, SearchIndex } from '../port.ts';
import { searchedIn } from '../reads/conversations.ts';
import { wordsOf } from '../search-words.ts';
import { beginUntimed } from './group.ts';

export class PostgresSearch implements SearchIndex {
  private readonly reader: Reader;
  private readonly pool: Pool;

  constructor(reader: Reader, pool: Pool) {
    this.reader = reader;
    this.pool = pool;
  }

  async position(): Promise<number> {
    const [row] = await this.reader.all<{ value: string }>("select value from meta where key = 'search'");
    return Number(row?.value ?? 0);
  }

  async write(from: number, upTo: number, puts: Parameters<SearchIndex['write']>[2], removes: number[]): Promise<void> {
    const client = await this.pool.connect();
    try {
      await client.query(beginUntimed());
      const position = await client.query<{ value: string }>("select value from meta where key = 'search' for update");
      if (Number(position.rows[0]?.value) !== from) {
        await client.query('rollback');
        return;
      }
      await client.query('delete from search_index where seq = any($1::int8[])', [[...removes, ...puts.map((put) => put.seq)]]);
      for (const { seq, body } of puts) {
        await client.query(
          'insert into search_index (seq, words) values ($1, array_to_tsvector($2::text[])) on conflict (seq) do update set words = excluded.words',
          [seq, wordsOf(body)],
        );
      }
      await client.query("update meta set value = $1 where key = 'search'", [String(upTo)]);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback').catch(() => {});
      throw error;
    } finally {
      client.release();
    }
  }

  async find(ask: SearchAsk): Promise<SearchHit[]> {
    const words = wordsOf(ask.text);
    if (words.length === 0) return [];
    const match = words.map((word, i) => (i === words.length - 1 ? `'${word}':*` : `'${word}'`)).join(' & ');
    const where = searchedIn(ask.where);
    return this.reader.all<SearchHit>(
      `select m.id as "messageId", m.conversation_id as "conversationId", m.seq as seq from search_index s join messages m on m.seq = s.seq
       where s.words @@ ?::tsquery and ${where.sql}
         and (?::text is null or m.author_id = ?) and m.deleted_at is null and m.seq < ?
       order by m.seq desc limit ?`,
      [match, ...where.params, ask.authorId ?? null, ask.authorId ?? null, ask.before ?? Number.MAX_SAFE_INTEGER, ask.limit],
    );
  }
}
