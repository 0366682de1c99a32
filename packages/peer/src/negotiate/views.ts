// A negotiation as a person sees it: where it is, what waits for them, what went out and what did not.

import { type GroupStatusName, toPlainTexts } from '@parley/protocol';
import type { FreeFields } from '@parley/protocol/relay';
import type { OutsideRequest } from '@parley/protocol';
import { viewOutside } from '../outside/outside-words.ts';
import { getRecord } from '../packets/records.ts';
import { openHash } from './effects.ts';
import { answersBy, linesOf, memberStatus, stateOf } from './groups/group-lines.ts';
import type { PeerStore } from '../store/port.ts';
import {
  confirmationId,
  type ExpansionPrompt,
  type KnownProposal,
  type MachineRecord,
  type ModelRecord,
  type PromptRecord,
} from './records.ts';

export interface PromptView {
  id: string;
  kind: PromptRecord['kind'];
  /** Of a consent: what is asked, why, and what would be shared. */
  fields: { field: string; reason: string | null; value: unknown; choices: unknown[]; offers_always: boolean }[];
  /** Of a proposal: what the person's calendar has then, once they wanted to confirm. */
  conflict: string | null;
  /** Of an expansion: what it was about and is about now, what else is asked, and what they have already. */
  scope?: { before: string | null; after: string; is_fork: boolean; reason: string | null; asked: string[]; shared: string[] };
}

export interface GroupMemberView {
  agent: string;
  /** Whether they answered, confirmed or declined. Null where this side cannot know it: only the coordinator does of others. */
  status: GroupStatusName | null;
  /** At the coordinator: what they gave. */
  received: FreeFields;
}

export interface GroupStatus {
  coordinator: string;
  members: GroupMemberView[];
  quorum: number | null;
  order: string[];
  /** At the coordinator, while it waits for answers: when it goes on without the others, or asks its person. */
  answers_by: string | null;
}

export interface NegotiationView {
  id: string;
  peer: string;
  role: string;
  /** Null between two. */
  group: GroupStatus | null;
  state: string;
  intent: string;
  /** Whose words the intent is in. */
  intent_by: 'own' | 'peer';
  /** The negotiation that it was split off from. */
  parent: string | null;
  /** What was split off from it. */
  forks: string[];
  proposal_hash: string | null;
  proposal: KnownProposal | null;
  confirmed: boolean;
  /** Both ways. */
  packets: number;
  /** Consent prompts that this person got. */
  prompts: number;
  open_prompts: PromptView[];
  received: FreeFields;
  /** Fields that this side gave or declined. */
  answered: string[];
  paused: boolean;
  escalated: boolean;
  notes: { at: string; notice: string; details: FreeFields }[];
  /** Null in a negotiation between peers. */
  outside: OutsideRequest | null;
  /** Null where no model had to think. */
  model: {
    /** Which model took which step, and how sure it was. */
    steps: (Omit<ModelRecord['steps'][number], 'at' | 'isTainted'> & { at: string; tainted: boolean })[];
    /** How often a model wanted what it may not. */
    dropped: number;
    /** When a packet is tried again that waits because no model answered. */
    retry_at: string | null;
  } | null;
}

export async function viewNegotiation(store: PeerStore, record: MachineRecord): Promise<NegotiationView> {
  const { machine, group, intent, proposals, received, notes } = record;
  const hash = openHash(record);
  const lines = group ? Object.values(await linesOf(store, record)) : [record];
  const ids = [...lines.map(({ openPrompt }) => openPrompt), hash === null ? null : confirmationId(hash)].filter((id) => id !== null);
  const found = await Promise.all(ids.map(async (id) => (await getRecord(store, 'prompt', id))?.value));
  return toPlainTexts<NegotiationView>({
    id: machine.threadId,
    peer: machine.peer,
    role: machine.role,
    group: groupOf(record, lines),
    state: stateOf(record),
    intent: intent?.summary ?? '',
    intent_by: record.intentBy ?? (machine.role === 'initiator' ? 'own' : 'peer'),
    parent: machine.fork?.parent ?? null,
    forks: machine.forks ?? [],
    proposal_hash: hash,
    proposal: hash === null ? null : (proposals[hash] ?? null),
    confirmed: group ? typeof group.proposal?.ownSignature === 'string' : (machine.proposal?.ownConfirmed ?? false),
    packets: lines.reduce((sum, line) => sum + line.packets, 0),
    prompts: lines.reduce((sum, line) => sum + line.prompts, 0),
    open_prompts: found.flatMap((prompt) => (prompt?.state === 'open' ? [viewPrompt(prompt)] : [])),
    received,
    answered: machine.answered.own,
    paused: machine.paused !== null,
    escalated: lines.some((line) => line.machine.isEscalated) || group?.isEscalated === true,
    notes: notes.map(({ at, notice, details }) => ({ at: new Date(at).toISOString(), notice, details })),
    outside: viewOutside(record),
    model: record.model ? viewModelRecord(record.model) : null,
  });
}

const viewModelRecord = ({ steps, dropped, retryAt }: ModelRecord): NegotiationView['model'] => ({
  steps: steps.map(({ at, isTainted, ...step }) => ({ ...step, at: new Date(at).toISOString(), tainted: isTainted })),
  dropped,
  retry_at: retryAt === null ? null : new Date(retryAt).toISOString(),
});

function groupOf(record: MachineRecord, lines: readonly MachineRecord[]): GroupStatus | null {
  const { machine, group } = record;
  if (!machine.group) return null;
  const { terms } = machine.proposal ?? {};
  const members = machine.group.participants.map(({ agent }): GroupMemberView => {
    const line = group ? lines.find((one) => one.machine.peer === agent) : undefined;
    return { agent, status: memberStatus(record, lines, agent), received: line?.received ?? {} };
  });
  const until = group ? answersBy(group) : null;
  return {
    coordinator: machine.role === 'initiator' ? machine.own : machine.peer,
    members,
    quorum: group?.quorum ?? terms?.quorum ?? null,
    order: group?.order ?? terms?.order ?? [],
    answers_by: until === null ? null : new Date(until).toISOString(),
  };
}

const scopeView = ({ before, after, isFork, reason, asked, shared }: ExpansionPrompt): NonNullable<PromptView['scope']> => ({
  before: before?.summary ?? null,
  after: after.summary,
  is_fork: isFork,
  reason,
  asked,
  shared,
});

const viewPrompt = (prompt: PromptRecord): PromptView => ({
  id: prompt.id,
  kind: prompt.kind,
  fields:
    prompt.kind === 'consent'
      ? prompt.items.map(({ field, reason, value, choices, offersAlways }) => ({
          field,
          reason,
          value: value ?? null,
          choices,
          offers_always: offersAlways,
        }))
      : [],
  conflict: prompt.kind === 'confirmation' ? (prompt.conflict?.text ?? null) : null,
  ...(prompt.kind === 'expansion' ? { scope: scopeView(prompt) } : {}),
});
