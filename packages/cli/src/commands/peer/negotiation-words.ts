// A negotiation in the lines of a terminal. Words of the peer are in them.

import { type ExchangedFields, modelAwayText, type NegotiationView, type PromptView, type ReachedView, whoseWords } from '@parley/peer';
import { momentWords, readMoment, spanWords, windowRows } from '@parley/core';
import { count } from '../../output.ts';
import { me } from '../../program-name.ts';

export const stateWords: Readonly<Record<string, string>> = {
  INITIATED: 'Opened',
  NEGOTIATING: 'Negotiating',
  PROPOSED: 'Proposed',
  STALLED: 'Stalled',
  CONFIRMED: 'Confirmed',
  EXECUTING: 'Executing',
  FAILED: 'Failed',
  ROLLBACK: 'Undoing',
  COMPLETED: 'Completed',
  DECLINED: 'Declined',
  EXPIRED: 'Expired',
};

export const noteWords: Readonly<Record<string, (details: NegotiationView['notes'][number]['details']) => string>> = {
  leak_stopped: ({ fields }) => `Stopped: your negotiator wrote a packet with values that they may not get: ${JSON.stringify(fields)}.`,
  model_away: ({ problem }) => `${modelAwayText} (${typeof problem === 'string' ? problem : ''}).`,
  outside_replied: ({ kind, text, time }) =>
    `They ${kind === 'works' ? `picked ${JSON.stringify(time)}` : kind === 'cannot' ? 'can’t' : 'want something different'}${text === '' ? '.' : `: ${JSON.stringify(text)}`}`,
  intent_changed: ({ by, before, after }) =>
    `${by === 'own' ? 'You' : 'They'} changed what it is about: ${JSON.stringify(before)} became ${JSON.stringify(after)}.`,
  fork_refused: ({ reason }) =>
    `They wanted to split something off, which was refused: ${(typeof reason === 'string' ? reason : '').replaceAll('_', ' ')}.`,
  memory_changed: ({ field, before, value }) =>
    `Changed: ${JSON.stringify(field)} was ${JSON.stringify(before)}, they now say ${JSON.stringify(value)}.`,
  coordinator_changed: ({ coordinator }) => `The group has another coordinator: ${JSON.stringify(coordinator)}.`,
  transfer_declined: ({ by, reason }) =>
    `${JSON.stringify(by)} does not coordinate the group${typeof reason === 'string' ? `: ${JSON.stringify(reason)}` : ''}.`,
  second_outcome: ({ by }) =>
    `Another member, ${JSON.stringify(by)}, got another outcome of this negotiation. Ask the others before you rely on yours.`,
  false_outcome: () => 'They reported an outcome that is not true. It was ignored.',
  unsafe_quorum: () =>
    'They proposed that fewer than a majority agree, and you know nobody to compare the outcome with. The proposal was refused.',
  impossible_time: () => 'They proposed a time that is over, too far away or longer than a month. The proposal was refused.',
  false_transfer: ({ by }) => `${JSON.stringify(by)} claimed to coordinate the group without proof. It was ignored.`,
};

/** Peers of a terminal work only while a command runs. */
export const confirmedLines = ({ id, peer, group, outside, state, confirmed }: NegotiationView, folder: string): string[] =>
  confirmed && state === 'PROPOSED' && !outside
    ? [`  It waits for ${group ? 'the others' : peer}. \`${me} peer show ${id}${folder}\` fetches their answer, and finishes it.`]
    : [];

/** Only `show` knows what was exchanged: it looks at all packets. */
type ShownNegotiation = NegotiationView & Partial<ExchangedFields>;

export function negotiationLines(view: ShownNegotiation): string[] {
  const { id, peer, group, outside, state, intent, proposal, packets, prompts, confirmed } = view;
  const counts = `${count(packets, 'packet')}, ${count(prompts, 'consent prompt')}`;
  const whom = outside ? `${outside.name}, who has no agent` : group ? groupName(group) : peer;
  const head = [
    `${id} with ${whom}: ${stateWords[state] ?? state}${isWithoutMe(view) ? ', without you' : ''} (${counts})`,
    intent,
    ...familyLines(view),
    ...groupLines(group),
    ...exchangedLines(view),
  ];
  if (!proposal) return head;
  const others = proposal.alternatives.map(({ summary, reason }) => `  or: ${summary}${reason === undefined ? '' : ` (${reason})`}`);
  const does = proposal.actions.map((action) => `  does: ${actionWords(action)}`);
  const own = confirmed ? ['You confirmed it.'] : [];
  return [...head, `Proposal: ${proposal.summary}`, ...detailLines(proposal), `  ${proposal.reasoning}`, ...others, ...does, ...own];
}

/** What goes into the calendar, where the summary says something else: it may be in another zone, or a lie. */
function detailLines({ summary, details: { start, end, location } }: NonNullable<NegotiationView['proposal']>): string[] {
  const [from, to] = [readMoment(start), readMoment(end)];
  const when = from === undefined || to === undefined || to <= from ? undefined : spanWords(from, to, ownZone());
  const isTold = (text: string): boolean => summary.includes(text);
  return [
    ...(when === undefined || isTold(when) ? [] : [`  When: ${when} (${ownZone()})`]),
    ...(typeof location !== 'string' || isTold(location) ? [] : [`  Where: ${location}`]),
  ];
}

/** Where it was split off, and what was split off from it. */
const familyLines = ({ parent, forks }: NegotiationView): string[] => [
  ...(parent === null ? [] : [`  split off from ${parent}`]),
  ...(forks.length === 0 ? [] : [`  split into ${forks.join(', ')}`]),
];

/** Which model took the last step, and what it was not allowed to do. A packet that waits for a model says so in its note. */
export function modelLines({ model }: NegotiationView): string[] {
  const step = model?.steps.at(-1);
  if (!model || !step) return [];
  const after = step.tainted ? ', after words of their peer' : '';
  const dropped =
    model.dropped === 0 ? [] : [`  Your model wanted ${count(model.dropped, 'thing')} that it may not do; nothing came of it.`];
  return [`  Last step: ${step.model} (${step.provider}), ${Math.round(step.confidence * 100)} % sure${after}`, ...dropped];
}

/** That a model was away matters only as long as the packet waits. */
export const shownNotes = ({ notes, model }: NegotiationView): NegotiationView['notes'] =>
  notes.filter(({ notice }) => notice !== 'model_away' || typeof model?.retry_at === 'string');

const groupName = ({ members }: NonNullable<NegotiationView['group']>): string => `a group of ${members.length}`;

const memberWords: Readonly<Record<string, string>> = {
  waiting: 'no answer yet',
  answered: 'answered',
  asked: 'asked to confirm',
  confirmed: 'confirmed',
  conflict: 'wants something different',
  declined: 'declined',
  missed: 'enough people confirmed first',
};

/** The others agreed, and this person's confirmation was not among those that counted. Of a member's group only its own status is known. */
const isWithoutMe = ({ group, role, state }: NegotiationView): boolean =>
  role === 'responder' &&
  ['CONFIRMED', 'EXECUTING', 'COMPLETED'].includes(state) &&
  (group?.members.some(({ status }) => status === 'missed' || status === 'conflict') ?? false);

/** For whom the coordinator waits, until when, and what then. */
function waitingLines({ members, coordinator, quorum, answers_by: until }: NonNullable<NegotiationView['group']>): string[] {
  const silent = members.filter(({ agent, status }) => agent !== coordinator && status === 'waiting');
  if (until === null || silent.length === 0) return [];
  const isQuorum = quorum !== null && quorum < members.length;
  const then = isQuorum
    ? 'your peer goes on without these answers, if enough have answered'
    : 'your peer asks you whether to go on waiting';
  return [`  waits for answers until ${momentWords(Date.parse(until), ownZone())}; then ${then}`];
}

/** Who takes part, and at the coordinator how far each of them is. */
function groupLines(group: NegotiationView['group']): string[] {
  if (!group) return [];
  const { coordinator, members, quorum, order } = group;
  const enough = quorum === null ? [] : [`  ${quorum} of ${members.length} confirmations are enough`];
  const sequence = order.length === 0 ? [] : [`  in this order: ${order.join(', ')}`];
  const people = members.map(({ agent, status }) => {
    const role = agent === coordinator ? ' (coordinator)' : '';
    return `  ${agent}${role}${status === null ? '' : `: ${memberWords[status] ?? status}`}`;
  });
  return [...people, ...enough, ...sequence, ...waitingLines(group)];
}

/** A capability is introduced where it helps first (A2C-39). */
export const introductionWords = (introduction: ReachedView['introduces'][number], { peer }: NegotiationView, folder: string): string =>
  ({
    person: `Your peer has not negotiated with ${peer} before: it asks you more often, until it learns what you share with them.`,
    group:
      'One peer coordinates a group: it asks everybody, proposes what suits most, and counts confirmations. The others see only the proposal.',
    project: `This looks like a project. A shared space keeps decisions and next actions with everybody: \`${me} peer space create --help\`.`,
    memory: `Your peer has learned what people usually ask and share: \`${me} peer memory${folder}\` shows it, and you can correct it.`,
  })[introduction];

/** The person decides how it goes on. */
export function escalationLines({ id, notes }: NegotiationView, folder: string): string[] {
  const { by, reason, suggested_prompt: prompt, alternatives } = notes.findLast(({ notice }) => notice === 'escalated')?.details ?? {};
  const options = (Array.isArray(alternatives) ? alternatives : []).slice(0, 5).map((one) => {
    const { option = '', rationale = '' } = one as Record<string, unknown>;
    return `  ${String(option)} (${whoseWords(String(rationale), by === 'own')})`;
  });
  return [
    `  It needs you: ${[prompt, reason].find((words) => typeof words === 'string') ?? 'you decide how it goes on.'}`,
    ...options,
    `  \`${me} peer continue ${id}${folder} --different "next week"\` tries other days; \`${me} peer decline ${id}${folder}\` ends it.`,
  ];
}

function exchangedLines({ shared = [], withheld = [], received, group }: ShownNegotiation): string[] {
  const lines = { 'You shared': shared, 'Your peer did not share': withheld, 'They shared': group ? [] : Object.keys(received) };
  return Object.entries(lines).flatMap(([label, fields]) => (fields.length === 0 ? [] : [`  ${label}: ${fields.join(', ')}`]));
}

type ShownAction = NonNullable<NegotiationView['proposal']>['actions'][number];

/** Confirming approves exactly these (A2C-24). */
function actionWords({ action, service, scope = 'shared', by, reversible }: ShownAction): string {
  const where = scope === 'shared' ? 'once, for both' : by === undefined ? 'at each of you' : `at ${by}`;
  const what =
    action === 'add_calendar_event'
      ? 'adds the event to the calendar'
      : action === 'post_outcome'
        ? `posts the outcome in ${service ?? 'the channel where it was asked for'}`
        : `${action}${service === undefined ? '' : ` (${service})`}`;
  return `${what}, ${where}${reversible === true ? '' : '; it cannot be undone'}`;
}

function scopeLines({ id, peer }: NegotiationView, scope: NonNullable<PromptView['scope']>, folder: string): string[] {
  const { before, after, is_fork: isFork, reason, asked, shared } = scope;
  const keep = isFork || before === null ? '' : '--keep to keep it as it was, ';
  return [
    `${peer} ${isFork ? 'split off' : 'wants it to be about'}: ${after}`,
    ...(before === null ? [] : [`  ${isFork ? 'From' : 'Before'}: ${before}`]),
    ...(reason === null ? [] : [`  (${reason})`]),
    ...(asked.length === 0 ? [] : [`  They also ask for: ${asked.join(', ')}`]),
    `  They have already: ${shared.length === 0 ? 'nothing' : shared.join(', ')}`,
    `  \`${me} peer answer ${id}${folder}\` goes on; add ${keep}--decline to end it.`,
  ];
}

export function promptLines(view: NegotiationView, { kind, fields, conflict, scope }: PromptView, folder: string): string[] {
  const { id, peer, packets } = view;
  if (scope) return scopeLines(view, scope, folder);
  if (kind === 'confirmation' && conflict !== null)
    return [
      `  Your calendar has something else then: ${conflict}.`,
      `  Keep both with \`${me} peer confirm ${id}${folder} --anyway\`, or add --different, --excuse or --decline.`,
    ];
  if (kind === 'confirmation')
    return [`  Confirm it with \`${me} peer confirm ${id}${folder}\`, or add --different, --excuse or --decline.`];
  if (kind === 'stranger')
    return [
      `  Nobody compared the key of ${peer}, so nothing was sent. Compare it with \`${me} peer verify ${peer}${folder}\`.`,
      `  \`${me} peer answer ${id}${folder}\` lets the negotiation go on, with the fields that you always share; add --ignore to send nothing.`,
    ];
  const lines = fields.flatMap(({ field, reason, value, choices, offers_always: offers }) => [
    ...(value === null
      ? [`  ${field}: no value yet${choices.length > 0 ? `; perhaps ${choices.join(', ')}` : ''}`]
      : fieldLines(field, value)),
    ...(reason === null ? [] : [`    (${reason})`]),
    ...(offers ? ['    You shared it before: --always stops the question.'] : []),
  ]);
  const names = fields.map(({ field }) => field).join(',');
  const values = fields.filter(({ value }) => value === null).map(({ field, choices }) => ` --value ${field}=${exampleOf(choices[0])}`);
  // Before the first packet they cannot have asked.
  const asks = packets === 0 ? 'usually asks' : 'asks';
  return [
    `${peer} ${asks} for:`,
    ...lines,
    `  Decide with \`${me} peer consent ${id}${folder} --share ${names}${values.join('')}\`; fields you do not name are declined.`,
  ];
}

const ownZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Nothing is left out: the person reads it before they share it. Free time has a line for each row of days. */
function fieldLines(field: string, value: unknown): string[] {
  const rows = (Array.isArray(value) ? windowRows(value, ownZone()) : undefined) ?? [JSON.stringify(value)];
  return rows.length === 1 ? [`  ${field}: ${rows[0]}`] : [`  ${field}:`, ...rows.map((row) => `    ${row}`)];
}

const exampleOf = (choice: unknown): string => (typeof choice === 'string' ? JSON.stringify(choice) : '…');
