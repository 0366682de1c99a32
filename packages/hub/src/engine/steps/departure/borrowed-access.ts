// A session that another member's sign-in link opened is borrowed, and so is everything made in it: all of it ends with the
// reason for which it was lent (SYS-11).

import type { Actor } from '@parley/core';
import type { BorrowedAccessRow, LinkRow, ProvokeObjectKind, TokenRow } from '../../../store/tables.ts';
import { type Want, wantBy } from '../../../store/port.ts';
import type { By, Context } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { provokeLock } from '../triggers/triggers-in-force.ts';
import { append } from '../facts/append.ts';
import { bodyOf, objectWants, writeObject } from '../invocations/stored-definitions.ts';
import { revoke } from '../people/tokens.ts';

export const borrowedWants = (by: By): Want[] => ('tokenId' in by ? [{ table: 'borrowed_access', values: [by.tokenId] }] : []);

/** A session of before schema 8 has no row of its own: that another member made its link tells it. */
const isLent = (token: TokenRow): boolean =>
  token.purpose === 'session' && token.created_by !== null && token.created_by !== token.member_id;

/** Whose link the token began with; undefined: it is the member's own. */
export function lenderOf(by: By, set: WorkingSet): string | undefined {
  if (!('tokenId' in by)) return undefined;
  const row = set.get('borrowed_access', by.tokenId);
  if (row) return row.lender_id;
  const token = set.get('tokens', by.tokenId);
  return token && isLent(token) ? token.created_by! : undefined;
}

/** Records what a borrowed session makes; of any other there is nothing to record. */
export function recordBorrowed(
  by: By,
  made: Pick<BorrowedAccessRow, 'subject_id' | 'kind' | 'member_id'>,
  set: WorkingSet,
  context: Context,
): void {
  const lender = lenderOf(by, set);
  if (lender !== undefined) put({ ...made, lender_id: lender, parent_id: parentIn(by), at: context.now }, set, context);
}

const parentIn = (by: By): string => ('tokenId' in by ? by.tokenId : '');

function put(row: BorrowedAccessRow, set: WorkingSet, context: Context): void {
  const before = set.get('borrowed_access', row.subject_id);
  if (before) set.update('borrowed_access', before, row);
  else set.insert('borrowed_access', row);
  borrowedFact(row, true, set, context);
}

/** So that `verify` misses the row. */
const borrowedFact = ({ subject_id, member_id }: BorrowedAccessRow, borrowed: boolean, set: WorkingSet, context: Context): void =>
  void append(set, context, { type: 'access.borrowed', subject_id, member_id, data: { borrowed } });

/** A session is borrowed when its link was another member's, or was made in a borrowed session. */
export function recordSession(token: TokenRow, link: LinkRow, set: WorkingSet, context: Context): void {
  const lender = set.get('borrowed_access', link.id)?.lender_id ?? (isLent(token) ? token.created_by! : undefined);
  if (lender === undefined) return;
  put(
    { subject_id: token.id, kind: 'token', member_id: token.member_id, lender_id: lender, parent_id: link.id, at: context.now },
    set,
    context,
  );
}

const provokeSubject = (kind: ProvokeObjectKind, id: string): string => `${kind}/${id}`;

/** Its owner has written it again in a session of their own: from then on it is theirs. */
export function recordProvoke(
  by: By,
  object: { kind: ProvokeObjectKind; id: string; owner_id: string },
  set: WorkingSet,
  context: Context,
): void {
  const subject = provokeSubject(object.kind, object.id);
  if (lenderOf(by, set) !== undefined)
    return recordBorrowed(by, { subject_id: subject, kind: 'provoke', member_id: object.owner_id }, set, context);
  const before = set.get('borrowed_access', subject);
  if (!before) return;
  set.remove('borrowed_access', before);
  borrowedFact(before, false, set, context);
}

/** Everything that acts as this member and began with another's link. Asked when the member gets more power than was lent. */
export function endBorrowedFrom(memberId: string, actor: Actor, set: WorkingSet, context: Context): void {
  const early = set.find('tokens', 'member', memberId).filter(isLent);
  end([...early.map(({ id }) => id), ...set.find('borrowed_access', 'member', memberId).map((row) => row.subject_id)], actor, set, context);
}

/** Everything that began with a link of this member. Asked when the member may lend no more. */
export function endLentBy(memberId: string, actor: Actor, set: WorkingSet, context: Context): void {
  const early = set.find('tokens', 'creator', memberId).filter(isLent);
  end([...early.map(({ id }) => id), ...set.find('borrowed_access', 'lender', memberId).map((row) => row.subject_id)], actor, set, context);
}

/** These, and all that was made with them, however far down. */
export function end(subjects: readonly string[], actor: Actor, set: WorkingSet, context: Context): void {
  const seen = new Set<string>();
  for (let next = [...subjects]; next.length > 0;) {
    set.need(next.map((id) => wantBy('borrowed_access', 'parent', id)));
    for (const id of next) {
      seen.add(id);
      endOne(id, actor, set, context);
    }
    next = next.flatMap((id) => set.find('borrowed_access', 'parent', id).map((row) => row.subject_id)).filter((id) => !seen.has(id));
  }
}

function endOne(subjectId: string, actor: Actor, set: WorkingSet, context: Context): void {
  if (subjectId.includes('/')) return switchOff(subjectId, actor, set, context);
  if (subjectId.startsWith('lnk_')) {
    const link = set.get('links', subjectId);
    if (link) spend(link, actor, set, context);
    return;
  }
  const token = set.get('tokens', subjectId);
  if (token) revoke(token, actor, set, context);
}

/** A link that was not opened yet opens nothing any more. */
export function spend(link: LinkRow, actor: Actor, set: WorkingSet, context: Context): void {
  context.lock(`link:${link.hash}`);
  if (link.used_at !== null) return;
  set.update('links', link, { used_at: context.now });
  const access = { link: link.id, purpose: link.purpose };
  append(set, context, { type: 'link.revoked', actor, member_id: link.member_id, subject_id: link.id, access });
}

function switchOff(subjectId: string, actor: Actor, set: WorkingSet, context: Context): void {
  const [kind, id] = subjectId.split('/') as [ProvokeObjectKind, string];
  context.lock(provokeLock);
  set.need(objectWants(kind, id));
  const row = set.get('provoke_objects', kind, id);
  if (row?.removed_at !== null || row.file !== null || row.enabled === 0) return;
  writeObject({ kind, body: bodyOf(row), ownerId: row.owner_id, file: null, enabled: false }, actor, set, context);
}
