// A session that another member's sign-in link opened is borrowed, and so is everything made in it: all of it ends with the
// reason for which it was lent (SYS-11).

import type { Actor } from '@parley/core';
import type { BorrowedAccessRow, LinkRow, ProvokeObjectKind, TokenRow } from '../../../store/tables.ts';
import { type Want, wantBy, wantRow } from '../../../store/port.ts';
import type { By, Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { provokeLock } from '../triggers/triggers-in-force.ts';
import { append } from '../facts/append.ts';
import { bodyOf, objectWants, writeObject } from '../invocations/stored-definitions.ts';
import { revoke } from '../people/tokens.ts';

export const borrowedWants = (by: By): Want[] => ('tokenId' in by ? [wantRow('borrowed_access', by.tokenId)] : []);

/** A session of before schema 8 has no row of its own: that another member made its link tells it. */
const isLent = (token: TokenRow): boolean =>
  token.purpose === 'session' && token.created_by !== null && token.created_by !== token.member_id;

/** The member whose link the token began with; undefined: it is the member's own. */
export function lenderOf(by: By, set: WorkingSet): string | undefined {
  if (!('tokenId' in by)) return undefined;
  const row = set.get('borrowed_access', by.tokenId);
  if (row) return row.lender_id;
  const token = set.get('tokens', by.tokenId);
  return token && isLent(token) ? token.created_by! : undefined;
}

/** Records what a borrowed session makes; of any other there is nothing to record. */
export function recordBorrowed(by: By, made: Pick<BorrowedAccessRow, 'subject_id' | 'kind' | 'member_id'>, tx: Tx): void {
  const lender = lenderOf(by, tx);
  if (lender !== undefined && 'tokenId' in by) put({ ...made, lender_id: lender, parent_id: by.tokenId, at: tx.now }, tx);
}

function put(row: BorrowedAccessRow, tx: Tx): void {
  tx.put('borrowed_access', row);
  borrowedFact(row, true, tx);
}

/** A fact records the row, so that `verify` notices when it is missing. */
const borrowedFact = ({ subject_id, member_id }: BorrowedAccessRow, borrowed: boolean, tx: Tx): void =>
  void append(tx, { type: 'access.borrowed', subject_id, member_id, data: { borrowed } });

/** A session is borrowed when its link was another member's, or was made in a borrowed session. */
export function recordSession(token: TokenRow, link: LinkRow, tx: Tx): void {
  const lender = tx.get('borrowed_access', link.id)?.lender_id ?? (isLent(token) ? token.created_by! : undefined);
  if (lender === undefined) return;
  put({ subject_id: token.id, kind: 'token', member_id: token.member_id, lender_id: lender, parent_id: link.id, at: tx.now }, tx);
}

const provokeSubject = (kind: ProvokeObjectKind, id: string): string => `${kind}/${id}`;

/** The owner has written the object again in a session of their own: from then on it counts as the owner's. */
export function recordProvoke(by: By, object: { kind: ProvokeObjectKind; id: string; owner_id: string }, tx: Tx): void {
  const subject = provokeSubject(object.kind, object.id);
  if (lenderOf(by, tx) !== undefined) return recordBorrowed(by, { subject_id: subject, kind: 'provoke', member_id: object.owner_id }, tx);
  const before = tx.get('borrowed_access', subject);
  if (!before) return;
  tx.remove('borrowed_access', before);
  borrowedFact(before, false, tx);
}

/** Everything that acts as this member and began with another's link. Asked when the member gets more power than was lent. */
export function endBorrowedFrom(memberId: string, actor: Actor, tx: Tx): void {
  const early = tx.find('tokens', 'member', memberId).filter(isLent);
  end([...early.map(({ id }) => id), ...tx.find('borrowed_access', 'member', memberId).map((row) => row.subject_id)], actor, tx);
}

/** Everything that began with a link of this member. Asked when the member may lend no more. */
export function endLentBy(memberId: string, actor: Actor, tx: Tx): void {
  const early = tx.find('tokens', 'creator', memberId).filter(isLent);
  end([...early.map(({ id }) => id), ...tx.find('borrowed_access', 'lender', memberId).map((row) => row.subject_id)], actor, tx);
}

/** Ends these subjects and everything that was made with them, however far down. */
export function end(subjects: readonly string[], actor: Actor, tx: Tx): void {
  const seen = new Set<string>();
  for (let next = [...subjects]; next.length > 0;) {
    tx.need(next.map((id) => wantBy('borrowed_access', 'parent', id)));
    for (const id of next) {
      seen.add(id);
      endOne(id, actor, tx);
    }
    next = next.flatMap((id) => tx.find('borrowed_access', 'parent', id).map((row) => row.subject_id)).filter((id) => !seen.has(id));
  }
}

function endOne(subjectId: string, actor: Actor, tx: Tx): void {
  const [kind, id] = subjectId.split('/') as [ProvokeObjectKind, string | undefined];
  if (id !== undefined) return switchOff(kind, id, actor, tx);
  if (subjectId.startsWith('lnk_')) {
    const link = tx.get('links', subjectId);
    if (link) spend(link, actor, tx);
    return;
  }
  const token = tx.get('tokens', subjectId);
  if (token) revoke(token, actor, tx);
}

/** A link that was not opened yet opens nothing any more. */
export function spend(link: LinkRow, actor: Actor, tx: Tx): void {
  tx.lock(`link:${link.hash}`);
  if (link.used_at !== null) return;
  tx.update('links', link, { used_at: tx.now });
  const access = { link: link.id, purpose: link.purpose };
  append(tx, { type: 'link.revoked', actor, member_id: link.member_id, subject_id: link.id, access });
}

export function switchOff(kind: ProvokeObjectKind, id: string, actor: Actor, tx: Tx): void {
  tx.lock(provokeLock);
  tx.need(objectWants(kind, id));
  const row = tx.get('provoke_objects', kind, id);
  if (row?.removed_at !== null || row.file !== null || row.enabled === 0) return;
  writeObject({ kind, body: bodyOf(row), ownerId: row.owner_id, file: null, enabled: false }, actor, tx);
}
