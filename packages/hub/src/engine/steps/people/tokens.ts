// Giving and taking ways in.

import type { Actor } from '@parley/core';
import type { TokenRow } from '../../../store/tables.ts';
import type { Context } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { append } from '../facts/append.ts';
import { setTimer } from '../facts/timers.ts';

export function newToken(
  row: Omit<TokenRow, 'id' | 'created_at' | 'revoked_at'>,
  actor: Actor,
  set: WorkingSet,
  context: Context,
  more: { source?: true } = {},
): TokenRow {
  const token: TokenRow = { ...row, id: context.ids.next('token'), created_at: context.now, revoked_at: null };
  set.insert('tokens', token);
  // A token that ends by itself must end on open sockets too, so its end is an event.
  setTimer('token.expire', token.id, 'wall', token.expires_at, set, context, true);
  append(set, context, {
    type: 'token.created',
    actor,
    member_id: token.member_id,
    subject_id: token.id,
    data: { kind: token.kind, purpose: token.purpose, ...more },
    // A session is in the log as the link that opened it.
    ...(token.purpose === 'session' ? {} : { access: described(token) }),
  });
  return token;
}

const described = ({ kind, purpose }: TokenRow) => ({ kind, purpose });

/** Also called when its time is up: that is nobody's act. */
export function revoke(token: TokenRow, actor: Actor, set: WorkingSet, context: Context): void {
  if (token.revoked_at !== null) return;
  set.update('tokens', token, { revoked_at: context.now });
  const access = actor.type === 'platform' ? undefined : described(token);
  append(set, context, { type: 'token.revoked', actor, member_id: token.member_id, subject_id: token.id, access });
}

export function revokeAll(memberId: string, actor: Actor, set: WorkingSet, context: Context): void {
  for (const token of set.find('tokens', 'member', memberId)) revoke(token, actor, set, context);
}
