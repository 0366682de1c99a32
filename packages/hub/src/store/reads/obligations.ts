import type { Reader } from '../port.ts';
import type { ObligationRow } from '../tables.ts';

const sides = {
  owe: '(holder_id = ? or recipient_id = ?)',
  blocking: "blocks != 'none' and (holder_id = ? or recipient_id = ?)",
  waiting: '(author_id = ? or delegate_id = ?)',
};

/** A member's open obligations, the oldest first. */
export const openObligations = (reader: Reader, memberId: string, side: keyof typeof sides): Promise<ObligationRow[]> =>
  reader.rows('obligations', `where open = 1 and ${sides[side]} order by seq limit 500`, [memberId, memberId]);
