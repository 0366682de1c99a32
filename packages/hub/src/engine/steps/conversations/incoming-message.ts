// A message before it is placed, and what it means for the agents in its conversation. Both the preview and every posted
// message are decided on these.

import type { Fragment, MessageFacts, Verdict, MessageWording } from '@parley/core';
import type { ConversationRow, MemberRow, MessageRow, TaskRow } from '../../../store/tables.ts';
import type { NamedMembers } from './addressable-members.ts';

export interface IncomingMessage {
  conversation: ConversationRow;
  home: ConversationRow;
  author: { id: string; kind: 'human' | 'agent' };
  body: string;
  attachments: number;
  replyTo: MessageRow | undefined;
  /** A person, the author, marked the message as urgent. */
  urgent?: boolean;
  /** Whether the text looks finished, or its author marked it so. */
  piece?: Fragment;
  /**
   * The message was posted before and is edited now: a request that it already made does not turn its author's next words
   * into a part of it.
   */
  editedId?: string;
  /** An agent's words: the task they are said in, and whether they are its last. */
  speaking?: { task: TaskRow; final: boolean };
}

export interface AgentReading {
  agent: MemberRow;
  verdict: Verdict;
  /** The open task this goes on with. */
  task: TaskRow | undefined;
  /** The message belongs to the task's request, which nobody has acted on yet. */
  grows: boolean;
  /** The agent was addressed, and the message has nothing in it to answer. */
  withheld: boolean;
  /** The agent was addressed, and takes no requests from the author. */
  untaken: boolean;
}

/** The reading of a message for the agents in its conversation. */
export interface MessageReading {
  said: MessageFacts;
  /** The answers of the classifiers that were asked. */
  classified: Partial<MessageWording>;
  named: NamedMembers;
  /** Agents that could be meant; all others are as `others` says. */
  called: AgentReading[];
  /** Open tasks offered to any agent that this message of the same author adds to. */
  unclaimed: TaskRow[];
  others: Verdict;
  /** The message is for any agent that may speak up (C2A-15); `asks`: the author waits for an answer. */
  round: { asks: boolean } | undefined;
}
