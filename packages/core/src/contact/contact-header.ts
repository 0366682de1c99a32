// The header lines of contact-texts.ts, read back. Only a message that the platform posted for an agent's call has one:
// the caller says so by its source, as anybody can write such a line.

import { type ContactAction, contactActions, priorities, type Priority } from './contact-permission.ts';
import { shortenText } from '../model/prompt-blocks.ts';

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
