// Reads a message for the agents in its conversation: `attend` decides for each that could be meant. Nothing is changed
// here; wake-agents.ts acts on it.

import {
  type Address,
  attend,
  makesRound,
  isAddressed,
  isAnyones,
  isSentAway,
  type Listener,
  mayCallAll,
  type MessageFacts,
  readWording,
  standsInThread,
  type Verdict,
} from '@parley/core';
import type { MemberRow, TaskRow } from '../../../store/tables.ts';
import type { WorkingSet } from '../../working-set.ts';
import { blockersOf } from '../people/contact-rules.ts';
import { activeIn, agentsIn, kindOf, type NamedMembers, namedIn } from '../conversations/addressable-members.ts';
import type { AgentReading, IncomingMessage, MessageReading } from '../conversations/incoming-message.ts';
import { leaveRequestsIn, participantsFor } from '../conversations/participants.ts';
import { type OpenWork, continuationsOf, standingOf } from '../tasks/task-continuation.ts';

/** Decides and changes nothing: the hub's half of the preview and of every message. */
export function interpretMessage(incoming: IncomingMessage, set: WorkingSet, now: number): MessageReading {
  const { home, author } = incoming;
  const named = namedIn(incoming.body, home, set);
  const going = continuationsOf(incoming, set, now);
  const { said, asked: classified } = readWording(
    {
      authorId: author.id,
      authorKind: author.kind,
      conversation: { kind: kindOf(home, set), floor: home.floor },
      addresses: named.addresses,
      continued: isContinued(going),
      ...(incoming.urgent ? { urgent: true } : {}),
      ...(incoming.speaking ? { path: JSON.parse(incoming.speaking.task.path) as string[], final: incoming.speaking.final } : {}),
    },
    incoming.body,
    incoming.attachments,
  );
  const situation = situationOf(incoming, said, named, going, set);
  const called = candidatesFor(situation, set).map((agent) => decideFor(agent, situation));
  // Replying to one agent is speaking to that one.
  const unclaimed =
    incoming.replyTo !== undefined && incoming.replyTo.author_id !== author.id
      ? []
      : going.unclaimed.filter(() => attend(said, writing).reason === 'fragment');
  return {
    said,
    classified,
    named,
    called,
    unclaimed,
    get others() {
      return attend(said, nobody);
    },
    round: roundOf(said, unclaimed.length > 0 || called.some(({ verdict }) => verdict.task)),
  };
}

/** All facts about the conversation on which verdicts depend, read once for all agents. */
interface Situation {
  incoming: IncomingMessage;
  said: MessageFacts;
  named: NamedMembers;
  going: OpenWork;
  /** Agents that take part in the thread. */
  partaking: ReadonlySet<string>;
  /** Agents that were asked to leave: also where nobody is called, as they are not asked to speak up either. */
  leaveRequests: ReadonlyMap<string, unknown>;
  /** Agents whose owners have blocked the author: the message is only stored for them (C2A-8). */
  blockers: ReadonlySet<string>;
}

function situationOf(incoming: IncomingMessage, said: MessageFacts, named: NamedMembers, going: OpenWork, set: WorkingSet): Situation {
  const partaking = participantsFor(incoming, said, set);
  const leaveRequests = leaveRequestsIn(incoming.conversation, set);
  const chain = incoming.speaking && named.addresses.length > 0 ? set.get('chains', incoming.speaking.task.chain_id) : undefined;
  const blockers = blockersOf([incoming.author.id, chain?.requester_id ?? null], set);
  return { incoming, said, named, going, partaking, leaveRequests, blockers };
}

/** Agents here that could be meant: called, replied to, at work, in the thread, or with a reason to be left out. */
function candidatesFor({ incoming, named, going, partaking, leaveRequests, blockers }: Situation, set: WorkingSet): MemberRow[] {
  const { home } = incoming;
  const candidates = new Map<string, MemberRow>();
  const consider = (member: MemberRow): void => {
    if (member.kind === 'agent') candidates.set(member.id, member);
  };
  for (const member of named.present.values()) consider(member);
  for (const { holders } of named.roles.values()) for (const member of holders) consider(member);
  if (mayCallAll(incoming.author.kind).ok && callsMany(named.addresses)) for (const member of agentsIn(home, set)) consider(member);
  const replied = going.repliedTo === undefined ? [] : [going.repliedTo];
  const concerned = [
    ...(home.dm_key?.split(',') ?? []),
    ...going.here.keys(),
    ...replied,
    ...partaking,
    ...leaveRequests.keys(),
    ...blockers,
  ];
  for (const member of activeIn(home, concerned, set)) consider(member);
  return [...candidates.values()];
}

function decideFor(agent: MemberRow, { incoming, said, named, going, partaking, leaveRequests, blockers }: Situation): AgentReading {
  const { continuing, called, uncalled } = standingOf(agent.id, incoming, going);
  const isNamed = named.present.get(agent.handle_fold)?.id === agent.id;
  const listener: Listener = {
    id: agent.id,
    handle: agent.handle,
    roles: rolesHeld(agent.id, named),
    continuing,
    inThread: standsInThread(agent.id, partaking),
    leaving: isNamed && incoming.author.kind === 'human' && isSentAway(incoming.body, agent.handle),
    left: leaveRequests.has(agent.id),
    blocks: blockers.has(agent.id),
  };
  const verdict = attend(said, listener);
  const task = taskGoingOn(verdict, called, uncalled);
  const addressed = (verdict.reason === 'filler' || verdict.reason === 'author_blocked') && isAddressed(said, listener);
  return {
    agent,
    verdict,
    task,
    grows: task !== undefined && going.growing.has(task.id) && addressesNoOther(said, agent, going.repliedTo),
    withheld: verdict.reason === 'filler' && addressed,
    untaken: verdict.reason === 'author_blocked' && addressed,
  };
}

function taskGoingOn({ reason }: Verdict, called: TaskRow | undefined, uncalled: TaskRow | undefined): TaskRow | undefined {
  // Calling everyone, or anyone, is a new request to each.
  if (reason === 'all_agents' || isAnyones(reason)) return undefined;
  return reason === 'follow_up' || reason === 'fragment' ? uncalled : called;
}

/** The message names and answers nobody but this agent. A name that nobody has does not count. */
const addressesNoOther = ({ addresses }: MessageFacts, agent: MemberRow, repliedTo: string | undefined): boolean =>
  (repliedTo === undefined || repliedTo === agent.id) &&
  addresses.every(({ kind, handle }) => kind === 'unknown' || (kind === 'agent' && handle === agent.handle));

/** The author goes on with somebody's open task, or with a request to any agent. */
const isContinued = ({ here, unclaimed, repliedTo }: OpenWork): boolean =>
  repliedTo !== undefined || unclaimed.length > 0 || [...here.values()].some(({ uncalled }) => uncalled !== undefined);

/** For whichever agent takes it first: by `^ANY`, or said to several and to none of them by name. */
export const isForAny = ({ said, named, called }: Pick<MessageReading, 'said' | 'named' | 'called'>): boolean =>
  !said.filler &&
  (named.addresses.some(({ kind }) => kind === 'any_agent') ||
    called.some(({ verdict }) => verdict.task && verdict.reason === 'any_agent'));

/** The round is decided here, so that the answers of the classifiers are kept with the rest. A polite floor has no rounds. */
const roundOf = (said: MessageFacts, woken: boolean): MessageReading['round'] =>
  said.conversation.floor === 'open' && makesRound(said.authorKind, attend(said, nobody).policy, woken, said.addresses.length > 0)
    ? { asks: said.question === true }
    : undefined;

/** The called roles that the agent holds. */
const rolesHeld = (agentId: string, { roles }: NamedMembers): string[] =>
  [...roles.values()].filter(({ holders }) => holders.some(({ id }) => id === agentId)).map(({ role }) => role.handle);

/** An agent that nothing here concerns. */
const nobody: Listener = { id: '', handle: '' };
/** Stands for the agent that will take a request whose author is still writing. */
const writing: Listener = { ...nobody, continuing: 'fragment' };

export const callsMany = (addresses: readonly Address[]): boolean =>
  addresses.some(({ kind }) => kind === 'all_agents' || kind === 'any_agent');
