import type { Reader, SearchAsk, SearchHit, SearchIndex } from '../port.ts';
import { findMessages, searchPosition, wordsOf } from '../search-words.ts';

type Write = (statements: { sql: string; params: unknown[] }[]) => Promise<unknown>;

export class SqliteSearch implements SearchIndex {
  private readonly reader: Reader;
  private readonly run: Write;

  constructor(reader: Reader, run: Write) {
    this.reader = reader;
    this.run = run;
  }

  position(): Promise<number> {
    return searchPosition(this.reader);
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

  find(ask: SearchAsk): Promise<SearchHit[]> {
    const term = (word: string, isLast: boolean): string => (isLast ? `"${word}"*` : `"${word}"`);
    return findMessages(this.reader, ask, { seq: 's.rowid', matches: 's.words match ?', term, and: ' ' });
  }
}
