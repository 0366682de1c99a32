// The brain's turn: first the person decides what the peer may get, then the brain answers with just that (A2C-15, A2C-16, A2C-22).

import { answerNeeds, consentFor, contentFor, type SharingScope, visibleFor } from '@parley/core/consent';
import { isEnded } from '@parley/core/negotiation';
import type { BusyInterval } from '@parley/core';
import { expectedNeeds, habitsOf, trustedValues } from '@parley/core/memory';
import { relationshipWith } from '../memory/memories.ts';
import type { BrainView } from './peer-brain.ts';
import { type Scene, takeStep } from './brain-step.ts';
import { startOf, withNote } from './effects.ts';
import { withExpectedTimes, familyOf, mergeFamily, siblingsOf } from './forks/families.ts';
import { leaksOf } from './leak-scan.ts';
import { meetingKind } from './meetings/intent-words.ts';
import { day } from './meetings/local-time.ts';
import type { Negotiations } from './negotiations.ts';
import {
  type ConsentPrompt,
  intentByOf,
  type MachineRecord,
  newPrompt,
  type NegotiationNote,
  type ProfileRecord,
  putMachine,
  putPrompt,
  type StrangerPrompt,
} from './negotiation-records.ts';
import { mostDays, usualDays } from './limits.ts';
import { type PersonalTime, personIn, scopeFor, shownTime, travelOf, shownZone } from './sharing.ts';
import { busyBeside } from './meetings/spoken-windows.ts';

const shortestDelayMs = 30_000;
const longestDelayMs = 300_000;

/** False where nothing more is to do now. */
export async function evaluate(engine: Negotiations, stored: MachineRecord): Promise<boolean> {
  const family = await familyOf(engine.store, stored);
  const record = mergeFamily(stored, family);
  const { machine, intent } = record;
  const peer = await engine.peer.peer(machine.peer);
  if (peer.block?.isOn) return false;
  const isOver = isEnded(machine.state) || machine.isClosing || machine.hasPeerDeclined;
  if (isOver || record.openPrompt !== null) return rest(engine, record, { isEvaluationDue: false });
  if (peer.trust === 'unverified' && record.mayReachStranger !== true) return askAboutStranger(engine, record);
  if (!intent) return rest(engine, record, { isEvaluationDue: false });
  const profile = await engine.profile();
  const scope = scopeFor(profile, peer, record);
  const time = await personalTime(engine, profile, scope);
  if (!time) return note(engine, record, 'calendar_unreadable');
  const person = personIn(profile, record, time, engine.offeredActions);
  const relationship = await relationshipWith(engine.store, machine.peer);
  const needs = machine.openNeeds;
  // Their usual questions are answered before they ask, so that one packet does (A2C-15). Nobody writes a value for that.
  const isOpening = record.packets === 0 && !machine.fork && machine.role === 'initiator' && !machine.group;
  const expected = isOpening ? expectedNeeds(relationship, meetingKind(intent, record.stated)) : [];
  const early = answerNeeds(expected, person, scope);
  const known = early.ask.filter(({ value }) => value !== undefined);
  if (known.length > 0) return prompt(engine, record, known);
  const { share, ask, isDelayed } = answerNeeds(needs, person, scope, machine.isUrgent);
  if (ask.length > 0) return prompt(engine, record, ask);
  if (isDelayed && record.quietUntil === null) {
    const delay = shortestDelayMs + Math.floor(engine.parts.random() * (longestDelayMs - shortestDelayMs));
    return rest(engine, record, { quietUntil: engine.now + delay });
  }
  // A peer that may not know the free time gets proposals at usual hours, which the person still confirms.
  const busy = busyBeside(record.saidFree ?? [], time);
  const isOwnTimeKnown = consentFor('time_windows', scope) === 'share';
  const knownBusy = isOwnTimeKnown ? busy : [];
  const view: BrainView = {
    own: machine.own,
    peer: machine.peer,
    role: machine.role,
    isGroup: machine.group !== undefined,
    state: machine.state,
    isFirst: record.packets === 0 && !machine.fork,
    intent,
    intentBy: intentByOf(record),
    visible: visibleFor(person.values, scope),
    answers: needs.length > 0 ? contentFor(needs, share) : null,
    wanted: record.wanted,
    received: record.received,
    remembered: trustedValues(relationship, engine.now),
    habits: habitsOf(relationship),
    expected: early.share,
    unavailable: record.unavailable,
    asked: machine.asked,
    sent: machine.answered.own,
    constraints: machine.constraints,
    rejected: record.rejected,
    peerWish: record.peerWish,
    ownWish: record.ownWish ?? null,
    lastStart: startOf(record, machine.proposal?.hash),
    searchDays: record.searchDays ?? usualDays,
    awaitsProposal: record.awaitsProposal,
    siblings: siblingsOf(machine, family),
    now: time.now,
    zone: time.shownZone,
    ...(await peerZoneOf(engine, record)),
    isOwnTimeKnown,
    ...shownTime(knownBusy, time, scope, record),
  };
  const scene: Scene = {
    engine,
    record,
    peer,
    findLeaks: (move) => leaksOf(engine.store, { profile, record, scope, visible: view.visible }, move),
  };
  return takeStep(scene, withExpectedTimes(view), profile);
}

export async function rest(engine: Negotiations, record: MachineRecord, changes: Partial<MachineRecord>): Promise<false> {
  await engine.store.commit([putMachine({ ...record, ...changes })]);
  return false;
}

/** Once; the evaluation stays due. */
export async function note(engine: Negotiations, record: MachineRecord, notice: NegotiationNote['notice']): Promise<false> {
  if (record.notes.at(-1)?.notice === notice) return false;
  return rest(engine, record, withNote(record, { at: engine.now, notice, details: {} }));
}

export async function personalTime(engine: Negotiations, profile: ProfileRecord, scope: SharingScope): Promise<PersonalTime | undefined> {
  const { now } = engine;
  const zone = await engine.zoneOf(profile);
  let busy: BusyInterval[];
  try {
    const span = { from: now, to: now + mostDays * day };
    busy = await engine.parts.calendar.busy(profile.calendars, span, zone.name, profile.servers);
  } catch (error) {
    engine.parts.onFailure?.(error as Error);
    return undefined;
  }
  return { now, zone, shownZone: shownZone(zone, scope), busy, travelMs: travelOf(profile) };
}

/** Nothing where they named none that this machine knows. */
async function peerZoneOf(engine: Negotiations, { received }: MachineRecord): Promise<Pick<BrainView, 'peerZone'>> {
  const { timezone: name } = received;
  if (typeof name !== 'string' || name.length > 64) return {};
  const offsets = await engine.parts.calendar.offsets(name, { from: engine.now, to: engine.now + (mostDays + 1) * day });
  return offsets ? { peerZone: { name, offsets } } : {};
}

/** Nothing goes to somebody whose key nobody compared before the person has said so, once for each negotiation. */
async function askAboutStranger(engine: Negotiations, record: MachineRecord): Promise<false> {
  if (record.mayReachStranger === false) return rest(engine, record, { isEvaluationDue: false });
  const { peer } = record.machine;
  // One question about them is enough, however many requests they send.
  const isAsked = (await engine.index.openWith(peer)).some(
    ({ openPrompt, mayReachStranger }) => openPrompt !== null && mayReachStranger === undefined,
  );
  if (isAsked) return false;
  const question: StrangerPrompt = { kind: 'stranger', ...newPrompt(record, engine.now) };
  await engine.store.commit([putMachine({ ...record, isEvaluationDue: false, openPrompt: question.id }), putPrompt(question)]);
  return false;
}

/** All fields of the peer's needs in one prompt; the negotiation waits for it (A2C-22). */
async function prompt(engine: Negotiations, record: MachineRecord, items: ConsentPrompt['items']): Promise<false> {
  const question: ConsentPrompt = { kind: 'consent', ...newPrompt(record, engine.now), items };
  const waiting = { ...record, isEvaluationDue: false, openPrompt: question.id, prompts: record.prompts + 1 };
  await engine.store.commit([putMachine(waiting), putPrompt(question)]);
  return false;
}
