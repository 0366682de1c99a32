import type { Reader, SearchAsk, SearchHit, SearchIndex } from '../port.ts';
import { searchedIn } from '../reads/conversations.ts';
import { wordsOf } from '../search-words.ts';

type Write = (statements: { sql: string; params: unknown[] }[]) => Promise<unknown>;

export class SqliteSearch implements SearchIndex {
  private readonly reader: Reader;
  private readonly run: Write;

  constructor(reader: Reader, run: Write) {
    this.reader = reader;
    this.run = run;
  }

  async position(): Promise<number> {
    const [row] = await this.reader.all<{ value: string }>("select value from meta where key = 'search'");
    return Number(row?.value ?? 0);
  }

  async write(from: number, upTo: number, puts: Parameters<SearchIndex['write']>[2], removes: number[]): Promise<void> {
    // One process owns the file, so the position cannot have moved under us; the check keeps the contract all the same.
    if ((await this.position()) !== from) return;
    const erase = 'delete from search_index where rowid = ?';
    await this.run([
      ...removes.map((seq) => ({ sql: erase, params: [seq] })),
      // In order: what goes in before its forerunner makes the index write out all it has gathered.
      ...puts
        .toSorted((a, b) => a.seq - b.seq)
        .flatMap(({ seq, body }) => [
          // What came after the position was never here.
          ...(seq > from ? [] : [{ sql: erase, params: [seq] }]),
          { sql: 'insert into search_index (rowid, words) values (?, ?)', params: [seq, wordsOf(body).join(' ')] },
        ]),
      { sql: "update meta set value = ? where key = 'search'", params: [String(upTo)] },
    ]);
  }

  async find(ask: SearchAsk): Promise<SearchHit[]> {
    const words = wordsOf(ask.text);
    if (words.length === 0) return [];
    // Words hold letters and digits only, so quoting them is enough; the last may still be being typed.
    const match = words.map((word, i) => (i === words.length - 1 ? `"${word}"*` : `"${word}"`)).join(' ');
    const where = searchedIn(ask.where);
    return this.reader.all<SearchHit>(
      `select m.id as "messageId", m.conversation_id as "conversationId", m.seq as seq from search_index s join messages m on m.seq = s.rowid
       where s.words match ? and ${where.sql}
         and (? is null or m.author_id = ?) and m.deleted_at is null and s.rowid < ?
       order by s.rowid desc limit ?`,
      [match, ...where.params, ask.authorId ?? null, ask.authorId ?? null, ask.before ?? Number.MAX_SAFE_INTEGER, ask.limit],
    );
  }
}
