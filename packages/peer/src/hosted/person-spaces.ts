// What a hub asks of one person's shared spaces.

import { agreementField, hasAgreed, linksIn, mayWrite, type SpaceFields } from '@parley/core/space';
import type { PeerOwner, SharedSpace, SpaceCalls } from '@parley/protocol';
import type { SpaceRecord } from '../spaces/records.ts';
import { introduce, mustHave } from './acquaintances.ts';
import type { PeerRegistry } from './peer-registry.ts';

import type { HostedPeer } from './hosted-peer.ts';

type Whole = SpaceCalls['space']['out'];

const change =
  <C extends 'joinSpace' | 'writeSpace' | 'watchSpace' | 'linkSpace'>(
    act: (hosted: HostedPeer, argument: SpaceCalls[C]['in']) => Promise<SpaceRecord>,
  ) =>
  async (registry: PeerRegistry, owner: PeerOwner, argument: SpaceCalls[C]['in']): Promise<Whole> => {
    const hosted = await mustHave(registry, owner);
    return wholeOf(registry, hosted, await act(hosted, argument));
  };

type SpaceAnswers = {
  readonly [C in keyof SpaceCalls]: (
    registry: PeerRegistry,
    owner: PeerOwner,
    argument: SpaceCalls[C]['in'],
  ) => Promise<SpaceCalls[C]['out']>;
};

export const spaceAnswers: SpaceAnswers = {
  spaces: async (registry, { memberId }) => {
    const hosted = await registry.hosted(memberId);
    const spaces = (await hosted?.negotiations.spaces.list()) ?? [];
    return spaces.map((record) => summaryOf(registry, hosted!, record)).toSorted((a, b) => b.changedAt - a.changedAt);
  },
  space: async (registry, owner, { id }) => {
    const hosted = await mustHave(registry, owner);
    return wholeOf(registry, hosted, await hosted.negotiations.spaces.find(id));
  },
  createSpace: async (registry, owner, { id, name, people }) => {
    const hosted = await registry.make(owner);
    const participants: { address: string; may: (typeof people)[number]['may'] }[] = [];
    for (const { with: whom, may } of people) {
      const other = 'address' in whom ? whom : await introduce(registry, hosted, owner, whom);
      if ('card' in other && typeof other.card === 'string') await hosted.peer.add(other.card, 'introduced');
      participants.push({ address: other.address, may });
    }
    return summaryOf(registry, hosted, await hosted.negotiations.spaces.create({ id, name, participants }));
  },
  writeSpace: change<'writeSpace'>(({ negotiations }, { id, writes }) =>
    negotiations.spaces.write(
      id,
      writes.map(({ field, value }) => ({ field, value, words: 'own' })),
    ),
  ),
  joinSpace: change<'joinSpace'>(({ negotiations }, { id }) => negotiations.spaces.join(id)),
  leaveSpace: async (registry, owner, { id }) => {
    await (await mustHave(registry, owner)).negotiations.spaces.leave(id);
    return null;
  },
  seeSpace: async (registry, owner, { id }) => {
    await (await mustHave(registry, owner)).negotiations.spaces.seen(id);
    return null;
  },
  watchSpace: change<'watchSpace'>(({ negotiations }, { id, fields }) => negotiations.spaces.watch(id, fields)),
  linkSpace: change<'linkSpace'>(async ({ negotiations: { spaces }, peer }, { id, audience }) => {
    // The others read where their words would go, and agree in a field of their own.
    await spaces.write(id, [{ field: agreementField(peer.address), value: audience, words: 'own' }]);
    return spaces.setChannel(id, audience);
  }),
};

function summaryOf(
  registry: PeerRegistry,
  { peer }: HostedPeer,
  { id, creator, definition, isJoined, isNew, changes, changedAt, gone = [] }: SpaceRecord,
): SharedSpace {
  const { name, participants } = definition!;
  return {
    id,
    name,
    creator,
    people: Object.entries(participants).map(([address, may]) => ({
      address,
      name: registry.nameOf(address),
      may,
      isGone: gone.includes(address),
      isMe: address === peer.address,
    })),
    isJoined,
    isNew: isNew === true,
    unseen: changes.length,
    changedAt,
  };
}

/** A removed field is shown no longer; its versions stay in case somebody writes it again. */
async function wholeOf(registry: PeerRegistry, hosted: HostedPeer, record: SpaceRecord): Promise<Whole> {
  const { definition, fields, changes, refused, watches = [], channel = null } = record;
  const own = hosted.peer.address;
  return {
    ...summaryOf(registry, hosted, record),
    fields: Object.entries(fields)
      .filter(([, { current }]) => current.value !== null)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([field, { current, earlier }]) => ({
        field,
        ...versionOf(current),
        mayWrite: mayWrite(definition!, field, own),
        earlier: earlier.map(versionOf),
        links: linksIn(current.value),
      })),
    changes: changes.map(({ field, by, at, before, value, reason }) => ({ field, by, at, before, value, reason })),
    refused: Object.entries(refused).map(([address, times]) => ({ address, times })),
    heldBack: await hosted.negotiations.spaces.heldBack(record),
    watches,
    ownPrefix: agreementField(own).replace(/posts_to$/, ''),
    channel: channel && { audience: channel.audience },
    audiences: audiencesIn(record, fields),
  };
}

const versionOf = ({ value, by, counter }: { value: Whole['fields'][number]['value']; by: string; counter: number }) => ({
  value,
  by,
  version: counter,
});

/** Each place that somebody named in their own words, with those who agreed to it. */
function audiencesIn({ definition }: SpaceRecord, fields: SpaceFields): Whole['audiences'] {
  const people = Object.keys(definition!.participants);
  return people.flatMap((by) => {
    const field = agreementField(by);
    const current = Object.hasOwn(fields, field) ? fields[field]!.current : undefined;
    if (current?.by !== by || typeof current.value !== 'string') return [];
    const audience = current.value;
    return [{ audience, by, agreed: people.filter((address) => hasAgreed(fields, address, audience)) }];
  });
}
