// The words of a prompt, from the peer's own store, and the person's answer back to it.

import {
  badInput,
  type OpenPrompt,
  type PromptAnswer,
  type PromptCard,
  type ShownAction,
  type ShownProposal,
  PeerCallError,
} from '@parley/protocol';
import type { ProposedAction } from '@parley/protocol/relay';
import type { ConsentAnswer } from '@parley/core/consent';
import { eventKind, eventTitle, type NameOf, outcomeText } from '../actions/agreed-texts.ts';
import { audienceIn, handlerFor } from '../actions/handlers.ts';
import type { Negotiations } from '../negotiate/negotiations.ts';
import { answerExpansion } from '../negotiate/forks/drift.ts';
import { answerConsent, answerProposal, answerStranger, steer, strangerRequests } from '../negotiate/prompts.ts';
import type { KnownProposal, MachineRecord, PromptRecord } from '../negotiate/negotiation-records.ts';
import { whoseWords } from '../negotiate/meetings/words-for-people.ts';
import { leadOf } from '../negotiate/groups/group-lines.ts';
import { getValue, valuesOf } from '../packets/peer-records.ts';
import { type CallContext, mustHave, type OpenPeer } from './context.ts';
import { allLines, groupIn, othersNamed, namedWords } from './group-progress.ts';
import { alarmPrompts, escalationOf, openPromptsOf, postAction } from './statuses.ts';

/** Those that are open. */
export async function cardsOf(open: OpenPeer, ids: readonly string[], nameOf: NameOf): Promise<{ id: string; card: PromptCard }[]> {
  const cards: { id: string; card: PromptCard }[] = [];
  const alarms = await alarmPrompts(open.store);
  for (const id of ids) {
    const alarm = alarms.find((one) => one.id === id);
    const card = alarm ? await keyChangeCard(open, alarm.peer.address, nameOf) : await negotiationCard(open, id, nameOf);
    if (card) cards.push({ id, card });
  }
  return cards;
}

/** All that wait in a negotiation. */
export async function openCardsOf(open: OpenPeer, record: MachineRecord, nameOf: NameOf): Promise<OpenPrompt[]> {
  const prompts = (await openPromptsOf(open.store, record)).map(async (prompt) => ({
    id: prompt.id,
    ...(await storedCard(open, prompt, nameOf)),
  }));
  const escalations = (await allLines(open.store, record)).flatMap((line) => {
    const escalation = escalationOf(line);
    return escalation ? [escalationCard(open, line, nameOf).then((card) => ({ id: escalation.id, ...card }))] : [];
  });
  return Promise.all([...prompts, ...escalations]);
}

async function keyChangeCard({ peer }: OpenPeer, address: string, nameOf: NameOf): Promise<PromptCard> {
  const { safetyNumber, alarm } = await peer.verify(address);
  return { kind: 'key_change', peer: address, peerName: nameOf(address), alarm: alarm ?? '', safetyNumber };
}

async function negotiationCard(open: OpenPeer, id: string, nameOf: NameOf): Promise<PromptCard | undefined> {
  const prompt = await getValue(open.store, 'prompt', id);
  if (prompt) return prompt.state === 'open' ? storedCard(open, prompt, nameOf) : undefined;
  const record = await escalatedBy(open, id);
  return record && escalationCard(open, record, nameOf);
}

const mostAlternatives = 5;
const textIn = (value: unknown): string | null => (typeof value === 'string' && value.trim() !== '' ? value : null);

async function escalationCard({ store }: OpenPeer, record: MachineRecord, nameOf: NameOf): Promise<PromptCard> {
  const { note } = escalationOf(record)!;
  const isPaused = note.notice === 'paused';
  const { by, reason, suggested_prompt: question, alternatives, constraints, silent } = isPaused ? {} : note.details;
  const failures = (Array.isArray(constraints) ? constraints : []).flatMap((one) => textIn(one) ?? []).join('; ');
  return {
    kind: 'escalation',
    isSilent: note.notice === 'stalled' || Array.isArray(silent),
    isPaused,
    threadId: record.machine.threadId,
    peer: record.machine.peer,
    peerName: record.group ? othersNamed(record, nameOf) : nameOf(record.machine.peer),
    intent: record.intent?.summary ?? '',
    ...(await groupIn(store, record, nameOf)),
    question: textIn(question),
    conflict: namedWords(record, textIn(reason), nameOf) ?? textIn(failures),
    alternatives: (Array.isArray(alternatives) ? alternatives : []).slice(0, mostAlternatives).flatMap((one: unknown) => {
      const { option, rationale } = (one ?? {}) as Record<string, unknown>;
      const summary = textIn(option);
      const reason = whoseWords(textIn(rationale) ?? '', by === 'own') || null;
      return summary === null ? [] : [{ summary, reason: namedWords(record, reason, nameOf) }];
    }),
  };
}

const escalatedBy = async ({ store }: OpenPeer, id: string): Promise<MachineRecord | undefined> =>
  (await valuesOf(store, 'machine', (record) => escalationOf(record)?.id === id))[0];

async function storedCard({ store, negotiations }: OpenPeer, prompt: PromptRecord, nameOf: NameOf): Promise<PromptCard> {
  // The line that asks; the group's proposal is on its lead.
  const record = await negotiations.find(prompt.id);
  const about = {
    threadId: prompt.threadId,
    peer: prompt.peer,
    peerName: nameOf(prompt.peer),
    intent: record.intent?.summary ?? '',
    ...(await groupIn(store, await leadOf(store, record), nameOf)),
  };
  if (prompt.kind === 'stranger')
    return { kind: 'stranger', ...about, requests: Math.max(1, (await strangerRequests(negotiations, prompt.peer)).length) };
  if (prompt.kind === 'expansion') {
    const { before, isFork, reason, asked, shared } = prompt;
    return { kind: 'expansion', ...about, before: before?.summary ?? '', isFork, reason, asked, shared };
  }
  if (prompt.kind === 'confirmation') {
    const { hash, proposal, conflict } = prompt;
    const open = (record.group ?? record.machine).proposal;
    return {
      kind: 'proposal',
      ...about,
      peerName: othersNamed(record, nameOf),
      ...(await shownProposal(negotiations, proposal, record)),
      conflict: conflict?.text ?? null,
      until: open?.hash === hash ? open.deadline : null,
      reminded: record.notes.some(({ notice, details }) => notice === 'reminder' && details['hash'] === hash),
    };
  }
  const fields = prompt.items.map(({ field, reason, value = null, choices, offersAlways }) => ({
    field,
    reason,
    value,
    choices,
    offersAlways,
  }));
  return { kind: 'consent', ...about, fields, isEarly: record.packets === 0 };
}

export async function shownProposal(
  negotiations: Negotiations,
  { summary, details, alternatives, reasoning, actions }: KnownProposal,
  { machine }: MachineRecord,
): Promise<ShownProposal> {
  // Of a group nobody knows yet who comes.
  const event = machine.group
    ? `“${eventKind({ summary, details })}” to your calendar, with the names of those who confirm`
    : `“${eventTitle({ peer: machine.peer, summary, details }, negotiations.parts.nameOf)}” to your calendar`;
  const shown = actions.map(async (one): Promise<ShownAction> => {
    const { action, scope = 'shared', by = null, reversible = false } = one;
    const own = scope === 'own' ? (by ?? machine.own) === machine.own : machine.role === 'initiator';
    const missing = own && (await handlerFor(negotiations, one)) === undefined;
    const text = actionText(one, { event, summary, outcome: outcomeText(summary, machine) });
    return { action, text, scope, by, reversible, own, ...(missing ? { missing } : {}) };
  });
  return {
    summary,
    details,
    alternatives: alternatives.map((one) => ({ summary: one.summary, reason: one.reason ?? null })),
    reasoning,
    actions: await Promise.all(shown),
  };
}

/** In the platform's words; those of the proposal are in quotation marks. */
function actionText(
  { action, service }: ProposedAction,
  { event, summary, outcome }: Record<'event' | 'summary' | 'outcome', string>,
): string {
  if (action === 'add_calendar_event') return `Add ${event}`;
  if (action === postAction) return `Post “${outcome}” in ${service ?? 'the channel where it was asked for'}`;
  const audience = audienceIn(service);
  if (audience !== undefined) return `Post “${summary}” in ${audience} (${action})`;
  return `Run the action ${action}${service === undefined ? '' : ` (${service})`}`;
}

/** By a prompt, or by its negotiation. Undefined: it was about a key. */
export async function answerPrompt(context: CallContext, id: string, answer: PromptAnswer): Promise<MachineRecord | undefined> {
  const open = await mustHave(context);
  const { negotiations, peer, store } = open;
  if (answer.kind === 'accept_key' || answer.kind === 'keep_key') {
    const alarm = (await alarmPrompts(store)).find((one) => one.id === id);
    if (!alarm) throw new PeerCallError('answered', 'This key was decided about before, or has changed since. Look at the newest prompt.');
    await peer.verify(alarm.peer.address, answer.kind === 'keep_key' ? { keeps: true } : { accepts: answer.safetyNumber });
    open.reportAlarms?.();
    return undefined;
  }
  const isThread = !id.startsWith('prm_');
  const asked = isThread
    ? await promptIn(open, id, answer.kind === 'decline' ? 'expansion' : undefined)
    : await getValue(store, 'prompt', id);
  if (answer.kind === 'go_on' || answer.kind === 'keep_intent' || (answer.kind === 'decline' && asked?.kind === 'expansion')) {
    if (asked?.kind !== 'expansion' && !isThread) throw new PeerCallError('answered', 'This was decided before. Look at the negotiation.');
    return answerExpansion(negotiations, id, answer.kind === 'keep_intent' ? 'keep' : answer.kind);
  }
  if (asked?.kind === 'expansion') throw badInput('Go on, keep it as it was, or end it.');
  const escalated = isThread ? undefined : await escalatedBy(open, id);
  if (escalated) {
    const words = answer.kind === 'continue' ? answer.text : undefined;
    return steer(negotiations, escalated.machine.threadId, answer.kind === 'decline' ? 'decline' : 'continue', words);
  }
  if (answer.kind === 'continue')
    throw new PeerCallError('answered', 'This was decided before, or the peers went on meanwhile. Look at the negotiation.');
  const unlessNew = ifNew(open, id);
  if (answer.kind === 'consent') return answerConsent(negotiations, id, answer.fields as ConsentAnswer[]).catch(unlessNew('consent'));
  if (answer.kind === 'answer_stranger') return answerStranger(negotiations, id, answer.isOn);
  return answerProposal(negotiations, id, answer).catch(unlessNew('confirmation'));
}

async function promptIn(open: OpenPeer, threadId: string, kind: PromptRecord['kind'] | undefined): Promise<PromptRecord | undefined> {
  const known = await open.negotiations.find(threadId).catch(() => undefined);
  const prompts = known ? await openPromptsOf(open.store, await leadOf(open.store, known)) : [];
  return prompts.find((one) => one.kind === kind);
}

/** A question that came only now is not answered by a word about the one before. */
const ifNew =
  (open: OpenPeer, id: string) =>
  (kind: 'consent' | 'confirmation') =>
  async (failure: unknown): Promise<never> => {
    if (!(failure instanceof PeerCallError) || (failure.code !== 'unknown_id' && failure.code !== 'answered')) throw failure;
    await open.reach();
    if (id.startsWith('prm_') || !(await promptIn(open, id, kind))) throw failure;
    const what = kind === 'consent' ? 'A request to share something in' : 'A proposal for';
    throw new PeerCallError('answered', `${what} ${id} came only now. Look at it, then answer again.`);
  };
