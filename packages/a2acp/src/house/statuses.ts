// A negotiation as the hub may know it: IDs and a state, and the outcome once both people confirmed that it is posted.

import type { NegotiationStatus, PromptKind } from '@parley/protocol';
import { isEnded } from '@parley/core/negotiation';
import { toBase64Url, utf8 } from '@parley/protocol/relay';
import { audienceField } from '../negotiate/intent-words.ts';
import { confirmationId, type MachineRecord, type NegotiationNote, type PromptRecord } from '../negotiate/records.ts';
import { allRecords, getRecord, type PeerRecord } from '../peer/records.ts';
import { hashOf } from '../seal/sodium.ts';
import type { PeerStore } from '../store/port.ts';

const promptKind = ({ kind }: PromptRecord): PromptKind => (kind === 'confirmation' ? 'proposal' : kind);

export async function openPromptsOf(store: PeerStore, { openPrompt, machine }: MachineRecord): Promise<PromptRecord[]> {
  const hash = machine.proposal?.hash;
  const ids = [openPrompt, hash === undefined ? null : confirmationId(hash)].filter((id) => id !== null);
  const found = await Promise.all(ids.map(async (id) => (await getRecord(store, 'prompt', id))?.value));
  return found.filter((prompt) => prompt?.state === 'open') as PromptRecord[];
}

export async function statusOf(store: PeerStore, record: MachineRecord): Promise<NegotiationStatus> {
  const { machine } = record;
  const escalation = escalationOf(record);
  const prompts: NegotiationStatus['prompts'] = [
    ...(await openPromptsOf(store, record)).map((prompt) => ({ id: prompt.id, kind: promptKind(prompt) })),
    ...(escalation ? [{ id: escalation.id, kind: 'escalation' as const }] : []),
  ];
  return {
    threadId: machine.threadId,
    parentThreadId: machine.fork?.parent ?? null,
    state: machine.state,
    isEnded: isEnded(machine.state) || mayEnd(record, prompts.length),
    isUrgent: machine.isUrgent,
    prompts,
    outcome: outcomeOf(record),
  };
}

/**
 * The agents found no way, this one wrote no valid packet, or the other one is silent: the person says how to go on, until the person or a
 * packet answers. The ID follows from the note, so that it is asked once.
 */
export function escalationOf(record: MachineRecord): { id: string; note: NegotiationNote } | undefined {
  const { machine, notes } = record;
  const isPaused = machine.paused === 'own';
  const isSilent = isSilenceAsked(record);
  const word = isSilent ? 'stalled' : 'escalated';
  const note = notes.findLast(({ notice, details }) => (isPaused ? notice === 'paused' && details['by'] === 'own' : notice === word));
  const isAsked = isPaused || isSilent || machine.isEscalated;
  if (!note || !isAsked || !['INITIATED', 'NEGOTIATING', 'STALLED'].includes(machine.state)) return undefined;
  return { id: `prm_${toBase64Url(hashOf(utf8(`${machine.peer}\0${machine.threadId}\0${note.at}`), 16))}`, note };
}

/** A prompt that is open says already what is missing. */
const isSilenceAsked = ({ machine, openPrompt }: MachineRecord): boolean =>
  machine.state === 'STALLED' && !machine.isEscalated && machine.paused !== 'own' && openPrompt === null;

/** Nothing happens any more unless the person acts. A task that opened the negotiation does not wait for somebody who is silent. */
const mayEnd = (record: MachineRecord, prompts: number): boolean => needsPerson(record) && prompts === (isSilenceAsked(record) ? 1 : 0);

const [soonMs, laterMs] = [5000, 60_000];

/** The prompts that a record asks, and whether it has ended: what people wait for. */
export interface ReportedMatter {
  prompts: string[];
  isEnded: boolean;
}

export function matterOf(record: MachineRecord): ReportedMatter {
  const { machine, openPrompt } = record;
  const proposal = machine.state === 'PROPOSED' && machine.proposal?.ownConfirmed === false ? machine.proposal.hash : null;
  const prompts = [openPrompt, proposal, escalationOf(record)?.id ?? null].filter((one) => one !== null);
  return { prompts, isEnded: isEnded(machine.state) || mayEnd(record, prompts.length) };
}

/**
 * How long a report may wait for the next one: a new prompt and the end not at all. The hub closes an answered prompt itself, and states
 * follow each other fast while two peers talk.
 */
export function reportDelay(before: ReportedMatter, { prompts, isEnded: hasEnded }: ReportedMatter): number {
  if (hasEnded !== before.isEnded || prompts.some((id) => !before.prompts.includes(id))) return 0;
  return prompts.length < before.prompts.length ? soonMs : laterMs;
}

/** Nothing happens any more unless the person does something that no prompt asks for. */
const needsPerson = ({ machine, mayReachStranger }: MachineRecord): boolean =>
  machine.state === 'STALLED' || machine.paused === 'own' || machine.isEscalated || mayReachStranger === false;

export const postAction = 'post_outcome';

/** Everything is done, and the proposal that both confirmed names the audience that this person asked for, and no other. */
function outcomeOf({ machine, proposals, stated }: MachineRecord): string | null {
  const proposal = proposals[machine.proposal?.hash ?? ''];
  if (machine.state !== 'COMPLETED' || !proposal) return null;
  const audience = stated[audienceField];
  const isAgreed = audience !== undefined && proposal.actions.some(({ action, service }) => action === postAction && service === audience);
  return isAgreed ? proposal.summary : null;
}

/** Follows from the key in question, so that it is asked once. */
const alarmId = ({ address, alarm }: PeerRecord): string =>
  `prm_${toBase64Url(hashOf(utf8(`${address}\0${alarm!.kind}\0${alarm!.key}\0${alarm!.at}`), 16))}`;

export async function alarmPrompts(store: PeerStore): Promise<{ id: string; peer: PeerRecord }[]> {
  const prompts: { id: string; peer: PeerRecord }[] = [];
  for await (const { value } of allRecords(store, 'peer')) if (value.alarm) prompts.push({ id: alarmId(value), peer: value });
  return prompts;
}
