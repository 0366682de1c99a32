// A person's own peer. Everything here is for the person alone: no route names another member's peer.

import { randomUUID } from 'node:crypto';
import { type NegotiationSummary, ParleyError, type PeerCall, type PeerCalls } from '@parley/protocol';
import { borrowedText } from '../../../engine/commands/peers/negotiations.ts';
import { platform, require } from '../../../engine/command.ts';
import { dataOf } from '../../../engine/steps/facts/checkpoints.ts';
import { inviteOutside, openNegotiation } from '../../../peers/open-negotiation.ts';
import { makeRequestLink, withLinkState } from '../../../peers/request-links.ts';
import { addressesIn, peerNames, withNames } from '../../../views/peer-names.ts';
import { asIs, type Caller, command, isBorrowed, memberOf, emptyAnswer, type RouteHandlers, type Services } from '../route-context.ts';

/** The person behind the request. */
export async function personOf(hub: Services, caller: Caller): Promise<string> {
  require('peer.use', caller.actor, ['self']);
  const memberId = memberOf(caller);
  if (await isBorrowed(hub, caller)) throw new ParleyError('forbidden', borrowedText, { reason: 'peer.use:borrowed' });
  return memberId;
}

export async function callPeer<C extends PeerCall>(
  { hub, caller }: { hub: Services; caller: Caller },
  command: C,
  argument: PeerCalls[C]['in'],
): Promise<PeerCalls[C]['out']> {
  return hub.peers.call(await personOf(hub, caller), command, argument);
}

export const peerRoutes = {
  getPeer: (context) => callPeer(context, 'me', null),
  makePeer: (context) => callPeer(context, 'make', null),
  listPeerPeople: async (context) => ({ people: await calledByName(context.hub, await callPeer(context, 'people', null)) }),
  addPeerPerson: (context) => callPeer(context, 'add', context.input.body),
  verifyPeerPerson: (context) => callPeer(context, 'verify', { ...context.input.params, ...context.input.body }),
  blockPeerPerson: (context) => callPeer(context, 'block', { ...context.input.params, ...context.input.body }),
  getPeerProfile: (context) => callPeer(context, 'profile', null),
  setPeerField: (context) => callPeer(context, 'setField', context.input.body),
  noticePeerZone: (context) => emptyAnswer(callPeer(context, 'noticeZone', context.input.body)),
  setPeerTier: (context) => callPeer(context, 'setTier', context.input.body),
  addPeerCalendar: (context) => callPeer(context, 'addCalendar', context.input.body),
  removePeerCalendar: (context) => callPeer(context, 'removeCalendar', context.input.query),
  downloadPeerCalendar: async (context) => {
    const { ics } = await callPeer(context, 'calendar', null);
    const headers = { 'content-type': 'text/calendar; charset=utf-8', 'content-disposition': 'attachment; filename="calendar.ics"' };
    return context.reply.headers(headers).send(ics);
  },
  listPeerActions: (context) => callPeer(context, 'actions', null),
  addPeerAction: async (context) => {
    const { hub, caller, input } = context;
    if (input.body.kind !== 'channel') return callPeer(context, 'addAction', input.body);
    const { audience } = await hub.engine.submit({ type: 'peer.channel', by: caller.by, conversationId: input.body.run });
    return callPeer(context, 'addAction', { ...input.body, audience });
  },
  removePeerAction: (context) => callPeer(context, 'removeAction', context.input.query),
  getPeerModel: (context) => callPeer(context, 'model', null),
  setPeerModel: (context) => callPeer(context, 'setModel', context.input.body),
  listNegotiations: async (context) => ({ negotiations: await named(context.hub, await callPeer(context, 'negotiations', null)) }),
  openNegotiation: async (context) => {
    const { hub, caller, key = randomUUID(), input } = context;
    const memberId = await personOf(hub, caller);
    return (await named(hub, [await openNegotiation(hub, { by: caller.by, key: `${memberId} ${key}`, ...input.body })]))[0]!;
  },
  inviteOutside: async (context) => {
    const { hub, caller, key = randomUUID(), input } = context;
    const memberId = await personOf(hub, caller);
    return inviteOutside(hub, { by: caller.by, key: `${memberId} ${key}`, ...input.body });
  },
  replyForOutside: (context) => callPeer(context, 'reply', { ...context.input.params, reply: context.input.body }),
  makeRequestLink: async ({ hub, caller, input }) => {
    const memberId = await personOf(hub, caller);
    const { id, key, expiresAt } = await makeRequestLink(hub, caller.by, memberId, input.params.threadId, hub.clock.now());
    // The key is in the fragment, which browsers keep to themselves.
    return { url: `${hub.pageUrl()}/g/${id}#${key}`, expiresAt };
  },
  revokeRequestLink: command('request_link.revoke', asIs),
  openRequestLink: ({ hub, input }) =>
    hub.engine.submit({ type: 'request_link.open', by: platform, id: input.params.requestLinkId, opener: input.body.opener }),
  answerRequestLink: ({ hub, input }) =>
    hub.engine.submit({ type: 'request_link.answer', by: platform, id: input.params.requestLinkId, ...input.body }),
  getNegotiation: async (context) => {
    const { hub, input, caller } = context;
    const [found] = await named(hub, [await callPeer(context, 'negotiation', input.params)]);
    const [row] = await hub.store.rows('negotiations', { member_id: memberOf(caller), thread_id: input.params.threadId });
    const waiting = await hub.store.rows('checkpoints', { member_id: memberOf(caller), open: 1 });
    const checkpointIds = waiting.filter((one) => dataOf(one).thread === input.params.threadId).map(({ id }) => id);
    const outside = await withLinkState(hub.store, found!.outside, hub.clock.now());
    const { openPrompts: _, introduces: __, ...shown } = found!;
    return { ...shown, outside, checkpointIds, taskId: row?.task_id ?? null };
  },
  changeNegotiation: (context) => withNegotiation(context, 'changeIntent', { ...context.input.params, ...context.input.body }),
  forkNegotiation: async (context) => {
    const parts = await callPeer(context, 'fork', { ...context.input.params, ...context.input.body });
    const [negotiation, ...forks] = await named(context.hub, parts);
    return { negotiation: negotiation!, forks };
  },
  transferCoordination: (context) => withNegotiation(context, 'transfer', { ...context.input.params, ...context.input.body }),
  steerNegotiation: (context) => withNegotiation(context, 'steer', { ...context.input.params, ...context.input.body }),
  listPeerMemory: async (context) => ({ memory: await calledByName(context.hub, await callPeer(context, 'memory', {})) }),
  editPeerMemory: (context) => callPeer(context, 'editMemory', { ...context.input.params, ...context.input.body }),
  forgetPeerMemory: (context) => emptyAnswer(callPeer(context, 'forgetMemory', context.input.params)),
  backUpPeer: async ({ hub, caller, input }) => {
    if (caller.actor.type !== 'operator') throw new ParleyError('not_found');
    return { backup: (await hub.peers.backup(input.params.memberId)) ?? null };
  },
  addSampleFriend: (context) => callPeer(context, 'sample', null),
  removeSampleFriend: (context) => emptyAnswer(callPeer(context, 'removeSample', null)),
} satisfies Partial<RouteHandlers>;

async function withNegotiation<C extends 'changeIntent' | 'transfer' | 'steer'>(
  context: { hub: Services; caller: Caller },
  command: C,
  argument: PeerCalls[C]['in'],
): Promise<NegotiationSummary> {
  return (await named(context.hub, [await callPeer(context, command, argument)]))[0]!;
}

/** People of this hub by their present names. */
async function named<T extends Pick<NegotiationSummary, 'peer' | 'peerName' | 'group'>>(hub: Services, all: readonly T[]): Promise<T[]> {
  const nameOf = await peerNames(hub.store, all.flatMap(addressesIn));
  return all.map((one) => withNames(one, nameOf));
}

async function calledByName<T extends { address: string; name: string }>(hub: Services, all: readonly T[]): Promise<T[]> {
  const nameOf = await peerNames(
    hub.store,
    all.map(({ address }) => address),
  );
  return all.map((one) => ({ ...one, name: nameOf(one.address, one.name) }));
}
