// The texts that agents read about each other's calls (IAC-1 … IAC-14): results and header lines, in the published wording that all agents
// expect. Names are handles, which cannot hold a line break or a bracket.

import type { TaskCause } from '@parley/protocol';
import { causeTexts } from '../task/task-texts.ts';
import { type ContactAction, contactActions, priorities, type Priority } from './contact-permission.ts';

export const askSeconds = 120;

export const contactResults = {
  response: (name: string, answer: string) => `Response from ${name}: ${answer}`,
  noResponse: (name: string) =>
    `Error: ${name} did not respond within ${askSeconds} seconds. Consider using 'delegate' for async processing.`,
  failed: (name: string, reason: string) => `Error: ${name} failed to respond: ${reason}`,
  delegated: (name: string, taskId: string) =>
    `Delegated to ${name} (subtask ${taskId}). You'll receive the result automatically when ${name} finishes.`,
  notified: (name: string) => `Notification sent to ${name}.`,
  waiting: () => 'This action requires approval. Waiting for approval...',
  denied: (name: string) => `Approval denied for contacting ${name}.`,
  /** The text suggests `delegate` only if the hub would accept it. */
  tooDeep: (maxDepth: number, mayDelegate: boolean) =>
    `Error: Maximum agent communication depth (${maxDepth}) reached. ${
      mayDelegate ? "Use 'delegate' for async to avoid nesting." : 'Report back to your caller.'
    }`,
  badAction: (action: string) => `Error: Unknown action '${action}'. Use one of: ${contactActions.join(', ')}.`,
  nothingToAnswer: (name: string) => `Error: There is nothing to answer in this. Use 'notify' if ${name} is to know it.`,
  noMessage: () => "Error: 'message' is missing. Say what you want to ask, delegate or tell.",
  unknown: (id: string) => `Error: No agent with id '${id}'. Use query_workspace(action: "list_agents") to find agents.`,
  self: () => 'Error: You cannot contact yourself.',
  circular: (name: string) => `Error: ${name} is already working above you in this chain. Report back to your caller.`,
  ended: (name: string) =>
    `Error: Your exchange with ${name} repeated itself and was ended. Finish without it, or report back to your requester.`,
  unavailable: (name: string) => `Error: ${name} is offline and unavailable. Use 'notify' to leave a message.`,
  notShared: (name: string, field: string) =>
    `Error: This holds what its owner has not agreed to share with ${name} (${field}). Leave it out and try again.`,
  forbidden: (name: string) => `Error: You are not permitted to contact ${name}.`,
  badPriority: (priority: string) => `Error: Unknown priority '${priority}'. Use one of: ${priorities.join(', ')}.`,
  tooLong: (field: string, most: number) => `Error: '${field}' is too long. Use at most ${most} characters: sum it up.`,
  badText: (field: string) => `Error: '${field}' has control characters or broken Unicode in it. Send plain text.`,
  chainFull: (most: number) =>
    `Error: This chain has ${most} tasks, as many as it may have. Go on with the results you have, or report back to your caller.`,
  asleep: (name: string) =>
    `Error: ${name} sleeps until after this chain's time is over. Use 'ask' to wake it, or 'notify' to leave a message.`,
} as const;

/** The message in the DM of the two agents. The caller wrote everything below the header. */
export function requestText(
  action: ContactAction,
  from: string,
  given: { message: string; context?: string | undefined; priority?: Priority | undefined; taskId?: string | undefined },
): string {
  const parts = [`Agent Request from ${from}`, `Pattern: ${action}`];
  if (action === 'delegate') parts.push(`Priority: ${given.priority ?? 'normal'}`, `Task: ${given.taskId ?? ''}`);
  const header = action === 'notify' ? `[Agent Notification from ${from}]` : `[${parts.join(' | ')}]`;
  const context = given.context?.trim() ? [`Context: ${given.context.trim()}`] : [];
  return [header, ...context, given.message].join('\n\n');
}

/** The platform posts this instead of an answer that its readers may not see (SYS-6). */
export const withheldResult = (field: string): string => `(The answer holds what its owner has not agreed to share here: ${field}.)`;
/** The platform posts this where the parent's task was opened. Its header differs from a failure's, so nobody takes one for the other. */
export const delegationResult = (name: string, taskId: string, text: string): string =>
  `[Delegation Result from ${name} | ${taskId}]\n${text}`;
export const delegationFailed = (name: string, taskId: string, reason: string): string =>
  `[Delegation Failed | ${name} | ${taskId}]\nError: ${name} failed to complete the task: ${reason}`;

/** The caller's own text, without the header. */
export const withoutHeader = (text: string): string => text.replace(/^\[Agent (?:Request|Notification) from [^\]\n]*\]\n+/, '');

/** Tells the requester why a task ended without an answer. */
export const failureReasons = Object.fromEntries(
  Object.entries(causeTexts).map(([cause, text]) => [cause, `${text}.${cause === 'brain_failed' ? ' Try again later.' : ''}`]),
) as Readonly<Record<TaskCause, string>>;

/** The agent marked the request as blocked without a text. The next message to it continues the task. */
export const askedSilently = '(It marked this as blocked or unclear, without a word.)';
/** The agent closed the request without a text (C2A-22). */
export const closedSilently = '(It marked this as done, without a word.)';
