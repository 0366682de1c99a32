// The calls of one member of a hub: with other members' peers, the hub's tools and its model at hand.

import { type PeerCall, PeerCallError, type PeerCalls, type PeerOwner } from '@parley/protocol';
import { openingRefusal } from '@parley/core';
import { lookUp } from '@parley/core/consent';
import type { CallAnswers, CallContext } from '../calls/context.ts';
import { answerCall, type HubCall } from '../calls/calls.ts';
import { exportOf } from '../calls/export.ts';
import { personOf } from '../calls/people.ts';
import { introduce, introduceMembers, introduceToGroup } from './hub-members.ts';
import { noRelay } from './calls.ts';
import { takeZone } from './noticed-zones.ts';
import type { PeerRegistry } from './peer-registry.ts';
import { ownCalendarText } from './hosted-calendars.ts';
import { endWithFriend, forgetFriend, sampleId } from './sample-friend.ts';

interface HubContext extends CallContext {
  owner: PeerOwner;
  registry: PeerRegistry;
}

export const answerInHub = <C extends PeerCall>(
  registry: PeerRegistry,
  owner: PeerOwner,
  call: C,
  argument: PeerCalls[C]['in'],
): Promise<PeerCalls[C]['out']> => answerCall('hub', contextOf(registry, owner), call, argument, hubAnswers);

function contextOf(registry: PeerRegistry, owner: PeerOwner): HubContext {
  const { settings } = registry;
  return {
    owner,
    registry,
    find: () => registry.hosted(owner.memberId),
    make: () => registry.make(owner),
    nameOf: registry.nameOf,
    memberOf: (address) => registry.memberOf(address),
    isSample: (address) => registry.isSample(address),
    publicRelayUrl: settings.publicRelayUrl,
    noPeer: settings.relayUrl === null ? noRelay : null,
    models: settings.models,
    tools: () => registry.hub.toolsOf(owner.memberId),
    mustHaveRoom: async ({ negotiations }) => {
      const refusal = openingRefusal(await negotiations.index.openings(negotiations.now - 3_600_000));
      if (refusal !== undefined) throw new PeerCallError('refused', refusal);
    },
    introduce: (open, other) => introduce(registry, open, owner, other),
    introduceMembers: (addresses) => introduceMembers(registry, addresses),
    introduceToGroup: (open, threadId, to) => introduceToGroup(registry, open, threadId, to),
    reportSharing: () => registry.reportSharingOf(owner.memberId),
  };
}

const hubAnswers: CallAnswers<HubCall, HubContext> = {
  calendar: async ({ registry, owner: { memberId } }) => {
    const { writeCalendar } = await import('../calendar/index.ts');
    const hosted = await registry.hosted(memberId);
    // Also where nothing is in it yet.
    return { ics: (hosted && (await ownCalendarText(hosted.store))) ?? writeCalendar([], 0) };
  },
  noticeZone: async ({ registry, owner: { memberId } }, { zone }) => {
    registry.zones.notice(memberId, zone);
    const hosted = await registry.hosted(memberId);
    if (hosted) await registry.zones.give(memberId, hosted);
    return null;
  },
  sample: async (context) => {
    const { registry, owner } = context;
    const hosted = await registry.make(owner);
    const friend = await registry.sample(owner);
    const zone = lookUp((await hosted.negotiations.profile()).fields, 'timezone');
    if (typeof zone === 'string') await takeZone(friend, zone);
    await friend.peer.add(hosted.peer.card(), 'introduced');
    return personOf(context, await hosted.peer.add(friend.peer.card(), 'introduced'));
  },
  removeSample: async ({ registry, owner: { memberId } }) => {
    const [hosted, friend] = [await registry.hosted(memberId), await registry.hosted(sampleId(memberId))];
    if (hosted && friend) await endWithFriend(hosted, friend.peer.address);
    await registry.erase(sampleId(memberId), { onAway: async (address) => hosted && forgetFriend(hosted, address) });
    return null;
  },
  export: async ({ registry, owner: { memberId } }) => (await registry.read(memberId, exportOf)) ?? {},
};
