// Reasons, in words, why an invocation failed for good, and when its owner gets them (PAP-14).

import { quotedError } from './invocation-texts.ts';

/** By a code of how its last attempt ended, or of what else became of it. */
const whys: Readonly<Record<string, string>> = {
  timed_out: 'it ran for too long',
  bad_output: 'its output does not have the form that its manifest asks for',
  too_many_tool_calls: 'it reached its limit of tool calls',
  agent_offline: 'its agent is not connected',
  crashed: 'the hub went down while it ran',
  may_have_happened: 'it was interrupted during a call that may have happened',
  expired: 'nobody approved it in time',
  not_delivered: 'its result could not be delivered',
};

/** As a part of a sentence: what the platform knows of it; the code alone where nothing is kept of it any more. */
export function failedWords(reason: string | null, error: string | null): string {
  const why = Object.hasOwn(whys, reason ?? '') ? whys[reason ?? ''] : undefined;
  const parts = [why, error === null ? undefined : quotedError(error)].filter((part) => part !== undefined);
  return parts.length === 0 ? 'something went wrong' : parts.join(': ');
}

/** The same to the end of the sentence, and where more is said. A quotation may have ended it already. */
export function failedText({ reason, error, invocation }: { reason: string | null; error: string | null; invocation: string }): string {
  const words = failedWords(reason, error);
  return `${words}${/[.!?…]”$/.test(words) ? '' : '.'} \`npx parley invocations show ${invocation}\` shows more.`;
}

export interface FailureFacts {
  trigger: string;
  /** A code. */
  reason: string;
}

/** Thousands may fail of the same: its owner has one of them before them. Once they have noted it, the next is news again. */
export const isInInbox = (open: readonly FailureFacts[], now: FailureFacts): boolean =>
  open.some(({ trigger, reason }) => trigger === now.trigger && reason === now.reason);
