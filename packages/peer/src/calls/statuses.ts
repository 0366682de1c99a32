// A negotiation as the hub may know it: IDs and a state, and the outcome once both people confirmed that it is posted.

import type { NegotiationStatus, PromptKind } from '@parley/protocol';
import { isEnded, talkingStates } from '@parley/core/negotiation';
import { toBase64Url, utf8 } from '@parley/protocol/relay';
import { outcomeText } from '../actions/agreed-texts.ts';
import { openHash } from '../negotiate/effects.ts';
import { stateOf } from '../negotiate/groups/member-status.ts';
import { audienceField } from '../negotiate/meetings/intent-words.ts';
import { confirmationId, type MachineRecord, type NegotiationNote, type PromptRecord } from '../negotiate/negotiation-records.ts';
import { getValue, type RemotePeer, valuesOf } from '../packets/peer-records.ts';
import { hashOf } from '../seal/sodium.ts';
import type { PeerStore } from '../store/port.ts';
import { allLines } from './group-progress.ts';

const promptKind = ({ kind }: PromptRecord): PromptKind => (kind === 'confirmation' ? 'proposal' : kind);

/** Of a group, those of all its lines. */
export async function openPromptsOf(store: PeerStore, record: MachineRecord): Promise<PromptRecord[]> {
  const hash = openHash(record);
  const lines = await allLines(store, record);
  const ids = [...lines.map(({ openPrompt }) => openPrompt), hash === null ? null : confirmationId(hash)].filter((id) => id !== null);
  const found = await Promise.all(ids.map((id) => getValue(store, 'prompt', id)));
  return found.filter((prompt) => prompt?.state === 'open') as PromptRecord[];
}

export async function statusOf(store: PeerStore, record: MachineRecord): Promise<NegotiationStatus> {
  const { machine } = record;
  const state = stateOf(record);
  const escalations = (await allLines(store, record)).flatMap((line) => escalationOf(line) ?? []);
  const prompts: NegotiationStatus['prompts'] = [
    ...(await openPromptsOf(store, record)).map((prompt) => ({ id: prompt.id, kind: promptKind(prompt) })),
    ...escalations.map(({ id }) => ({ id, kind: 'escalation' as const })),
  ];
  return {
    threadId: machine.threadId,
    parentThreadId: machine.fork?.parent ?? null,
    state,
    isEnded: isEnded(state) || mayEnd(record, prompts.length),
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
  const { machine, group, notes } = record;
  const isPaused = machine.paused === 'own';
  const isSilent = isSilenceAsked(record);
  const word = isSilent ? 'stalled' : 'escalated';
  const note = notes.findLast(({ notice, details }) => (isPaused ? notice === 'paused' && details['by'] === 'own' : notice === word));
  const isAsked = isPaused || isSilent || machine.isEscalated || group?.isEscalated === true;
  if (!note || !isAsked || !talkingStates.has(stateOf(record))) return undefined;
  return { id: `prm_${toBase64Url(hashOf(utf8(`${machine.peer}\0${machine.threadId}\0${note.at}`), 16))}`, note };
}

/** A prompt that is open says already what is missing. A group asks once about all who are silent. */
const isSilenceAsked = ({ machine, openPrompt, lead }: MachineRecord): boolean =>
  lead === undefined && machine.state === 'STALLED' && !machine.isEscalated && machine.paused !== 'own' && openPrompt === null;

/** Nothing happens any more unless the person acts. A task that opened the negotiation does not wait for somebody who is silent. */
const mayEnd = (record: MachineRecord, prompts: number): boolean => needsPerson(record) && prompts === (isSilenceAsked(record) ? 1 : 0);

const [soonMs, laterMs] = [5000, 60_000];

/** The prompts that a record asks, and whether it has ended: what people wait for. */
export interface ReportedMatter {
  prompts: string[];
  isEnded: boolean;
}

export function matterOf(record: MachineRecord): ReportedMatter {
  const { openPrompt } = record;
  const prompts = [openPrompt, askedProposal(record), escalationOf(record)?.id ?? null].filter((one) => one !== null);
  return { prompts, isEnded: isEnded(stateOf(record)) || mayEnd(record, prompts.length) };
}

/** The hash that this person has to answer. A coordinator is asked once, on the line that holds the group. */
function askedProposal({ machine, group, lead, isProposalHeld }: MachineRecord): string | null {
  if (isProposalHeld === true) return null;
  if (group)
    return group.state === 'PROPOSED' && group.proposal!.isOwnAsked && group.proposal!.ownSignature === null ? group.proposal!.hash : null;
  if (lead !== undefined) return null;
  return machine.state === 'PROPOSED' && !machine.isClosing && machine.proposal?.ownConfirmed === false ? machine.proposal.hash : null;
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
function needsPerson({ machine, group, lead, mayReachStranger }: MachineRecord): boolean {
  // One member who is silent, or was not reached, ends no group.
  if (lead !== undefined) return group?.isEscalated === true;
  return machine.state === 'STALLED' || machine.paused === 'own' || machine.isEscalated || mayReachStranger === false;
}

export const postAction = 'post_outcome';

/** Everything is done, and the proposal that people confirmed names the audience that this person asked for, and no other. */
function outcomeOf(record: MachineRecord): string | null {
  const { machine, group, proposals, stated } = record;
  const proposal = proposals[openHash(record) ?? ''];
  if ((group ?? machine).state !== 'COMPLETED' || !proposal) return null;
  const audience = stated[audienceField];
  const isAgreed = audience !== undefined && proposal.actions.some(({ action, service }) => action === postAction && service === audience);
  return isAgreed ? outcomeText(proposal.summary, machine) : null;
}

/** Follows from the key in question, so that it is asked once. */
const alarmId = ({ address, alarm }: RemotePeer): string =>
  `prm_${toBase64Url(hashOf(utf8(`${address}\0${alarm!.kind}\0${alarm!.key}\0${alarm!.at}`), 16))}`;

export const alarmPrompts = async (store: PeerStore): Promise<{ id: string; peer: RemotePeer }[]> =>
  (await valuesOf(store, 'peer', ({ alarm }) => alarm !== null)).map((peer) => ({ id: alarmId(peer), peer }));
