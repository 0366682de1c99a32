// A person's own peer. Everything here is for the person alone: no route names another member's peer.

import { ParleyError, type PeerCall, type PeerCalls } from '@parley/protocol';
import { readRows } from '../../../engine/decision-reads.ts';
import { borrowedWants, lenderOf } from '../../../engine/steps/departure/borrowed-access.ts';
import type { Want } from '../../../store/port.ts';
import { type Caller, isAgent, memberOf, type RouteHandlers, type Services } from '../route-context.ts';

const borrowed =
  'This session was opened by another member’s sign-in link, and a peer is for its person alone. Sign in with a link of your own.';

/** The person behind the request. */
async function personOf(hub: Services, caller: Caller): Promise<string> {
  if (isAgent(caller)) throw new ParleyError('forbidden', 'Agents may not do this.', { reason: 'peer.use:agents_may_not' });
  const memberId = memberOf(caller);
  const wants: Want[] = [...borrowedWants(caller.by), { table: 'tokens', values: [caller.tokenId!] }];
  const lender = await readRows(hub.store, wants, (set) => lenderOf(caller.by, set));
  if (lender !== undefined) throw new ParleyError('forbidden', borrowed, { reason: 'peer.use:borrowed' });
  return memberId;
}

async function call<C extends PeerCall>(
  { hub, caller }: { hub: Services; caller: Caller },
  command: C,
  argument: PeerCalls[C]['in'],
): Promise<PeerCalls[C]['out']> {
  return hub.peers.call(await personOf(hub, caller), command, argument);
}

export const peerRoutes = {
  getPeer: (context) => call(context, 'me', null),
  makePeer: (context) => call(context, 'make', null),
  listPeerPeople: async (context) => ({ people: await call(context, 'people', null) }),
  addPeerPerson: (context) => call(context, 'add', context.input.body),
  verifyPeerPerson: (context) => call(context, 'verify', { ...context.input.params, ...context.input.body }),
  blockPeerPerson: (context) => call(context, 'block', { ...context.input.params, ...context.input.body }),
  getPeerProfile: (context) => call(context, 'profile', null),
  setPeerField: (context) => call(context, 'setField', context.input.body),
  setPeerTier: (context) => call(context, 'setTier', context.input.body),
  addPeerCalendar: (context) => call(context, 'addCalendar', context.input.body),
  removePeerCalendar: (context) => call(context, 'removeCalendar', context.input.params),
  downloadPeerCalendar: async (context) => {
    const { ics } = await call(context, 'calendar', null);
    const headers = { 'content-type': 'text/calendar; charset=utf-8', 'content-disposition': 'attachment; filename="calendar.ics"' };
    return context.reply.headers(headers).send(ics);
  },
  listNegotiations: async (context) => ({ negotiations: await call(context, 'negotiations', null) }),
  openNegotiation: async (context) => {
    const { hub } = context;
    const threadId = hub.ids.at(hub.clock.now()).next('negotiation');
    const { with: other, intent, needs } = context.input.body;
    return call(context, 'open', { threadId, with: await otherSide(hub, other), intent, needs, audience: null });
  },
  getNegotiation: async (context) => ({
    ...(await call(context, 'negotiation', context.input.params)),
    checkpointIds: [],
    taskId: null,
  }),
  steerNegotiation: (context) => call(context, 'steer', { ...context.input.params, ...context.input.body }),
  listPeerMemory: async (context) => ({ memory: await call(context, 'memory', null) }),
  editPeerMemory: (context) => call(context, 'editMemory', { ...context.input.params, ...context.input.body }),
  forgetPeerMemory: async (context) => {
    await call(context, 'forgetMemory', context.input.params);
    return {};
  },
  addSampleFriend: (context) => call(context, 'sample', null),
  removeSampleFriend: async (context) => {
    await call(context, 'removeSample', null);
    return {};
  },
} satisfies Partial<RouteHandlers>;

/** An address has an `@` inside; everything else is a member's handle. */
async function otherSide(hub: Services, given: string): Promise<PeerCalls['open']['in']['with']> {
  const handle = given.replace(/^@/, '');
  if (handle.includes('@')) return { address: given };
  const [member] = await hub.store.rows('members', { handle_fold: handle.toLowerCase(), status: 'active' });
  if (member?.kind !== 'human')
    throw new ParleyError('not_found', `There is no person @${handle} here. Name a member, or the address of a peer.`);
  return { memberId: member.id, handle: member.handle, displayName: member.display_name };
}
