// A person's answers to prompts. The first answer counts; a second one, from another device, is refused with that reason.

import { applyAnswers, type ConsentAnswer } from '@parley/core/consent';
import type { NegotiationInput } from '@parley/core/negotiation';
import { rememberAnswers } from '@parley/core/memory';
import { badInput, PeerCallError, type PromptAnswer } from '@parley/protocol';
import { putRelationship, relationshipWith } from '../memory/memories.ts';
import type { FreeFields } from '@parley/protocol/relay';
import { getValue, putPeer } from '../packets/peer-records.ts';
import { acquainted } from '../packets/arriving-packets.ts';
import type { RecordChange } from '../store/port.ts';
import { applyInput } from './decisions.ts';
import { confirmationOf, openHash, withRejection } from './effects.ts';
import { continuedDays } from './limits.ts';
import { mustFitPackets, scopeFor, shownZone } from './sharing.ts';
import { stateOf } from './groups/member-status.ts';
import { isPlaceOnly } from './meetings/intent-words.ts';
import { wordsFor } from './meetings/local-time.ts';
import type { Negotiations } from './negotiations.ts';
import {
  confirmationId,
  type ConfirmationPrompt,
  type ConsentPrompt,
  type MachineRecord,
  type PromptRecord,
  putMachine,
  putProfile,
  putPrompt,
} from './negotiation-records.ts';
import { pickedWindows, saidFreeIn, withWindows } from './meetings/spoken-windows.ts';

export type ConfirmationAnswer = Extract<PromptAnswer, { kind: NonNullable<ConfirmationPrompt['answer']> }>;

const excuse = 'Something has come up. Could we find another time?';

/** Of this prompt, or of the one that the negotiation waits for. Fields without an answer are declined. */
export const answerConsent = (engine: Negotiations, id: string, said: readonly ConsentAnswer[]): Promise<MachineRecord> =>
  engine.decide(
    id,
    async (record, desk) => {
      const prompt = await consentPrompt(engine, record, id);
      mustFit(prompt, said);
      const profile = await engine.profile();
      const { peer } = record.machine;
      const scope = scopeFor(profile, desk.peer, record);
      const zone = await engine.zoneOf(profile);
      const answers = withWindows(said, { now: engine.now, zone, shownZone: shownZone(zone, scope) });
      const result = applyAnswers(prompt.items, answers, scope, profile.approvals[peer] ?? {});
      const relationship = rememberAnswers(await relationshipWith(desk.staging, peer), result.decisions);
      await desk.staging.commit([
        putPrompt({ ...prompt, state: 'answered' }),
        putRelationship(peer, relationship),
        putProfile({
          ...profile,
          fields: { ...profile.fields, ...lastingValues(prompt, answers) },
          rules: result.rules,
          approvals: { ...profile.approvals, [peer]: result.approvals },
        }),
        putMachine({
          ...record,
          decisions: result.decisions,
          given: { ...record.given, ...result.given },
          saidFree: [...(record.saidFree ?? []), ...saidFreeIn(said, answers)],
          openPrompt: null,
          isEvaluationDue: true,
          // The person took their time already.
          quietUntil: engine.now,
        }),
      ]);
    },
    isAsking,
  );

/** A value that nobody knew before, and that is shared from now on, is the person's own from now on: it is not asked for again. */
const lastingValues = ({ items }: ConsentPrompt, answers: readonly ConsentAnswer[]): FreeFields =>
  Object.fromEntries(
    answers.flatMap(({ field, answer, value }) =>
      answer === 'always' && value !== undefined && items.some((item) => item.field === field && item.value === undefined)
        ? [[field, value]]
        : [],
    ),
  );

/** The one that this ID names, or that the negotiation of this ID waits for. */
export async function askedPrompt(
  { store }: Negotiations,
  { machine, openPrompt }: MachineRecord,
  id: string,
): Promise<PromptRecord | undefined> {
  const wanted = id === machine.threadId ? openPrompt : id;
  return wanted === null ? undefined : getValue(store, 'prompt', wanted);
}

export const isAsking = ({ openPrompt }: MachineRecord): boolean => openPrompt !== null;

async function consentPrompt(engine: Negotiations, record: MachineRecord, id: string): Promise<ConsentPrompt> {
  const { machine } = record;
  const prompt = await askedPrompt(engine, record, id);
  if (!prompt) throw new PeerCallError('unknown_id', `${machine.threadId} asks you to share nothing now.`);
  if (prompt.kind === 'stranger') throw strangerFirst(machine);
  if (prompt.kind === 'expansion') throw scopeFirst(machine);
  if (prompt.kind !== 'consent') throw badInput(`${id} is a proposal: confirm it, or suggest something different.`);
  if (prompt.state === 'withdrawn') throw tooLate(prompt.id, record);
  if (prompt.state !== 'open') throw answeredBefore(prompt.id);
  return prompt;
}

const scopeFirst = ({ threadId }: MachineRecord['machine']): PeerCallError =>
  badInput(`They changed what ${threadId} is about. Decide first whether it goes on.`);

export const strangerFirst = ({ peer, threadId }: MachineRecord['machine']): PeerCallError =>
  badInput(`Nobody compared the key of ${peer}. Decide first whether ${threadId} goes on with them.`);

/** Whether a negotiation with somebody whose key nobody compared goes on. Nothing goes out where the person refuses. */
export const answerStranger = (engine: Negotiations, id: string, goesOn: boolean): Promise<MachineRecord> =>
  engine.decide(
    id,
    async (record, { staging, peer }) => {
      const prompt = await askedPrompt(engine, record, id);
      if (prompt?.kind !== 'stranger') throw new PeerCallError('unknown_id', `${id} asks nothing about an unverified key.`);
      if (prompt.state === 'withdrawn') throw tooLate(prompt.id, record);
      if (prompt.state !== 'open') throw answeredBefore(prompt.id);
      const { threadId } = record.machine;
      const others = (await strangerRequests(engine, peer.address)).filter(({ machine }) => machine.threadId !== threadId);
      await staging.commit([
        putPrompt({ ...prompt, state: 'answered' }),
        ...(goesOn ? [putPeer(acquainted(peer))] : []),
        ...[record, ...others].flatMap((one) => [
          ...(goesOn ? proposalSoFar(one, engine.now) : []),
          putMachine({ ...one, mayReachStranger: goesOn, openPrompt: null, isEvaluationDue: goesOn }),
        ]),
      ]);
      return others;
    },
    isAsking,
  );

/** Everything that one answer is about: what they began, and nobody has decided about. */
export const strangerRequests = async (engine: Negotiations, address: string): Promise<MachineRecord[]> =>
  (await engine.index.openWith(address)).filter(
    ({ machine, mayReachStranger }) => machine.role === 'responder' && mayReachStranger === undefined,
  );

/** They may have proposed before the person let them. */
const proposalSoFar = (record: MachineRecord, now: number): RecordChange[] => {
  const { role, state, proposal } = record.machine;
  return role === 'responder' && state === 'PROPOSED' && proposal ? [putPrompt(confirmationOf(record, proposal.hash, now))] : [];
};

function tooLate(id: string, record: MachineRecord): PeerCallError {
  const { threadId, isClosing, execution } = record.machine;
  const why =
    execution?.takesPart === false && !isClosing
      ? 'enough people confirmed before you answered, and the meeting takes place without you'
      : isClosing
        ? `you declined ${threadId}`
        : `${threadId} is ${stateOf(record).toLowerCase()}`;
  return new PeerCallError('answered', `Your answer to ${id} came too late: ${why}. Nothing changed.`);
}

const answeredBefore = (id: string): PeerCallError =>
  new PeerCallError('answered', `${id} was answered before, perhaps on another device. The first answer counts.`);

function mustFit({ items }: ConsentPrompt, answers: readonly ConsentAnswer[]): void {
  const names = items.map(({ field }) => field).join(', ');
  for (const { field, answer, value } of answers) {
    const item = items.find((one) => one.field === field);
    if (!item) throw badInput(`The prompt does not ask for ${field}. It asks for: ${names}.`);
    if (answer !== 'decline' && value === undefined && item.value === undefined)
      throw badInput(`${field} has no value yet. Give one with your answer, or decline it.`);
    if (value !== undefined) mustFitPackets(field, value);
    if (answers.filter((one) => one.field === field).length > 1) throw badInput(`${field} has two answers. Give one.`);
  }
}

/** About the negotiation's open proposal. */
export const answerProposal = (engine: Negotiations, id: string, answer: ConfirmationAnswer): Promise<MachineRecord> =>
  engine.decide(id, async (record, desk) => {
    const isThread = id === record.machine.threadId;
    const prompt = await confirmationPrompt(engine, record, isThread ? confirmationId(openHash(record) ?? '') : id);
    if (answer.kind === 'confirm') await mustBeFreeOrSure(engine, prompt, answer.anyway === true);
    const before = answer.kind === 'confirm' ? record : withAnswer(record, answer);
    const { verdict } = await applyInput(desk, before, inputOf(prompt.hash, answer));
    if (verdict !== 'accepted') throw refusalOf(verdict, prompt.id);
    await desk.staging.commit([putPrompt({ ...prompt, state: 'answered', answer: answer.kind })]);
  });

/** Another meeting may have been confirmed since the proposal, or the peer may not use the calendar. The person decides about the event that they read. */
async function mustBeFreeOrSure(engine: Negotiations, prompt: ConfirmationPrompt, isSure: boolean): Promise<void> {
  const text = await conflictWith(engine, prompt);
  const isNamed = prompt.conflict?.text === text;
  if (text === undefined || (isNamed && isSure)) return;
  if (!isNamed) await engine.store.commit([putPrompt({ ...prompt, conflict: { text } })]);
  throw new PeerCallError(
    'calendar_conflict',
    `Your calendar has something else then: ${text}. Confirm anyway to keep both, or suggest another time.`,
  );
}

/** What the calendar has at the time of the proposal. A calendar that cannot be read blocks nothing. */
async function conflictWith(engine: Negotiations, { proposal: { details } }: ConfirmationPrompt): Promise<string | undefined> {
  const [from, to] = [details['start'], details['end']].map((time) => (typeof time === 'string' ? Date.parse(time) : NaN)) as [
    number,
    number,
  ];
  if (!(from < to)) return undefined;
  const profile = await engine.profile();
  const zone = await engine.zoneOf(profile);
  const busy = await engine.parts.calendar.busy(profile.calendars, { from, to }, zone.name, profile.servers).catch((error: Error) => {
    engine.parts.onFailure?.(error);
    return [];
  });
  const found = busy.find((event) => event.from < to && event.to > from);
  return found && `${wordsFor(zone, found)}${found.place === undefined ? '' : ` (${found.place.slice(0, 100)})`}`;
}

/** A different place leaves the time as it is. */
function withAnswer(record: MachineRecord, answer: ConfirmationAnswer): MachineRecord {
  const text = answer.kind === 'different' ? answer.text : '';
  // In a group the coordinator proposes again.
  const awaitsProposal = answer.kind !== 'decline' && record.lead === undefined;
  // A later wish counts instead of the times that the person named before.
  const wished = { ...record, awaitsProposal, ...(text === '' ? {} : { ownWish: text, saidFree: [] }) };
  return isPlaceOnly(text) ? wished : withRejection(wished);
}

/** The person decides about a negotiation that no prompt asks about, such as one without a common time. `words`: what to try instead. */
export const steer = (engine: Negotiations, id: string, act: 'continue' | 'decline', words?: string): Promise<MachineRecord> =>
  engine.decide(id, async (record, desk) => {
    const zone = await engine.zoneOf(await engine.profile());
    const wished = words === undefined ? {} : { ownWish: words, peerWish: null, saidFree: pickedWindows(words, engine.now, zone) };
    const before = act === 'decline' ? record : { ...record, searchDays: continuedDays, ...wished };
    const { verdict } = await applyInput(desk, before, { kind: act });
    if (verdict !== 'accepted') throw badInput(`The negotiation is ${stateOf(record).toLowerCase()}, so you cannot ${act} it.`);
  });

const refusalOf = (verdict: string, id: string): PeerCallError =>
  verdict === 'stale'
    ? new PeerCallError('answered', `${id} is about a proposal that was replaced. Look at the newest one first.`)
    : badInput(`The negotiation does not take this answer: ${verdict}.`);

async function confirmationPrompt(engine: Negotiations, record: MachineRecord, id: string): Promise<ConfirmationPrompt> {
  const { machine, isProposalHeld } = record;
  const prompt = await getValue(engine.store, 'prompt', id);
  if (!prompt && isProposalHeld === true) throw scopeFirst(machine);
  if (!prompt) throw new PeerCallError('unknown_id', `${machine.threadId} has no proposal yet.`);
  if (prompt.kind !== 'confirmation') throw badInput(`${id} asks what to share: answer it with a consent.`);
  const isOver = ['EXPIRED', 'DECLINED'].includes(stateOf(record)) || machine.isClosing || machine.execution?.takesPart === false;
  if (prompt.state === 'withdrawn') throw isOver ? tooLate(id, record) : refusalOf('stale', id);
  if (prompt.state === 'answered') throw answeredBefore(id);
  return prompt;
}

/** The real reason of an excuse stays here (A2C-26). */
function inputOf(hash: string, answer: ConfirmationAnswer): NegotiationInput {
  if (answer.kind === 'confirm') return { kind: 'confirm', hash };
  if (answer.kind === 'decline') return { kind: 'decline' };
  return { kind: 'suggest', hash, message: answer.kind === 'excuse' ? excuse : answer.text };
}
