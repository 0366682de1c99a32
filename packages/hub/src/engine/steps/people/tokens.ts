// Giving and taking ways in.

import type { Actor } from '@parley/core';
import type { TokenRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import { append } from '../facts/append.ts';
import { setTimer } from '../facts/timers.ts';

export function newToken(
  row: Omit<TokenRow, 'id' | 'created_at' | 'revoked_at'>,
  actor: Actor,
  tx: Tx,
  options: { source?: true } = {},
): TokenRow {
  const token: TokenRow = { ...row, id: tx.ids.next('token'), created_at: tx.now, revoked_at: null };
  tx.insert('tokens', token);
  // A token that ends by itself must end on open sockets too, so its end is an event.
  setTimer('token.expire', token.id, 'wall', token.expires_at, tx, true);
  append(tx, {
    type: 'token.created',
    actor,
    member_id: token.member_id,
    subject_id: token.id,
    data: { kind: token.kind, purpose: token.purpose, ...options },
    // A session is in the log as the link that opened it.
    ...(token.purpose === 'session' ? {} : { access: described(token) }),
  });
  return token;
}

const described = ({ kind, purpose }: TokenRow) => ({ kind, purpose });

/** Also called when its time is up: that is nobody's act. */
export function revoke(token: TokenRow, actor: Actor, tx: Tx): void {
  if (token.revoked_at !== null) return;
  tx.update('tokens', token, { revoked_at: tx.now });
  const access = actor.type === 'platform' ? undefined : described(token);
  append(tx, { type: 'token.revoked', actor, member_id: token.member_id, subject_id: token.id, access });
}

export function revokeAll(memberId: string, actor: Actor, tx: Tx): void {
  for (const token of tx.find('tokens', 'member', memberId)) revoke(token, actor, tx);
}
