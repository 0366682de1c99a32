// What a message means for the agents in its conversation: `attend` decides for each that could be meant, and here
// follow the tasks, what is added to open ones, and what the author is told.

import {
  allCostText,
  type Address,
  attend,
  goesRound,
  isAddressed,
  isAnyones,
  isComplete,
  isSentAway,
  type Listener,
  mayCallMany,
  mayTake,
  offerBeside,
  type Piece,
  type Said,
  saying,
  standsInThread,
  type Verdict,
  type Wording,
} from '@parley/core';
import { ParleyError } from '@parley/protocol';
import type { ConversationRow, MemberRow, MessageRow, TaskRow } from '../../../store/tables.ts';
import type { Context } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { wakeUp } from '../agents/agents.ts';
import { type GoingOn, goingOn, standingOf } from '../tasks/task-continuation.ts';
import { askToLeave, comeBack } from './leave-requests.ts';
import { allCost } from '../budget/all-cost.ts';
import { blockersOf } from '../people/blocked-members.ts';
import { leftFrom } from '../rooms/leave-request-rows.ts';
import { continueTask, type MoreSaid } from '../tasks/follow-ups.ts';
import { notify } from '../facts/notices.ts';
import { agentLock, presenceOf } from '../offers/offers.ts';
import { partakersIn } from '../rooms/thread-participants.ts';
import { openFor, openForAny, openForRole } from '../tasks/open-requests.ts';
import { agentsIn, kindOf, type Named, namedIn } from '../rooms/addressable-members.ts';
import { sendRound } from '../offers/offer-rounds.ts';
import { runningWants } from '../facts/timers.ts';
import { chainLock } from '../tasks/tasks.ts';
import { tellUnknown } from '../messages/unknown-handles.ts';
import { composeWants, windowOf, windowWants } from '../messages/composing-windows.ts';
import { asActor } from '../tasks/task-access.ts';

export interface Heard {
  conversation: ConversationRow;
  home: ConversationRow;
  author: { id: string; kind: 'human' | 'agent' };
  body: string;
  attachments: number;
  replyTo: MessageRow | undefined;
  /** Its author, a person, marked it so. */
  urgent?: boolean;
  /** Whether it looks finished, or its author says that it is. */
  piece?: Piece;
  /** Said before and edited now: what it asked for already does not make its author's next words of it. */
  editedId?: string;
  /** An agent's words: the task they are said in, and whether they are its last. */
  speaking?: { task: TaskRow; final: boolean };
}

export interface Called {
  agent: MemberRow;
  verdict: Verdict;
  /** The open task this goes on with. */
  task: TaskRow | undefined;
  /** It belongs to what that task was asked for, which nobody has acted on yet. */
  grows: boolean;
  /** It was addressed, and there is nothing in it to answer. */
  withheld: boolean;
  /** It was addressed, and takes no requests from the author. */
  untaken: boolean;
}

/** What a message means for the agents in its conversation. */
export interface Heeding {
  said: Said;
  /** What the classifiers have said of it, of those that were asked. */
  asked: Partial<Wording>;
  named: Named;
  /** Agents that could be meant; all others are as `others` says. */
  called: Called[];
  /** What the author is still asking of anyone, and this is a piece of. */
  unclaimed: TaskRow[];
  others: Verdict;
  /** It is for whoever may speak up (C2A-15); `asks`: they wait for an answer. */
  round: { asks: boolean } | undefined;
}

/** Decides and changes nothing: the hub's half of the preview and of every message. */
export function hear(heard: Heard, set: WorkingSet, now: number): Heeding {
  const { home, author } = heard;
  const named = namedIn(heard.body, home, set);
  const { addresses } = named;
  const going = goingOn(heard, set, now);
  const { said, asked } = saying(
    {
      authorId: author.id,
      authorKind: author.kind,
      conversation: { kind: kindOf(home, set), floor: home.floor },
      addresses,
      continued: isContinued(going),
      ...(heard.urgent ? { urgent: true } : {}),
      ...(heard.speaking ? { path: JSON.parse(heard.speaking.task.path) as string[], final: heard.speaking.final } : {}),
    },
    heard.body,
    heard.attachments,
  );
  const partaking = partakersIn(heard, said, set);
  const candidates = new Map<string, MemberRow>();
  for (const member of named.present.values()) if (member.kind === 'agent') candidates.set(member.id, member);
  for (const { holders } of named.roles.values())
    for (const member of holders) if (member.kind === 'agent') candidates.set(member.id, member);
  const everyone = mayCallMany(author.kind).ok && callsMany(addresses);
  if (everyone) for (const member of agentsIn(home, set)) candidates.set(member.id, member);
  const replied = going.repliedTo === undefined ? [] : [going.repliedTo];
  // Also where nobody is called: what is for all that may speak up is not for who was asked to leave.
  const left = leftFrom(heard.conversation, set);
  // Stored only, for those whose owners have blocked the author, whatever it says (C2A-8).
  const chain = heard.speaking && addresses.length > 0 ? set.get('chains', heard.speaking.task.chain_id) : undefined;
  const blockers = blockersOf([author.id, chain?.requester_id ?? null], set);
  const concerned = [...(home.dm_key?.split(',') ?? []), ...going.here.keys(), ...replied, ...partaking, ...left.keys(), ...blockers];
  set.need(
    concerned.flatMap((id) => [
      { table: 'members' as const, values: [id] },
      { table: 'memberships' as const, values: [home.id, id] },
    ]),
  );
  for (const id of concerned) {
    const member = set.get('members', id);
    if (member?.kind === 'agent' && member.status === 'active' && set.get('memberships', home.id, id)) candidates.set(id, member);
  }
  const heeded = named;
  const called = [...candidates.values()].map((agent): Called => {
    const { continuing, called: named, uncalled } = standingOf(agent.id, heard, going);
    const inThread = standsInThread(agent.id, partaking);
    const isNamed = heeded.present.get(agent.handle_fold)?.id === agent.id;
    const leaving = isNamed && author.kind === 'human' && isSentAway(heard.body, agent.handle);
    const standing = { continuing, inThread, leaving, left: left.has(agent.id), blocks: blockers.has(agent.id) };
    const listener = { id: agent.id, handle: agent.handle, roles: rolesHeld(agent.id, heeded), ...standing };
    const verdict = attend(said, listener);
    // Calling everyone, or anyone, is a new request to each.
    const anew = verdict.reason === 'all_agents' || isAnyones(verdict.reason);
    const uncalledNow = verdict.reason === 'follow_up' || verdict.reason === 'fragment';
    const task = anew ? undefined : uncalledNow ? uncalled : named;
    const grows = task !== undefined && going.growing.has(task.id) && addressesNoOther(said, agent, going.repliedTo);
    const addressed = (verdict.reason === 'filler' || verdict.reason === 'author_blocked') && isAddressed(said, listener);
    return {
      agent,
      verdict,
      task,
      grows,
      withheld: verdict.reason === 'filler' && addressed,
      untaken: verdict.reason === 'author_blocked' && addressed,
    };
  });
  // Replying to one agent is speaking to that one.
  const unclaimed =
    heard.replyTo !== undefined && heard.replyTo.author_id !== author.id
      ? []
      : going.unclaimed.filter(() => attend(said, writing).reason === 'fragment');
  return {
    said,
    asked,
    named,
    called,
    unclaimed,
    get others() {
      return attend(said, nobody);
    },
    round: roundOf(said, unclaimed.length > 0 || called.some(({ verdict }) => verdict.task)),
  };
}

/** By its author: somebody's open task, or what is still being asked of anyone. */
const isContinued = ({ here, unclaimed, repliedTo }: GoingOn): boolean =>
  repliedTo !== undefined || unclaimed.length > 0 || [...here.values()].some(({ uncalled }) => uncalled !== undefined);

/** For whichever agent takes it first: by `^ANY`, or said to several and to none of them by name. */
export const isForAny = ({ said, named, called }: Pick<Heeding, 'said' | 'named' | 'called'>): boolean =>
  !said.filler &&
  (named.addresses.some(({ kind }) => kind === 'any_agent') ||
    called.some(({ verdict }) => verdict.task && verdict.reason === 'any_agent'));

/** Asked here, so that what the classifiers say is kept with the rest. On a polite floor nothing is asked. */
const roundOf = (said: Said, woken: boolean): Heeding['round'] =>
  said.conversation.floor === 'open' && goesRound(said.authorKind, attend(said, nobody).policy, woken, said.addresses.length > 0)
    ? { asks: said.question === true }
    : undefined;

/** Of the roles that were called. */
const rolesHeld = (agentId: string, { roles }: Named): string[] =>
  [...roles.values()].filter(({ holders }) => holders.some(({ id }) => id === agentId)).map(({ role }) => role.handle);

/** An agent that nothing here concerns. */
const nobody: Listener = { id: '', handle: '' };
/** Whichever agent will have taken what is still being asked. */
const writing: Listener = { ...nobody, continuing: 'fragment' };

export const callsMany = (addresses: readonly Address[]): boolean =>
  addresses.some(({ kind }) => kind === 'all_agents' || kind === 'any_agent');

/** Opens and continues tasks for a person's message that has just been placed. */
export function heed(
  heard: Heard,
  message: MessageRow,
  given: { confirmAll?: number | undefined; outputs: string[] },
  set: WorkingSet,
  context: Context,
  heeding: Heeding = hear(heard, set, context.now),
): Heeding {
  const piece = heard.piece ?? (isComplete(heard.body, heeding.named.addresses) ? 'finished' : 'unfinished');
  const later = heard.piece ?? (isComplete(heard.body, heeding.named.addresses, true) ? 'finished' : 'unfinished');
  turnAway(heeding, heard, set);
  if (heeding.round) sendRound(heard, message.id, heeding.round.asks, set, context);
  if (heeding.called.length + heeding.unclaimed.length + heeding.named.addresses.length === 0) return heeding;
  const woken = heeding.called.filter(({ verdict }) => verdict.task);
  confirmMany(woken, heard, given.confirmAll, set, context);
  gather(woken, heeding.unclaimed, heard.home, set, context);
  comeAndGo(heeding.called, heard, message, set, context);
  const named = woken.filter(({ verdict }) => !isAnyones(verdict.reason));
  const usual: MoreSaid['enters'] = heard.author.kind === 'human' ? 'buffered' : 'at_once';
  const more = (urgent: boolean, grows: boolean): MoreSaid => ({
    id: message.id,
    authorId: heard.author.id,
    enters: urgent ? 'urgent' : usual,
    conversationId: heard.conversation.id,
    piece: later,
    grows,
  });
  const written = { ...heard, piece } as const;
  for (const task of heeding.unclaimed) continueTask(task, more(heard.urgent === true, true), set, context);
  for (const { agent, verdict, task, grows } of named) {
    if (task) continueTask(task, more(verdict.mode === 'immediate', grows), set, context);
    else
      openFor(agent, verdict.reason as TaskRow['addressed_by'], verdict.mode, written, message, { outputs: given.outputs }, set, context);
  }
  for (const { role, able } of rolesWoken(heeding, heard.author.id, [], set, context))
    openForRole(role, written, message, able, { outputs: given.outputs }, set, context);
  if (!heeding.said.filler) callMany(heeding, written, message, given.outputs, set, context);
  // A person's word wakes a sleeper.
  wakeUp(
    named.filter(({ task }) => !task).map(({ agent }) => agent.id),
    set,
    context,
  );
  tellUnknown(heeding.named, heard, message, set, context);
  tellWithheld(heeding, heard, message, set, context);
  return heeding;
}

/** It names and answers nobody but this agent. A name that nobody has is nobody's. */
const addressesNoOther = ({ addresses }: Said, agent: MemberRow, repliedTo: string | undefined): boolean =>
  (repliedTo === undefined || repliedTo === agent.id) &&
  addresses.every(({ kind, handle }) => kind === 'unknown' || (kind === 'agent' && handle === agent.handle));

/** Its author speaks to others: what they asked before, and is being worked on, is whole. */
function turnAway({ said, called, unclaimed }: Heeding, heard: Heard, set: WorkingSet): void {
  if (heard.author.kind !== 'human' || (said.addresses.length === 0 && heard.replyTo === undefined) || said.filler) return;
  const goesOn = new Set([...unclaimed, ...called.flatMap(({ task, grows }) => (task && grows ? task : []))].map(({ id }) => id));
  const mine = set.find('compositions', 'conversation', heard.conversation.id).filter((row) => row.requester_id === heard.author.id);
  set.need(mine.map((row) => ({ table: 'tasks', values: [row.task_id] })));
  const tasks = mine.map((row) => ({ row, task: set.get('tasks', row.task_id)! }));
  set.need(windowWants(tasks.map(({ task }) => task)));
  for (const { row, task } of tasks) if (!goesOn.has(task.id) && !windowOf(task, set)) set.remove('compositions', row);
}

/** Whoever is asked to leave goes, and whoever is called by name is back, before anything begins for it (C2A-16). */
export function comeAndGo(called: readonly Called[], heard: Heard, message: MessageRow, set: WorkingSet, context: Context): void {
  const author = set.get('members', heard.author.id)!;
  for (const { agent, verdict } of called) {
    const given = { actor: asActor(author), messageId: message.id };
    if (verdict.reason === 'asked_to_leave') askToLeave(agent, heard.conversation, given, set, context);
    if (verdict.reason === 'mention') comeBack(agent.id, heard.conversation, given.actor, set, context);
  }
}

/** An address or DM that wakes nobody is told to its author: they may wait for an answer (C2A-14). */
function tellWithheld({ called }: Heeding, heard: Heard, message: MessageRow, set: WorkingSet, context: Context): void {
  const about = { conversation: heard.conversation.id, message: message.id };
  for (const { agent } of called.filter((one) => one.untaken))
    notify(heard.author.id, heard.home.id, { kind: 'not_taken', ...about, agent: agent.id }, set, context);
  const withheld = called.filter((one) => one.withheld);
  if (withheld.length === 0) return;
  const agent = withheld.length === 1 ? { agent: withheld[0]!.agent.id } : {};
  notify(heard.author.id, heard.home.id, { kind: 'nothing_to_answer', ...about, ...agent }, set, context);
}

/** Calling so many needs a second confirmation, which shows their number and the estimated cost (PAP-3). */
export function confirmMany(
  woken: readonly Called[],
  heard: Heard,
  confirmed: number | undefined,
  set: WorkingSet,
  context: Context,
): void {
  const called = woken.filter(({ verdict }) => verdict.reason === 'all_agents').map(({ agent }) => agent.id);
  const all = called.length;
  if (all === 0 || mayCallMany(heard.author.kind, all, confirmed, context.limits.allWithoutYes).ok) return;
  const cost = allCostText(allCost(called, context.now, set));
  throw new ParleyError('confirm_all', `^ALL would wake ${all} agents, a turn each. ${cost} Send it again with confirmAll: ${all}.`, {
    reason: String(all),
    problems: [{ field: 'confirmAll', message: cost }],
  });
}

/** Each role whose holders are knocked, and whether one of them could take it now; an agent may not call each of them. */
export function rolesWoken(
  heeding: Heeding,
  requesterId: string,
  path: string[],
  set: WorkingSet,
  context: Context,
  isBarred: (agent: MemberRow) => boolean = () => false,
) {
  const knocked = new Set(heeding.called.filter(({ verdict }) => verdict.task && verdict.reason === 'role').map(({ agent }) => agent.id));
  return [...heeding.named.roles.values()].flatMap(({ role, holders }) => {
    const asked = holders.filter(({ id }) => knocked.has(id));
    if (asked.length > 0)
      return [{ role, asked, able: asked.some((one) => couldTake(one.id, requesterId, path, set, context, isBarred(one))) }];
    // As with ^ANY: who was asked to leave is not knocked; it waits for who comes back, and its author is told.
    return allLeft(heeding, holders) ? [{ role, asked: holders, able: false }] : [];
  });
}

function allLeft({ said, called }: Heeding, holders: readonly MemberRow[]): boolean {
  const left = new Set(called.filter(({ verdict }) => verdict.reason === 'left').map(({ agent }) => agent.id));
  return !said.filler && said.final !== true && holders.every(({ id }) => left.has(id));
}

function couldTake(id: string, requesterId: string, path: string[], set: WorkingSet, context: Context, barred = false): boolean {
  const taker = { id, active: true, member: true, before: false, asked: false, barred, ...presenceOf(id, set, context.now) };
  return mayTake(taker, { requesterId, path }).ok;
}

/** What all were to do where nobody is, nobody does; what anyone may take is offered to those who were not named. */
export function callMany(heeding: Heeding, heard: Heard, message: MessageRow, outputs: string[], set: WorkingSet, context: Context): void {
  const calls = (kind: Address['kind']): boolean => heeding.named.addresses.some((address) => address.kind === kind);
  if (calls('all_agents') && heeding.called.every(({ verdict }) => verdict.reason === 'left'))
    notify(heard.author.id, heard.home.id, { kind: 'no_agents', conversation: heard.conversation.id, message: message.id }, set, context);
  if (!isForAny(heeding)) return;
  const woken = heeding.called.filter(({ verdict }) => verdict.task);
  const able = (id: string): boolean => couldTake(id, heard.author.id, [], set, context);
  const anyone = offerBeside(
    woken.filter(({ verdict }) => verdict.reason !== 'any_agent').map(({ agent }) => presenceOf(agent.id, set, context.now)),
    woken.filter(({ verdict }) => verdict.reason === 'any_agent').map(({ agent }) => ({ able: able(agent.id) })),
  );
  if (anyone !== 'none') openForAny(heard, message, anyone === 'offer', outputs, set, context);
}

/** Everything that opening so many tasks needs, asked for at once. */
export function gather(
  woken: readonly Called[],
  unclaimed: readonly TaskRow[],
  home: ConversationRow,
  set: WorkingSet,
  context: Context,
): void {
  if (woken.length + unclaimed.length === 0) return;
  context.lock(
    ...woken.map(({ agent, task }) => (task ? chainLock(task.chain_id) : agentLock(agent.id))),
    ...unclaimed.map((task) => chainLock(task.chain_id)),
  );
  set.need([
    ...runningWants,
    ...composeWants(home.id),
    ...woken.map(({ agent }) => ({ table: 'agents' as const, values: [agent.id] })),
    ...woken.flatMap(({ agent }) =>
      agent.owner_id === null ? [] : [{ table: 'memberships' as const, values: [home.id, agent.owner_id] }],
    ),
  ]);
}
