// SQLite's search index, one FTS row per message, keyed by its position.

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
    // Only one process owns the file, so the position cannot have moved; the check keeps the port's contract.
    if ((await this.position()) !== from) return;
    const erase = 'delete from search_index where rowid = ?';
    await this.run([
      ...removes.map((seq) => ({ sql: erase, params: [seq] })),
      // In ascending order: an insert below the last rowid makes SQLite flush the index.
      ...puts
        .toSorted((a, b) => a.seq - b.seq)
        .flatMap(({ seq, body }) => [
          // A message after the position was never indexed.
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
