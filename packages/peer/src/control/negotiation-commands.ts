// The commands around a negotiation: what the person shares, what they want, and their answers.

import { type NewAction, removeAction, viewAction, withAction } from '../actions/configured-actions.ts';
import { addressName } from '../actions/event-title.ts';
import {
  type ConsentAnswer,
  fieldKey,
  setBaseTier,
  setOverride,
  type SharingRules,
  type SharingTier,
  withField,
} from '@parley/core/consent';
import { negotiationLimits } from '@parley/core/negotiation';
import type { Introduction } from '@parley/core/space';
import { FieldName, type FreeFields, Needs } from '@parley/protocol/relay';
import type { PeerAction, RelationshipMemory } from '@parley/protocol';
import type { z } from 'zod';
import { answerConsent, answerProposal, answerStranger, type ConfirmationAnswer, steer } from '../negotiate/prompts.ts';
import { type ExchangedFields, exchangedFields } from '../negotiate/exchanged-fields.ts';
import { mustFitPackets } from '../negotiate/field-values.ts';
import { answerExpansion, changeIntent } from '../negotiate/forks/drift.ts';
import { forkInto } from '../negotiate/forks/forks.ts';
import { isShown, leadOf } from '../negotiate/groups/group-lines.ts';
import { offerRole } from '../negotiate/groups/group-transfer.ts';
import type { Negotiations } from '../negotiate/negotiations.ts';
import type { GroupOptions } from '../negotiate/first-requests.ts';
import { introductionsOf } from './introductions.ts';
import { modelCommands, type ModelCommands } from './model-commands.ts';
import { type CalendarServer, withServer } from '../negotiate/personal-calendar.ts';
import { type MachineRecord, type ProfileRecord, putProfile } from '../negotiate/records.ts';
import { type NegotiationView, viewNegotiation } from '../negotiate/views.ts';
import { editMemory, forgetMemory, listMemories, type MemoryEdit, showMemory } from '../memory/memories.ts';
import { openOutside } from '../outside/outside-requests.ts';
import { type GivenReply, type GivenWords, replyFor } from '../outside/replies.ts';
import { PeerError } from '../packets/errors.ts';
import { allRecords, negotiationKey } from '../packets/records.ts';

/** `problem`: why the relay has not been reached; packets then wait in the outbox. `introduces`: what is new to the person. */
export type ReachedView = NegotiationView & { problem: string | null; introduces: Introduction[] };

export interface NegotiationCommands extends ModelCommands {
  setField(request: { field: string; value: FreeFields[string] }): Promise<{ fields: FreeFields }>;
  profile(): Promise<{ fields: FreeFields }>;
  /** The link can be read: the caller has tried. */
  linkCalendar(link: string): Promise<{ calendars: string[] }>;
  /** A calendar on a server, which the caller has read. */
  addCalendarServer(server: CalendarServer): Promise<{ calendars: string[] }>;
  calendars(): Promise<{ calendars: string[] }>;
  /** Forgets the password too. */
  removeCalendar(link: string): Promise<{ calendars: string[] }>;
  /** The secret signs its calls; it is not shown again. */
  addAction(action: NewAction): Promise<PeerAction & { secret: string }>;
  actions(): Promise<PeerAction[]>;
  removeAction(name: string): Promise<PeerAction[]>;
  /** `address`: for this peer only. */
  setTier(request: { field: string; tier: SharingTier; address?: string }): Promise<{ field: string; tier: SharingTier }>;
  /** Which fields the person has values for, and who gets them: `base` for everybody, `overrides` by address. */
  tiers(): Promise<{ known: string[] } & SharingRules>;
  negotiate(request: { address: string; intent: string; needs: unknown }): Promise<ReachedView>;
  /** With several people, as their coordinator. */
  negotiateGroup(request: GroupOptions & { addresses: string[]; intent: string }): Promise<ReachedView>;
  /** Asks somebody without an agent: the view has the text to send. */
  inviteText(request: { name: string; from?: string; intent: string; share?: string[] }): Promise<ReachedView>;
  /** What they answered, as the person passes it on. */
  inviteReply(request: { id: string; reply: GivenReply | GivenWords }): Promise<ReachedView>;
  /** Offers the coordinator's role of a group to a member's agent. */
  transferCoordinator(request: { id: string; to: string; reason?: string }): Promise<ReachedView>;
  consent(request: { id: string; answers: ConsentAnswer[] }): Promise<ReachedView>;
  confirm(request: { id: string; answer: ConfirmationAnswer }): Promise<ReachedView>;
  /** Whether a negotiation with an unverified person goes on. */
  answer(request: { id: string; goesOn: boolean }): Promise<ReachedView>;
  /** Of a negotiation that no prompt asks about. `words`: what to try instead, such as next week. */
  steer(request: { id: string; act: 'continue' | 'decline'; words?: string }): Promise<ReachedView>;
  /** Says what a running negotiation is about now. */
  changeIntent(request: { id: string; intent: string; needs?: unknown }): Promise<ReachedView>;
  /** Splits something off; the parent goes on with what is left. The forks are in `forks` of the answer. */
  fork(request: { id: string; into: string[]; rest?: string }): Promise<ReachedView>;
  /** Whether a negotiation that is about something new goes on, goes back, or ends. */
  answerExpansion(request: { id: string; answer: 'go_on' | 'keep' | 'decline' }): Promise<ReachedView>;
  show(id: string): Promise<ReachedView & ExchangedFields>;
  negotiations(): Promise<NegotiationView[]>;
  /** Of everybody, or of one. */
  memory(request: { address?: string }): Promise<RelationshipMemory[]>;
  editMemory(edit: MemoryEdit): Promise<RelationshipMemory>;
  forgetMemory(request: { address: string }): Promise<null>;
}

const linksOf = ({ calendars, servers = [] }: ProfileRecord): string[] => [...calendars, ...servers.map(({ url }) => url)];

const mostWords = 500;
const mostNameLength = 80;
const mostForks = negotiationLimits.forks;

/** `reach` exchanges packets, and says why it could not. */
export function negotiationCommands(engine: Negotiations, reach: () => Promise<string | null>): NegotiationCommands {
  const { store } = engine.peer.parts;
  const changeProfile = (change: (profile: ProfileRecord) => ProfileRecord): Promise<ProfileRecord> =>
    engine.peer.inTurn(async () => {
      const next = change(await engine.profile());
      await store.commit([putProfile(next)]);
      return next;
    });
  const reached = async ({ machine }: { machine: { peer: string; threadId: string } }): Promise<ReachedView> => {
    const problem = await reach();
    return whole(await engine.settled(negotiationKey(machine.peer, machine.threadId)), problem);
  };
  const whole = async (record: MachineRecord, problem: string | null): Promise<ReachedView> => {
    const view = await viewNegotiation(store, await leadOf(store, record));
    return { ...view, problem, introduces: await introductionsOf(store, view) };
  };
  /** A question that came only now is not answered by a word about the one before. */
  const unlessNew = (id: string, kind: 'consent' | 'confirmation') => async (failure: unknown) => {
    if (!(failure instanceof PeerError) || (failure.code !== 'unknown_id' && failure.code !== 'answered')) throw failure;
    await reach();
    const known = await engine.find(id).catch(() => undefined);
    const { open_prompts: open = [] } = known ? await viewNegotiation(store, await leadOf(store, known)) : {};
    if (!open.some((one) => one.kind === kind)) throw failure;
    const what = kind === 'consent' ? 'A request to share something in' : 'A proposal for';
    throw new PeerError('answered', `${what} ${id} came only now. Look at it with \`show\`, then answer again.`);
  };
  return {
    setField: async ({ field, value }) => {
      mustBeValid('field', FieldName, field);
      mustFitPackets(field, value);
      if (fieldKey(field) === 'timezone') await engine.mustKnowZone(value);
      const { fields } = await changeProfile((profile) => ({ ...profile, fields: withField(profile.fields, field, value) }));
      return { fields };
    },
    profile: async () => ({ fields: (await engine.profile()).fields }),
    linkCalendar: async (link) => {
      const profile = await changeProfile((before) => ({ ...before, calendars: [...new Set([...before.calendars, link])] }));
      return { calendars: linksOf(profile) };
    },
    addCalendarServer: async (server) => {
      const profile = await changeProfile((before) => ({ ...before, servers: withServer(before.servers, server) }));
      return { calendars: linksOf(profile) };
    },
    calendars: async () => ({ calendars: linksOf(await engine.profile()) }),
    removeCalendar: async (link) => {
      const known = linksOf(await engine.profile());
      if (!known.includes(link))
        throw new PeerError(
          'unknown_id',
          `There is no calendar ${link}. ${known.length === 0 ? 'There is none yet' : `There are: ${known.join(', ')}`}.`,
        );
      const profile = await changeProfile((before) => ({
        ...before,
        calendars: before.calendars.filter((one) => one !== link),
        servers: (before.servers ?? []).filter(({ url }) => url !== link),
      }));
      return { calendars: linksOf(profile) };
    },
    addAction: async (action) => {
      const { actions = [] } = await changeProfile((profile) => withAction(profile, action));
      return { ...viewAction(actions.at(-1)!), secret: actions.at(-1)!.secret };
    },
    actions: async () => ((await engine.profile()).actions ?? []).map(viewAction),
    removeAction: async (name) => {
      const { actions = [] } = await changeProfile((profile) => ({ ...profile, actions: removeAction(profile.actions ?? [], name) }));
      return actions.map(viewAction);
    },
    setTier: async ({ field, tier, address }) => {
      mustBeValid('field', FieldName, field);
      if (address !== undefined) await engine.peer.peer(address);
      await changeProfile((profile) => ({
        ...profile,
        chosen: address === undefined ? [...new Set([...(profile.chosen ?? []), fieldKey(field)])] : (profile.chosen ?? []),
        rules: address === undefined ? setBaseTier(profile.rules, field, tier) : setOverride(profile.rules, address, field, tier),
      }));
      return { field, tier };
    },
    tiers: async () => {
      const { fields, rules } = await engine.profile();
      return { known: Object.keys(fields), ...rules };
    },
    negotiateGroup: async ({ addresses, intent, ...options }) => {
      mustBeIntent(intent);
      return reached(await engine.openGroup(addresses, intent, options));
    },
    negotiate: async ({ address, intent, needs }) => {
      mustBeIntent(intent);
      return reached(await engine.open(address, intent, mustBeValid('needs', Needs, needs)));
    },
    inviteText: async ({ name, from = addressName(engine.peer.address), intent, share = [] }) => {
      mustBeIntent(intent);
      for (const field of share) mustBeValid('share', FieldName, field);
      return reached(await openOutside(engine, { name: mustBeName('name', name), request: intent, from: mustBeName('from', from), share }));
    },
    inviteReply: async ({ id, reply }) => reached(await replyFor(engine, id, reply)),
    transferCoordinator: async ({ id, to, reason }) => {
      if (reason !== undefined) mustBeWords('reason', reason);
      return reached(await offerRole(engine, id, to, reason));
    },
    consent: async ({ id, answers }) => reached(await answerConsent(engine, id, answers).catch(unlessNew(id, 'consent'))),
    confirm: async ({ id, answer }) => reached(await answerProposal(engine, id, answer).catch(unlessNew(id, 'confirmation'))),
    answer: async ({ id, goesOn }) => reached(await answerStranger(engine, id, goesOn)),
    steer: async ({ id, act, words }) => {
      if (words !== undefined && (words.trim() === '' || words.length > mostWords))
        throw new PeerError('bad_input', `Your words need 1 to ${mostWords} characters; they have ${words.length}.`);
      return reached(await steer(engine, id, act, words));
    },
    changeIntent: async ({ id, intent, needs = [] }) => {
      mustBeIntent(intent);
      return reached(await changeIntent(engine, id, { words: intent, needs: mustBeValid('needs', Needs, needs) }));
    },
    fork: async ({ id, into, rest }) => {
      if (into.length === 0 || into.length > mostForks)
        throw new PeerError('bad_input', `into names 1 to ${mostForks} negotiations; it has ${into.length}.`);
      for (const words of [...into, ...(rest === undefined ? [] : [rest])]) mustBeIntent(words);
      return reached(await forkInto(engine, id, { into, rest }));
    },
    answerExpansion: async ({ id, answer }) => reached(await answerExpansion(engine, id, answer)),
    show: async (id) => {
      // A negotiation that another device or the peer began may only come with the exchange.
      const problem = await reach();
      const record = await leadOf(store, await engine.find(id));
      return { ...(await whole(record, problem)), ...(await exchangedFields(store, record)) };
    },
    negotiations: async () => {
      await reach();
      const views: NegotiationView[] = [];
      for await (const { value } of allRecords(store, 'machine')) if (isShown(value)) views.push(await viewNegotiation(store, value));
      return views;
    },
    ...modelCommands(engine, changeProfile),
    memory: async ({ address }) => (address === undefined ? listMemories(engine.peer) : [await showMemory(engine.peer, address)]),
    editMemory: (edit) => editMemory(engine.peer, edit),
    forgetMemory: async ({ address }) => {
      await forgetMemory(engine.peer, address);
      return null;
    },
  };
}

function mustBeName(what: string, name: string): string {
  const short = name.trim().replaceAll(/\s+/g, ' ');
  if (short === '' || short.length > mostNameLength || /\p{C}/u.test(short))
    throw new PeerError('bad_input', `${what} needs 1 to ${mostNameLength} characters; it has ${name.length}.`);
  return short;
}

function mustBeWords(name: string, words: string): void {
  if (words.trim() === '' || words.length > mostWords)
    throw new PeerError('bad_input', `${name} needs 1 to ${mostWords} characters; it has ${words.length}.`);
}

const mustBeIntent = (intent: string): void => mustBeWords('intent', intent);

function mustBeValid<T extends z.ZodType>(name: string, schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const { path, message } = result.error.issues[0]!;
  throw new PeerError('bad_input', `${[name, ...path.map(String)].join('.')}: ${message}.`);
}
