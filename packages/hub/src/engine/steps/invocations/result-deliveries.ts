// The one place where what an invocation came to goes, beside its record and its event: a conversation, a task for an agent,
// or an address outside. An invocation is a task of its own: it has a requester (its owner), an agent, a chain and an end.
// So its agent's word is let in as any word in a task is (PAP-1): into a conversation that the manifest's owner named and
// may post to themselves, once, and calling nobody.

import { assignmentVerdict, type Hearers, may, mayDelegate, relationsToMember, textsIn, cutText } from '@parley/core';
import { type Manifest, maxBodyLength } from '@parley/protocol';
import { verdictData } from '../../../store/fact-data.ts';
import { postableText } from '../../../brains/model/system-prompt.ts';
import type { InvocationRow, MemberRow } from '../../../store/tables.ts';
import { memberFacts, type Tx } from '../../command.ts';
import { addEffect } from '../../outbox.ts';
import type { WorkingSet } from '../../working-set.ts';
import { isBlocked } from '../people/contact-rules.ts';
import { wakeUp } from '../agents/agents.ts';
import { channelsNamed, dmKey, newDm } from '../membership/conversations.ts';
import { audienceIn, audienceOf, withheldFact, withheldIn } from '../conversations/egress.ts';
import { leaveRequestsIn } from '../conversations/participants.ts';
import { append } from '../facts/append.ts';
import { type ConversationAccess, conversationLock, accessTo } from '../facts/conversation-access.ts';
import { chainAt, invocationChain } from './acting-agent.ts';
import { agentMeant, conversationMeant } from './meant-targets.ts';
import { openFor } from '../tasks/open-requests.ts';
import { assignmentVerdicts, goodbyeVerdicts } from '../messages/verdicts.ts';
import { placeMessage } from '../messages/post-message.ts';
import { taintTask } from '../tasks/transitions.ts';
import { agentOf, isHere, settleChain } from '../tasks/tasks.ts';
import { asActor } from '../tasks/task-access.ts';

export interface ResultDelivery {
  invocation: InvocationRow;
  manifest: Manifest;
  owner: MemberRow;
  agent: MemberRow;
  output: unknown;
}

/** Why it does not go there, in the platform's words. */
export interface DeliveryFailure {
  error: string;
  /** The recipient is offline: that may change until the next attempt. Everything else stays as it is. */
  offline?: true;
}

/** Undefined: it is there, or on its way, or goes nowhere else. */
export function deliver(delivery: ResultDelivery, tx: Tx): DeliveryFailure | undefined {
  const to = delivery.manifest.deliver_to;
  if (to === undefined) return undefined;
  if ('agent' in to) return openTaskFor(to.agent, delivery, tx);
  const error = 'conversation' in to ? post(to.conversation, delivery, tx) : send(to.webhook, delivery, tx);
  return error === undefined ? undefined : { error };
}

/** Room for what stands around it. */
const longest = maxBodyLength - 500;

/** Words as they are, values as values. */
function inWords(output: unknown): string {
  if (typeof output === 'string') return postableText(output, longest);
  return `\`\`\`json\n${cutText(JSON.stringify(output, null, 2), longest)}\n\`\`\``;
}

/** A person's own data that the chain has read leaves only as the tier of its owner allows (SYS-6). */
function heldBack(text: string, { invocation, agent, output }: ResultDelivery, audience: () => Hearers, tx: Tx): string | undefined {
  // Inside of values as well, as they are before they are written as JSON.
  const withheld = withheldIn(() => [text, ...textsIn(output)].join('\n'), invocation.chain_id, audience, tx);
  if (!withheld) return undefined;
  append(tx, withheldFact({ ...invocation, agent_id: agent.id }, withheld));
  return `It holds what its owner has not agreed to share (${withheld.field}).`;
}

function delivered({ invocation, agent }: ResultDelivery, data: { message: string; task?: string }, tx: Tx): void {
  const { id, chain_id } = invocation;
  append(tx, { type: 'invocation.delivered', member_id: agent.id, subject_id: id, chain_id, data });
}

function post(name: string, delivery: ResultDelivery, tx: Tx): string | undefined {
  const { owner, agent, invocation } = delivery;
  const found = conversationMeant(delivery.manifest.id, name, owner, tx);
  if (!found) return isShared(name, owner, tx) ? sharedName(name) : 'There is no such conversation, or its owner may not post there.';
  tx.lock(conversationLock(found.id));
  const place = accessTo(asActor(owner), found.id, tx);
  const { conversation, home } = place;
  const why = whyNotPost(place, owner);
  if (why !== undefined)
    return why === 'archived' ? 'The conversation is archived.' : 'There is no such conversation, or its owner may not post there.';
  if (leaveRequestsIn(conversation, tx).has(agent.id)) return 'Its agent was asked to leave there.';
  const body = inWords(delivery.output);
  const refusal = heldBack(body, delivery, () => audienceIn(home, tx), tx);
  if (refusal !== undefined) return refusal;
  const data = { invocation: invocation.id, ...verdictData(goodbyeVerdicts(agent.id, { home }, tx)) };
  const message = placeMessage({ actor: asActor(agent), conversation, home, body, chainId: invocation.chain_id, data }, tx);
  delivered(delivery, { message: message.id }, tx);
  return undefined;
}

/** Undefined: the owner of the trigger may post there. */
export function whyNotPost({ home, relations }: ConversationAccess, owner: MemberRow): 'nowhere' | 'archived' | undefined {
  if (!may('message.post', asActor(owner), relations).allowed) return 'nowhere';
  return home.archived_at === null ? undefined : 'archived';
}

/** The owner is in several channels of this name. */
export const isShared = (name: string, owner: MemberRow, set: WorkingSet): boolean =>
  channelsNamed(name.replace(/^#/, ''), asActor(owner), set).joined.length > 1;
export const sharedName = (name: string): string => `Its owner is in several channels named ${name}: write the id of one.`;

/**
 * The task's requester is the owner, in their DM with the agent. The platform brings the words and nobody answers for them,
 * so the task is tainted.
 */
function openTaskFor(handle: string, delivery: ResultDelivery, tx: Tx): DeliveryFailure | undefined {
  const { owner, agent, invocation } = delivery;
  const no = (error: string): DeliveryFailure => ({ error });
  const target = agentMeant(delivery.manifest.id, handle, tx);
  const asOwner = asActor(owner);
  if (target?.kind !== 'agent' || target.status !== 'active') return no(`There is no agent ${handle}.`);
  if (!may('dm.open', asOwner, relationsToMember(asOwner, memberFacts(target))).allowed) return no(`Its owner may not write to ${handle}.`);
  if (isBlocked(target.id, [owner.id], tx)) return no(`${handle} takes no requests from its owner.`);
  const chain = invocationChain(invocation, tx);
  const path = [agent.id];
  const allowed = mayDelegate({ depth: invocation.depth, path }, target.id, chain.tasks, tx.limits);
  if (!allowed.ok) return no(`${handle} cannot be given work from here (${allowed.reason}).`);
  if (!isHere(agentOf(target.id, tx))) return { error: `${handle} is not connected.`, offline: true };
  tx.lock(`dm:${dmKey([owner.id, target.id])}`);
  const dm = tx.find('conversations', 'dm', dmKey([owner.id, target.id]))[0] ?? newDm([owner.id, target.id], asOwner, tx);
  tx.lock(conversationLock(dm.id));
  const body = `[Provoked by ${invocation.trigger_id} | ${invocation.id}]\n${inWords(delivery.output)}`;
  const refusal = heldBack(body, delivery, () => audienceIn(dm, tx), tx);
  if (refusal !== undefined) return no(refusal);
  const data = { invocation: invocation.id, ...verdictData(assignmentVerdicts(target.id, { home: dm }, tx)) };
  const place = { conversation: dm, home: dm };
  const message = placeMessage({ actor: { type: 'platform' }, ...place, body, chainId: chain.id, data }, tx);
  chainAt(chain, dm.id, message.id, tx);
  const incoming = { ...place, author: { id: owner.id, kind: 'human' as const }, urgent: false };
  const within = { chainId: chain.id, parent: undefined };
  const request = { incoming, message, addressedBy: 'assigned', mode: assignmentVerdict(false).mode } as const;
  const task = openFor(target, { ...request, outputs: [], within, after: { depth: invocation.depth, path } }, tx);
  taintTask(task, { kind: 'event', id: invocation.event_id }, tx);
  wakeUp([target.id], tx);
  settleChain(chain.id, tx);
  delivered(delivery, { task: task.id, message: message.id }, tx);
  return undefined;
}

/**
 * Performed after the commit, signed, and repeated until it is taken or a day has passed. Anybody may listen there. The address
 * goes with it: by then the manifest may have been written so often that this version is not kept.
 */
function send(to: { url: string; secret?: string | undefined }, delivery: ResultDelivery, tx: Tx): string | undefined {
  const refusal = heldBack(inWords(delivery.output), delivery, () => audienceOf([], tx, true), tx);
  if (refusal !== undefined) return refusal;
  const until = String(tx.now + tx.limits.outerMs);
  addEffect('invocation.webhook', { ...to, invocationId: delivery.invocation.id, until }, tx);
  return undefined;
}
