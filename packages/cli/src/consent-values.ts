// Answers a consent with values that the peer did not know.

import type { PromptCard, ConsentCard, PromptAnswer } from '@parley/protocol';
import { CliError } from './exit.ts';

export type FieldValues = Readonly<Record<string, string>>;

/** Reads the values of `--value`, such as `cuisine_preference=Italian`. */
export function fieldValuesIn(texts: readonly string[]): FieldValues {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf('=');
      if (at < 1 || at === text.length - 1) throw new CliError('usage', `--value ${text}: write it as field=value.`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}

/** Shares the known values and these; fields without a value are declined. */
export function consentWith(card: PromptCard | null, values: FieldValues): PromptAnswer {
  if (card?.kind !== 'consent') throw new CliError('usage', '--value is for an item that asks what to share.');
  const extraField = Object.keys(values).find((name) => !card.fields.some(({ field }) => field === name));
  if (extraField !== undefined)
    throw new CliError(
      'usage',
      `--value ${extraField}: nobody asks for it. They ask for ${card.fields.map(({ field }) => field).join(', ')}.`,
    );
  return {
    kind: 'consent',
    fields: card.fields.flatMap(({ field, value }) => {
      const typed = Object.hasOwn(values, field) ? { value: values[field]! } : {};
      return value === null && !('value' in typed) ? [] : [{ field, answer: 'share' as const, ...typed }];
    }),
  };
}

export const unknownFields = (card: PromptCard | null): ConsentCard['fields'] =>
  card?.kind === 'consent' ? card.fields.filter(({ value }) => value === null) : [];
