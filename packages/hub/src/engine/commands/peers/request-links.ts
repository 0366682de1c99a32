// Links for people without an agent (A2C-11). A page opens one once and answers it once; core decides when.

import { answeringOf, answersUntil, openingOf, requestLinkLimits, type RequestLinkState } from '@parley/core/outside';
import { ParleyError } from '@parley/protocol';
import { wantBy, wantRow } from '../../../store/port.ts';
import type { RequestLinkRow } from '../../../store/tables.ts';
import { hashSecret } from '../../auth.ts';
import { type Context, type Handler, mustBeSystem, type Tx } from '../../command.ts';
import { addEffect } from '../../outbox.ts';
import { negotiationFact, peerLock } from '../../steps/people/peers.ts';
import type { WorkingSet } from '../../working-set.ts';
import { personOf } from './negotiations.ts';

export interface RequestLinkCommands {
  'request_link.make': [{ threadId: string; id: string; sealed: string; expiresAt: number }, void];
  'request_link.revoke': [{ threadId: string }, void];
  /** `opener`: a secret of the page that opens it. */
  'request_link.open': [{ id: string; opener: string }, { sealed: string; until: number }];
  'request_link.answer': [{ id: string; opener: string; sealed: string }, void];
  /** The peer has the answer. One that was not sealed with the link's key is none: the page that opened the link may answer again. */
  'request_link.settle': [{ id: string; isRead: boolean }, void];
  'request_links.purge': [{ ids: readonly string[] }, void];
}

export const linkStateOf = ({ state, opener, expires_at, opened_at }: RequestLinkRow): RequestLinkState => ({
  state,
  opener,
  expiresAt: expires_at,
  openedAt: opened_at,
});

const linkLock = (id: string): string => `request-link:${id}`;
const linkRow = (id: string) => wantRow('request_links', id);
const spentError = (): ParleyError => new ParleyError('link_spent');

const make: Handler<'request_link.make'> = {
  decide: (c, tx) => {
    const person = personOf(c, tx);
    tx.lock(peerLock(person.id));
    tx.need([wantRow('negotiations', person.id, c.threadId), linkRow(c.id), wantBy('request_links', 'thread', person.id, c.threadId)]);
    if (!tx.get('negotiations', person.id, c.threadId)) throw new ParleyError('not_found');
    if (tx.get('request_links', c.id)) return;
    // A link to times that are not offered any more.
    for (const row of tx.find('request_links', 'thread', person.id, c.threadId)) revokeRow(row, tx);
    tx.insert('request_links', {
      id: c.id,
      member_id: person.id,
      thread_id: c.threadId,
      state: 'made',
      sealed: c.sealed,
      opener: null,
      answer: null,
      answer_hash: null,
      made_at: tx.now,
      expires_at: c.expiresAt,
      opened_at: null,
      answered_at: null,
    });
  },
};

const revoke: Handler<'request_link.revoke'> = {
  decide: (c, tx) => {
    const person = personOf(c, tx);
    tx.lock(peerLock(person.id));
    for (const row of tx.find('request_links', 'thread', person.id, c.threadId)) revokeRow(row, tx);
  },
};

function revokeRow(row: RequestLinkRow, set: WorkingSet): void {
  if (row.state === 'made' || row.state === 'opened') set.update('request_links', row, { state: 'revoked', sealed: null });
}

/** The link of a person who is still here; the member's own lock keeps a revoke and an opening apart. */
function linkOf(id: string, tx: Tx): RequestLinkRow | undefined {
  const row = tx.get('request_links', id);
  if (!row) return undefined;
  tx.lock(peerLock(row.member_id));
  tx.need([wantRow('members', row.member_id), wantRow('negotiations', row.member_id, row.thread_id)]);
  return tx.get('members', row.member_id)?.status === 'active' ? row : undefined;
}

/** The person's page reads the negotiation again. */
function notifyPerson(row: RequestLinkRow, tx: Tx): void {
  const negotiation = tx.get('negotiations', row.member_id, row.thread_id);
  if (negotiation) negotiationFact(negotiation, tx);
}

const since = (at: number | null, { now }: Context) => ({ reason: new Date(at ?? now).toISOString() });

const open: Handler<'request_link.open'> = {
  locks: (c) => [linkLock(c.id)],
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    const row = linkOf(c.id, tx);
    const opener = hashSecret(c.opener);
    const verdict = openingOf(row && linkStateOf(row), opener, tx.now);
    if (verdict === 'taken') throw new ParleyError('link_opened', undefined, since(row!.opened_at, tx));
    if (verdict === 'answered')
      throw new ParleyError('already_answered', 'This request was answered. `reason` says when.', since(row!.answered_at, tx));
    if (verdict === 'spent' || !row || row.sealed === null) throw spentError();
    if (verdict === 'again') return { sealed: row.sealed, until: answersUntil(linkStateOf(row)) };
    const opened = tx.update('request_links', row, { state: 'opened', opener, opened_at: tx.now });
    notifyPerson(opened, tx);
    return { sealed: row.sealed, until: answersUntil(linkStateOf(opened)) };
  },
};

const answer: Handler<'request_link.answer'> = {
  locks: (c) => [linkLock(c.id)],
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    const row = linkOf(c.id, tx);
    const verdict = answeringOf(row && linkStateOf(row), hashSecret(c.opener), tx.now);
    if (verdict === 'spent' || !row) throw spentError();
    const hash = hashSecret(c.sealed);
    if (verdict === 'answered') {
      if (row.answer_hash === hash) return;
      throw new ParleyError('already_answered', 'You have answered this request. The first answer counts.');
    }
    const answerFields = { state: 'answered', answer: c.sealed, answer_hash: hash, answered_at: tx.now } as const;
    notifyPerson(tx.update('request_links', row, answerFields), tx);
    addEffect('request_link.deliver', { id: row.id }, tx);
  },
};

const settle: Handler<'request_link.settle'> = {
  locks: (c) => [linkLock(c.id)],
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    const row = linkOf(c.id, tx) ?? tx.get('request_links', c.id);
    if (!row || row.answer === null) return;
    if (c.isRead) tx.update('request_links', row, { answer: null, sealed: null });
    else notifyPerson(tx.update('request_links', row, { state: 'opened', answer: null, answer_hash: null, answered_at: null }), tx);
  },
};

const purge: Handler<'request_links.purge'> = {
  locks: (c) => c.ids.map(linkLock),
  needs: (c) => c.ids.map(linkRow),
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    for (const id of c.ids) {
      const row = tx.get('request_links', id);
      if (row && row.expires_at < tx.now - requestLinkLimits.keptMs) tx.remove('request_links', row);
    }
  },
};

export const requestLinkHandlers = {
  'request_link.make': make,
  'request_link.revoke': revoke,
  'request_link.open': open,
  'request_link.answer': answer,
  'request_link.settle': settle,
  'request_links.purge': purge,
};
