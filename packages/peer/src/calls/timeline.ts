// A negotiation as its person reads it: who did what, what was shared and what was not, from stored packets, prompts and notices.

import type { GroupProgress, NegotiationStep, OwnNegotiation } from '@parley/protocol';
import { isEnded } from '@parley/core/negotiation';
import { experienced, introductionsFor, type KnownNegotiation } from '@parley/core/space';
import { type FreeFields, type Packet, type PacketContents, packetTypeOf, type TypedPacket } from '@parley/protocol/relay';
import { type MachineRecord, modelAwayText, type NegotiationNote, type PromptRecord } from '../negotiate/negotiation-records.ts';
import { allRecords, type PacketRecord } from '../packets/peer-records.ts';
import type { PeerStore } from '../store/port.ts';
import type { NameOf } from '../actions/agreed-texts.ts';
import { openHash } from '../negotiate/effects.ts';
import { outsideNoteText, viewOutside } from '../outside/outside-words.ts';
import { allLines } from './group-progress.ts';
import { bareStep, modelAwayNote, modelStep } from './models.ts';
import { familyOf } from '../negotiate/forks/families.ts';
import { sentFields } from '../negotiate/forks/intent-records.ts';
import { isShown, leadOf } from '../negotiate/groups/group-lines.ts';
import { stateOf } from '../negotiate/groups/member-status.ts';
import { summaryOf, titleOf } from './negotiation-summary.ts';
import { openCardsOf, shownProposal } from './prompts.ts';
import type { OpenPeer } from './context.ts';

export async function wholeNegotiation(open: OpenPeer, id: string, nameOf: NameOf): Promise<OwnNegotiation> {
  const { negotiations, store } = open;
  const record = await leadOf(store, await negotiations.find(id));
  const { machine, group, received, notes, model } = record;
  const hash = openHash(record);
  const proposal = record.proposals[hash ?? ''];
  const lines = await allLines(store, record);
  const summary = await summaryOf(open, record, nameOf);
  return {
    ...summary,
    ...(summary.group ? { group: withReceived(summary.group, group ? lines : []) } : {}),
    proposal: proposal ? { hash: hash!, ...(await shownProposal(negotiations, proposal, record)) } : null,
    isConfirmed: group ? typeof group.proposal?.ownSignature === 'string' : (machine.proposal?.ownConfirmed ?? false),
    isPaused: machine.paused !== null,
    packets: lines.reduce((sum, { packets }) => sum + packets, 0),
    prompts: lines.reduce((sum, { prompts }) => sum + prompts, 0),
    openPrompts: await openCardsOf(open, record, nameOf),
    received,
    answered: machine.answered.own,
    notes: notes.map((note) => ({ ...note, text: noteText(note, record.outside, undefined, nameOf) })),
    model: model ? { steps: model.steps, dropped: model.dropped, retryAt: model.retryAt } : null,
    outside: viewOutside(record),
    steps: await stepsOf(store, lines, negotiations.parts.nameOf ?? nameOf),
    family: await familyIn(store, record),
    ...(machine.fork ? { sharedBefore: await sentFields(store, record) } : {}),
    introduces: await introductionsOf(store, record),
  };
}

/** Each member's own line has what they gave. */
const withReceived = (group: GroupProgress, lines: readonly MachineRecord[]): GroupProgress => ({
  ...group,
  members: group.members.map((member) => ({
    ...member,
    received: lines.find(({ machine }) => machine.peer === member.address)?.received ?? {},
  })),
});

/** A person with many negotiations has met everything (A2C-39). */
async function introductionsOf(store: PeerStore, record: MachineRecord): Promise<OwnNegotiation['introduces']> {
  if (isEnded(stateOf(record))) return [];
  const known: KnownNegotiation[] = [];
  for await (const { value } of allRecords(store, 'machine')) {
    const { machine, group, outside, intent } = value;
    const kind = outside ? 'outside' : group ? 'group' : 'pair';
    if (isShown(value)) known.push({ id: machine.threadId, peer: machine.peer, kind, intent: intent?.summary ?? '' });
    if (known.length > experienced) break;
  }
  return introductionsFor(record.machine.threadId, known);
}

async function familyIn(store: PeerStore, record: MachineRecord): Promise<OwnNegotiation['family']> {
  const { machine } = record;
  return (await familyOf(store, record)).map((one) => ({
    relation: one.machine.threadId === machine.fork?.parent ? 'parent' : machine.forks?.includes(one.machine.threadId) ? 'fork' : 'sibling',
    threadId: one.machine.threadId,
    title: titleOf(one),
    state: one.machine.state,
  }));
}

async function stepsOf(store: PeerStore, lines: readonly MachineRecord[], nameOf: NameOf): Promise<NegotiationStep[]> {
  const [{ machine }] = lines as [MachineRecord];
  const { threadId } = machine;
  const isGroup = machine.group !== undefined;
  const steps: NegotiationStep[] = lines.flatMap(({ notes, outside, model, machine: { peer } }) => [
    ...notes
      .filter(({ notice }) => outside || !packetNotices.includes(notice))
      .map((note) => noteStep(note, outside, isGroup ? nameOf(peer) : undefined, nameOf)),
    ...(model?.steps ?? []).map(modelStep),
  ]);
  // A former coordinator's packets stay in sight.
  const isOurs = (peer: string): boolean =>
    lines.some((line) => line.machine.peer === peer) || machine.group?.participants.some(({ agent }) => agent === peer) === true;
  for await (const { value } of allRecords(store, 'packet'))
    if (isOurs(value.peer) && value.packet.thread_id === threadId) steps.push(packetStep(value, isGroup ? nameOf(value.peer) : undefined));
  for await (const { value } of allRecords(store, 'prompt'))
    if (isOurs(value.peer) && value.threadId === threadId) steps.push(promptStep(value));
  const sorted = steps.toSorted((one, other) => one.at - other.at);
  return lines.length === 1 ? sorted : withoutCopies(sorted);
}

/** A proposal, an outcome and a report go to every member, and are one step. */
function withoutCopies(steps: readonly NegotiationStep[]): NegotiationStep[] {
  const copied = ['resolution', 'resolution_outcome', 'execution_report'];
  const isCopy = (step: NegotiationStep, at: number): boolean =>
    step.by === 'me' &&
    copied.includes(step.kind) &&
    steps.findIndex((one) => one.by === 'me' && one.kind === step.kind && one.text === step.text) < at;
  return steps.filter((step, at) => !isCopy(step, at));
}

/** A packet says the same. */
const packetNotices: readonly NegotiationNote['notice'][] = [
  'confirmed',
  'completed',
  'declined',
  'expired',
  'failed',
  'peer_suggested',
  'intent_changed',
  'forked',
  'transfer_declined',
];

/** `name`: of the one at the other end, in a group. */
function packetStep({ packet, direction, at, problem }: PacketRecord, name: string | undefined): NegotiationStep {
  const { context, context_provided: provided, context_unavailable: refused = [], needs = [] } = packet;
  const { shared_context: common } = packet as Partial<PacketContents<'thread_fork'>>;
  const { additional_context_needed: further = [] } = packet as Partial<PacketContents<'intent_update'>>;
  const isMine = direction === 'out';
  const failed = problem === undefined ? '' : ` It was not delivered: ${problem}`;
  return {
    at,
    by: isMine ? 'me' : 'peer',
    kind: packet.type,
    text: `${packetText(packet, isMine, name)}${failed}`,
    shared: { ...common, ...(context && toldIn(context)), ...provided },
    asked: [...needs, ...further].map(({ field }) => field),
    withheld: refused.map(({ field }) => field),
  };
}

/** The step names the conflict, so its fields leave only the alternatives. */
function toldIn({ conflict, proposed_alternatives: alternatives, ...context }: FreeFields): FreeFields {
  if (conflict === undefined) return alternatives === undefined ? context : { ...context, proposed_alternatives: alternatives };
  const options = (Array.isArray(alternatives) ? alternatives : []).flatMap((one) => textOf(one, 'option') ?? []);
  return { ...context, ...(options.length > 0 ? { alternatives: options } : {}) };
}

const textOf = (value: FreeFields[string] | undefined, name: string): string | undefined => {
  const found = typeof value === 'object' && value !== null && !Array.isArray(value) ? value[name] : undefined;
  return typeof found === 'string' ? found : undefined;
};

/** Words of the other side are in quotation marks. The summary names the other person, as the hub calls them. */
function packetText(packet: Packet, isMine: boolean, name: string | undefined): string {
  const theirs = name === undefined ? 'Their peer' : `The peer of ${name}`;
  const [who, whom] = isMine ? ['Your peer', name === undefined ? 'theirs' : `that of ${name}`] : [theirs, 'yours'];
  const person = isMine ? 'You' : (name ?? 'They');
  const { needs = [], context, context_provided: provided } = packet;
  if (context?.['conflict'] !== undefined) {
    const why = textOf(context['conflict'], 'attempted_resolution');
    return `${who} met a conflict${why === undefined ? '' : `: “${why}”`}`;
  }
  const gave = Object.keys({ ...context, ...provided }).length > 0 ? 'shared' : needs.length > 0 ? '' : 'shared nothing';
  const acts = [gave, needs.length > 0 ? `asked ${whom}` : ''].filter((act) => act !== '');
  const typed = { as: packetTypeOf(packet), packet } as TypedPacket;
  switch (typed.as) {
    case 'intent_update':
      return intentText(typed.packet, isMine);
    case 'thread_fork':
      return `${isMine ? 'You' : 'They'} split off ${typed.packet.new_threads.map(({ intent }) => `“${intent.summary}”`).join(' and ')}`;
    case 'resolution':
      return `${who} proposed “${typed.packet.proposal.summary}”`;
    case 'resolution_response':
      return responseText(person, typed.packet);
    case 'resolution_outcome':
      return endText(name === undefined ? 'Both' : 'Enough people', typed.packet);
    case 'execution_report':
      return reportText(who, typed.packet, name === undefined);
    case 'coordinator_transfer':
      return transferText(who, typed.packet);
    case 'processing_error':
      return typed.packet.about === undefined
        ? `${who} could not write a valid answer`
        : `${who} could not take it: “${typed.packet.reason ?? ''}”`;
    case 'thread_summary':
      return `${who} said which packets came`;
    default:
      return `${who} ${acts.join(' and ')}`;
  }
}

function intentText({ previous_intent: before, updated_intent: after }: PacketContents<'intent_update'>, isMine: boolean): string {
  const from = before === undefined ? '' : `, from “${before.summary}”`;
  return `${isMine ? 'You' : 'They'} changed what it is about to “${after.summary}”${from}`;
}

const messageText = (message: string | undefined): string => (message === undefined ? '' : `: “${message}”`);

function responseText(person: string, response: PacketContents<'resolution_response'>): string {
  if (response.status === 'confirmed') return `${person} confirmed the proposal`;
  const did = response.reason_class === 'scheduling_conflict' ? 'asked for something else' : 'declined';
  return `${person} ${did}${messageText(response.message_to_other_agent)}`;
}

function endText(everybody: string, { status, message_to_other_agent: message }: PacketContents<'resolution_outcome'>): string {
  if (status === 'confirmed') return `${everybody} confirmed the proposal`;
  return status === 'expired' ? 'The proposal expired' : `The negotiation was declined${messageText(message)}`;
}

function transferText(who: string, { status = 'offered', reason }: PacketContents<'coordinator_transfer'>): string {
  if (status === 'offered') return `${who} offered to hand over the coordination`;
  if (status === 'granted') return `${who} handed over the coordination`;
  if (status === 'accepted') return `${who} accepted the coordination`;
  return `${who} declined the coordination${messageText(reason)}`;
}

function reportText(who: string, { scope, status }: PacketContents<'execution_report'>, isForTwo: boolean): string {
  if (status === 'failed') return `${who} could not do what was agreed`;
  if (status === 'undone') return `${who} undid what was done`;
  return scope === 'all'
    ? 'Everything that was agreed is done'
    : `${who} did ${scope === 'shared' ? `what was agreed for ${isForTwo ? 'both' : 'all'}` : 'its part'}`;
}

const promptTexts = {
  consent: 'You were asked what to share',
  confirmation: 'You were asked to confirm the proposal',
  stranger: 'You were asked whether to go on with somebody unverified',
  expansion: 'You were asked whether to go on with what it is about now',
};
const endings = { open: '', answered: '; you answered', withdrawn: '; the question was withdrawn' };

const promptStep = (prompt: PromptRecord): NegotiationStep => ({
  at: prompt.at,
  by: 'platform',
  kind: 'prompt',
  text: `${promptTexts[prompt.kind]}${endings[prompt.state]}`,
  ...bareStep,
  asked: prompt.kind === 'consent' ? prompt.items.map(({ field }) => field) : [],
});

const plain = (value: FreeFields[string] | undefined): string => (typeof value === 'string' ? value : (JSON.stringify(value ?? '') ?? ''));

type NoticeText = string | ((details: FreeFields, nameOf: NameOf) => string);

const noticeTexts: Readonly<Record<NegotiationNote['notice'], NoticeText>> = {
  stalled: 'Nothing came for too long, so the negotiation stalled',
  escalated: 'The peers could not agree, so people decide',
  paused: ({ by }) =>
    by === 'peer'
      ? 'The other side could not take the last packet, so the negotiation is paused'
      : 'Your peer could not write a valid packet, so the negotiation is paused',
  intent_changed: ({ by, before, after }) =>
    `${by === 'own' ? 'You' : 'They'} changed what it is about to “${plain(after)}”, from “${plain(before)}”`,
  forked: 'Something was split off',
  fork_refused: ({ reason }) => `They wanted to split something off; it was refused: ${plain(reason).replaceAll('_', ' ')}`,
  reminder: 'You were reminded of the proposal',
  overdue: 'The answer is overdue',
  peer_suggested: 'They want something different',
  confirmed: 'Both confirmed the proposal',
  confirmed_without_you: 'The others agreed without you',
  confirmed_before_decline: 'A confirmation came before the decline, so it counts',
  false_outcome: 'They reported an outcome that is not true; it was ignored',
  impossible_time: 'They proposed a time that is over, too far away or longer than a month; it was refused',
  second_outcome: ({ by }, nameOf) =>
    `Another member, ${nameOf(plain(by))}, got another outcome of this negotiation: ask the others before you rely on yours`,
  unsafe_quorum:
    'They proposed that so few confirm that others could agree on something else, and you know none of those to compare with; it was refused',
  expired: 'The proposal expired',
  declined: 'The negotiation was declined',
  failed: 'An action failed',
  irreversible: 'Something that was done cannot be undone',
  completed: 'Everything that was agreed is done',
  calendar_unreadable: 'A calendar of yours could not be read, so the answer waits',
  leak_stopped: ({ fields }) =>
    `A packet would have carried a value that you do not share, so it was not sent: ${[fields].flat().map(plain).join(', ')}`,
  model_away: modelAwayText,
  outside_offered: 'Your peer wrote the text for them',
  outside_replied: 'They answered',
  outside_unreadable: 'An answer came over the link that was not sealed with its key; it was ignored',
  outside_late: 'An answer came over a link when it could not count any more; nothing changed',
  memory_changed: (details) => `Something that your peer remembered of them has changed: ${changeText(details)}`,
  coordinator_changed: ({ coordinator }, nameOf) => `The coordination of the group was handed over to ${nameOf(plain(coordinator))}`,
  transfer_declined: ({ by, reason }, nameOf) =>
    `The peer of ${nameOf(plain(by))} did not accept to coordinate${typeof reason === 'string' ? `: “${reason}”` : ''}`,
  false_transfer: ({ by }, nameOf) => `${nameOf(plain(by))} claimed to coordinate the group without proof; it was ignored`,
};

const changeText = ({ field, before, value }: FreeFields): string =>
  `${plain(field)} was “${plain(before)}”, they now say “${plain(value)}”`;

/** Where one member of a group is meant. */
const groupTexts = (name: string): Partial<Record<NegotiationNote['notice'], NoticeText>> => ({
  stalled: `Nothing came from ${name} for too long`,
  escalated: 'No time suits enough of you, so you decide',
  overdue: `The answer of ${name} is overdue`,
  false_outcome: `The peer of ${name} reported an outcome that is not true; it was ignored`,
  memory_changed: (details) => `Something that your peer remembered of ${name} has changed: ${changeText(details)}`,
});

const noteStep = (note: NegotiationNote, outside: MachineRecord['outside'], name: string | undefined, nameOf: NameOf): NegotiationStep => ({
  at: note.at,
  by: note.notice === 'outside_replied' ? 'peer' : 'platform',
  kind: note.notice,
  text: noteText(note, outside, name, nameOf),
  ...bareStep,
});

const noteText = (note: NegotiationNote, outside: MachineRecord['outside'], name: string | undefined, nameOf: NameOf): string =>
  (outside && outsideNoteText(outside, note)) ?? modelAwayNote(note) ?? noticeText(note, name, nameOf);

/** `name`: of the member of a group that is meant. */
export function noticeText({ notice, details }: Omit<NegotiationNote, 'at'>, name: string | undefined, nameOf: NameOf): string {
  const text = (name === undefined ? undefined : groupTexts(name)[notice]) ?? noticeTexts[notice] ?? notice;
  return typeof text === 'string' ? text : text(details, nameOf);
}
