// The least a durable message can cost: its rows, as the hub writes them, in one synced transaction and nothing else.

import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { type PackedVerdicts, rulesVersion } from '../packages/core/src/index.ts';
import { newId, newMemberId } from '../packages/protocol/src/index.ts';
import { pendingMigrations } from '../packages/hub/src/store/migrations.ts';
import { sqlite as sql } from '../packages/hub/src/store/statements.ts';

/** The stored verdict on a message that concerns nobody. */
const data = JSON.stringify({ ruling: { rules: rulesVersion } satisfies PackedVerdicts });
const sum = 'v2OiL45akKjHdtgRwVxqFAFz_Ta8WiwV';

export class Raw {
  private readonly db: DatabaseSync;
  private readonly authors = Array.from({ length: 50 }, () => newMemberId(Date.now(), randomBytes));
  private readonly channels = Array.from({ length: 20 }, () => newId('conversation', Date.now(), randomBytes));
  private seq = 0;

  constructor(path: string) {
    this.db = new DatabaseSync(path);
    // As in the hub's own writer.
    for (const pragma of ['journal_mode = wal', 'synchronous = full', 'fullfsync = on', 'secure_delete = on', 'wal_autocheckpoint = 4000'])
      this.db.exec(`pragma ${pragma}`);
    for (const step of pendingMigrations(0, 'sqlite')) for (const text of step.statements) this.db.exec(text);
    // Until the journal has its full length, each sync also has to record how it grew; a hub at work is past that.
    this.commit(100, 'warm', 50);
  }

  /** Milliseconds that each of `count` transactions took, with `group` messages in each. */
  commit(count: number, body: string, group = 1): number[] {
    const message = this.db.prepare(sql.insert('messages'));
    const fact = this.db.prepare(sql.insert('facts'));
    return Array.from({ length: count }, () => {
      const rows = Array.from({ length: group }, () => this.rows(body));
      const began = performance.now();
      this.db.exec('begin immediate');
      for (const { facts, messages } of rows) {
        fact.run(...facts);
        message.run(...messages);
      }
      this.db.exec('commit');
      return performance.now() - began;
    });
  }

  private rows(body: string) {
    const now = Date.now();
    const seq = ++this.seq;
    const id = newId('message', now, randomBytes);
    const author = this.authors[seq % this.authors.length]!;
    const channel = this.channels[seq % this.channels.length]!;
    return {
      facts: [seq, 'aaaaaaaaaa', now, 'message.posted', author, 'conversation', channel, null, id, null, data, sum, sum],
      messages: [id, channel, seq, author, body, 1, null, '[]', null, now, null, null, sum],
    };
  }

  close(): void {
    this.db.close();
  }
}
