// The texts that agents read of each other's calls (IAC-1 … IAC-14): results and header lines, in the published wording
// that agents of any make expect. Names are handles, which cannot hold a line break or a bracket.

import type { TaskCause } from '@parley/protocol';
import { causeTexts } from '../task/task-texts.ts';
import { type ContactAction, contactActions, priorities, type Priority } from './contact-permission.ts';
import { shortenText } from '../model/prompt-blocks.ts';

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
  /** Going round by delegating is advised only where it would be accepted. */
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

/** The message in the pair's DM. Everything below the header is what the caller wrote. */
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

/** What the platform posts where the parent's task was opened: a failure never looks like a result. */
/** In place of an answer that those who would read it may not hear (SYS-6). */
export const withheldResult = (field: string): string => `(The answer holds what its owner has not agreed to share here: ${field}.)`;
export const delegationResult = (name: string, taskId: string, text: string): string =>
  `[Delegation Result from ${name} | ${taskId}]\n${text}`;
export const delegationFailed = (name: string, taskId: string, reason: string): string =>
  `[Delegation Failed | ${name} | ${taskId}]\nError: ${name} failed to complete the task: ${reason}`;

/** The request without its header: what the caller wrote. */
export const withoutHeader = (text: string): string => text.replace(/^\[Agent (?:Request|Notification) from [^\]\n]*\]\n+/, '');

/** For the requester: why a task ended without a word of its own. */
export const failureReasons = Object.fromEntries(
  Object.entries(causeTexts).map(([cause, text]) => [cause, `${text}.${cause === 'brain_failed' ? ' Try again later.' : ''}`]),
) as Readonly<Record<TaskCause, string>>;

/** The agent is blocked by the request and said so without a word; the next message to it continues the task. */
export const askedSilently = '(It marked this as blocked or unclear, without a word.)';
/** It closed the request without a word (C2A-22). */
export const closedSilently = '(It marked this as done, without a word.)';

// The header lines of contact-texts.ts, read back. Only a message that the platform posted for an agent's call has one:
// the caller says so by its source, as anybody can write such a line.

export interface ContactHeader {
  kind: ContactAction | 'result' | 'failed';
  /** Whose request or result it is: a handle. */
  name: string;
  priority: Priority | undefined;
  taskId: string | undefined;
  /** What stands below it. */
  rest: string;
}

const name = '([A-Za-z0-9._-]{1,64})';
const request = new RegExp(`^\\[Agent Request from ${name} \\| Pattern: (\\w+)(?: \\| Priority: (\\w+) \\| Task: (\\S*))?\\]$`);
const notification = new RegExp(`^\\[Agent Notification from ${name}\\]$`);
const result = new RegExp(`^\\[Delegation Result from ${name} \\| (\\S+)\\]$`);
const failed = new RegExp(`^\\[Delegation Failed \\| ${name} \\| (\\S+)\\]$`);

const oneOf = <T extends string>(all: readonly T[], value: string | undefined): T | undefined => all.find((one) => one === value);

/** Undefined: the text has no such line; then it is shown as it is. */
export function contactHeader(text: string): ContactHeader | undefined {
  const end = text.indexOf('\n');
  const line = end === -1 ? text : text.slice(0, end);
  if (line.length > 300) return undefined;
  const rest = end === -1 ? '' : text.slice(end + 1).replace(/^\n/, '');
  const asked = request.exec(line);
  const kind = oneOf(contactActions, asked?.[2]);
  if (asked && kind) return { kind, name: asked[1]!, priority: oneOf(priorities, asked[3]), taskId: asked[4] || undefined, rest };
  const told = notification.exec(line);
  if (told) return { kind: 'notify', name: told[1]!, priority: undefined, taskId: undefined, rest };
  const came = result.exec(line);
  if (came) return { kind: 'result', name: came[1]!, priority: undefined, taskId: came[2]!, rest };
  const lost = failed.exec(line);
  return lost ? { kind: 'failed', name: lost[1]!, priority: undefined, taskId: lost[2]!, rest } : undefined;
}

const longestTitle = 160;

/** What a task is about, in a line: of an agent's request its message, without the header and the context before it. */
export function requestTitle(text: string, isContact = false): string {
  const said = isContact ? (contactHeader(text)?.rest ?? text) : text;
  const paragraphs = said.split(/\n[ \t]*\n/).filter((part) => part.trim() !== '');
  const first = isContact && paragraphs.length > 1 && paragraphs[0]!.startsWith('Context: ') ? paragraphs[1]! : (paragraphs[0] ?? '');
  const line = first.trim().split('\n', 1)[0]!.trim();
  return shortenText(line, longestTitle);
}
