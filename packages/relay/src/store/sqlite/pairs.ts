// Who wrote to whom first: a peer answers by itself, which gives nobody a reason to report its owner.

import type { StatementSync } from 'node:sqlite';

export function notePair(sql: (text: string) => StatementSync, from: string, to: string): void {
  sql(
    'INSERT OR IGNORE INTO pairs (sender, recipient) SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM pairs WHERE sender = ?2 AND recipient = ?1)',
  ).run(from, to);
}
