// What a message means for the agents in its conversation: `attend` decides for each that could be meant, and here
// follow the tasks, what is added to open ones, and what the author is told.

import {
  type Address,
  attend,
  isSentAway,
  type Listener,
  mayCallMany,
  mayTake,
  offerBeside,
  roomKind,
  type Said,
  saysNothing,
  type Verdict,
} from '@parley/core';
import { ParleyError } from '@parley/protocol';
import type { ConversationRow, MemberRow, MessageRow, TaskRow } from '../../store/tables.ts';
import type { Context } from '../command.ts';
import type { WorkingSet } from '../working-set.ts';
import { wakeUp } from './agents.ts';
import { goingOn, standingOf } from './continuing.ts';
import { askToLeave, comeBack } from './leaves.ts';
import { leftFrom } from './left.ts';
import { notify } from './notices.ts';
import { agentLock, presenceOf } from './offers.ts';
import { openFor, openForAny } from './requests.ts';
import { agentsIn, type Named, namedIn } from './room.ts';
import { runningWants } from './timers.ts';
import { chainLock, continueTask } from './tasks.ts';
import { tellUnknown } from './unknown.ts';
import { asActor } from './work.ts';

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

/** What a message means for the agents in its conversation. */
export interface Heeding {
  said: Said;
  named: Named;
  /** Agents that could be meant; all others are as `others` says. */
  called: Called[];
  others: Verdict;
}

/** Decides and changes nothing: the hub's half of the preview and of every message. */
export function hear(heard: Heard, set: WorkingSet): Heeding {
  const { home, author } = heard;
  const named = namedIn(heard.body, home, set);
  const { addresses, present } = named;
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
  const everyone = mayCallMany(author.kind).ok && callsMany(addresses);
  if (everyone) for (const member of agentsIn(home, set)) candidates.set(member.id, member);
  const concerned = [...(home.dm_key?.split(',') ?? []), ...going.here.keys(), ...(going.repliedTo === undefined ? [] : [going.repliedTo])];
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
  const left = candidates.size === 0 ? undefined : leftFrom(heard.conversation, set);
  const called = [...candidates.values()].map((agent): Called => {
    const { continuing, called: named, uncalled } = standingOf(agent.id, heard, going);
    const leaving = present.get(agent.handle_fold)?.id === agent.id && author.kind === 'human' && isSentAway(heard.body, agent.handle);
    const verdict = attend(said, { id: agent.id, handle: agent.handle, continuing, leaving, left: left?.has(agent.id) === true });
    // Calling everyone, or anyone, is a new request to each.
    const anew = verdict.reason === 'all_agents' || verdict.reason === 'any_agent';
    return { agent, verdict, task: anew ? undefined : verdict.reason === 'follow_up' ? uncalled : named };
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

export const callsMany = (addresses: readonly Address[]): boolean =>
  addresses.some(({ kind }) => kind === 'all_agents' || kind === 'any_agent');

/** Opens and continues tasks for a person's message that has just been placed. */
export function heed(
  heard: Heard,
  message: MessageRow,
  given: { confirmAll?: number | undefined; outputs: string[] },
  set: WorkingSet,
  context: Context,
): Heeding {
  const heeding = hear(heard, set);
  if (heeding.called.length === 0 && heeding.named.addresses.length === 0) return heeding;
  const woken = heeding.called.filter(({ verdict }) => verdict.task);
  const all = woken.filter(({ verdict }) => verdict.reason === 'all_agents');
  const many = mayCallMany(heard.author.kind, all.length, given.confirmAll, context.limits.allWithoutYes);
  if (all.length > 0 && !many.ok)
    throw new ParleyError('confirm_all', `^ALL would wake ${all.length} agents, a turn each; say yes with confirmAll: ${all.length}.`, {
      reason: String(all.length),
    });
  gather(woken, heard.home, set, context);
  const actor = asActor(set.get('members', heard.author.id)!);
  for (const { agent, verdict } of heeding.called) {
    if (verdict.reason === 'asked_to_leave') askToLeave(agent, heard.conversation, { actor, messageId: message.id }, set, context);
    if (verdict.reason === 'mention') comeBack(agent.id, heard.conversation, actor, set, context);
  }
  const named = woken.filter(({ verdict }) => verdict.reason !== 'any_agent');
  for (const { agent, verdict, task } of named) {
    if (task) continueTask(task, { id: message.id, authorId: heard.author.id }, set, context);
    else openFor(agent, verdict.reason as TaskRow['addressed_by'], verdict.mode, heard, message, { outputs: given.outputs }, set, context);
  }
  if (!heeding.said.filler) callMany(heeding, heard, message, given.outputs, set, context);
  // A person's word wakes a sleeper.
  wakeUp(
    named.filter(({ task }) => !task).map(({ agent }) => agent.id),
    set,
    context,
  );
  tellUnknown(heeding.named, heard, message, set, context);
  return heeding;
}

/** What all were to do where nobody is, nobody does; what anyone may take is offered to those who were not named. */
function callMany(heeding: Heeding, heard: Heard, message: MessageRow, outputs: string[], set: WorkingSet, context: Context): void {
  const calls = (kind: Address['kind']): boolean => heeding.named.addresses.some((address) => address.kind === kind);
  if (calls('all_agents') && heeding.called.every(({ verdict }) => verdict.reason === 'left'))
    notify(heard.author.id, heard.home.id, { kind: 'no_agents', conversation: heard.conversation.id, message: message.id }, set, context);
  if (!calls('any_agent')) return;
  const woken = heeding.called.filter(({ verdict }) => verdict.task);
  const able = (id: string): boolean =>
    mayTake(
      { id, active: true, member: true, before: false, asked: false, ...presenceOf(id, set, context.now) },
      { requesterId: heard.author.id, path: [] },
    ).ok;
  const anyone = offerBeside(
    woken.filter(({ verdict }) => verdict.reason !== 'any_agent').map(({ agent }) => presenceOf(agent.id, set, context.now)),
    woken.filter(({ verdict }) => verdict.reason === 'any_agent').map(({ agent }) => ({ able: able(agent.id) })),
  );
  if (anyone !== 'none') openForAny(heard, message, anyone === 'offer', outputs, set, context);
}

/** Everything that opening so many tasks needs, asked for at once. */
function gather(woken: readonly Called[], home: ConversationRow, set: WorkingSet, context: Context): void {
  if (woken.length === 0) return;
  context.lock(...woken.map(({ agent, task }) => (task ? chainLock(task.chain_id) : agentLock(agent.id))));
  set.need([
    ...runningWants,
    ...woken.map(({ agent }) => ({ table: 'agents' as const, values: [agent.id] })),
    ...woken.flatMap(({ agent }) =>
      agent.owner_id === null ? [] : [{ table: 'memberships' as const, values: [home.id, agent.owner_id] }],
    ),
  ]);
}
