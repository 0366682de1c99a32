// What agents read of each other's calls (IAC-1 … IAC-14): results and header lines, in the published wording, as agents of
// any make are told to expect it. Names are handles, which cannot hold a line break or a bracket.

import { type ContactAction, contactActions, type Priority } from './contact.ts';

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
  noMessage: () => "Error: 'message' is missing. Say what you want to ask, delegate or tell.",
  unknown: (id: string) => `Error: No agent with id '${id}'. Use query_workspace(action: "list_agents") to find agents.`,
  self: () => 'Error: You cannot contact yourself.',
  circular: (name: string) => `Error: ${name} is already working above you in this chain. Report back to your caller.`,
  unavailable: (name: string) => `Error: ${name} is offline and unavailable. Use 'notify' to leave a message.`,
  forbidden: (name: string) => `Error: You are not permitted to contact ${name}.`,
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
export const delegationResult = (name: string, taskId: string, text: string): string =>
  `[Delegation Result from ${name} | ${taskId}]\n${text}`;
export const delegationFailed = (name: string, taskId: string, reason: string): string =>
  `[Delegation Failed | ${name} | ${taskId}]\nError: ${name} failed to complete the task: ${reason}`;
