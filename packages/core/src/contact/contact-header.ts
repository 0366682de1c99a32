// Reads the header lines that contact-texts.ts writes. Only messages that the platform posted for an agent's call have one, and anybody
// can write such a line, so callers check the message's source first.

import { shortenText } from '../model/prompt-blocks.ts';
import { type ContactAction, contactActions, priorities, type Priority } from './contact-permission.ts';

export interface ContactHeader {
  kind: ContactAction | 'result' | 'failed';
  /** The handle of the agent that sent the request or the result. */
  name: string;
  priority: Priority | undefined;
  taskId: string | undefined;
  /** The text below the header. */
  rest: string;
}

const name = '([A-Za-z0-9._-]{1,64})';
const request = new RegExp(`^\\[Agent Request from ${name} \\| Pattern: (\\w+)(?: \\| Priority: (\\w+) \\| Task: (\\S*))?\\]$`);
const notification = new RegExp(`^\\[Agent Notification from ${name}\\]$`);
const result = new RegExp(`^\\[Delegation Result from ${name} \\| (\\S+)\\]$`);
const failed = new RegExp(`^\\[Delegation Failed \\| ${name} \\| (\\S+)\\]$`);

const oneOf = <T extends string>(all: readonly T[], value: string | undefined): T | undefined => all.find((one) => one === value);

/** Undefined if the text has no header. */
export function contactHeader(text: string): ContactHeader | undefined {
  const end = text.indexOf('\n');
  const line = end === -1 ? text : text.slice(0, end);
  if (line.length > 300) return undefined;
  const rest = end === -1 ? '' : text.slice(end + 1).replace(/^\n/, '');
  const requestParts = request.exec(line);
  const kind = oneOf(contactActions, requestParts?.[2]);
  if (requestParts && kind)
    return { kind, name: requestParts[1]!, priority: oneOf(priorities, requestParts[3]), taskId: requestParts[4] || undefined, rest };
  const noticeParts = notification.exec(line);
  if (noticeParts) return { kind: 'notify', name: noticeParts[1]!, priority: undefined, taskId: undefined, rest };
  const resultParts = result.exec(line);
  if (resultParts) return { kind: 'result', name: resultParts[1]!, priority: undefined, taskId: resultParts[2]!, rest };
  const failureParts = failed.exec(line);
  return failureParts ? { kind: 'failed', name: failureParts[1]!, priority: undefined, taskId: failureParts[2]!, rest } : undefined;
}

const longestTitle = 160;

/** A task's title in one line. For an agent's request it is the message, without the header and the context before it. */
export function requestTitle(text: string, isContact = false): string {
  const body = isContact ? (contactHeader(text)?.rest ?? text) : text;
  const paragraphs = body.split(/\n[ \t]*\n/).filter((part) => part.trim() !== '');
  const first = isContact && paragraphs.length > 1 && paragraphs[0]!.startsWith('Context: ') ? paragraphs[1]! : (paragraphs[0] ?? '');
  const line = first.trim().split('\n', 1)[0]!.trim();
  return shortenText(line, longestTitle);
}
