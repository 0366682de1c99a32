// The calls of one member of a hub: with other members' peers, the hub's tools and its model at hand.

import { type PeerCall, PeerCallError, type PeerCalls, type PeerOwner } from '@parley/protocol';
import { openingRefusal } from '@parley/core';
import { lookUp } from '@parley/core/consent';
import type { CallAnswers, CallContext, OpenPeer } from '../calls/context.ts';
import { answerCall, type HubCall } from '../calls/calls.ts';
import { personOf } from '../calls/people.ts';
import { introduce, introduceMembers, introduceToGroup } from './hub-members.ts';
import { noRelay } from './calls.ts';
import { takeZone } from './noticed-zones.ts';
import type { PeerRegistry } from './peer-registry.ts';
import { ownCalendarText } from './hosted-calendars.ts';
import { endWithFriend, forgetFriend, sampleId } from './sample-friend.ts';
import { viewAction } from '../actions/configured-actions.ts';
import { viewModel } from '../brains/model-settings.ts';
import type { MachineRecord, ProfileRecord } from '../negotiate/negotiation-records.ts';
import { allRecords } from '../packets/peer-records.ts';
import type { RecordKind } from '../store/port.ts';

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

// Everything that a peer holds of its person, decrypted, for the person's own export. Keys, sessions, passwords and secrets are not part of it.

const kinds: readonly RecordKind[] = ['profile', 'peer', 'machine', 'packet', 'prompt', 'journal', 'memory', 'calendar', 'space'];

async function exportOf(open: OpenPeer): Promise<Record<string, unknown>> {
  const content: Record<string, unknown> = { address: open.peer.address };
  for (const kind of kinds) {
    const values: unknown[] = [];
    for await (const { key, value } of allRecords(open.store, kind)) values.push({ key, value: exported(kind, value) });
    content[kind] = values;
  }
  return content;
}

const exported = (kind: RecordKind, value: unknown): unknown =>
  kind === 'profile' ? withoutSecrets(value as ProfileRecord) : kind === 'machine' ? withoutLinkKey(value as MachineRecord) : value;

function withoutLinkKey({ outside, ...record }: MachineRecord): object {
  if (!outside) return record;
  const { link, earlierLinks: _, ...person } = outside;
  return { ...record, outside: { ...person, ...(link ? { link: { id: link.id, expiresAt: link.expiresAt } } : {}) } };
}

/** An export is a plain file: a finder must not get into the person's calendars, or sign as their peer. */
const withoutSecrets = ({ servers = [], actions = [], model, ...profile }: ProfileRecord): object => ({
  ...profile,
  servers: servers.map(({ url, username }) => ({ url, username })),
  actions: actions.map(viewAction),
  ...(model ? { model: viewModel(model) } : {}),
});
