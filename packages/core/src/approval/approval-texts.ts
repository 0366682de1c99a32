// The texts of an approval for its approver (IAC-14), and for the agent that gets the answer. The agent's own words are quoted, so that a
// line break in them cannot look like a line of the platform.

import type { EventSender, Manifest } from '@parley/protocol';
import type { ApprovalWhy } from './approval.ts';
import { contactResults } from '../contact/contact-texts.ts';
import { codePointText, inLine, escapeInvisible } from '../model/prompt-blocks.ts';
import type { AfterApproval } from '../invocation/transitions.ts';
import { senderText } from '../invocation/invocation-texts.ts';
import { invisibleCharacters } from '../text/look-alike.ts';

/** Handles, which cannot hold a line break or a bracket. */
export interface ApprovalQuestion {
  agent: string;
  /** For a contact: the other agent. */
  target?: string | undefined;
  /** The tool; for an agent that an event woke, its manifest. */
  name: string;
  woken?: true | undefined;
  /** The call began, and nobody knows whether it happened. */
  unknown?: true | undefined;
}

export const approvalText = ({ agent, target, name, woken, unknown }: ApprovalQuestion): string =>
  unknown
    ? `${agent} was interrupted while it called ${escapeInvisible(name)}. The call may have happened:`
    : woken
      ? `${agent} was woken by an event and wants to run${agent === name ? '' : ` ${escapeInvisible(name)}`}:`
      : target === undefined
        ? `${agent} wants to use ${escapeInvisible(name)}:`
        : `${agent} wants to contact ${target}:`;

/** Tells the approver why an approved invocation could no longer run. */
export const notRunText = ({ why, expired }: { why: string; expired: boolean }): string =>
  `It was approved, but ${expired ? 'expired' : 'was cancelled'}: ${why.charAt(0).toLowerCase()}${why.slice(1)}`;

type NotRun = Extract<AfterApproval, { run: false }>;

const sinceAsked: Readonly<Record<NotRun['reason'], string>> = {
  expired: 'The deadline has passed',
  disabled: 'The trigger or its agent was switched off since this was asked, or its owner may no longer run it',
  gone: 'The trigger or its agent was removed since this was asked',
  event_changed: 'The event is not the one that was shown',
  manifest_changed: 'The manifest was changed since this was asked',
  arguments_changed: 'The trigger names another manifest since this was asked',
};

/** Shown instead of the deadline when approving has no effect. */
export const wouldNotRunText = ({ reason, again }: NotRun, invocationId: string): string =>
  `${sinceAsked[reason]}: approving it would not run it.${again ? ` Approving it only lets it expire; then npx parley invocations ask ${invocationId} requests the current version.` : ''}`;

export const quoteText = (text: string): string => escapeInvisible(JSON.stringify(text));

/** Writes out signs that only change the look of their neighbour too, so that two different arguments never look the same. */
const escapeAll = (text: string): string => escapeInvisible(text).replaceAll(invisibleCharacters, codePointText);

/** A list cuts longer texts. */
export const longestDetail = 1000;

/** A list may show some lines more than are counted here. */
const roomForLines = 300;

/** Whether a list may cut the text. A person must then open all of it before approving. */
export const needsWholeView = (asked: ApprovalQuestion, input: unknown): boolean =>
  approvalDetail(asked, input, longestDetail - roomForLines).cut;

/** The lines that show exactly the approved act. `most`: the text is cut there, and ends with `…`. */
export function approvalDetail(
  { target, name, woken }: ApprovalQuestion,
  input: unknown,
  most = Infinity,
): { detail: string; cut: boolean } {
  const full = woken ? wokenLines(name, input, most) : target === undefined ? toolLines(name, input) : contactLines(input);
  return full.length <= most ? { detail: full, cut: false } : { detail: `${full.slice(0, most)}…`, cut: true };
}

/** The name of a server's tool has the server's name in it. */
function toolLines(name: string, input: unknown): string {
  const [server, ...tool] = escapeInvisible(name).split('__');
  const lines = tool.length === 0 ? [] : [`Server: ${server}`];
  return [...lines, `Arguments: ${escapeAll(JSON.stringify(input ?? null))}`].join('\n');
}

/** An invocation that waits for approval, as it was stored when the approval was requested. */
interface WokenInput {
  trigger?: string;
  version?: number;
  risk?: string;
  tools?: readonly { name: string; source: string; risk_override?: string }[];
  event?: { id?: string; type?: string; data?: unknown; source?: unknown };
  /** The sender of the event. */
  sender?: EventSender;
  /** The destination of the result; null: it is only stored. Undefined in approvals that are older than this field. */
  to?: Manifest['deliver_to'] | null;
  /** The approval was answered. Only the names of its subject are still stored. */
  over?: true;
}
const wokenInput = (input: unknown): WokenInput => input ?? {};

const eventLine = '\nEvent:\n';

/**
 * The scope of the approval: this version, these tools, this event. Names of triggers, manifests, tools and servers cannot hold a blank
 * or a bracket. The event comes last, in indented lines, so that none of them looks like a line of the platform.
 */
function wokenLines(name: string, input: unknown, most: number): string {
  const { trigger, version, tools = [], event, sender, to, over } = wokenInput(input);
  if (over) return overLines(name, String(trigger), event ?? {});
  const named = tools.map(
    ({ name: tool, source, risk_override: risk }) => `${tool} (${source}${risk === undefined ? '' : `, risk ${risk}`})`,
  );
  const lines = [
    `Trigger: ${escapeInvisible(String(trigger))}`,
    `Manifest: ${escapeInvisible(name)} (version ${String(version)})`,
    `Tools: ${named.length === 0 ? 'no tools' : escapeInvisible(named.join(', '))}`,
    ...(sender && event ? [`Sent by: ${senderText(String(event.source), sender)}`] : []),
    ...(to === undefined ? [] : [`Result: ${resultText(to)}`]),
  ];
  // The type and the data come first, because people read them first. Nothing is dropped.
  const { type, data, ...rest } = event ?? {};
  const ordered = event && { type, data, ...rest };
  return `${lines.join('\n')}${eventLine}${escapeAll(eventText(ordered ?? null, most)).replaceAll(/^/gm, '  ')}`;
}

/** Only the host is shown, because the rest of an address may hold a key. */
const hostOf = (url: string): string => url.replace(/^(\w+:\/\/)(?:[^/?#]*@)?([^/?#]*).*$/s, '$1$2');

function resultText(to: NonNullable<WokenInput['to']> | null): string {
  if (to === null) return 'only kept';
  if ('conversation' in to) return `posted in ${inLine(to.conversation)}`;
  return 'agent' in to ? `a task for ^${inLine(to.agent)}` : `sent to ${inLine(hostOf(to.webhook.url))}`;
}

/** Longer events are not indented: nobody reads them, and indenting could make them sixty times as long. */
const longestIndented = 8000;

/** The event as JSON. A long event may be cut behind `most`. */
function eventText(event: unknown, most: number): string {
  const text = JSON.stringify(event);
  return text.length > longestIndented ? text.slice(0, most + 1) : JSON.stringify(event, null, 2);
}

/** The sender chose the event's type and id, so they stay in one line, and the id in quotes. */
const overLines = (name: string, trigger: string, { id, type }: { id?: string; type?: string }): string =>
  [
    `Trigger: ${escapeInvisible(trigger)}`,
    `Manifest: ${escapeInvisible(name)}`,
    ...(id === undefined || type === undefined ? [] : [`Event: ${escapeInvisible(type)} ${quoteText(id)}`]),
  ].join('\n');

/** Separates the event from the platform's lines, for a view with a block for each. No other detail has an event line. */
export function detailParts(detail: string): { lines: string; event: string | null } {
  const at = detail.indexOf(eventLine);
  if (at === -1) return { lines: detail, event: null };
  return { lines: detail.slice(0, at), event: detail.slice(at + eventLine.length).replaceAll(/^ {2}/gm, '') };
}

/** Explains a high risk: the manifest says so of itself, or of some of its tools. */
export function riskReason(input: unknown): string {
  const { risk, tools = [] } = wokenInput(input);
  const high = tools.flatMap(({ name, risk_override }) => (risk_override === 'high' ? name : []));
  const source =
    risk === 'high' ? 'its manifest says so' : high.length === 0 ? '' : escapeInvisible(`its manifest says so of ${high.join(', ')}`);
  return source === '' ? approvalReasons.risk : approvalReasons.risk.replace('of high risk,', () => `of high risk (${source}),`);
}

/** `time`: the deadline, formatted by the caller. */
export const untilText = (time: string): string => `Approve before ${time}.`;

const labels = { action: 'Action', message: 'Message', context: 'Context', priority: 'Priority' } as const;

function contactLines(input: unknown): string {
  const contact = (typeof input === 'object' && input !== null ? input : {}) as Record<string, unknown>;
  const isWord = (key: string, value: unknown): boolean =>
    (key === 'action' || key === 'priority') && typeof value === 'string' && /^[a-z]+$/.test(value);
  return Object.entries(labels)
    .filter(([key]) => contact[key] !== undefined)
    .map(([key, label]) => {
      const value = contact[key];
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      return `${label}: ${isWord(key, value) ? text : escapeAll(JSON.stringify(text))}`;
    })
    .join('\n');
}

export const approvalReasons: Readonly<Record<ApprovalWhy, string>> = {
  rule: 'A rule requires approval for this contact.',
  mode: 'Its behaviour mode requires approval for this.',
  private: 'It has read private notes, and this would reach someone they are not for.',
  risk: 'Its manifest is of high risk, and an event has woken it.',
  unknown: 'The call is not made again unless you say so.',
  taint: 'It has read what others wrote: this may be their wish, and not its requester’s.',
};

/** The result that the agent reads after the approver's answer. */
export const approvalResults = {
  approved: ({ target, name }: ApprovalQuestion) =>
    `Approved: ${target === undefined ? escapeInvisible(name) : `contacting ${target}`}. Make the same call again, with exactly the same arguments.`,
  denied: ({ target, name }: ApprovalQuestion) =>
    target === undefined ? `Approval denied for using ${escapeInvisible(name)}.` : contactResults.denied(target),
  expired: ({ target, name }: ApprovalQuestion) =>
    `Approval expired for ${target === undefined ? `using ${escapeInvisible(name)}` : `contacting ${target}`}: nobody answered in time. You can ask again.`,
} as const;
