// What a hub asks of one person's peer. Reads of somebody without a peer are empty; the first change makes the peer.

import type { GroupTerms, PeerCall, PeerCalls, PeerOwner, PeerPerson } from '@parley/protocol';
import { openingRefusal } from '@parley/core';
import { defaultSharing, fieldKey, lookUp, setBaseTier, setOverride, withField } from '@parley/core/consent';
import { needsComparison } from '@parley/core/negotiation';
import { FieldName, fromBase64Url, toBase64Url } from '@parley/protocol/relay';
import { PeerCallError } from '@parley/protocol';
import { removeAction, withAction } from '../actions/configured-actions.ts';
import { writeCard } from '../identity/contact-cards.ts';
import { mustFitPackets } from '../negotiate/field-values.ts';
import { emptyProfile, type ProfileRecord, putProfile } from '../negotiate/records.ts';
import { changeIntent } from '../negotiate/forks/drift.ts';
import { forkInto } from '../negotiate/forks/forks.ts';
import { offerRole } from '../negotiate/groups/group-transfer.ts';
import { steer } from '../negotiate/prompts.ts';
import { blockPerson } from '../negotiate/unanswered.ts';
import { editMemory, forgetMemory, listMemories } from '../memory/memories.ts';
import { requestLink, takeLinkAnswer } from '../outside/links.ts';
import { openOutside } from '../outside/outside-requests.ts';
import { replyFor } from '../outside/replies.ts';
import { PeerError } from '../packets/errors.ts';
import type { PeerView } from '../packets/peer.ts';
import { newSigningKey } from '../seal/sodium.ts';
import { noRelay } from './calls.ts';
import { exportOf } from './export.ts';
import type { PeerRegistry } from './peer-registry.ts';
import { takeZone } from './noticed-zones.ts';
import { actionsOf, mustOwnTools } from './person-actions.ts';
import { type Acquaintance, introduce, introduceMembers, introduceToGroup, mustHave } from './acquaintances.ts';
import { personModel, setPersonModel } from './person-model.ts';
import { addCalendar, calendarViews, ownCalendar, removeCalendar } from './person-calendars.ts';
import { answerPrompt, cardsOf, summaryOf } from './prompt-cards.ts';
import { spaceAnswers } from './person-spaces.ts';
import type { HostedPeer } from './hosted-peer.ts';
import { endWithFriend, forgetFriend, sampleId } from './sample-friend.ts';
import { wholeNegotiation } from './timeline.ts';

/** Calendar availability, general area, dietary, budget and specific location (A2C-39). */
const defaults = ['time_windows', 'general_location_area', 'dietary', 'budget_range', 'specific_location'];

type Answers = {
  readonly [C in PeerCall]: (registry: PeerRegistry, owner: PeerOwner, argument: PeerCalls[C]['in']) => Promise<PeerCalls[C]['out']>;
};

export function answerCall<C extends PeerCall>(registry: PeerRegistry, owner: PeerOwner, command: C, argument: PeerCalls[C]['in']) {
  return answers[command](registry, owner, argument);
}

const answers: Answers = {
  ...spaceAnswers,
  me: async (registry, { memberId }) => viewMe(registry, await registry.hosted(memberId)),
  make: async (registry, owner) => viewMe(registry, await registry.make(owner)),
  people: async (registry, { memberId }) => {
    const hosted = await registry.hosted(memberId);
    return hosted ? Promise.all((await hosted.peer.list()).map((one) => personOf(registry, one))) : [];
  },
  add: async (registry, owner, { card }) => {
    const hosted = await registry.make(owner);
    // A card with another key than the known one stops the line.
    return personOf(registry, await hosted.peer.add(card).finally(() => hosted.reportAlarms()));
  },
  verify: async (registry, owner, { address, accepts, keeps }) => {
    const hosted = await mustHave(registry, owner);
    const decision = keeps ? { keeps } : accepts === undefined ? undefined : { accepts };
    const { safetyNumber, accepted } = await hosted.peer.verify(address, decision);
    if (decision) hosted.reportAlarms();
    return { address, safetyNumber, accepted };
  },
  block: async (registry, owner, { address, isOn }) => {
    const { negotiations, link } = await mustHave(registry, owner);
    const view = await blockPerson(negotiations, address, isOn);
    // The relay learns it with the next connection, where there is none now.
    await link.refresh().catch(() => {});
    return personOf(registry, view);
  },
  profile: async (registry, { memberId }) => profileOf(await registry.hosted(memberId)),
  setField: async (registry, owner, { field, value }) => {
    mustBeField(field);
    mustFitPackets(field, value);
    const hosted = await registry.make(owner);
    if (fieldKey(field) === 'timezone' && value !== null) await hosted.negotiations.mustKnowZone(value);
    await changeProfile(hosted, (profile) => ({ ...profile, fields: withField(profile.fields, field, value) }));
    return profileOf(hosted);
  },
  noticeZone: async (registry, { memberId }, { zone }) => {
    registry.zones.notice(memberId, zone);
    const hosted = await registry.hosted(memberId);
    if (hosted) await registry.zones.give(memberId, hosted);
    return null;
  },
  setTier: async (registry, owner, { field, tier, address }) => {
    mustBeField(field);
    if (tier === null && address === undefined)
      throw new PeerError('bad_input', `${field} needs a tier for everybody. Only the tier for one person can be taken back.`);
    const hosted = await registry.make(owner);
    if (address !== undefined) await hosted.peer.peer(address);
    await changeProfile(hosted, (profile) => ({
      ...profile,
      chosen: address === undefined ? [...new Set([...(profile.chosen ?? []), fieldKey(field)])] : (profile.chosen ?? []),
      rules:
        address !== undefined
          ? setOverride(profile.rules, address, field, tier)
          : tier === null
            ? profile.rules
            : setBaseTier(profile.rules, field, tier),
    }));
    registry.reportSharing(hosted);
    return profileOf(hosted);
  },
  addCalendar: async (registry, owner, calendar) => {
    const hosted = await registry.make(owner);
    await addCalendar(hosted, calendar);
    return profileOf(hosted);
  },
  removeCalendar: async (registry, owner, { name }) => {
    const hosted = await mustHave(registry, owner);
    await removeCalendar(hosted, name);
    return profileOf(hosted);
  },
  actions: async (registry, owner) => actionsOf(registry, owner, await registry.hosted(owner.memberId)),
  addAction: async (registry, owner, action) => {
    if (action.kind === 'tool') await mustOwnTools(registry, owner, action);
    const hosted = await registry.make(owner);
    await changeProfile(hosted, (profile) => withAction(profile, action));
    registry.reportSharing(hosted);
    return actionsOf(registry, owner, hosted);
  },
  removeAction: async (registry, owner, { name }) => {
    const hosted = await mustHave(registry, owner);
    await changeProfile(hosted, (profile) => ({ ...profile, actions: removeAction(profile.actions ?? [], name) }));
    return actionsOf(registry, owner, hosted);
  },
  model: async (registry, { memberId }) => personModel(registry, await registry.hosted(memberId)),
  setModel: async (registry, owner, { isOn }) => {
    const hosted = await registry.make(owner);
    await setPersonModel(registry, hosted, isOn);
    return personModel(registry, hosted);
  },
  calendar: async (registry, { memberId }) => ({ ics: await ownCalendar(await registry.hosted(memberId)) }),
  open: async (registry, owner, { threadId, with: others, intent, needs, audience, group }) => {
    const hosted = await registry.make(owner);
    if (!(await hosted.negotiations.known(threadId))) await mustHaveRoom(hosted);
    const options = { threadId, audience: audience?.slice(0, mostAudience) };
    const people: Acquaintance[] = [];
    for (const whom of [others].flat())
      people.push('address' in whom ? { address: whom.address } : await introduce(registry, hosted, owner, whom));
    const [only] = people;
    if (group?.quorum !== undefined && needsComparison(group.quorum, people.length + 1))
      await introduceMembers(
        registry,
        people.map(({ address }) => address),
      );
    const record =
      people.length === 1
        ? await hosted.negotiations.open(only!.address, intent, needs, { ...options, introduction: only!.card })
        : await hosted.negotiations.openGroup(
            people.map(({ address }) => address),
            intent,
            { ...options, ...termsOf(group ?? {}, owner, hosted, people), introductions: people.flatMap(({ card }) => card ?? []) },
          );
    return summaryOf(hosted, record, registry.nameOf);
  },
  invite: async (registry, owner, { threadId, name, intent, share }) => {
    const hosted = await registry.make(owner);
    if (!(await hosted.negotiations.known(threadId))) await mustHaveRoom(hosted);
    const opening = { threadId, name, request: intent, from: owner.displayName, share };
    return summaryOf(hosted, await openOutside(hosted.negotiations, opening), registry.nameOf);
  },
  reply: async (registry, owner, { threadId, reply }) => {
    const hosted = await mustHave(registry, owner);
    return summaryOf(hosted, await replyFor(hosted.negotiations, threadId, reply), registry.nameOf);
  },
  requestLink: async (registry, owner, { threadId, isNew }) => requestLink((await mustHave(registry, owner)).negotiations, threadId, isNew),
  takeLinkAnswer: async (registry, owner, { threadId, linkId, sealed }) => {
    return { isRead: await takeLinkAnswer((await mustHave(registry, owner)).negotiations, threadId, linkId, sealed) };
  },
  negotiations: async (registry, { memberId }) => {
    const hosted = await registry.hosted(memberId);
    if (!hosted) return [];
    const records = await hosted.negotiations.recent(mostListed);
    const summaries = await Promise.all(records.map((record) => summaryOf(hosted, record, registry.nameOf)));
    return summaries.toSorted((one, other) => other.updatedAt - one.updatedAt);
  },
  negotiation: async (registry, owner, { threadId }) => wholeNegotiation(await mustHave(registry, owner), threadId, registry.nameOf),
  steer: async (registry, owner, { threadId, act, words }) => {
    const hosted = await mustHave(registry, owner);
    return summaryOf(hosted, await steer(hosted.negotiations, threadId, act, words), registry.nameOf);
  },
  changeIntent: async (registry, owner, { threadId, intent, needs }) => {
    const hosted = await mustHave(registry, owner);
    return summaryOf(hosted, await changeIntent(hosted.negotiations, threadId, { words: intent, needs }), registry.nameOf);
  },
  fork: async (registry, owner, { threadId, into, rest }) => {
    const hosted = await mustHave(registry, owner);
    await mustHaveRoom(hosted);
    const known = (await hosted.negotiations.find(threadId)).machine.forks ?? [];
    const parent = await forkInto(hosted.negotiations, threadId, { into, rest });
    const added = (parent.machine.forks ?? []).filter((id) => !known.includes(id));
    const forks = await Promise.all(added.map((id) => hosted.negotiations.find(id)));
    return Promise.all([parent, ...forks].map((record) => summaryOf(hosted, record, registry.nameOf)));
  },
  transfer: async (registry, owner, { threadId, to, reason }) => {
    const hosted = await mustHave(registry, owner);
    await introduceToGroup(registry, hosted, threadId, to);
    return summaryOf(hosted, await offerRole(hosted.negotiations, threadId, to, reason), registry.nameOf);
  },
  prompts: async (registry, { memberId }, { ids }) => {
    const hosted = await registry.hosted(memberId);
    return hosted ? cardsOf(hosted, ids, registry.nameOf) : [];
  },
  answer: async (registry, owner, { promptId, answer }) => {
    const hosted = await mustHave(registry, owner);
    await answerPrompt(hosted, promptId, answer);
    // An answer may have been to share a field always.
    registry.reportSharing(hosted);
    return null;
  },
  memory: async (registry, { memberId }) => {
    const hosted = await registry.hosted(memberId);
    return hosted ? (await listMemories(hosted.peer)).map((one) => ({ ...one, name: registry.nameOf(one.address) })) : [];
  },
  editMemory: async (registry, owner, edit) => {
    const memory = await editMemory((await mustHave(registry, owner)).peer, edit);
    return { ...memory, name: registry.nameOf(memory.address) };
  },
  forgetMemory: async (registry, owner, { address }) => {
    await forgetMemory((await mustHave(registry, owner)).peer, address);
    return null;
  },
  sample: async (registry, owner) => {
    const hosted = await registry.make(owner);
    const friend = await registry.sample(owner);
    const zone = lookUp((await hosted.negotiations.profile()).fields, 'timezone');
    if (typeof zone === 'string') await takeZone(friend, zone);
    await friend.peer.add(hosted.peer.card(), 'introduced');
    return personOf(registry, await hosted.peer.add(friend.peer.card(), 'introduced'));
  },
  removeSample: async (registry, { memberId }) => {
    const [hosted, friend] = [await registry.hosted(memberId), await registry.hosted(sampleId(memberId))];
    if (hosted && friend) await endWithFriend(hosted, friend.peer.address);
    await registry.erase(sampleId(memberId), { onAway: async (address) => hosted && forgetFriend(hosted, address) });
    return null;
  },
  export: async (registry, { memberId }) => (await registry.read(memberId, exportOf)) ?? {},
};

async function mustHaveRoom({ negotiations }: HostedPeer): Promise<void> {
  const refusal = openingRefusal(await negotiations.openings(negotiations.now - 3_600_000));
  if (refusal !== undefined) throw new PeerCallError('refused', refusal);
}

const mostAudience = 120;
/** Negotiations that are over; open ones are all listed. */
const mostListed = 200;

function mustBeField(field: string): void {
  if (!FieldName.safeParse(field).success)
    throw new PeerError('bad_input', `${JSON.stringify(field)} is no field: use at most 64 letters, digits, "_", "." and "-".`);
}

const changeProfile = ({ peer, negotiations, store }: HostedPeer, change: (profile: ProfileRecord) => ProfileRecord): Promise<void> =>
  peer.inTurn(async () => store.commit([putProfile(change(await negotiations.profile()))]));

async function viewMe({ settings }: PeerRegistry, hosted: HostedPeer | undefined): Promise<PeerCalls['me']['out']> {
  if (!hosted)
    return { address: null, card: null, fingerprint: null, problem: settings.relayUrl === null ? noRelay : null, isSetUp: false };
  const { peer, negotiations, problem } = hosted;
  const { address, seed, relay } = peer.self;
  const key = toBase64Url(newSigningKey(fromBase64Url(seed)).public);
  const { chosen = [] } = await negotiations.profile();
  return {
    address,
    // People outside reach the relay at another address than this thread does.
    card: writeCard({ address: address!, key, relay: settings.publicRelayUrl ?? relay.url }),
    fingerprint: peer.fingerprint(),
    problem,
    isSetUp: defaults.every((field) => chosen.includes(field)),
  };
}

const personOf = async (registry: PeerRegistry, view: PeerView): Promise<PeerPerson> => ({
  address: view.address,
  name: registry.nameOf(view.address),
  memberId: await registry.memberOf(view.address),
  trust: view.trust,
  alarm: view.alarm,
  malformed: view.malformed,
  blocked: view.blocked,
  stranger: view.stranger,
  isSample: registry.isSample(view.address),
});

async function profileOf(hosted: HostedPeer | undefined): Promise<PeerCalls['profile']['out']> {
  const profile = hosted ? await hosted.negotiations.profile() : { ...emptyProfile, rules: defaultSharing };
  const { fields, rules } = profile;
  const copy = structuredClone(rules) as { base: Record<string, never>; overrides: Record<string, Record<string, never>> };
  return { fields, tiers: copy.base, overrides: copy.overrides, calendars: hosted ? await calendarViews(hosted, profile) : [] };
}

/** The hub names members; peers know addresses. */
function termsOf(
  { quorum, order, patienceMs }: GroupTerms,
  { memberId }: PeerOwner,
  { peer }: HostedPeer,
  people: readonly Acquaintance[],
) {
  const known: Acquaintance[] = [{ address: peer.address, memberId }, ...people];
  const addressOf = (one: { address: string } | { memberId: string }): string => {
    if ('address' in one) return one.address;
    const found = known.find((other) => other.memberId === one.memberId);
    if (!found) throw new PeerError('bad_input', 'order: somebody there takes no part. Name only participants.');
    return found.address;
  };
  return { quorum, order: order?.map(addressOf), patienceMs };
}
