// Offers times to somebody without an agent, and writes the text for them (A2C-11). Both leave out the values that the person withholds.

import { consentFor, visibleFor } from '@parley/core/consent';
import { decide, type ProposalContent, talkingStates } from '@parley/core/negotiation';
import { requestText } from '@parley/core/outside';
import type { Negotiations } from '../negotiate/negotiations.ts';
import { type MachineRecord, putMachine } from '../negotiate/negotiation-records.ts';
import type { BrainView } from '../negotiate/peer-brain.ts';
import { applyInput } from '../negotiate/decisions.ts';
import { startOf, withNote } from '../negotiate/effects.ts';
import { note, personalTime, rest } from '../negotiate/evaluation.ts';
import { meetingKind, placeIn, requestedPlace } from '../negotiate/meetings/intent-words.ts';
import { leaksOf } from '../negotiate/leak-scan.ts';
import { dateOf, dayOf, minuteOf } from '../negotiate/meetings/local-time.ts';
import { meetingMove, meetingWindows, proposeMeeting, textsOf } from '../negotiate/meetings/meeting-proposal.ts';
import { usualDays } from '../negotiate/limits.ts';
import { personIn, scopeFor, shownTime } from '../negotiate/sharing.ts';
import { hashOf } from '../seal/sodium.ts';
import { type OfferedTime, outsidePeer, type RequestOffer, startsAt, withoutLink } from './outside-people.ts';

const mostTimes = 3;

/** Makes the offer that the person sends. Returns false, because nothing else is due now. */
export async function offerTimes(engine: Negotiations, record: MachineRecord): Promise<false> {
  const { machine } = record;
  if (!talkingStates.has(machine.state) || machine.isEscalated) return rest(engine, record, { isEvaluationDue: false });
  if (isStillOpen(engine, record)) return rest(engine, record, { isEvaluationDue: false });
  const profile = await engine.profile();
  const scope = scopeFor(profile, outsidePeer(machine.peer), record);
  const time = await personalTime(engine, profile, scope);
  if (!time) return note(engine, record, 'calendar_unreadable');
  const visible = visibleFor(personIn(profile, record, time).values, scope);
  const isFromCalendar = consentFor('time_windows', scope) === 'share';
  const view = viewOf(engine, record, visible, {
    zone: time.shownZone,
    isOwnTimeKnown: isFromCalendar,
    ...shownTime(isFromCalendar ? time.busy : [], time, scope, record),
  });
  const contents = proposalsIn(view, meetingKind(record.intent, record.stated));
  if (contents.length === 0) return askPerson(engine, record, view);
  const found = await Promise.all(
    contents.map((content) => leaksOf(engine.store, { profile, record, scope, visible }, { kind: 'propose', content })),
  );
  if (found.flat().length > 0) return stopLeak(engine, record, [...new Set(found.flat())]);
  await storeOffer(engine, record, offerOf(engine, record, view, contents, isFromCalendar));
  return false;
}

/** Whether an offer already waits for an answer. Other times would void its link, and change the meaning of an answer such as “2”. */
const isStillOpen = ({ now }: Negotiations, { outside, ownWish }: MachineRecord): boolean =>
  outside!.offer?.reply === null && outside!.offer.wish === ownWish && outside!.offer.times.some((time) => startsAt(time) > now);

function viewOf(
  engine: Negotiations,
  record: MachineRecord,
  visible: BrainView['visible'],
  time: Pick<BrainView, 'zone' | 'isOwnTimeKnown' | 'travel' | 'free'>,
): BrainView {
  const { machine, intent, rejected, peerWish, ownWish = null, searchDays = usualDays } = record;
  const habits = { shares: [], declines: [], flexibility: {} };
  const emptyView = { habits, answers: null, wanted: [], received: {}, remembered: {}, expected: {}, unavailable: [], asked: [], sent: [] };
  return {
    ...emptyView,
    own: machine.own,
    peer: machine.peer,
    role: 'initiator',
    isGroup: false,
    state: machine.state,
    isFirst: false,
    intent: intent!,
    intentBy: 'own',
    visible,
    constraints: machine.constraints,
    rejected,
    peerWish,
    ownWish,
    lastStart: startOf(record, machine.proposal?.hash),
    searchDays,
    awaitsProposal: false,
    siblings: [],
    now: engine.now,
    ...time,
  };
}

/** One proposal for each offered time, the best first. */
function proposalsIn(view: BrainView, event: string): ProposalContent[] {
  const { windows, asked } = meetingWindows(view, event);
  const free = windows[0]?.format === asked ? windows.filter(({ format }) => format === asked) : windows;
  const requested = placeIn(view.peerWish ?? view.ownWish ?? '') ?? requestedPlace(view.intent.summary, event);
  const place = [requested, view.visible['location_preference']].flatMap(textsOf)[0];
  const reasoning = 'They picked it among the times that you offered';
  return free.slice(0, mostTimes).map((window) => meetingMove(view, { window, asked, place, alternatives: [], reasoning }).content);
}

function offerOf(
  { now }: Negotiations,
  { machine, intent, outside, ownWish }: MachineRecord,
  { zone }: BrainView,
  contents: readonly ProposalContent[],
  isFromCalendar: boolean,
): RequestOffer {
  const times = contents.map((content): OfferedTime => {
    const start = Date.parse(content.proposal.details!['start'] as string);
    const { negotiation } = decide(machine, { kind: 'propose', content }, { now, blake2b256: hashOf });
    return {
      hash: negotiation.proposal!.hash,
      words: content.proposal.summary,
      content,
      date: dateOf(dayOf(zone, start)),
      minute: minuteOf(zone, start),
    };
  });
  const { name: to, from } = outside!;
  const text = requestText({ to, from, request: intent!.summary, times: times.map(({ words }) => words), zone: zone.name });
  const wish = ownWish === undefined ? {} : { wish: ownWish };
  return { at: now, times, text, zone: zone.name, isFromCalendar, reply: null, ...wish };
}

/** Stores the offer. A link to the previous one becomes void, because its times are no longer offered. */
async function storeOffer({ peer, now }: Negotiations, record: MachineRecord, offer: RequestOffer): Promise<void> {
  const offered = { ...record, outside: { ...withoutLink(record.outside!), offer }, isEvaluationDue: false, awaitsProposal: false };
  const times = offer.times.map(({ words }) => words);
  await peer.parts.store.commit([putMachine(withNote(offered, { at: now, notice: 'outside_offered', details: { times } }))]);
}

/** Asks the person when no time is left to offer, as between two peers (A2C-18). */
async function askPerson(engine: Negotiations, record: MachineRecord, view: BrainView): Promise<false> {
  const move = proposeMeeting(view, meetingKind(record.intent, record.stated));
  if (move.kind !== 'send') return rest(engine, record, { isEvaluationDue: false });
  const { escalation, context } = move.content as { escalation: object; context: { proposed_alternatives: unknown } };
  const desk = await engine.desk(record.machine.peer);
  const content = { escalation, context: { proposed_alternatives: context.proposed_alternatives } };
  await applyInput(desk, { ...record, isEvaluationDue: false }, { kind: 'send', type: 'context', content, by: 'agent' });
  await engine.commit(desk);
  return false;
}

const stopLeak = (engine: Negotiations, record: MachineRecord, fields: string[]): Promise<false> =>
  rest(engine, record, {
    ...withNote(record, { at: engine.now, notice: 'leak_stopped', details: { fields } }),
    isEvaluationDue: false,
  });
