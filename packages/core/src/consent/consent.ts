// What goes to one peer in one negotiation: at once, after the person's tap, or not at all.

import type { FreeFields, Need, UnavailableField } from '@parley/protocol/relay';
import { fieldKey, lookUp, type SharingRules, tierOf, setOverride } from './tiers.ts';

export type SharedValue = FreeFields[string];

/**
 * Equal values give equal text, whatever the order of their members. Peers break ties by this text (A2C-33), so it must not change.
 * `canonical` in text/canonical-json.ts sorts keys that are numbers differently.
 */
export const canonicalText = (value: SharedValue): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

/** Everything that decides about one peer in one negotiation. */
export interface SharingScope {
  rules: SharingRules;
  /**
   * An unverified peer gets only `always_share` fields, and nobody is asked. `isOutside`: somebody without an agent. The person hands
   * over what is written for them, so the person's own words and taps count.
   */
  recipient: { address: string; isVerified: boolean; isOutside?: true };
  /** The person's answers in this negotiation, by field. */
  decisions: Readonly<Record<string, 'share' | 'decline'>>;
  /** The person's own request: whom it names, and the fields whose values it states (A2C-24). */
  request: { names: readonly string[]; states: readonly string[] } | null;
}

export type FieldConsent = 'share' | 'ask' | 'decline';

/** `never_share` outranks every other word, also the person's earlier tap. */
export function consentFor(field: string, { rules, recipient, decisions, request }: SharingScope): FieldConsent {
  const tier = tierOf(rules, field, recipient.address);
  if (tier === 'never_share') return 'decline';
  const decision = lookUp(decisions, field);
  if (decision !== undefined) return decision;
  if (tier === 'always_share') return 'share';
  if (!recipient.isVerified && !recipient.isOutside) return 'decline';
  const isStated = request?.names.includes(recipient.address) && request.states.some((one) => fieldKey(one) === fieldKey(field));
  return isStated ? 'share' : 'ask';
}

/** The only values that a brain may be given while it works for this peer (SYS-6): the rest is absent, not filtered. */
export const visibleFor = (values: FreeFields, scope: SharingScope): FreeFields =>
  Object.fromEntries(Object.entries(values).filter(([field]) => consentFor(field, scope) === 'share'));

/** One field of a prompt. */
export interface ConsentItem {
  field: string;
  priority: Need['priority'];
  /** In the peer's words. */
  reason: string | null;
  /** Undefined where none is known: the person picks one of `choices` or writes one. */
  value?: SharedValue;
  choices: SharedValue[];
  /** The third approval may be for ever (A2C-23). */
  offersAlways: boolean;
}

export interface NeedsAnswer {
  share: FreeFields;
  /** One prompt for all of them (A2C-22); the answer waits for it. */
  ask: ConsentItem[];
  decline: string[];
  /** A refusal without a prompt would come faster than a person's: it waits for a human while (A2C-25). */
  isDelayed: boolean;
}

export interface PersonalValues {
  values: FreeFields;
  /** Likely values of fields without one. */
  likely: Readonly<Record<string, readonly SharedValue[]>>;
  /** How often the person approved each field for this peer. */
  approvals: Readonly<Record<string, number>>;
}

const approvalsBeforeOffer = 2;

/** `required` and `helpful` reach the person, `nice_to_have` does not (A2C-16); an urgent prompt takes those along. */
export function answerNeeds(needs: readonly Need[], person: PersonalValues, scope: SharingScope, isUrgent = false): NeedsAnswer {
  const found = needs.map((need) => ({ need, value: lookUp(person.values, need.field), consent: consentFor(need.field, scope) }));
  const share = found.filter(({ consent, value }) => consent === 'share' && value !== undefined);
  // A field that may be shared and has no value needs the person too.
  const open = found.filter((one) => !share.includes(one) && one.consent !== 'decline' && scope.recipient.isVerified);
  const important = open.filter(({ need }) => need.priority !== 'nice_to_have');
  const bundled = isUrgent && important.length > 0 ? open.filter(({ consent, value }) => consent === 'ask' && value !== undefined) : [];
  const ask = open.filter((one) => important.includes(one) || bundled.includes(one));
  const declined = found.filter((one) => !share.includes(one) && !ask.includes(one));
  return {
    share: Object.fromEntries(share.map(({ need, value }) => [need.field, value!])),
    ask: ask.map(({ need, value }) => itemFor(need, value, person)),
    decline: declined.map(({ need }) => need.field),
    isDelayed: ask.length === 0 && declined.some(({ need }) => need.priority !== 'nice_to_have'),
  };
}

const itemFor = (
  { field, priority, reason }: Need,
  value: SharedValue | undefined,
  { likely, approvals }: PersonalValues,
): ConsentItem => ({
  field,
  priority,
  reason: reason ?? null,
  ...(value === undefined ? {} : { value }),
  choices: value === undefined ? [...(lookUp(likely, field) ?? [])] : [],
  offersAlways: (lookUp(approvals, field) ?? 0) >= approvalsBeforeOffer,
});

/** The packet's members, in the order of the needs. A decline is the same, whether a tap or a tier decided it (A2C-25). */
export function contentFor(
  needs: readonly Need[],
  given: FreeFields,
): { context_provided: FreeFields; context_unavailable: UnavailableField[] } {
  const fields = [...new Set(needs.map(({ field }) => field))];
  return {
    context_provided: Object.fromEntries(fields.filter((field) => Object.hasOwn(given, field)).map((field) => [field, given[field]!])),
    context_unavailable: fields.filter((field) => !Object.hasOwn(given, field)).map((field) => ({ field, status: 'declined', hint: null })),
  };
}

// The person's answers to one prompt, and what they leave behind: decisions, counts, and rules for this peer.

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
