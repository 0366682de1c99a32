// The changes of a space that cause a notice, and the text about them for a channel (A2C-33). All other changes wait in the space until
// the person looks.

import { toOneLine } from '@parley/protocol';
import { canonicalText } from '../consent/consent.ts';
import { tierOf, type SharingRules } from '../consent/tiers.ts';
import { withheldIn } from '../privacy/private-value-scan.ts';
import { isMeaningful, nameIn, type SpaceField, type SpaceFields, type SpaceValue } from './space.ts';

export const changeReasons = ['assigned', 'decision', 'yours', 'watched'] as const;
export type ChangeReason = (typeof changeReasons)[number];

export interface FieldChange {
  field: string;
  by: string;
  before: SpaceValue;
  value: SpaceValue;
}

export interface Involvement {
  own: string;
  /** Fields that the person watches; `*` means all. */
  watches: readonly string[];
}

/** Why the change causes a notice; undefined if it does not. `existing`: the field before the change. */
export function reasonFor(change: FieldChange, existing: SpaceField | undefined, { own, watches }: Involvement): ChangeReason | undefined {
  const { field, by, before, value } = change;
  if (!isMeaningful(before, { counter: 1, by, value }, own)) return undefined;
  const earlierTasks = new Set(tasksFor(before, own));
  if (tasksFor(value, own).some((task) => !earlierTasks.has(task))) return 'assigned';
  if (/(?:^|[._-])decisions?$/i.test(field)) return 'decision';
  if (existing && [existing.current, ...existing.earlier].some((version) => version.by === own)) return 'yours';
  return watches.includes('*') || watches.includes(field) ? 'watched' : undefined;
}

/** The person's open next actions, in the form of the protocol: `assigned_to` is a name or an address. */
function tasksFor(value: SpaceValue, own: string): string[] {
  const entries: SpaceValue[] = Array.isArray(value) ? value : [value];
  return entries.flatMap((entry) => {
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return [];
    const { assigned_to: whom, status } = entry;
    const isMine = typeof whom === 'string' && [own, nameIn(own)].includes(whom.trim().replace(/^@/, '').toLowerCase());
    return isMine && status !== 'done' ? [canonicalText(entry)] : [];
  });
}

/** Changes within this time become one notice, so that there is not one for each keystroke. */
export const noticeDelayMs = (reasons: readonly (ChangeReason | null)[], isNew = false): number =>
  isNew || reasons.includes('assigned') ? 5000 : 60_000;

/** With their own field of this name, a participant agrees that the named channel shows their values. */
export const agreementField = (address: string): string => `${nameIn(address)}.posts_to`;

/** Whether a participant has agreed to this channel. Only their own version of their own field counts. */
export function hasAgreed(fields: SpaceFields, address: string, audience: string): boolean {
  const field = agreementField(address);
  const current = Object.hasOwn(fields, field) ? fields[field]!.current : undefined;
  return current?.by === address && current.value === audience;
}

export interface PostedSpace {
  name: string;
  creator: string;
  fields: SpaceFields;
  changes: readonly FieldChange[];
  audience: string;
  /** The person whose peer posts it, with what they share with everybody. */
  own: string;
  rules: SharingRules;
  values: Readonly<Record<string, unknown>>;
}

const mostPosted = 5;
const mostLetters = 120;

/**
 * The line for the channel. It shows the values of those who agreed, and only counts the changes of others. If it contains a value that
 * the person does not share with everybody, it shows no values at all.
 */
export function channelLine({ name, creator, fields, changes, audience, own, rules, values }: PostedSpace): string {
  const changed = changes.length === 1 ? '1 change' : `${changes.length} changes`;
  const agreedChanges = changes.filter(({ field, by }) => field !== agreementField(by) && hasAgreed(fields, by, audience));
  const title = hasAgreed(fields, creator, audience) ? `“${cut(name)}”` : 'A shared space';
  const posted = agreedChanges.slice(0, mostPosted);
  const words = posted.map(({ field, by, value }) => `${field}: ${plain(value)} (${nameIn(by)})`);
  const unshown = changes.length - words.length;
  const line = `${title} has ${changed}${words.length === 0 ? '.' : `: ${words.join('; ')}${unshown > 0 ? `; and ${unshown} more` : ''}`}`;
  const withheld = Object.entries(values).flatMap(([field, value]) =>
    tierOf(rules, field, own) === 'always_share' ? [] : [{ field, value: value as SpaceValue }],
  );
  // The whole values are scanned too, because a cut may leave only a part of one.
  const wholeValues = posted.map(({ value }) => value);
  return withheldIn([line, ...wholeValues], withheld, []).length === 0 ? line : `A shared space has ${changed}.`;
}

const cut = (text: string): string => {
  const flat = toOneLine(text).replaceAll(/\s+/g, ' ').trim();
  return flat.length <= mostLetters ? flat : `${flat.slice(0, mostLetters - 1)}…`;
};
const plain = (value: SpaceValue): string => (value === null ? 'removed' : cut(typeof value === 'string' ? value : JSON.stringify(value)));
