// A person's shared spaces. Everything here is for the person alone.

import { createHash, randomUUID } from 'node:crypto';
import type { SharedSpace, SpaceCalls, WholeSpace } from '@parley/protocol';
import { platform } from '../../../engine/command.ts';
import { otherOf } from '../../../peers/open-negotiation.ts';
import { openSpaceLink } from '../../../peers/space-links.ts';
import { peerNames } from '../../../views/peer-names.ts';
import { memberOf, emptyAnswer, type RouteHandlers, type Services } from '../route-context.ts';
import { callPeer, personOf } from './peers.ts';

type Context = Parameters<typeof callPeer>[0];

export const spaceRoutes = {
  listSpaces: async (context) => ({ spaces: await named(context.hub, await callPeer(context, 'spaces', null)) }),
  createSpace: async (context) => {
    const { hub, caller, key = randomUUID(), input } = context;
    const memberId = await personOf(hub, caller);
    const invitees = await Promise.all(input.body.people.map(({ with: whom }) => otherOf(hub.store, whom)));
    const { others } = await hub.engine.submit({ type: 'space.invite', by: caller.by, others: invitees });
    const people = input.body.people.map(({ may }, at) => ({ with: others[at]!, may }));
    const id = `spc_${createHash('sha256').update(`${memberId} ${key}`).digest('hex').slice(0, 26)}`;
    return (await named(hub, [await callPeer(context, 'createSpace', { id, name: input.body.name, people })]))[0]!;
  },
  getSpace: async (context) => whole(context, await callPeer(context, 'space', { id: context.input.params.spaceId })),
  writeSpace: async (context) => {
    const { params, body } = context.input;
    return whole(context, await callPeer(context, 'writeSpace', { id: params.spaceId, ...body }));
  },
  joinSpace: async (context) => whole(context, await callPeer(context, 'joinSpace', { id: context.input.params.spaceId })),
  leaveSpace: async (context) => {
    const { spaceId } = context.input.params;
    await callPeer(context, 'leaveSpace', { id: spaceId });
    await context.hub.engine.submit({ type: 'space.forget', by: platform, memberId: memberOf(context.caller), spaceId });
    return {};
  },
  seeSpace: (context) => emptyAnswer(callPeer(context, 'seeSpace', { id: context.input.params.spaceId })),
  watchSpace: async (context) => {
    const { params, body } = context.input;
    return whole(context, await callPeer(context, 'watchSpace', { id: params.spaceId, ...body }));
  },
  linkSpace: async (context) => {
    const { hub, caller, input } = context;
    const id = input.params.spaceId;
    await callPeer(context, 'space', { id });
    const { audience } = await hub.engine.submit({ type: 'space.link', by: caller.by, spaceId: id, ...input.body });
    return whole(context, await callPeer(context, 'linkSpace', { id, audience }));
  },
  openSpaceLink: async ({ hub, caller, input }) =>
    openSpaceLink(hub, await personOf(hub, caller), { id: input.params.spaceId, ...input.body }),
} satisfies Partial<RouteHandlers>;

async function whole(context: Context, space: SpaceCalls['space']['out']): Promise<WholeSpace> {
  const { hub, caller } = context;
  const [row] = await hub.store.rows('spaces', { member_id: memberOf(caller), space_id: space.id });
  const [one] = await named(hub, [space]);
  return { ...one!, channel: space.channel && { ...space.channel, conversationId: row?.conversation_id ?? null } };
}

/** People of this hub by their present names. */
async function named<T extends Pick<SharedSpace, 'people'>>(hub: Services, spaces: readonly T[]): Promise<T[]> {
  const nameOf = await peerNames(
    hub.store,
    spaces.flatMap(({ people }) => people.map(({ address }) => address)),
  );
  return spaces.map((one) => ({ ...one, people: one.people.map((person) => ({ ...person, name: nameOf(person.address, person.name) })) }));
}
