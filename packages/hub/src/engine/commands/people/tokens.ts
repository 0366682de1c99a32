// Tokens for programs. Secrets are made at the door; only their hashes come here.

import { wantRow } from '../../../store/port.ts';
import { may, relationsToMember } from '@parley/core';
import { type TokenKind, ParleyError } from '@parley/protocol';
import type { TokenRow } from '../../../store/tables.ts';
import { actorId, actorOf, type Handler, invalidField, memberFacts, require, requireSeen } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { borrowedWants, end, lenderOf, recordBorrowed } from '../../steps/departure/borrowed-access.ts';
import { notify } from '../../steps/facts/append.ts';
import { firstOwner } from '../../steps/membership/members.ts';
import { isPaused } from '../../steps/tasks/tasks.ts';
import { newToken, revoke } from '../../steps/people/tokens.ts';

export interface TokenCommands {
  'token.create': [
    {
      hash: string;
      kind: TokenKind;
      memberId?: string | undefined;
      label: string;
      expiresInSeconds?: number | undefined;
      source?: string | undefined;
    },
    { token: TokenRow },
  ];
  'token.revoke': [{ tokenId: string }, void];
}

const create: Handler<'token.create'> = {
  needs: (c) => [...borrowedWants(c.by), ...(c.memberId === undefined ? [] : [wantRow('members', c.memberId)])],
  decide: (c, tx) => {
    const actor = actorOf(c.by, tx, tx.now);
    // A source is nobody's in particular: the workspace's owner answers for its events.
    const memberId = c.memberId ?? actorId(actor) ?? (c.kind === 'source' ? firstOwner(tx) : null);
    if (memberId === null) throw invalidField('memberId', 'is needed: the operator is not a member');
    const member = tx.get('members', memberId);
    // A guest sees only themselves and their own agents.
    const isKnown = may('member.see', actor).allowed || [member?.id, member?.owner_id].includes(actorId(actor));
    if (!member || !isKnown || member.status !== 'active') throw invalidField('memberId', 'is not an active member');
    // Nothing made for an agent can act as a person, nor the other way round (SYS-11).
    if ((c.kind === 'agent') !== (member.kind === 'agent'))
      throw invalidField('kind', member.kind === 'agent' ? 'must be agent for an agent' : 'agent is for agents only');
    if (isPaused(tx.get('agents', member.id))) throw invalidField('memberId', 'is an agent that waits for its owner to accept it');
    const action = c.kind === 'person' ? 'token.create_person' : c.kind === 'agent' ? 'token.create_agent' : 'token.create_machine';
    require(action, actor, relationsToMember(actor, memberFacts(member)));
    const expires_at = c.expiresInSeconds === undefined ? null : tx.now + c.expiresInSeconds * 1000;
    const token = newToken(
      { hash: c.hash, kind: c.kind, purpose: 'api', member_id: member.id, label: c.label, created_by: actorId(actor), expires_at },
      actor,
      tx,
      c.source === undefined ? {} : { source: true },
    );
    recordBorrowed(c.by, { subject_id: token.id, kind: 'token', member_id: member.id }, tx);
    // A holder of the token acts as the agent, for which its owner answers.
    if (actor.type === 'member' && member.owner_id !== null && member.owner_id !== actor.id)
      notify(member.owner_id, null, { kind: 'token_created', conversation: '', agent: member.id, member: actor.id }, tx);
    if (c.source !== undefined) speakFor(c.source, token, tx);
    return { token };
  },
};

/** The source holds the sender's rights, and they change there. */
function speakFor(source: string, token: TokenRow, set: WorkingSet): void {
  if (token.kind !== 'source') throw invalidField('source', 'is for source tokens only');
  if (set.get('provoke_objects', 'source', source)?.removed_at !== null) throw invalidField('source', 'there is no such source');
  set.insert('source_tokens', { token_id: token.id, source_id: source });
}

const noToken = 'There is no such token, or it is not yours.';

const revokeOne: Handler<'token.revoke'> = {
  locks: (c) => [`token:${c.tokenId}`],
  needs: (c) => [wantRow('tokens', c.tokenId)],
  decide: (c, tx) => {
    const actor = actorOf(c.by, tx, tx.now);
    const token = tx.get('tokens', c.tokenId);
    const holder = token && tx.get('members', token.member_id);
    if (!token || !holder) throw new ParleyError('not_found', noToken);
    requireSeen('token.revoke', actor, relationsToMember(actor, memberFacts(holder)), noToken);
    // Signing out ends a session; anyone else who ends a borrowed one ends all that was made in it.
    const ownSession = 'tokenId' in c.by && c.by.tokenId === token.id;
    const tokenBy = { memberId: token.member_id, tokenId: token.id };
    if (!ownSession && lenderOf(tokenBy, tx) !== undefined) end([token.id], actor, tx);
    else revoke(token, actor, tx);
  },
};

export const tokenHandlers = { 'token.create': create, 'token.revoke': revokeOne };
