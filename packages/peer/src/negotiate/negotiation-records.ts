// What a peer keeps of its negotiations, of its person's profile and of open questions. All of it survives a restart (A2C-34).

import type { NegotiationGroup } from '@parley/core/group';
import type { Negotiation, NegotiationNotice } from '@parley/core/negotiation';
import { type ConsentItem, defaultSharing, type SharingRules } from '@parley/core/consent';
import type { FreeFields, Intent, Need, ProposedAction } from '@parley/protocol/relay';
import type { ConfiguredAction } from '../actions/configured-actions.ts';
import type { ActionCall } from '../actions/port.ts';
import type { ModelSettings } from '../brains/model-settings.ts';
import type { OutsidePerson } from '../outside/outside-people.ts';
import type { PeerStore, RecordChange } from '../store/port.ts';
import type { MoveOrigin } from './peer-brain.ts';
import type { CalendarServer } from './personal-calendar.ts';
import { getValue, negotiationKey, newId } from '../packets/peer-records.ts';
import type { Staging } from '../packets/staging.ts';

/** A proposal that was sent or received. */
export interface KnownProposal {
  summary: string;
  details: FreeFields;
  alternatives: { summary: string; reason?: string | undefined }[];
  reasoning: string;
  actions: ProposedAction[];
  /** Only says which answers came: no person is asked about it. */
  isReceipt: boolean;
}

/** Work that the machine asked for and that is not finished. */
export type NegotiationJob = { kind: 'run'; hash: string; scope: 'shared' | 'own'; actions: number[] } | { kind: 'undo'; hash: string };

/** About the coordinator's role. */
type GroupNotice = 'coordinator_changed' | 'transfer_declined' | 'false_transfer';

export interface NegotiationNote {
  at: number;
  notice: NegotiationNotice | 'calendar_unreadable' | 'memory_changed' | 'leak_stopped' | 'model_away' | OutsideNotice | GroupNotice;
  details: FreeFields;
}

/** About somebody without an agent. */
export type OutsideNotice = 'outside_offered' | 'outside_replied' | 'outside_unreadable' | 'outside_late';

/** How the models of a negotiation did. */
export interface ModelRecord {
  /** The latest ones (A2C-37). */
  steps: (MoveOrigin & { at: number; regenerations: number })[];
  /** How often a model wanted what it may not. */
  dropped: number;
  /** Since a model last answered. */
  retries: number;
  /** No model answered: the next try (A2C-35). */
  retryAt: number | null;
}
/** The seed's words (A2C-35). */
export const modelAwayText = "I can't process this right now — I'll handle it when I'm back online";

export const noModel: ModelRecord = { steps: [], dropped: 0, retries: 0, retryAt: null };

export interface MachineRecord {
  machine: Negotiation;
  /** On each line of a group that this side coordinates: the member whose line holds the group. */
  lead?: string;
  /** On that line. */
  group?: NegotiationGroup;
  /** The coordinator has not looked yet whether it can propose; a restart repeats it. */
  isGroupDue?: boolean;
  /** The other side has no agent: their answers come by the person, or over a link (A2C-11). */
  outside?: OutsidePerson;
  createdAt?: number;
  /** Null until the packet that names it has come. */
  intent: Intent | null;
  /** Who changed it, or split it off; absent: it is the initiator's. */
  intentBy?: 'own' | 'peer';
  /** Values from this person's own words: they go unprompted to the peer whom the words named (A2C-24). */
  stated: FreeFields;
  /** Needs that the person gave with the intent. */
  wanted: Need[];
  /** The person's answers in this negotiation. */
  decisions: Readonly<Record<string, 'share' | 'decline'>>;
  /** How many of them a fork of the peer's took over from its parent. */
  inheritedDecisions?: number;
  /** The person was asked about a wider scope, and has answered. */
  goesOn?: true;
  /** Values that came with these answers. */
  given: FreeFields;
  /** When the person said in words that they are free, instead of what their calendar says. */
  saidFree?: string[];
  received: FreeFields;
  /** Fields that the peer does not give. */
  unavailable: string[];
  /** The latest proposals, by hash. */
  proposals: Record<string, KnownProposal>;
  /** Starts of proposed windows that somebody did not want. */
  rejected: number[];
  /** The peer's person wants something different: in their words. */
  peerWish: string | null;
  /** This side suggested something different, so the next proposal is the peer's. */
  awaitsProposal: boolean;
  /** This person wants something different, or other days after a conflict: in their words. */
  ownWish?: string;
  /** How far ahead to look, in days, after the person let a negotiation without a common time go on. */
  searchDays?: number;
  /** The brain has not finished; a restart repeats it. */
  isEvaluationDue: boolean;
  /** A refusal that no person makes waits until then, so that its speed does not tell (A2C-25). */
  quietUntil: number | null;
  /** The prompt about a consent, a stranger or a wider scope that the negotiation waits for. */
  openPrompt: string | null;
  /** The open proposal waits until the person has answered about a wider scope. */
  isProposalHeld?: boolean;
  /** The person's answer about somebody whose key nobody compared; absent: not asked. */
  mayReachStranger?: boolean;
  /** Absent where no model had to think. */
  model?: ModelRecord;
  jobs: NegotiationJob[];
  notes: NegotiationNote[];
  /** Packets both ways. */
  packets: number;
  /** Consent prompts of this person. */
  prompts: number;
  /** When this side's last packet went out; null where the peer has answered it. */
  sentAt: number | null;
}

interface PromptHead {
  id: string;
  peer: string;
  threadId: string;
  at: number;
  state: 'open' | 'answered' | 'withdrawn';
}

export interface ConsentPrompt extends PromptHead {
  kind: 'consent';
  items: ConsentItem[];
}

export interface ConfirmationPrompt extends PromptHead {
  kind: 'confirmation';
  hash: string;
  proposal: KnownProposal;
  answer: 'confirm' | 'different' | 'excuse' | 'decline' | null;
  /** The event in the person's calendar then, as a refusal named it: confirming anyway keeps both. */
  conflict?: { text: string };
}

/** Nobody compared the key of the other side: nothing goes out before the person answers. */
export interface StrangerPrompt extends PromptHead {
  kind: 'stranger';
}

/** The negotiation is about something new: nothing goes out until the person answers (A2C-19). */
export interface ExpansionPrompt extends PromptHead {
  kind: 'expansion';
  /** Of a fork: what its parent was about. */
  before: Intent | null;
  /** Whose words that is in. */
  beforeBy?: 'own' | 'peer' | undefined;
  after: Intent;
  isFork: boolean;
  /** In the peer's words. */
  reason: string | null;
  /** Fields that are asked for besides. */
  asked: string[];
  /** Fields that they have already. */
  shared: string[];
  answer: 'go_on' | 'keep' | 'decline' | null;
}
export type PromptRecord = ConsentPrompt | ConfirmationPrompt | StrangerPrompt | ExpansionPrompt;

export interface ProfileRecord {
  fields: FreeFields;
  rules: SharingRules;
  /** How often each field was shared after a prompt, by address. */
  approvals: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Paths and addresses of iCalendar files. */
  calendars: string[];
  /** CalDAV, with their passwords. The peer adds its events to the first one. */
  servers?: CalendarServer[];
  /** Absent in profiles that were stored before there were any. */
  actions?: ConfiguredAction[];
  /** Absent: the rules negotiate, without a model. */
  model?: ModelSettings;
  /** In the registry: the hub's model negotiates. */
  usesHubModel?: boolean;
  /** Fields whose tier the person chose for everybody. */
  chosen?: string[];
}

/** One action of a confirmed proposal: written down before it happens and after. */
export interface JournalRecord {
  hash: string;
  place: number;
  /** `refused`: it did not happen, for sure. `stays`: it could not be undone, and is listed to both people. */
  state: 'intended' | 'done' | 'refused' | 'undoing' | 'undone' | 'stays';
  call: Omit<ActionCall, 'now' | 'isRepeated'>;
}

export const emptyProfile: ProfileRecord = { fields: {}, rules: defaultSharing, approvals: {}, calendars: [] };
export const journalKey = (threadId: string, hash: string, place: number): string => `${threadId}/${hash}/${place}`;

export const profileIn = async (store: PeerStore): Promise<ProfileRecord> => (await getValue(store, 'profile', 'own')) ?? emptyProfile;

/** Of a negotiation, or of one line of a group. */
export const keyOf = ({ machine }: Pick<MachineRecord, 'machine'>): string => negotiationKey(machine.peer, machine.threadId);
export const putMachine = (record: MachineRecord): RecordChange => ({ put: 'machine', key: keyOf(record), value: record });
export const putPrompt = (prompt: PromptRecord): RecordChange => ({ put: 'prompt', key: prompt.id, value: prompt });
export const putProfile = (profile: ProfileRecord): RecordChange => ({ put: 'profile', key: 'own', value: profile });

/** A proposal's question has an ID that follows from the proposal, so that it is asked once. */
export const confirmationId = (hash: string): string => `prm_${hash.slice(0, 26)}`;

export const newPrompt = ({ machine: { peer, threadId } }: MachineRecord, at: number): PromptHead => ({
  id: newId('prm'),
  peer,
  threadId,
  at,
  state: 'open',
});

export const newMachine = (machine: Negotiation): MachineRecord => ({
  machine,
  createdAt: machine.quietSince,
  intent: null,
  stated: {},
  wanted: [],
  decisions: {},
  given: {},
  received: {},
  unavailable: [],
  proposals: {},
  rejected: [],
  peerWish: null,
  awaitsProposal: false,
  isEvaluationDue: false,
  quietUntil: null,
  openPrompt: null,
  jobs: [],
  notes: [],
  packets: 0,
  prompts: 0,
  sentAt: null,
});

export const intentByOf = ({ intentBy, machine }: MachineRecord): 'own' | 'peer' =>
  intentBy ?? (machine.role === 'initiator' ? 'own' : 'peer');

// Questions to the person that nobody needs to answer any more.

export async function withdrawPrompt(staging: Staging, id: string): Promise<void> {
  const prompt = await getValue(staging, 'prompt', id);
  if (prompt?.state === 'open') await staging.commit([putPrompt({ ...prompt, state: 'withdrawn' })]);
}
