// What a hub asks of one person's shared spaces.

import { agreementField, hasAgreed, linksIn, mayWrite, type SpaceFields } from '@parley/core/space';
import type { PeerOwner, SharedSpace, SpaceCalls } from '@parley/protocol';
import type { SpaceRecord } from '../spaces/records.ts';
import { introduce, mustHave } from './acquaintances.ts';
import type { House } from './house.ts';

import type { Resident } from './resident.ts';

type Whole = SpaceCalls['space']['out'];

const change =
  <C extends 'joinSpace' | 'writeSpace' | 'watchSpace' | 'linkSpace'>(
    act: (resident: Resident, argument: SpaceCalls[C]['in']) => Promise<SpaceRecord>,
  ) =>
  async (house: House, owner: PeerOwner, argument: SpaceCalls[C]['in']): Promise<Whole> => {
    const resident = await mustHave(house, owner);
    return wholeOf(house, resident, await act(resident, argument));
  };

type SpaceAnswers = {
  readonly [C in keyof SpaceCalls]: (house: House, owner: PeerOwner, argument: SpaceCalls[C]['in']) => Promise<SpaceCalls[C]['out']>;
};

export const spaceAnswers: SpaceAnswers = {
  spaces: async (house, { memberId }) => {
    const resident = await house.resident(memberId);
    const spaces = (await resident?.negotiations.spaces.list()) ?? [];
    return spaces.map((record) => summaryOf(house, resident!, record)).toSorted((a, b) => b.changedAt - a.changedAt);
  },
  space: async (house, owner, { id }) => {
    const resident = await mustHave(house, owner);
    return wholeOf(house, resident, await resident.negotiations.spaces.find(id));
  },
  createSpace: async (house, owner, { id, name, people }) => {
    const resident = await house.make(owner);
    const participants: { address: string; may: (typeof people)[number]['may'] }[] = [];
    for (const { with: whom, may } of people) {
      const other = 'address' in whom ? whom : await introduce(house, resident, owner, whom);
      if ('card' in other && typeof other.card === 'string') await resident.peer.add(other.card, 'introduced');
      participants.push({ address: other.address, may });
    }
    return summaryOf(house, resident, await resident.negotiations.spaces.create({ id, name, participants }));
  },
  writeSpace: change<'writeSpace'>(({ negotiations }, { id, writes }) =>
    negotiations.spaces.write(
      id,
      writes.map(({ field, value }) => ({ field, value, words: 'own' })),
    ),
  ),
  joinSpace: change<'joinSpace'>(({ negotiations }, { id }) => negotiations.spaces.join(id)),
  leaveSpace: async (house, owner, { id }) => {
    await (await mustHave(house, owner)).negotiations.spaces.leave(id);
    return null;
  },
  seeSpace: async (house, owner, { id }) => {
    await (await mustHave(house, owner)).negotiations.spaces.seen(id);
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
  house: House,
  { peer }: Resident,
  { id, creator, definition, isJoined, isNew, changes, changedAt, gone = [] }: SpaceRecord,
): SharedSpace {
  const { name, participants } = definition!;
  return {
    id,
    name,
    creator,
    people: Object.entries(participants).map(([address, may]) => ({
      address,
      name: house.nameOf(address),
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
async function wholeOf(house: House, resident: Resident, record: SpaceRecord): Promise<Whole> {
  const { definition, fields, changes, refused, watches = [], channel = null } = record;
  const own = resident.peer.address;
  return {
    ...summaryOf(house, resident, record),
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
    heldBack: await resident.negotiations.spaces.heldBack(record),
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
