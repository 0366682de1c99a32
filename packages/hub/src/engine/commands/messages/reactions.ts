// Reactions. A signal among them says something: an agent's about its request (C2A-22), or anyone's about an agent's words
// (C2A-23).

import { type MemberActor, signalOf } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import { wantBy, wantRow } from '../../../store/port.ts';
import type { MessageRow } from '../../../store/tables.ts';
import { type CommandOf, type Handler, invalidField, require, type Tx } from '../../command.ts';
import { agentLock, append, heardIn } from '../../steps/facts/append.ts';
import { signalObligations } from '../../steps/obligations/obligations.ts';
import { askedOf, passRound, takeRound } from '../../steps/offers/round-claims.ts';
import { dischargeBy, mustMayReact, offerTo, passSignal } from '../../steps/attention/signals.ts';
import { chainLock, settleChain } from '../../steps/tasks/tasks.ts';
import { runningWants } from '../../steps/facts/timers.ts';
import { agentActing, asActor, isHalted } from '../../steps/tasks/task-access.ts';
import { onMessage } from './messages.ts';
import { takeTask } from '../../steps/offers/claims.ts';

export interface ReactionCommands {
  'message.react': [
    {
      messageId: string;
      emoji: string;
      on: boolean;
      /** The lease of the task that an agent's signal ends. */ lease?: number | undefined;
      /** By the hub, for one of its own. */ agentId?: string;
    },
    { message: MessageRow },
  ];
}

/** The different emoji that one message can have. */
const maxEmoji = 20;

const react: Handler<'message.react'> = {
  needs: (c) => [wantRow('messages', c.messageId), wantBy('reactions', 'message', c.messageId)],
  decide: (c, tx) => {
    const agent = !('memberId' in c.by) && c.agentId !== undefined ? asActor(agentActing(c.by, c.agentId, tx)) : undefined;
    const { actor, message, place, relations } = onMessage(c, tx, agent);
    require('message.react', actor, relations);
    if (place.home.archived_at !== null) throw new ParleyError('archived');
    if (actor.type !== 'member') throw new ParleyError('forbidden');
    if (c.on && actor.kind === 'agent') mustMayReact(actor.id, message, place.conversation, tx);
    const isNew = mark(c, actor, place.home.id, tx);
    const signal = c.on ? signalOf(c.emoji) : undefined;
    // The mark may be there already; but what an agent says with it may be about something new: an edit, a reminder.
    if (!signal || (!isNew && actor.kind !== 'agent')) return { message };
    const owes = signalObligations(message.id, actor.id, signal, tx);
    // An offer is with one agent at a time, which takes it or lets it go.
    if (actor.kind === 'agent' && (signal === 'claimed' || (signal === 'declined' && askedOf(actor.id, message.id, tx))))
      answerOffer(signal, actor.id, message, tx);
    else if (actor.kind === 'agent') dischargeBy(signal, actor.id, message, { lease: c.lease, owes }, tx);
    passSignal(signal, actor, message, tx);
    return { message };
  },
};

/** False: it is as it should be already. */
function mark(c: CommandOf<'message.react'>, actor: MemberActor, homeId: string, tx: Tx): boolean {
  const { messageId: message_id, emoji, on } = c;
  const all = tx.find('reactions', 'message', message_id);
  const ownReactions = all.filter((reaction) => reaction.member_id === actor.id);
  const same = ownReactions.find((reaction) => reaction.emoji === emoji);
  if (on === (same !== undefined)) return false;
  const kinds = new Set(all.map((reaction) => reaction.emoji));
  if (same) tx.remove('reactions', same);
  else if (!kinds.has(emoji) && kinds.size >= maxEmoji) throw invalidField('emoji', `a message carries at most ${maxEmoji} different ones`);
  else tx.insert('reactions', { message_id, member_id: actor.id, emoji, at: tx.now });
  // An agent means one thing at a time.
  if (on && signalOf(emoji) && actor.kind === 'agent') for (const old of ownReactions) if (signalOf(old.emoji)) tx.remove('reactions', old);
  append(tx, { type: 'message.reacted', actor, ...heardIn(homeId), subject_id: message_id, data: { emoji, on } });
  return true;
}

/** ✋ on what anyone may take: the first to raise it has it. */
function answerOffer(signal: 'claimed' | 'declined', agentId: string, message: MessageRow, tx: Tx): void {
  tx.lock(agentLock(agentId));
  const inRound = askedOf(agentId, message.id, tx) !== undefined;
  const offered = inRound ? undefined : offerTo(agentId, message, tx);
  if (!inRound && !offered) return;
  if (offered) tx.lock(chainLock(offered.chain_id));
  tx.need(runningWants);
  const agent = tx.get('members', agentId)!;
  if (signal === 'declined') return passRound(agent, message.id, false, tx);
  if (isHalted(tx)) throw new ParleyError('halted');
  const claimedTask = offered ? takeTask(offered, agent, tx) : takeRound(agent, message.id, tx);
  settleChain(claimedTask.chain_id, tx);
}

export const reactionHandlers = { 'message.react': react };
