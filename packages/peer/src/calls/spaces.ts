// The person's shared spaces.

import { agreementField, hasAgreed, linksIn, mayWrite, type SpaceFields, spacePermissions } from '@parley/core/space';
import { badInput, type SharedSpace, type SpaceCalls } from '@parley/protocol';
import type { SpaceRecord } from '../spaces/space-records.ts';
import { type CallAnswers, type CallContext, mustHave, type OpenPeer } from './context.ts';

type Whole = SpaceCalls['space']['out'];

/** A space that somebody just made may only come with the exchange. */
const change =
  <C extends 'joinSpace' | 'writeSpace' | 'watchSpace' | 'linkSpace'>(
    act: (open: OpenPeer, argument: SpaceCalls[C]['in']) => Promise<SpaceRecord>,
  ) =>
  async (context: CallContext, argument: SpaceCalls[C]['in']): Promise<Whole> => {
    const open = await havingSpace(context, argument.id);
    const record = await act(open, argument);
    return { ...(await wholeOf(context, open, record)), line: await open.reach() };
  };

async function havingSpace(context: CallContext, id: string): Promise<OpenPeer> {
  const open = await mustHave(context);
  await open.negotiations.spaces.find(id).catch(() => open.reach());
  return open;
}

export const spaceAnswers: CallAnswers<keyof SpaceCalls> = {
  spaces: async (context) => {
    const open = await context.find();
    if (!open) return [];
    await open.reach();
    const spaces = await open.negotiations.spaces.list();
    return spaces.map((record) => summaryOf(context, open, record)).toSorted((a, b) => b.changedAt - a.changedAt);
  },
  space: async (context, { id, isStored }) => {
    const open = await mustHave(context);
    const line = isStored ? null : await open.reach();
    return { ...(await wholeOf(context, open, await open.negotiations.spaces.find(id))), line };
  },
  createSpace: async (context, { id, name, people, words = 'own' }) => {
    const open = await context.make();
    const participants: { address: string; may: (typeof people)[number]['may'] }[] = [];
    for (const { with: whom, may } of people) {
      if (!spacePermissions.includes(may)) throw badInput(`people: ${JSON.stringify(may)} is none of ${spacePermissions.join(', ')}.`);
      const other = 'address' in whom ? whom : await context.introduce(open, whom);
      if ('card' in other && typeof other.card === 'string') await open.peer.add(other.card, 'introduced');
      participants.push({ address: other.address, may });
    }
    const record = await open.negotiations.spaces.create({ ...(id === undefined ? {} : { id }), name, participants, words });
    return { ...summaryOf(context, open, record), line: await open.reach() };
  },
  writeSpace: change<'writeSpace'>(({ negotiations }, { id, writes, words = 'own' }) =>
    negotiations.spaces.write(
      id,
      writes.map(({ field, value }) => ({ field, value, words })),
    ),
  ),
  joinSpace: change<'joinSpace'>(({ negotiations }, { id }) => negotiations.spaces.join(id)),
  leaveSpace: async (context, { id }) => {
    const open = await havingSpace(context, id);
    await open.negotiations.spaces.leave(id);
    return { line: await open.reach() };
  },
  seeSpace: async (context, { id }) => {
    await (await mustHave(context)).negotiations.spaces.seen(id);
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
  { nameOf }: CallContext,
  { peer }: OpenPeer,
  { id, creator, definition, isJoined, isNew, changes, changedAt, gone = [] }: SpaceRecord,
): SharedSpace {
  const { name, participants } = definition!;
  return {
    id,
    name,
    creator,
    people: Object.entries(participants).map(([address, may]) => ({
      address,
      name: nameOf(address),
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
async function wholeOf(context: CallContext, open: OpenPeer, record: SpaceRecord): Promise<Whole> {
  const { definition, fields, changes, refused, watches = [], channel = null } = record;
  const own = open.peer.address;
  return {
    ...summaryOf(context, open, record),
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
    heldBack: await open.negotiations.spaces.heldBack(record),
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
