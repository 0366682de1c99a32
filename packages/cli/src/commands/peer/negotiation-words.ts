// A negotiation as lines of a terminal. Some of the words come from the other peer.

import { agreedStates, memberStatusTexts, momentWords, negotiationStateText, readMoment, spanWords } from '@parley/core';
import type { OpenPrompt, OwnNegotiation } from '@parley/protocol';
import { count } from '../../output.ts';
import { me } from '../../hints.ts';
import { promptLines } from '../../peer-prompts.ts';

/** Notices that a person has to read, also at the end of a negotiation. */
const importantNotices = [
  'leak_stopped',
  'outside_replied',
  'intent_changed',
  'fork_refused',
  'memory_changed',
  'coordinator_changed',
  'transfer_declined',
  'second_outcome',
  'false_outcome',
  'unsafe_quorum',
  'impossible_time',
  'false_transfer',
];

/** A pause, or a model that was away, matters only as long as it holds things up. */
export const noticeLines = ({ notes, model, isPaused }: Pick<OwnNegotiation, 'notes' | 'model' | 'isPaused'>): string[] => {
  const isWaiting = typeof model?.retryAt === 'number';
  const lastPause = isPaused ? notes.findLast(({ notice }) => notice === 'paused') : undefined;
  return notes
    .filter((note) => importantNotices.includes(note.notice) || (isWaiting && note.notice === 'model_away') || note === lastPause)
    .map(({ text }) => `  ${text}.`);
};

/** Peers of a terminal work only while a command runs. */
export const confirmedLines = ({ threadId, peer, group, isOutside, state, isConfirmed }: OwnNegotiation, folder: string): string[] =>
  isConfirmed && state === 'PROPOSED' && !isOutside
    ? [`  It waits for ${group ? 'the others' : peer}. \`${me} peer show ${threadId}${folder}\` fetches their answer, and finishes it.`]
    : [];

export function negotiationLines(shown: OwnNegotiation): string[] {
  const { threadId, peer, group, outside, state, intent, proposal, packets, prompts, isConfirmed } = shown;
  const counts = `${count(packets, 'packet')}, ${count(prompts, 'consent prompt')}`;
  const whom = outside ? `${outside.name}, who has no agent` : group ? `a group of ${group.members.length}` : peer;
  const head = [
    `${threadId} with ${whom}: ${negotiationStateText(state)}${isWithoutMe(shown) ? ', without you' : ''} (${counts})`,
    intent,
    ...familyLines(shown),
    ...groupLines(group),
    ...exchangedLines(shown),
  ];
  if (!proposal) return head;
  const alternatives = proposal.alternatives.map(({ summary, reason }) => `  or: ${summary}${reason === null ? '' : ` (${reason})`}`);
  const actions = proposal.actions.map((action) => `  does: ${actionWords(action)}`);
  const confirmation = isConfirmed ? ['You confirmed it.'] : [];
  return [
    ...head,
    `Proposal: ${proposal.summary}`,
    ...detailLines(proposal),
    `  ${proposal.reasoning}`,
    ...alternatives,
    ...actions,
    ...confirmation,
  ];
}

/** The time and place for the calendar, if the summary lacks them: it may name another time zone, or be false. */
function detailLines({ summary, details: { start, end, location } }: NonNullable<OwnNegotiation['proposal']>): string[] {
  const [from, to] = [readMoment(start), readMoment(end)];
  const when = from === undefined || to === undefined || to <= from ? undefined : spanWords(from, to, ownZone());
  const isInSummary = (text: string): boolean => summary.includes(text);
  return [
    ...(when === undefined || isInSummary(when) ? [] : [`  When: ${when} (${ownZone()})`]),
    ...(typeof location !== 'string' || isInSummary(location) ? [] : [`  Where: ${location}`]),
  ];
}

/** The negotiation that this one was split off from, and those split off from it. */
function familyLines({ family }: OwnNegotiation): string[] {
  const forks = family.filter(({ relation }) => relation === 'fork').map(({ threadId }) => threadId);
  return [
    ...family.filter(({ relation }) => relation === 'parent').map(({ threadId }) => `  split off from ${threadId}`),
    ...(forks.length === 0 ? [] : [`  split into ${forks.join(', ')}`]),
  ];
}

/** Which model took the last step, and what it was not allowed to do. A packet that waits for a model says so in its note. */
export function modelLines({ model }: Pick<OwnNegotiation, 'model'>): string[] {
  const step = model?.steps.at(-1);
  if (!model || !step) return [];
  const after = step.isTainted ? ', after words of their peer' : '';
  const dropped =
    model.dropped === 0 ? [] : [`  Your model wanted ${count(model.dropped, 'thing')} that it may not do; nothing came of it.`];
  return [`  Last step: ${step.model} (${step.provider}), ${Math.round(step.confidence * 100)} % sure${after}`, ...dropped];
}

/** The others agreed, and this person's confirmation was not among those that counted. Of a member's group only its own status is known. */
const isWithoutMe = ({ group, role, state }: OwnNegotiation): boolean =>
  role === 'responder' &&
  agreedStates.has(state) &&
  (group?.members.some(({ status }) => status === 'missed' || status === 'conflict') ?? false);

/** The coordinator's wait for answers: its end, and the next step. */
function waitingLines({ members, coordinator, quorum, answersBy }: NonNullable<OwnNegotiation['group']>): string[] {
  const silent = members.filter(({ address, status }) => address !== coordinator && status === 'waiting');
  if (answersBy === null || silent.length === 0) return [];
  const isQuorum = quorum !== null && quorum < members.length;
  const then = isQuorum
    ? 'your peer goes on without these answers, if enough have answered'
    : 'your peer asks you whether to go on waiting';
  return [`  waits for answers until ${momentWords(answersBy, ownZone())}; then ${then}`];
}

/** The members of a group. Only the coordinator knows the status of each. */
function groupLines(group: OwnNegotiation['group']): string[] {
  if (!group) return [];
  const { coordinator, members, quorum, order } = group;
  const enough = quorum === null ? [] : [`  ${quorum} of ${members.length} confirmations are enough`];
  const sequence = order.length === 0 ? [] : [`  in this order: ${order.join(', ')}`];
  const people = members.map(({ address, status }) => {
    const role = address === coordinator ? ' (coordinator)' : '';
    return `  ${address}${role}${status === null ? '' : `: ${memberStatusTexts[status].toLowerCase()}`}`;
  });
  return [...people, ...enough, ...sequence, ...waitingLines(group)];
}

/** A capability is introduced where it helps first (A2C-39). */
export const introductionWords = (
  introduction: OwnNegotiation['introduces'][number],
  { peer }: Pick<OwnNegotiation, 'peer'>,
  folder: string,
): string =>
  ({
    person: `Your peer has not negotiated with ${peer} before: it asks you more often, until it learns what you share with them.`,
    group:
      'One peer coordinates a group: it asks everybody, proposes what suits most, and counts confirmations. The others see only the proposal.',
    project: `This looks like a project. A shared space keeps decisions and next actions with everybody: \`${me} peer space create --help\`.`,
    memory: `Your peer has learned what people usually ask and share: \`${me} peer memory${folder}\` shows it, and you can correct it.`,
  })[introduction];

/** A coordinator keeps the members' values to itself, so a group has no "They shared". */
function exchangedLines({ steps, received, group }: OwnNegotiation): string[] {
  const ownSteps = steps.filter(({ by }) => by === 'me');
  const lines = {
    'You shared': ownSteps.flatMap(({ shared }) => Object.keys(shared)),
    'Your peer did not share': ownSteps.flatMap(({ withheld }) => withheld),
    'They shared': group ? [] : Object.keys(received),
  };
  return Object.entries(lines).flatMap(([label, fields]) =>
    fields.length === 0 ? [] : [`  ${label}: ${[...new Set(fields)].join(', ')}`],
  );
}

/** Confirming approves exactly these (A2C-24). */
function actionWords({ text, scope, by, reversible }: NonNullable<OwnNegotiation['proposal']>['actions'][number]): string {
  const where = scope === 'shared' ? 'once, for both' : by === null ? 'at each of you' : `at ${by}`;
  return `${text}, ${where}${reversible ? '' : '; it cannot be undone'}`;
}

/** The prompt as everywhere in the terminal, then the command that answers it. */
export const openPromptLines = (prompt: OpenPrompt, folder: string): string[] => [
  // The lines above show the proposal already.
  ...(prompt.kind === 'proposal' ? [] : promptLines(prompt)),
  ...commandLines(prompt, folder).map((line) => `  ${line}`),
];

function commandLines(prompt: OpenPrompt, folder: string): string[] {
  if (prompt.kind === 'key_change') return [`Compare it: \`${me} peer verify ${prompt.peer}${folder}\`.`];
  const { threadId: id, peer } = prompt;
  const command = (verb: string): string => `${me} peer ${verb} ${id}${folder}`;
  switch (prompt.kind) {
    case 'consent': {
      const names = prompt.fields.map(({ field }) => field).join(',');
      const values = prompt.fields
        .filter(({ value }) => value === null)
        .map(({ field, choices }) => ` --value ${field}=${exampleOf(choices[0])}`);
      const repeated = prompt.fields.filter(({ offersAlways }) => offersAlways).map(({ field }) => field);
      return [
        ...(repeated.length === 0 ? [] : [`You shared ${repeated.join(', ')} before: --always stops the question.`]),
        `Decide with \`${command('consent')} --share ${names}${values.join('')}\`; fields you do not name are declined.`,
      ];
    }
    case 'proposal':
      if (prompt.conflict !== null)
        return [
          `Your calendar has something else then: ${prompt.conflict}.`,
          `Keep both with \`${command('confirm')} --anyway\`, or add --different, --excuse or --decline.`,
        ];
      return [`Confirm it with \`${command('confirm')}\`, or add --different, --excuse or --decline.`];
    case 'stranger':
      return [
        `Nobody compared the key of ${peer}, so nothing was sent. Compare it with \`${me} peer verify ${peer}${folder}\`.`,
        `\`${command('answer')}\` lets the negotiation go on, with the fields that you always share; add --ignore to send nothing.`,
      ];
    case 'expansion': {
      const keep = prompt.isFork || prompt.before === '' ? '' : '--keep to keep it as it was, ';
      return [`\`${command('answer')}\` goes on; add ${keep}--decline to end it.`];
    }
    case 'escalation':
      return [`\`${command('continue')} --different "next week"\` tries other days; \`${command('decline')}\` ends it.`];
  }
}

const ownZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;
const exampleOf = (choice: unknown): string => (typeof choice === 'string' ? JSON.stringify(choice) : '…');
