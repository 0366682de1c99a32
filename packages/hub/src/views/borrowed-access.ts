// Which tokens were opened by another member's link, or made in such a session.

import type { Reader } from '../store/port.ts';
import type { TokenRow } from '../store/tables.ts';

/** By token, whose link it began with. */
export async function lendersOf(reader: Reader, tokens: readonly TokenRow[]): Promise<Map<string, string>> {
  const rows = await reader.rows('borrowed_access', { subject_id: tokens.map(({ id }) => id) });
  return new Map(rows.map((row) => [row.subject_id, row.lender_id]));
}
