// The words of a prompt, from the peer's own store, and the person's answer back to it.

import type { NegotiationSummary, PromptAnswer, PromptCard, ProposalCard } from '@parley/protocol';
import type { ProposedAction } from '@parley/protocol/relay';
import type { ConsentAnswer } from '@parley/core/consent';
import { eventKind, eventTitle, type NameOf } from '../actions/event-title.ts';
import { audienceIn } from '../actions/channel-post.ts';
import { handlerFor } from '../actions/handlers.ts';
import { outcomeText } from '../actions/outcome-text.ts';
import type { Negotiations } from '../negotiate/negotiations.ts';
import { answerExpansion } from '../negotiate/forks/drift.ts';
import { answerConsent, answerProposal, answerStranger, steer, strangerRequests } from '../negotiate/prompts.ts';
import { type ConfirmationPrompt, type MachineRecord, modelAwayText, type PromptRecord } from '../negotiate/records.ts';
import { readingOf } from '../negotiate/meetings/reading-words.ts';
import { whoseWords } from '../negotiate/meetings/conflict-words.ts';
import { PeerError } from '../packets/errors.ts';
import { openHash } from '../negotiate/effects.ts';
import { leadOf, stateOf } from '../negotiate/groups/group-lines.ts';
import { allRecords, getRecord, negotiationKey } from '../packets/records.ts';
import { allLines, groupIn, othersNamed, namedWords } from './group-progress.ts';
import type { HostedPeer } from './hosted-peer.ts';
import { alarmPrompts, escalationOf, openPromptsOf, postAction } from './statuses.ts';

export async function cardsOf(hosted: HostedPeer, ids: readonly string[], nameOf: NameOf): Promise<{ id: string; card: PromptCard }[]> {
  const cards: { id: string; card: PromptCard }[] = [];
  const alarms = await alarmPrompts(hosted.store);
  for (const id of ids) {
    const alarm = alarms.find((one) => one.id === id);
    const card = alarm
      ? await keyChangeCard(hosted, alarm.peer.address, nameOf)
      : ((await negotiationCard(hosted, id, nameOf)) ?? (await escalationCard(hosted, id, nameOf)));
    if (card) cards.push({ id, card });
  }
  return cards;
}

async function keyChangeCard({ peer }: HostedPeer, address: string, nameOf: NameOf): Promise<PromptCard> {
  const { safetyNumber, alarm } = await peer.verify(address);
  return { kind: 'key_change', peer: address, peerName: nameOf(address), alarm: alarm ?? '', safetyNumber };
}

const mostAlternatives = 5;
const textIn = (value: unknown): string | null => (typeof value === 'string' && value.trim() !== '' ? value : null);

async function escalationCard(hosted: HostedPeer, id: string, nameOf: NameOf): Promise<PromptCard | undefined> {
  const record = await escalatedBy(hosted, id);
  if (!record) return undefined;
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
    ...(await groupIn(hosted.store, record, nameOf)),
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

async function escalatedBy({ store }: HostedPeer, id: string): Promise<MachineRecord | undefined> {
  for await (const { value } of allRecords(store, 'machine')) if (escalationOf(value)?.id === id) return value;
  return undefined;
}

async function negotiationCard({ store, negotiations }: HostedPeer, id: string, nameOf: NameOf): Promise<PromptCard | undefined> {
  const prompt = (await getRecord(store, 'prompt', id))?.value;
  if (prompt?.state !== 'open') return undefined;
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
    const peerName = othersNamed(record, nameOf);
    return { kind: 'proposal', ...about, peerName, ...(await proposalOf(negotiations, prompt, record)) };
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

async function proposalOf(
  negotiations: Negotiations,
  { proposal, hash, conflict }: ConfirmationPrompt,
  { machine, group, notes }: MachineRecord,
): Promise<Omit<ProposalCard, 'kind' | 'threadId' | 'peer' | 'peerName' | 'intent' | 'group'>> {
  // Of a group nobody knows yet who comes.
  const event = machine.group
    ? `“${eventKind(proposal)}” to your calendar, with the names of those who confirm`
    : `“${eventTitle({ peer: machine.peer, ...proposal }, negotiations.parts.nameOf)}” to your calendar`;
  const open = (group ?? machine).proposal;
  const actions = proposal.actions.map(async (action) => {
    const own = action.scope === 'own' ? (action.by ?? machine.own) === machine.own : machine.role === 'initiator';
    const missing = own && (await handlerFor(negotiations, action)) === undefined;
    const text = actionText(action, { event, summary: proposal.summary, outcome: outcomeText(proposal.summary, machine) });
    return { text, reversible: action.reversible ?? false, own, ...(missing ? { missing } : {}) };
  });
  return {
    summary: proposal.summary,
    details: proposal.details,
    alternatives: proposal.alternatives.map(({ summary, reason = null }) => ({ summary, reason })),
    reasoning: proposal.reasoning,
    actions: await Promise.all(actions),
    conflict: conflict?.text ?? null,
    until: open?.hash === hash ? open.deadline : null,
    reminded: notes.some(({ notice, details }) => notice === 'reminder' && details['hash'] === hash),
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

export async function answerPrompt(hosted: HostedPeer, id: string, answer: PromptAnswer): Promise<void> {
  const { negotiations, peer, store } = hosted;
  if (answer.kind === 'accept_key' || answer.kind === 'keep_key') {
    const alarm = (await alarmPrompts(store)).find((one) => one.id === id);
    if (!alarm) throw new PeerError('answered', 'This key was decided about before, or has changed since. Look at the newest prompt.');
    await peer.verify(alarm.peer.address, answer.kind === 'keep_key' ? { keeps: true } : { accepts: answer.safetyNumber });
    return hosted.reportAlarms();
  }
  const escalated = await escalatedBy(hosted, id);
  const asked = (await getRecord(store, 'prompt', id))?.value;
  if (asked?.kind === 'expansion') {
    if (answer.kind !== 'go_on' && answer.kind !== 'keep_intent' && answer.kind !== 'decline')
      throw new PeerError('bad_input', 'Go on, keep it as it was, or end it.');
    await answerExpansion(negotiations, id, answer.kind === 'keep_intent' ? 'keep' : answer.kind);
  } else if (answer.kind === 'go_on' || answer.kind === 'keep_intent')
    throw new PeerError('answered', 'This was decided before. Look at the negotiation.');
  else if (escalated) {
    const words = answer.kind === 'continue' ? answer.text : undefined;
    await steer(negotiations, escalated.machine.threadId, answer.kind === 'decline' ? 'decline' : 'continue', words);
  } else if (answer.kind === 'continue')
    throw new PeerError('answered', 'This was decided before, or the peers went on meanwhile. Look at the negotiation.');
  else if (answer.kind === 'consent') await answerConsent(negotiations, id, answer.fields as ConsentAnswer[]);
  else if (answer.kind === 'answer_stranger') await answerStranger(negotiations, id, answer.isOn);
  else await answerProposal(negotiations, id, answer);
}

const agreeing: readonly string[] = ['PROPOSED', 'CONFIRMED', 'EXECUTING', 'COMPLETED'];

/** What it is about now: people steer a negotiation away from its first words. */
export function titleOf(record: MachineRecord): string {
  const { proposals, intent } = record;
  const proposal = proposals[openHash(record) ?? ''];
  return proposal && !proposal.isReceipt && agreeing.includes(stateOf(record)) ? proposal.summary : (intent?.summary ?? '');
}

export async function summaryOf({ store }: HostedPeer, record: MachineRecord, nameOf: NameOf): Promise<NegotiationSummary> {
  const { machine, intent, outside, createdAt = machine.quietSince } = record;
  const prompts: PromptRecord[] = await openPromptsOf(store, record);
  const lines = await allLines(store, record);
  const exchanges = await Promise.all(
    lines.map(async (line) => (await getRecord(store, 'negotiation', negotiationKey(line.machine.peer, machine.threadId)))?.value),
  );
  return {
    threadId: machine.threadId,
    peer: machine.peer,
    peerName: othersNamed(record, nameOf),
    role: machine.role,
    state: stateOf(record),
    intent: intent?.summary ?? '',
    reading: readingOf(record),
    title: titleOf(record),
    isOutside: outside !== undefined,
    ...(await groupIn(store, record, nameOf)),
    waitsForMe: prompts.length > 0 || lines.some((line) => escalationOf(line) !== undefined),
    notice: lines.every(({ model }) => (model?.retryAt ?? null) === null) ? null : modelAwayText,
    createdAt,
    updatedAt: Math.max(
      createdAt,
      ...exchanges.map((line) => line?.at ?? 0),
      outside?.offer?.at ?? 0,
      outside?.offer?.reply?.at ?? 0,
      ...prompts.map(({ at }) => at),
    ),
  };
}
