// Shared spaces in words. Names and values in them are other people's: text, whatever they look like.

import { agreementField } from '@parley/core/space';
import type { SharedSpace, WholeSpace } from '@parley/protocol';

type Person = SharedSpace['people'][number];

export const permissionText: Readonly<Record<Person['may'], string>> = {
  'full-write': 'writes every field',
  'write-own-fields': 'writes own fields',
  'read-all': 'only reads',
};

/** Of oneself. */
export const ownPermissionText: typeof permissionText = {
  'full-write': 'write every field',
  'write-own-fields': 'write your own fields',
  'read-all': 'only read',
};

export const reasonText: Readonly<Record<NonNullable<WholeSpace['changes'][number]['reason']>, string>> = {
  assigned: 'assigned to you',
  decision: 'a decision',
  yours: 'you wrote it',
  watched: 'you watch it',
};

export const nameIn = ({ people }: Pick<SharedSpace, 'people'>, address: string): string => {
  const person = people.find((one) => one.address === address);
  return person?.isMe ? 'You' : (person?.name ?? address);
};

export const othersText = ({ people }: Pick<SharedSpace, 'people'>): string => {
  const others = people.filter(({ isMe, isGone }) => !isMe && !isGone).map(({ name }) => name);
  return others.length === 0 ? 'Everybody else left' : `With ${others.join(', ')}`;
};

/** Somebody's agreement to be read in a channel is shown with the channel. */
export const isAgreement = ({ audiences }: Pick<WholeSpace, 'audiences'>, { field, by, value }: WholeSpace['fields'][number]): boolean =>
  field.endsWith('.posts_to') && audiences.some((one) => one.by === by && one.audience === value);

/** Somebody let their own words be read in a channel, or no longer does. Undefined for any other change. */
export function agreementText({ field, by, value }: Pick<WholeSpace['changes'][number], 'field' | 'by' | 'value'>): string | undefined {
  if (field !== agreementField(by) || (value !== null && typeof value !== 'string')) return undefined;
  return value === null ? 'no longer lets their words be read in a channel' : `lets their words be read in ${value}`;
}

/** The whole value is one. Letters that could disguise another address, and a name before the host, leave it a text. */
export function isWebAddress(text: string): boolean {
  if (!/^https:\/\/[\x21-\x7e]+$/.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

/** As it is typed again: a text stays a text, everything else is JSON. */
export const typedText = (value: WholeSpace['fields'][number]['value']): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** A list or an object is JSON; anything else is the text itself. */
export function valueOf(typed: string): WholeSpace['fields'][number]['value'] {
  const text = typed.trim();
  if (!/^[[{]/.test(text)) return text;
  try {
    return JSON.parse(text) as WholeSpace['fields'][number]['value'];
  } catch {
    return text;
  }
}

/** A name as people type it. */
export const asField = (typed: string): string =>
  typed
    .trim()
    .toLowerCase()
    .replaceAll(/[^\w.-]+/g, '_')
    .slice(0, 64);
