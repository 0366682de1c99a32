// Opening a negotiation, for every door that can: the hub's row first, then the service. Safe to repeat under the same key.

import { createHash } from 'node:crypto';
import { negotiationTexts } from '@parley/core';
import {
  foldHandle,
  type GroupTerms,
  Handle,
  type NegotiationSummary,
  type OpenNegotiation,
  type OpenOutside,
  ParleyError,
} from '@parley/protocol';
import { PeerAddress } from '@parley/protocol/relay';
import { platform, type By } from '../engine/command.ts';
import { noPerson } from '../engine/commands/peers/negotiations.ts';
import type { Engine } from '../engine/engine.ts';
import type { Store } from '../store/port.ts';
import type { Peers } from './peers.ts';

export interface NegotiationHub {
  store: Store;
  engine: Engine;
  peers: Peers;
}

export interface NegotiationCall extends OpenNegotiation {
  by: By;
  /** The same key opens the same negotiation. */
  key: string;
  task?: { id: string; lease: number; agentId: string };
}

/** As long as the wire allows. The same key always gives the same ID, so that a retry opens nothing twice. */
const threadIdFor = (key: string): string => `thr_${createHash('sha256').update(key).digest('hex').slice(0, 32)}`;

type Other = { memberId: string } | { address: string };

export async function otherOf(store: Store, given: string): Promise<Other> {
  if (PeerAddress.safeParse(given).success) {
    // A member is one also by address: their tiers and their leaving count.
    const [peer] = await store.rows('peers', { address: given });
    return peer ? { memberId: peer.member_id } : { address: given };
  }
  const handle = given.replace(/^@/, '');
  const [member] = Handle.safeParse(handle).success ? await store.rows('members', { handle_fold: foldHandle(handle) }) : [];
  if (!member) throw new ParleyError('not_found', noPerson);
  return { memberId: member.id };
}

export async function openNegotiation(hub: NegotiationHub, call: NegotiationCall): Promise<NegotiationSummary> {
  const { by, intent, needs, task } = call;
  const threadId = threadIdFor(call.key);
  const named = await Promise.all([call.with].flat().map((one) => otherOf(hub.store, one)));
  const group = named.length > 1 ? await termsIn(hub.store, call) : undefined;
  const opened = await hub.engine.submit({
    type: 'negotiation.open',
    by,
    threadId,
    others: named,
    intent,
    needs,
    ...(task ? { task } : {}),
  });
  const memberId = opened.negotiation.member_id;
  const others = opened.others.length === 1 ? opened.others[0]! : opened.others;
  const argument = { threadId, with: others, intent, needs, audience: opened.audience, group };
  return orFailed(hub, memberId, threadId, () => hub.peers.open(memberId, threadId, 'open', argument));
}

/** To somebody without an agent: what there is of them is in the person's own peer. */
export async function inviteOutside(hub: NegotiationHub, { by, key, ...asked }: OpenOutside & { by: By; key: string }) {
  const threadId = threadIdFor(key);
  const others = [{ address: 'outside' }];
  const opened = await hub.engine.submit({ type: 'negotiation.open', by, threadId, others, intent: asked.intent, needs: [] });
  const memberId = opened.negotiation.member_id;
  return orFailed(hub, memberId, threadId, () => hub.peers.open(memberId, threadId, 'invite', { threadId, ...asked }));
}

async function orFailed(
  { engine, peers }: NegotiationHub,
  memberId: string,
  threadId: string,
  open: () => Promise<NegotiationSummary>,
): Promise<NegotiationSummary> {
  try {
    return await open();
  } catch (error) {
    // The service may have opened it, and stopped before it said so.
    const existing = await peers.found(memberId, threadId);
    if (existing === 'no_answer') throw error;
    if (existing) return existing;
    await engine.submit({ type: 'negotiation.fail', by: platform, memberId, threadId, isReported: true });
    throw error;
  }
}

async function termsIn(store: Store, { quorum, order, answersWithin }: NegotiationCall): Promise<GroupTerms> {
  return {
    quorum,
    order: order && (await Promise.all(order.map((one) => otherOf(store, one)))),
    patienceMs: answersWithin === undefined ? undefined : answersWithin * 60_000,
  };
}

/** Returns the text that the agent reads. */
export async function negotiate(hub: NegotiationHub, call: NegotiationCall): Promise<string> {
  const { reading } = await openNegotiation(hub, call);
  return negotiationTexts.opened([call.with].flat().join(', '), reading);
}
