// What a person picks in a consent prompt, and the answer that it makes. A field without a pick is not shared.

import type { ConsentField, PromptAnswer } from '@parley/protocol';

type FieldValue = Exclude<ConsentField['value'], null>;

export interface ConsentPick {
  /** The place of an option; null: none yet. */
  option: number | 'other' | 'decline' | null;
  /** Written under Other… */
  text: string;
  always: boolean;
}

export type ConsentPicks = Readonly<Record<string, ConsentPick>>;

/** Values to pick from: the known one first. */
export function optionsOf({ value, choices }: ConsentField): FieldValue[] {
  const known = value === null ? [] : [value];
  const seen = new Set(known.map((one) => JSON.stringify(one)));
  return [...known, ...choices.filter((one): one is FieldValue => one !== null && !seen.has(JSON.stringify(one)))];
}

/** The person's own value is picked, so that one tap answers; a guess is not. */
export const firstPick = ({ value }: ConsentField): ConsentPick => ({ option: value === null ? null : 0, text: '', always: false });

export const isShared = ({ option, text }: ConsentPick): boolean =>
  option === 'other' ? text.trim() !== '' : option !== null && option !== 'decline';

export function consentAnswer(fields: readonly ConsentField[], picks: ConsentPicks): PromptAnswer {
  return { kind: 'consent', fields: fields.map((field) => answerFor(field, picks[field.field])) };
}

function answerFor(field: ConsentField, pick: ConsentPick | undefined) {
  if (pick === undefined || !isShared(pick)) return { field: field.field, answer: 'decline' as const };
  const answer = pick.always && field.offersAlways ? ('always' as const) : ('share' as const);
  const value = pick.option === 'other' ? pick.text.trim() : optionsOf(field)[Number(pick.option)];
  // The peer has the known value: it goes as it is there now.
  return { field: field.field, answer, ...(pick.option === 0 && field.value !== null ? {} : { value: value! }) };
}
