// The task as its handler sees it.

import type {
  AgentEvent,
  AgentResult,
  AgentTool,
  AnsweredApproval,
  ContactOutcome,
  Mailbox,
  Message,
  Signal,
  ToolCallResult,
} from '@parley/protocol';

export type Word = AgentEvent['words'][number];

export interface ContactRequest {
  action: 'ask' | 'delegate' | 'notify';
  /** The agent's ID, as `agents` lists it. */
  agentId: string;
  message: string;
  /** The background that the other agent needs: it sees nothing of this task. */
  context?: string;
  /** The priority of a delegation. */
  priority?: 'low' | 'normal' | 'high' | 'urgent';
}

/** An event in a task while its handler works. */
export interface More {
  /**
   * Someone said more, or edited a message; a sub-task has ended, or asks; somebody waits for an answer; a message of yours
   * made no task; someone reacted to your message; a person has answered an approval.
   */
  kind: 'follow_up' | 'correction' | 'result' | 'obligation' | 'flagged' | 'signal' | 'approval';
  text: string;
  messageId: string | null;
  authorId: string | null;
  /** For a `result`, the sub-task's state. For `flagged`, why no task was made. For a `signal`, what it means to you. */
  cause: string | null;
  /** For `flagged`, the reason and the remedy, in the platform's words. Null for everything else. */
  topic: string | null;
}

/**
 * One task of the agent. Everything it says carries an idempotency key made of the words: repeated after a lost
 * connection, or by a handler that is run again, it is not shown a second time.
 */
export interface AgentTask {
  readonly id: string;
  /**
   * The request as it was written; a line for each message where it was written in several. The text is somebody's words,
   * never an instruction of the platform.
   */
  readonly text: string;
  /** Everything said in the task so far, the agent's own words included. */
  readonly words: readonly Word[];
  /** The event that brought the task. */
  readonly event: AgentEvent;
  /** Calls that needed a person's approval and have been answered. One that was approved is made again, once, with the same arguments. */
  readonly approvals: readonly AnsweredApproval[];
  /**
   * Aborted when the task ends without its handler: stopped, out of time, its agent closed; and when the request was edited
   * before the agent had said anything, or an urgent message came: then the handler is called again. The reason is a
   * ParleyError.
   */
  readonly signal: AbortSignal;
  /** Progress. With `^OTHER` in it the work is delegated, and `next` brings the result. */
  say(text: string, options?: { conversationId?: string }): Promise<Message>;
  /** Asks the requester and waits for their answer, for hours if need be. A 👍 on the question is "yes", a 🙅 "no". */
  ask(text: string): Promise<string>;
  /**
   * The last word. A handler may as well return it. If there are newer messages than the agent has got, it is shown as progress
   * (`task.kind` of the message says so), and the handler is called again with all of them.
   */
  answer(text: string): Promise<Message>;
  /** The last word, too: will not, or (`blocked`) cannot yet, because. */
  decline(reason: string, outcome?: 'declined' | 'blocked'): Promise<void>;
  /**
   * Reacts to the request. `agree`, `done` and `declined` are the last word, without one; after `blocked` and `unclear` the
   * task waits for the requester, and the handler is called again.
   */
  react(signal: Signal): Promise<void>;
  /** Shows what the agent is about to say, while it finds the words. Not kept; each replaces the one before. */
  draft(text: string): void;
  /**
   * The next thing that happens in the task; of these kinds, where some are named. Messages that are in `words` at the start
   * come, too. `flagged` comes only where it is named: it is a notice of the platform, and nothing to answer.
   */
  next(...kinds: More['kind'][]): Promise<More>;
  /**
   * Asks another agent and waits for its answer (120 seconds at most), gives it work whose result comes later, or leaves it a
   * note. `text` is what a model is to read. Results of delegations come one by one, each when the turn has ended: `pause` and
   * then `next('result')`, or answer, and the handler is called again with the result among `words`. If the other asks back,
   * the next `contact` with it is the answer.
   */
  contact(request: ContactRequest): Promise<ContactOutcome>;
  /** The agents to contact: what they do, and their status. */
  agents(): Promise<AgentResult<'read.agents'>['agents']>;
  /** Lets go of the turn until a sub-task ends or asks. */
  pause(): Promise<void>;
  history(options?: { conversationId?: string; before?: number; limit?: number }): Promise<AgentResult<'read.history'>>;
  /**
   * Messages of a conversation (the task's own, when left out) that were not put before the agent, since the last `seen`,
   * or `after` an earlier page. Reading moves nothing and asks for no answer.
   */
  mailbox(options?: { conversationId?: string; after?: number; limit?: number }): Promise<Mailbox>;
  message(messageId: string): Promise<Message>;
  /**
   * The prompt of the task for a model: `system` holds the platform’s words and nothing anybody wrote, `user` all that was
   * said, each in a block that the platform has named; no text can end its block or pass for another’s.
   */
  prompt(): Promise<AgentResult<'read.prompt'>>;
  /** The agent's tools: the workspace's, and those of its tool servers. */
  tools(): Promise<AgentTool[]>;
  /**
   * Calls a tool. Failures are in the result, for a model to read. The text is from outside, and never an instruction of
   * the platform.
   */
  tool(name: string, input?: Record<string, unknown>): Promise<ToolCallResult>;
  search(text: string, options?: { limit?: number }): Promise<AgentResult<'read.search'>>;
}
