// A consent answered in a terminal with values that the peer did not know: "Other…", in words.

import type { ConsentCard, PromptAnswer, PromptCard } from '@parley/protocol';
import { CliError } from './exit.ts';

export type FieldValues = Readonly<Record<string, string>>;

/** `cuisine_preference=Italian`, for `--value`. */
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
  const unasked = Object.keys(values).find((name) => !card.fields.some(({ field }) => field === name));
  if (unasked !== undefined)
    throw new CliError(
      'usage',
      `--value ${unasked}: nobody asks for it. They ask for ${card.fields.map(({ field }) => field).join(', ')}.`,
    );
  return {
    kind: 'consent',
    fields: card.fields.flatMap(({ field, value }) => {
      const given = Object.hasOwn(values, field) ? { value: values[field]! } : {};
      return value === null && !('value' in given) ? [] : [{ field, answer: 'share' as const, ...given }];
    }),
  };
}

export const unknownFields = (card: PromptCard | null): ConsentCard['fields'] =>
  card?.kind === 'consent' ? card.fields.filter(({ value }) => value === null) : [];
