// The person's answers to one prompt, and what they leave behind: decisions, counts, and rules for this peer.

import type { FreeFields } from '@parley/protocol/relay';
import type { ConsentItem, SharedValue, SharingScope } from './consent.ts';
import { fieldKey, lookUp, setOverride, type SharingRules } from './tiers.ts';

export interface ConsentAnswer {
  field: string;
  answer: 'share' | 'always' | 'decline';
  /** Picked or written by the person. */
  value?: SharedValue;
}

export interface AnsweredPrompt {
  given: FreeFields;
  decisions: SharingScope['decisions'];
  approvals: Readonly<Record<string, number>>;
  rules: SharingRules;
}

/**
 * A field of the prompt without an answer is declined; an answer to another field has no effect. The first answer counts, so a
 * second device changes nothing.
 */
export function applyAnswers(
  items: readonly ConsentItem[],
  answers: readonly ConsentAnswer[],
  { rules, recipient, decisions }: SharingScope,
  approvals: Readonly<Record<string, number>>,
): AnsweredPrompt {
  let result: AnsweredPrompt = { given: {}, decisions, approvals, rules };
  for (const { field, value: offered } of items) {
    if (lookUp(decisions, field) !== undefined) continue;
    const { answer = 'decline', value = offered } = answers.find((one) => fieldKey(one.field) === fieldKey(field)) ?? {};
    const key = fieldKey(field);
    const isShared = answer !== 'decline' && value !== undefined;
    result = {
      given: isShared ? { ...result.given, [field]: value } : result.given,
      decisions: { ...result.decisions, [key]: isShared ? 'share' : 'decline' },
      approvals: isShared ? { ...result.approvals, [key]: (lookUp(result.approvals, field) ?? 0) + 1 } : result.approvals,
      rules: isShared && answer === 'always' ? setOverride(result.rules, recipient.address, field, 'always_share') : result.rules,
    };
  }
  return result;
}
