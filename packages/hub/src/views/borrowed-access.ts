// Which tokens were opened by another member's link, or made in such a session.

import { inList } from '../engine/look.ts';
import type { Reader } from '../store/port.ts';
import type { TokenRow } from '../store/tables.ts';

/** By token, whose link it began with. */
export async function lendersOf(reader: Reader, tokens: readonly TokenRow[]): Promise<Map<string, string>> {
  const list = inList(tokens.map(({ id }) => id));
  const rows = await reader.rows('borrowed_access', `where subject_id in ${list.sql}`, list.params);
  return new Map(rows.map((row) => [row.subject_id, row.lender_id]));
}
