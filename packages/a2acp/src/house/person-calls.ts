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
import { openOutside } from '../outside/opening.ts';
import { replyFor } from '../outside/replies.ts';
import { PeerError } from '../peer/errors.ts';
import type { PeerView } from '../peer/peer.ts';
import { newSigningKey } from '../seal/sodium.ts';
import { noRelay } from './calls.ts';
import { exportOf } from './export.ts';
import type { House } from './house.ts';
import { takeZone } from './noticed-zones.ts';
import { actionsOf, mustOwnTools } from './person-actions.ts';
import { type Acquaintance, introduce, introduceMembers, introduceToGroup, mustHave } from './acquaintances.ts';
import { personModel, setPersonModel } from './person-model.ts';
import { addCalendar, calendarViews, ownCalendar, removeCalendar } from './person-calendars.ts';
import { answerPrompt, cardsOf, summaryOf } from './prompt-cards.ts';
import { spaceAnswers } from './person-spaces.ts';
import type { Resident } from './resident.ts';
import { endWithFriend, forgetFriend, sampleId } from './sample-friend.ts';
import { wholeNegotiation } from './timeline.ts';

/** Calendar availability, general area, dietary, budget and specific location (A2C-39). */
const defaults = ['time_windows', 'general_location_area', 'dietary', 'budget_range', 'specific_location'];

type Answers = {
  readonly [C in PeerCall]: (house: House, owner: PeerOwner, argument: PeerCalls[C]['in']) => Promise<PeerCalls[C]['out']>;
};

export function answerCall<C extends PeerCall>(house: House, owner: PeerOwner, command: C, argument: PeerCalls[C]['in']) {
  return answers[command](house, owner, argument);
}

const answers: Answers = {
  ...spaceAnswers,
  me: async (house, { memberId }) => viewMe(house, await house.resident(memberId)),
  make: async (house, owner) => viewMe(house, await house.make(owner)),
  people: async (house, { memberId }) => {
    const resident = await house.resident(memberId);
    return resident ? Promise.all((await resident.peer.list()).map((one) => personOf(house, one))) : [];
  },
  add: async (house, owner, { card }) => {
    const resident = await house.make(owner);
    // A card with another key than the known one stops the line.
    return personOf(house, await resident.peer.add(card).finally(() => resident.reportAlarms()));
  },
  verify: async (house, owner, { address, accepts, keeps }) => {
    const resident = await mustHave(house, owner);
    const decision = keeps ? { keeps } : accepts === undefined ? undefined : { accepts };
    const { safetyNumber, accepted } = await resident.peer.verify(address, decision);
    if (decision) resident.reportAlarms();
    return { address, safetyNumber, accepted };
  },
  block: async (house, owner, { address, isOn }) => {
    const { negotiations, link } = await mustHave(house, owner);
    const view = await blockPerson(negotiations, address, isOn);
    // The relay learns it with the next connection, where there is none now.
    await link.refresh().catch(() => {});
    return personOf(house, view);
  },
  profile: async (house, { memberId }) => profileOf(await house.resident(memberId)),
  setField: async (house, owner, { field, value }) => {
    mustBeField(field);
    mustFitPackets(field, value);
    const resident = await house.make(owner);
    if (fieldKey(field) === 'timezone' && value !== null) await resident.negotiations.mustKnowZone(value);
    await changeProfile(resident, (profile) => ({ ...profile, fields: withField(profile.fields, field, value) }));
    return profileOf(resident);
  },
  noticeZone: async (house, { memberId }, { zone }) => {
    house.zones.notice(memberId, zone);
    const resident = await house.resident(memberId);
    if (resident) await house.zones.give(memberId, resident);
    return null;
  },
  setTier: async (house, owner, { field, tier, address }) => {
    mustBeField(field);
    if (tier === null && address === undefined)
      throw new PeerError('bad_input', `${field} needs a tier for everybody. Only the tier for one person can be taken back.`);
    const resident = await house.make(owner);
    if (address !== undefined) await resident.peer.peer(address);
    await changeProfile(resident, (profile) => ({
      ...profile,
      chosen: address === undefined ? [...new Set([...(profile.chosen ?? []), fieldKey(field)])] : (profile.chosen ?? []),
      rules:
        address !== undefined
          ? setOverride(profile.rules, address, field, tier)
          : tier === null
            ? profile.rules
            : setBaseTier(profile.rules, field, tier),
    }));
    house.reportSharing(resident);
    return profileOf(resident);
  },
  addCalendar: async (house, owner, calendar) => {
    const resident = await house.make(owner);
    await addCalendar(resident, calendar);
    return profileOf(resident);
  },
  removeCalendar: async (house, owner, { name }) => {
    const resident = await mustHave(house, owner);
    await removeCalendar(resident, name);
    return profileOf(resident);
  },
  actions: async (house, owner) => actionsOf(house, owner, await house.resident(owner.memberId)),
  addAction: async (house, owner, action) => {
    if (action.kind === 'tool') await mustOwnTools(house, owner, action);
    const resident = await house.make(owner);
    await changeProfile(resident, (profile) => withAction(profile, action));
    house.reportSharing(resident);
    return actionsOf(house, owner, resident);
  },
  removeAction: async (house, owner, { name }) => {
    const resident = await mustHave(house, owner);
    await changeProfile(resident, (profile) => ({ ...profile, actions: removeAction(profile.actions ?? [], name) }));
    return actionsOf(house, owner, resident);
  },
  model: async (house, { memberId }) => personModel(house, await house.resident(memberId)),
  setModel: async (house, owner, { isOn }) => {
    const resident = await house.make(owner);
    await setPersonModel(house, resident, isOn);
    return personModel(house, resident);
  },
  calendar: async (house, { memberId }) => ({ ics: await ownCalendar(await house.resident(memberId)) }),
  open: async (house, owner, { threadId, with: others, intent, needs, audience, group }) => {
    const resident = await house.make(owner);
    if (!(await resident.negotiations.known(threadId))) await mustHaveRoom(resident);
    const options = { threadId, audience: audience?.slice(0, mostAudience) };
    const people: Acquaintance[] = [];
    for (const whom of [others].flat())
      people.push('address' in whom ? { address: whom.address } : await introduce(house, resident, owner, whom));
    const [only] = people;
    if (group?.quorum !== undefined && needsComparison(group.quorum, people.length + 1))
      await introduceMembers(
        house,
        people.map(({ address }) => address),
      );
    const record =
      people.length === 1
        ? await resident.negotiations.open(only!.address, intent, needs, { ...options, introduction: only!.card })
        : await resident.negotiations.openGroup(
            people.map(({ address }) => address),
            intent,
            { ...options, ...termsOf(group ?? {}, owner, resident, people), introductions: people.flatMap(({ card }) => card ?? []) },
          );
    return summaryOf(resident, record, house.nameOf);
  },
  invite: async (house, owner, { threadId, name, intent, share }) => {
    const resident = await house.make(owner);
    if (!(await resident.negotiations.known(threadId))) await mustHaveRoom(resident);
    const opening = { threadId, name, request: intent, from: owner.displayName, share };
    return summaryOf(resident, await openOutside(resident.negotiations, opening), house.nameOf);
  },
  reply: async (house, owner, { threadId, reply }) => {
    const resident = await mustHave(house, owner);
    return summaryOf(resident, await replyFor(resident.negotiations, threadId, reply), house.nameOf);
  },
  requestLink: async (house, owner, { threadId, isNew }) => requestLink((await mustHave(house, owner)).negotiations, threadId, isNew),
  takeLinkAnswer: async (house, owner, { threadId, linkId, sealed }) => {
    return { isRead: await takeLinkAnswer((await mustHave(house, owner)).negotiations, threadId, linkId, sealed) };
  },
  negotiations: async (house, { memberId }) => {
    const resident = await house.resident(memberId);
    if (!resident) return [];
    const records = await resident.negotiations.recent(mostListed);
    const summaries = await Promise.all(records.map((record) => summaryOf(resident, record, house.nameOf)));
    return summaries.toSorted((one, other) => other.updatedAt - one.updatedAt);
  },
  negotiation: async (house, owner, { threadId }) => wholeNegotiation(await mustHave(house, owner), threadId, house.nameOf),
  steer: async (house, owner, { threadId, act, words }) => {
    const resident = await mustHave(house, owner);
    return summaryOf(resident, await steer(resident.negotiations, threadId, act, words), house.nameOf);
  },
  changeIntent: async (house, owner, { threadId, intent, needs }) => {
    const resident = await mustHave(house, owner);
    return summaryOf(resident, await changeIntent(resident.negotiations, threadId, { words: intent, needs }), house.nameOf);
  },
  fork: async (house, owner, { threadId, into, rest }) => {
    const resident = await mustHave(house, owner);
    await mustHaveRoom(resident);
    const known = (await resident.negotiations.find(threadId)).machine.forks ?? [];
    const parent = await forkInto(resident.negotiations, threadId, { into, rest });
    const added = (parent.machine.forks ?? []).filter((id) => !known.includes(id));
    const forks = await Promise.all(added.map((id) => resident.negotiations.find(id)));
    return Promise.all([parent, ...forks].map((record) => summaryOf(resident, record, house.nameOf)));
  },
  transfer: async (house, owner, { threadId, to, reason }) => {
    const resident = await mustHave(house, owner);
    await introduceToGroup(house, resident, threadId, to);
    return summaryOf(resident, await offerRole(resident.negotiations, threadId, to, reason), house.nameOf);
  },
  prompts: async (house, { memberId }, { ids }) => {
    const resident = await house.resident(memberId);
    return resident ? cardsOf(resident, ids, house.nameOf) : [];
  },
  answer: async (house, owner, { promptId, answer }) => {
    const resident = await mustHave(house, owner);
    await answerPrompt(resident, promptId, answer);
    // An answer may have been to share a field always.
    house.reportSharing(resident);
    return null;
  },
  memory: async (house, { memberId }) => {
    const resident = await house.resident(memberId);
    return resident ? (await listMemories(resident.peer)).map((one) => ({ ...one, name: house.nameOf(one.address) })) : [];
  },
  editMemory: async (house, owner, edit) => {
    const memory = await editMemory((await mustHave(house, owner)).peer, edit);
    return { ...memory, name: house.nameOf(memory.address) };
  },
  forgetMemory: async (house, owner, { address }) => {
    await forgetMemory((await mustHave(house, owner)).peer, address);
    return null;
  },
  sample: async (house, owner) => {
    const resident = await house.make(owner);
    const friend = await house.sample(owner);
    const zone = lookUp((await resident.negotiations.profile()).fields, 'timezone');
    if (typeof zone === 'string') await takeZone(friend, zone);
    await friend.peer.add(resident.peer.card(), 'introduced');
    return personOf(house, await resident.peer.add(friend.peer.card(), 'introduced'));
  },
  removeSample: async (house, { memberId }) => {
    const [resident, friend] = [await house.resident(memberId), await house.resident(sampleId(memberId))];
    if (resident && friend) await endWithFriend(resident, friend.peer.address);
    await house.erase(sampleId(memberId), { onAway: async (address) => resident && forgetFriend(resident, address) });
    return null;
  },
  export: async (house, { memberId }) => (await house.read(memberId, exportOf)) ?? {},
};

async function mustHaveRoom({ negotiations }: Resident): Promise<void> {
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

const changeProfile = ({ peer, negotiations, store }: Resident, change: (profile: ProfileRecord) => ProfileRecord): Promise<void> =>
  peer.inTurn(async () => store.commit([putProfile(change(await negotiations.profile()))]));

async function viewMe({ settings }: House, resident: Resident | undefined): Promise<PeerCalls['me']['out']> {
  if (!resident)
    return { address: null, card: null, fingerprint: null, problem: settings.relayUrl === null ? noRelay : null, isSetUp: false };
  const { peer, negotiations, problem } = resident;
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

const personOf = async (house: House, view: PeerView): Promise<PeerPerson> => ({
  address: view.address,
  name: house.nameOf(view.address),
  memberId: await house.memberOf(view.address),
  trust: view.trust,
  alarm: view.alarm,
  malformed: view.malformed,
  blocked: view.blocked,
  stranger: view.stranger,
  isSample: house.isSample(view.address),
});

async function profileOf(resident: Resident | undefined): Promise<PeerCalls['profile']['out']> {
  const profile = resident ? await resident.negotiations.profile() : { ...emptyProfile, rules: defaultSharing };
  const { fields, rules } = profile;
  const copy = structuredClone(rules) as { base: Record<string, never>; overrides: Record<string, Record<string, never>> };
  return { fields, tiers: copy.base, overrides: copy.overrides, calendars: resident ? await calendarViews(resident, profile) : [] };
}

/** The hub names members; peers know addresses. */
function termsOf({ quorum, order, patienceMs }: GroupTerms, { memberId }: PeerOwner, { peer }: Resident, people: readonly Acquaintance[]) {
  const known: Acquaintance[] = [{ address: peer.address, memberId }, ...people];
  const addressOf = (one: { address: string } | { memberId: string }): string => {
    if ('address' in one) return one.address;
    const found = known.find((other) => other.memberId === one.memberId);
    if (!found) throw new PeerError('bad_input', 'order: somebody there takes no part. Name only participants.');
    return found.address;
  };
  return { quorum, order: order?.map(addressOf), patienceMs };
}
