// Decides whether a message wakes an agent: the first line of the list that fits. The hub, the composer's preview, the simulator and the
// shell all use `attend`.
//
// Delivery is not injection: `policy` tells whether the agent has to answer, `mode` how much of the message enters a turn.

import type { MemberKind, Mode, Policy } from '@parley/protocol';
import type { Address } from '../address/address.ts';
import { mayCallAll } from './call-all.ts';
import type { Reason } from './why-texts.ts';

/** The facts about the message, the same for every agent. A classifier reads the text only where its result decides. */
export interface MessageFacts {
  authorId: string;
  authorKind: MemberKind;
  /** `dm`: a DM of two, or a thread in one. `group_dm`: one person and several agents. A DM of several people counts as a channel. */
  conversation: { kind: 'channel' | 'dm' | 'group_dm'; floor: 'polite' | 'open' };
  addresses: readonly Address[];
  /** The message without its addresses is nothing but filler. */
  filler: boolean;
  /** The message is a status line or a log, and asks nothing. */
  status?: boolean;
  /** The message asks anyone in the conversation for something. */
  question?: boolean;
  /** The message is certainly a question. */
  clearQuestion?: boolean;
  /** The author marked the message as urgent. Urgent words alone do not count. */
  urgent?: boolean;
  /** A `notify` from agent to agent: it wakes nobody. */
  notification?: boolean;
  /** The author is an agent inside a task: everyone from the chain's root down to it. */
  path?: readonly string[];
  /** The message is the agent's answer in its task, or a question to its requester. */
  final?: boolean;
  /** The author continues an open task here, or replies to an agent, so the message is for that agent. */
  continued?: boolean;
}

/** The facts about one agent that may read the message. */
export interface Listener {
  id: string;
  handle: string;
  roles?: readonly string[];
  /** The agent's owner has blocked this author. */
  blocks?: boolean;
  /** The agent was asked to leave here. */
  left?: boolean;
  /** The words of this message ask it to leave. */
  leaving?: boolean;
  /**
   * `asked`: its task waits for this author's answer. `reply`: its requester replies to a message of its own.
   * `other_reply`: somebody else does. `requester`: of its open task here. `fragment`: the author is still writing what
   * they asked it. `asker`: of its open task here, which began with a question to nobody by name.
   */
  continuing?: 'asked' | 'reply' | 'other_reply' | 'requester' | 'asker' | 'fragment' | undefined;
  /** A person assigned this message to the agent. */
  assigned?: boolean;
  /** The agent takes part in the thread of the message, as the only agent or as one of several. */
  inThread?: 'alone' | 'among' | undefined;
}

export interface Verdict {
  policy: Policy;
  mode: Mode;
  reason: Reason;
  /** The message makes a task, or belongs to the open one. */
  task: boolean;
}

/** One row of the list: its number, its condition, and the verdict. */
interface Line {
  line: number;
  when: string;
  fits(said: MessageFacts, agent: Listener): boolean;
  policy: Policy;
  mode: Mode;
  reason: Reason;
}

const N = 'must_not_respond';
const M = 'must_respond';
const calls = (said: MessageFacts, kind: Address['kind']): boolean => said.addresses.some((address) => address.kind === kind);
/** The message names the agent, a role that the agent holds, or all or any agents. */
const isCalled = (said: MessageFacts, agent: Listener): boolean =>
  isNamed(said, agent) || holdsRole(said, agent) || calls(said, 'all_agents') || calls(said, 'any_agent');

/** The list, in order: the first row that fits decides. Agents other than the one asked about are `others`. */
// prettier-ignore
export const attentionList: readonly Line[] = [
  // Identity is an id, not a kind: two agents are two, and one is never woken by itself.
  { line: 1, when: 'it is its own message', fits: (said, agent) => said.authorId === agent.id, policy: N, mode: 'silent', reason: 'own_message' },
  { line: 2, when: 'its owner has blocked the author', fits: (_, agent) => agent.blocks === true, policy: N, mode: 'silent', reason: 'author_blocked' },
  // Before its name counts as a call: a request to leave must not wake the agent.
  { line: 2, when: 'a person asks it to leave, by name', fits: isAskedToLeave, policy: N, mode: 'tool_mailbox', reason: 'asked_to_leave' },
  // A role or ^ALL does not bring back an agent that was asked to leave; only the agent's own name does. The
  // requester goes on with the agent until the task ends.
  { line: 2, when: 'it was asked to leave here, is not named, and works for somebody else', fits: (said, agent) => agent.left === true && !isNamed(said, agent) && !isContinued(agent), policy: N, mode: 'tool_mailbox', reason: 'left' },
  { line: 3, when: 'it is a notification between agents', fits: (said) => said.notification === true, policy: N, mode: 'tool_mailbox', reason: 'notification' },
  // An agent that asked is answered by whatever comes: "ok" may be the answer.
  { line: 4, when: 'there is nothing but filler in it, and it waits for no answer', fits: (said, agent) => agent.continuing !== 'asked' && said.filler, policy: N, mode: 'tool_mailbox', reason: 'filler' },
  { line: 5, when: '`^ALL` or `^ANY` from an agent', fits: (said, agent) => !mayCallAll(said.authorKind).ok && !isNamed(said, agent) && !holdsRole(said, agent) && isCalled(said, agent), policy: N, mode: 'tool_mailbox', reason: 'one_responder' },
  // An agent that speaks to its own requester answers, and asks nothing.
  { line: 5, when: 'it is called by an agent that works for it', fits: (said, agent) => said.path?.includes(agent.id) === true && isCalled(said, agent), policy: N, mode: 'tool_mailbox', reason: 'in_path' },
  { line: 5, when: 'it is called in an agent’s final answer, or in its question to its requester', fits: (said, agent) => said.final === true && isCalled(said, agent), policy: N, mode: 'tool_mailbox', reason: 'final_answer' },
  { line: 5, when: 'its handle', fits: isNamed, policy: M, mode: 'buffered', reason: 'mention' },
  { line: 5, when: 'a role it holds', fits: holdsRole, policy: M, mode: 'notify', reason: 'role' },
  { line: 5, when: '`^ALL`', fits: (said) => calls(said, 'all_agents'), policy: M, mode: 'buffered', reason: 'all_agents' },
  { line: 5, when: '`^ANY`', fits: (said) => calls(said, 'any_agent'), policy: M, mode: 'buffered', reason: 'any_agent' },
  { line: 6, when: 'a person’s DM with it', fits: (said) => isDirect(said) && said.conversation.kind === 'dm', policy: M, mode: 'buffered', reason: 'dm' },
  { line: 6, when: 'a DM of one person and several agents, and nobody’s task goes on', fits: (said, agent) => isDirect(said) && said.continued !== true && agent.continuing === undefined, policy: M, mode: 'buffered', reason: 'any_agent' },
  { line: 7, when: 'handles of others only', fits: toOthers, policy: N, mode: 'tool_mailbox', reason: 'addressed_to_others' },
  { line: 8, when: 'its requester replies to its message', fits: (_, agent) => agent.continuing === 'reply', policy: M, mode: 'buffered', reason: 'reply' },
  { line: 8, when: 'its requester speaks in the thread or DM of its open task, or answers its question; where a question to nobody began the task, only by asking', fits: goesOn, policy: M, mode: 'buffered', reason: 'follow_up' },
  { line: 8, when: 'its requester is still writing what they asked', fits: (_, agent) => agent.continuing === 'fragment', policy: M, mode: 'buffered', reason: 'fragment' },
  // Nobody was named: the talk of people about its answer goes on with it only by another question (C2A-12).
  { line: 8, when: 'another person asks it a direct question in a reply to its message', fits: (said, agent) => agent.continuing === 'other_reply' && said.authorKind === 'human' && said.clearQuestion === true, policy: M, mode: 'buffered', reason: 'question' },
  { line: 9, when: 'it was given to it as work', fits: (_, agent) => agent.assigned === true, policy: M, mode: 'buffered', reason: 'assigned' },
  { line: 9, when: 'a person’s direct question in a thread where it is the only agent', fits: (said, agent) => agent.inThread === 'alone' && said.authorKind === 'human' && said.clearQuestion === true, policy: M, mode: 'buffered', reason: 'question' },
  { line: 9, when: 'a person’s direct question in a thread where it is one of several agents', fits: (said, agent) => agent.inThread === 'among' && said.authorKind === 'human' && said.continued !== true && said.clearQuestion === true, policy: M, mode: 'buffered', reason: 'any_agent' },
  { line: 10, when: 'a status line or log', fits: (said) => said.status === true, policy: N, mode: 'digest', reason: 'status' },
  { line: 11, when: 'the floor is open, in a thread it takes part in', fits: (said, agent) => isOpenFloor(said) && agent.inThread !== undefined, policy: 'may_respond', mode: 'notify', reason: 'thread' },
  { line: 11, when: 'the floor is open', fits: isOpenFloor, policy: 'may_respond', mode: 'tool_mailbox', reason: 'ambient' },
  { line: 11, when: 'its requester, who asked nobody by name, says something and asks nothing', fits: (_, agent) => agent.continuing === 'asker', policy: N, mode: 'tool_mailbox', reason: 'statement' },
  { line: 11, when: 'otherwise', fits: () => true, policy: N, mode: 'tool_mailbox', reason: 'ambient' },
];

export function attend(said: MessageFacts, agent: Listener): Verdict {
  const { policy, mode, reason } = attentionList.find((line) => line.fits(said, agent))!;
  // An urgent message of a person interrupts. A knock stays a knock, because its words must not come in unasked.
  const urgent = said.urgent === true && said.authorKind === 'human' && policy === M && mode === 'buffered';
  return { policy, mode: urgent ? 'immediate' : mode, reason, task: policy === M };
}

function isNamed(said: MessageFacts, agent: Listener): boolean {
  return said.addresses.some(({ kind, handle }) => kind === 'agent' && same(handle, agent.handle));
}

/** A DM of two has nothing to leave: it ends when nobody writes. */
function isAskedToLeave(said: MessageFacts, agent: Listener): boolean {
  return agent.leaving === true && said.authorKind === 'human' && said.conversation.kind !== 'dm' && isNamed(said, agent);
}

function holdsRole(said: MessageFacts, agent: Listener): boolean {
  return said.addresses.some(({ kind, handle }) => kind === 'role' && agent.roles?.some((held) => same(held, handle)) === true);
}

/** Whether the requester of an open task continues it. A reply may be about an ended one, so it does not count. */
const isContinued = ({ continuing }: Listener): boolean =>
  continuing === 'asked' || continuing === 'requester' || continuing === 'fragment';

/** Whether the message continues the agent's task. People who named nobody talk with each other, so only a question counts (C2A-12). */
function goesOn(said: MessageFacts, { continuing }: Listener): boolean {
  return continuing === 'requester' || continuing === 'asked' || (continuing === 'asker' && said.clearQuestion === true);
}

/** Agents reach each other's DMs only through `contact_agent`, which is a task of its own. */
function isDirect(said: MessageFacts): boolean {
  const { kind } = said.conversation;
  return said.authorKind === 'human' && (kind === 'dm' || (kind === 'group_dm' && !toOthers(said)));
}

/** Whether the author waits for the agent, called by name, role or group, or in a DM. */
export const isAddressed = (said: MessageFacts, agent: Listener): boolean => isCalled(said, agent) || isDirect(said);

/** Whether the message names others. Callers have checked `isCalled` before. A name that nobody has does not count. */
function toOthers(said: MessageFacts): boolean {
  return said.addresses.some(({ kind }) => kind !== 'unknown');
}

function isOpenFloor(said: MessageFacts): boolean {
  return said.conversation.floor === 'open';
}

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
