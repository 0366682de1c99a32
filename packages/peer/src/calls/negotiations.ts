// Opening, reading and steering negotiations.

import { badInput, type GroupTerms, type NegotiationSummary } from '@parley/protocol';
import { needsComparison, negotiationLimits } from '@parley/core/negotiation';
import { Needs } from '@parley/protocol/relay';
import { changeIntent } from '../negotiate/forks/drift.ts';
import { forkInto } from '../negotiate/forks/forks.ts';
import { leadOf } from '../negotiate/groups/group-lines.ts';
import { offerRole } from '../negotiate/groups/group-transfer.ts';
import { steer } from '../negotiate/prompts.ts';
import type { MachineRecord } from '../negotiate/negotiation-records.ts';
import { requestLink, takeLinkAnswer } from '../outside/request-links.ts';
import { openOutside } from '../outside/outside-requests.ts';
import { replyFor } from '../outside/replies.ts';
import { negotiationKey } from '../packets/peer-records.ts';
import { type CallAnswers, type Acquaintance, type CallContext, mustHave, type OpenPeer } from './context.ts';
import { mustBeField, mustBeName, mustBeValid, mustBeWords } from './checks.ts';
import { summaryOf } from './negotiation-summary.ts';
import { answerPrompt, cardsOf } from './prompts.ts';
import { wholeNegotiation } from './timeline.ts';

const mostAudience = 120;
/** Negotiations that are over; open ones are all listed. */
const mostListed = 200;

export const negotiationAnswers: CallAnswers<
  | 'open'
  | 'invite'
  | 'reply'
  | 'requestLink'
  | 'takeLinkAnswer'
  | 'negotiations'
  | 'negotiation'
  | 'steer'
  | 'changeIntent'
  | 'fork'
  | 'transfer'
  | 'prompts'
  | 'answer'
> = {
  open: async (context, { threadId, with: others, intent, needs, audience, group }) => {
    mustBeWords('intent', intent);
    const wanted = mustBeValid('needs', Needs, needs ?? []);
    const open = await context.make();
    await mustHaveRoomFor(context, open, threadId);
    const options = { threadId, audience: audience?.slice(0, mostAudience) };
    const people: Acquaintance[] = [];
    for (const whom of [others].flat()) people.push('address' in whom ? { address: whom.address } : await context.introduce(open, whom));
    const addresses = people.map(({ address }) => address);
    const [only] = people;
    if (group?.quorum !== undefined && needsComparison(group.quorum, people.length + 1)) await context.introduceMembers?.(addresses);
    const record =
      people.length === 1
        ? await open.negotiations.open(only!.address, intent, wanted, { ...options, introduction: only!.card })
        : await open.negotiations.openGroup(addresses, intent, {
            ...options,
            ...termsOf(group ?? {}, context, open, people),
            introductions: people.flatMap(({ card }) => card ?? []),
          });
    return reached(context, open, record);
  },
  invite: async (context, { threadId, name, intent, share = [], from = context.owner.displayName }) => {
    mustBeWords('intent', intent);
    for (const field of share) mustBeField('share', field);
    const open = await context.make();
    await mustHaveRoomFor(context, open, threadId);
    const opening = { threadId, name: mustBeName('name', name), request: intent, from: mustBeName('from', from), share };
    return reached(context, open, await openOutside(open.negotiations, opening));
  },
  reply: (context, { threadId, reply }) => changed(context, ({ negotiations }) => replyFor(negotiations, threadId, reply)),
  requestLink: async (context, { threadId, isNew }) => requestLink((await mustHave(context)).negotiations, threadId, isNew),
  takeLinkAnswer: async (context, { threadId, linkId, sealed }) => ({
    isRead: await takeLinkAnswer((await mustHave(context)).negotiations, threadId, linkId, sealed),
  }),
  negotiations: async (context) => {
    const open = await context.find();
    if (!open) return [];
    await open.reach();
    const records = await open.negotiations.index.recent(mostListed);
    const summaries = await Promise.all(records.map((record) => summaryOf(open, record, context.nameOf)));
    return summaries.toSorted((one, other) => other.updatedAt - one.updatedAt);
  },
  negotiation: async (context, { threadId, isStored }) => {
    const open = await mustHave(context);
    // One that another device or the peer began may only come with the exchange.
    const line = isStored ? null : await open.reach();
    return { ...(await wholeNegotiation(open, threadId, context.nameOf)), line };
  },
  steer: async (context, { threadId, act, words }) => {
    if (words !== undefined) mustBeWords('words', words);
    return changed(context, ({ negotiations }) => steer(negotiations, threadId, act, words));
  },
  changeIntent: async (context, { threadId, intent, needs }) => {
    mustBeWords('intent', intent);
    const wanted = mustBeValid('needs', Needs, needs ?? []);
    return changed(context, ({ negotiations }) => changeIntent(negotiations, threadId, { words: intent, needs: wanted }));
  },
  fork: async (context, { threadId, into, rest }) => {
    if (into.length === 0 || into.length > negotiationLimits.forks)
      throw badInput(`into names 1 to ${negotiationLimits.forks} negotiations; it has ${into.length}.`);
    for (const words of [...into, ...(rest === undefined ? [] : [rest])]) mustBeWords('intent', words);
    const open = await mustHave(context);
    await context.mustHaveRoom?.(open);
    const known = (await open.negotiations.find(threadId)).machine.forks ?? [];
    const parent = await forkInto(open.negotiations, threadId, { into, rest });
    const added = (parent.machine.forks ?? []).filter((id) => !known.includes(id));
    const whole = await reached(context, open, parent);
    const forks = await Promise.all(added.map((id) => open.negotiations.find(id)));
    return [whole, ...(await Promise.all(forks.map((record) => summaryOf(open, record, context.nameOf))))];
  },
  transfer: async (context, { threadId, to, reason }) => {
    if (reason !== undefined) mustBeWords('reason', reason);
    const open = await mustHave(context);
    await context.introduceToGroup?.(open, threadId, to);
    return reached(context, open, await offerRole(open.negotiations, threadId, to, reason));
  },
  prompts: async (context, { ids }) => {
    const open = await context.find();
    return open ? cardsOf(open, ids, context.nameOf) : [];
  },
  answer: async (context, { promptId, answer }) => {
    const record = await answerPrompt(context, promptId, answer);
    const open = await mustHave(context);
    // An answer may have been to share a field always.
    context.reportSharing?.(open);
    return record ? reached(context, open, record) : null;
  },
};

async function changed(context: CallContext, act: (open: OpenPeer) => Promise<MachineRecord>): Promise<NegotiationSummary> {
  const open = await mustHave(context);
  return reached(context, open, await act(open));
}

/** As it is once packets were exchanged. */
async function reached({ nameOf }: CallContext, open: OpenPeer, { machine }: MachineRecord): Promise<NegotiationSummary> {
  const line = await open.reach();
  const record = await open.negotiations.settled(negotiationKey(machine.peer, machine.threadId));
  return { ...(await summaryOf(open, await leadOf(open.store, record), nameOf)), line };
}

async function mustHaveRoomFor(context: CallContext, open: OpenPeer, threadId: string | undefined): Promise<void> {
  if (threadId === undefined || !(await open.negotiations.index.find(threadId))) await context.mustHaveRoom?.(open);
}

/** The hub names members; peers know addresses. */
function termsOf(
  { quorum, order, patienceMs }: GroupTerms,
  { owner: { memberId } }: CallContext,
  { peer }: OpenPeer,
  people: readonly Acquaintance[],
) {
  const known: Acquaintance[] = [{ address: peer.address, memberId }, ...people];
  const addressOf = (one: { address: string } | { memberId: string }): string => {
    if ('address' in one) return one.address;
    const found = known.find((other) => other.memberId === one.memberId);
    if (!found) throw badInput('order: somebody there takes no part. Name only participants.');
    return found.address;
  };
  return { quorum, order: order?.map(addressOf), patienceMs };
}
