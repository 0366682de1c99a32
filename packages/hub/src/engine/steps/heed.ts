// What a message means for the agents in its conversation: `attend` decides for each that could be meant, and here
// follow the tasks, what is added to open ones, and what the author is told.

import { type Address, attend, type Listener, roomKind, type Said, saysNothing, type Verdict } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import type { ConversationRow, MemberRow, MessageRow, TaskRow } from '../../store/tables.ts';
import type { Context } from '../command.ts';
import type { WorkingSet } from '../working-set.ts';
import { wakeUp } from './agents.ts';
import { continuing, goingOn, taskWith } from './continuing.ts';
import { notify } from './notices.ts';
import { agentsIn, nearestHere, type Named, namedIn } from './room.ts';
import { runningWants } from './timers.ts';
import { agentOf, chainLock, continueTask, isAsleep, isHere, type NewTask, openTask } from './tasks.ts';

export interface Heard {
  conversation: ConversationRow;
  home: ConversationRow;
  author: { id: string; kind: 'human' | 'agent' };
  body: string;
  attachments: number;
  replyTo: MessageRow | undefined;
  /** An agent's words: the task they are said in, and whether they are its last. */
  speaking?: { task: TaskRow; final: boolean };
}

export interface Called {
  agent: MemberRow;
  verdict: Verdict;
  /** The open task this goes on with. */
  task: TaskRow | undefined;
}

export interface Hearing {
  said: Said;
  named: Named;
  /** Agents that could be meant; all others are as `others` says. */
  called: Called[];
  others: Verdict;
}

/** Decides and changes nothing: the hub's half of the preview and of every message. */
export function hear(heard: Heard, set: WorkingSet): Hearing {
  const { home, author } = heard;
  const named = namedIn(heard.body, home, set);
  const { addresses } = named;
  let filler: boolean | undefined;
  const said: Said = {
    authorId: author.id,
    authorKind: author.kind,
    conversation: { kind: roomKind(home.kind, home.dm_key?.split(',').length ?? 0), floor: home.floor },
    addresses,
    // Asked only where somebody could be woken, which is nearly nowhere.
    get filler() {
      return (filler ??= saysNothing(heard.body, addresses, heard.attachments));
    },
    ...(heard.speaking ? { path: JSON.parse(heard.speaking.task.path) as string[], final: heard.speaking.final } : {}),
  };
  const going = goingOn(heard, set);
  const candidates = new Map<string, MemberRow>();
  for (const member of named.present.values()) if (member.kind === 'agent') candidates.set(member.id, member);
  const everyone = addresses.some(({ kind }) => kind === 'all_agents' || kind === 'any_agent');
  if (everyone) for (const member of agentsIn(home, set)) candidates.set(member.id, member);
  const concerned = [
    ...(home.dm_key?.split(',') ?? []),
    ...going.open.map((task) => task.agent_id!),
    ...(going.repliedTo === undefined ? [] : [going.repliedTo]),
  ];
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
  const called = [...candidates.values()].map((agent): Called => {
    const task = taskWith(agent.id, heard, going);
    const verdict = attend(said, { id: agent.id, handle: agent.handle, continuing: continuing(agent.id, task, heard, going) });
    // Calling everyone, or anyone, is a new request to each.
    const anew = verdict.reason === 'all_agents' || verdict.reason === 'any_agent';
    return { agent, verdict, task: anew ? undefined : task };
  });
  return {
    said,
    named,
    called,
    get others() {
      return attend(said, nobody);
    },
  };
}

/** An agent that nothing here concerns. */
const nobody: Listener = { id: '', handle: '' };

/** Opens and continues tasks for a person's message that has just been placed. */
export function heed(
  heard: Heard,
  message: MessageRow,
  given: { confirmAll?: number | undefined; outputs: string[] },
  set: WorkingSet,
  context: Context,
): Hearing {
  const hearing = hear(heard, set);
  if (hearing.called.length === 0 && hearing.named.addresses.length === 0) return hearing;
  const woken = hearing.called.filter(({ verdict }) => verdict.task);
  const all = woken.filter(({ verdict, task }) => verdict.reason === 'all_agents' && !task);
  if (all.length > context.limits.allWithoutYes && given.confirmAll !== all.length) {
    throw new ParleyError('confirm_all', `^ALL would wake ${all.length} agents, a turn each; say yes with confirmAll: ${all.length}.`, {
      reason: String(all.length),
    });
  }
  gather(woken, heard.home, set, context);
  for (const { agent, verdict, task } of woken) {
    if (task) {
      continueTask(task, { id: message.id, authorId: heard.author.id }, set, context);
    } else if (verdict.reason !== 'any_agent')
      openFor(agent, verdict.reason as TaskRow['addressed_by'], verdict.mode, heard, message, { outputs: given.outputs }, set, context);
  }
  const empty =
    !hearing.said.filler && hearing.called.every(({ verdict }) => verdict.reason !== 'any_agent' && verdict.reason !== 'all_agents');
  const calls = (kind: Address['kind']): boolean => hearing.named.addresses.some((address) => address.kind === kind);
  // Nobody is here at all: what anyone may take waits for whoever is brought in; what all were to do, nobody does.
  if (empty && calls('any_agent')) openForAny(heard, message, [], given.outputs, set, context);
  if (empty && calls('all_agents'))
    notify(heard.author.id, heard.home.id, { kind: 'no_agents', conversation: heard.conversation.id, message: message.id }, set, context);
  if (woken.some(({ verdict, task }) => verdict.reason === 'any_agent' && !task))
    openForAny(heard, message, woken, given.outputs, set, context);
  tellAuthor(hearing.named, heard, message, set, context);
  return hearing;
}

/** Everything that opening so many tasks needs, asked for at once. */
function gather(woken: readonly Called[], home: ConversationRow, set: WorkingSet, context: Context): void {
  if (woken.length === 0) return;
  context.lock(...woken.map(({ agent, task }) => (task ? chainLock(task.chain_id) : `agent:${agent.id}`)));
  set.need([
    ...runningWants,
    ...woken.map(({ agent }) => ({ table: 'agents' as const, values: [agent.id] })),
    ...woken.flatMap(({ agent }) =>
      agent.owner_id === null ? [] : [{ table: 'memberships' as const, values: [home.id, agent.owner_id] }],
    ),
  ]);
}

/** A task for one agent; is it away, its requester and its owner are told. */
export function openFor(
  agent: MemberRow,
  addressedBy: TaskRow['addressed_by'],
  mode: TaskRow['mode'],
  heard: Pick<Heard, 'conversation' | 'home' | 'author'>,
  message: MessageRow,
  given: Pick<NewTask, 'outputs' | 'within'>,
  set: WorkingSet,
  context: Context,
): TaskRow {
  const { conversation, home } = heard;
  const here = isHere(agentOf(agent.id, set));
  const task = openTask(
    { agentId: agent.id, requesterId: heard.author.id, conversation, home, messageId: message.id, addressedBy, mode, here, ...given },
    set,
    context,
  );
  // A person's word wakes a sleeper.
  wakeUp(agent.id, set, context);
  if (here) return task;
  const about = { conversation: heard.conversation.id, message: message.id, task: task.id, agent: agent.id };
  notify(heard.author.id, heard.home.id, { kind: 'agent_offline', ...about }, set, context, task.chain_id);
  // Its owner may have no part in this conversation: they learn that it is wanted, not where.
  if (agent.owner_id !== null && agent.owner_id !== heard.author.id) {
    const joined = set.get('memberships', heard.home.id, agent.owner_id);
    notify(
      agent.owner_id,
      heard.home.id,
      joined ? { kind: 'owner_agent_offline', ...about } : { kind: 'owner_agent_offline', conversation: '', agent: agent.id },
      set,
      context,
      task.chain_id,
    );
  }
  return task;
}

/** One task for whichever agent takes it first. */
function openForAny(heard: Heard, message: MessageRow, woken: Called[], outputs: string[], set: WorkingSet, context: Context): void {
  const able = woken.filter(({ agent }) => {
    const record = agentOf(agent.id, set);
    return isHere(record) && !isAsleep(record, context.now);
  });
  const task = openTask(
    {
      agentId: null,
      requesterId: heard.author.id,
      conversation: heard.conversation,
      home: heard.home,
      messageId: message.id,
      addressedBy: 'any_agent',
      mode: 'buffered',
      outputs,
      here: able.length > 0,
    },
    set,
    context,
  );
  if (able.length > 0) return;
  notify(
    heard.author.id,
    heard.home.id,
    { kind: 'nobody_available', conversation: heard.conversation.id, message: message.id, task: task.id },
    set,
    context,
    task.chain_id,
  );
}

/** A message of many unknown names gets no more notices than this. */
const maxUnknown = 3;

/** PAP-18: nobody here has that name; the nearest one, or the offer to invite whoever has it elsewhere. */
function tellAuthor(named: Named, heard: Heard, message: MessageRow, set: WorkingSet, context: Context): void {
  const seen = new Set<string>();
  for (const address of named.addresses) {
    const fold = address.handle.toLowerCase();
    if (address.kind !== 'unknown' || seen.has(fold) || seen.size >= maxUnknown) continue;
    seen.add(fold);
    unknown(address, fold, named, heard, message, set, context);
  }
}

function unknown(address: Address, fold: string, named: Named, heard: Heard, message: MessageRow, set: WorkingSet, context: Context): void {
  const { home, author } = heard;
  const where = { conversation: heard.conversation.id, message: message.id, start: address.start, end: address.end };
  const sigil = heard.body[address.start]!;
  const elsewhere = named.elsewhere.get(fold);
  // Guests are not told who else there is.
  const sees = set.get('members', author.id)?.role !== 'guest';
  if (elsewhere && sees && (sigil === '@' || elsewhere.kind === 'agent')) {
    notify(author.id, home.id, { kind: 'not_here', ...where, member: elsewhere.id }, set, context);
    return;
  }
  const near = nearestHere(address, sigil, home, set);
  notify(author.id, home.id, { kind: 'unknown_handle', ...where, ...(near === undefined ? {} : { nearest: near }) }, set, context);
}
