// Which changes of a space its person is notified of, and what of them may be posted in a channel (A2C-33). Everything else waits in
// the space until the person looks.

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
  /** Fields that the person watches; `*`: all. */
  watches: readonly string[];
}

/** Why the person wants to know at once; undefined: they read it when they look. `known`: the field before the change. */
export function reasonFor(change: FieldChange, known: SpaceField | undefined, { own, watches }: Involvement): ChangeReason | undefined {
  const { field, by, before, value } = change;
  if (!isMeaningful(before, { counter: 1, by, value }, own)) return undefined;
  const had = new Set(tasksFor(before, own));
  if (tasksFor(value, own).some((task) => !had.has(task))) return 'assigned';
  if (/(?:^|[._-])decisions?$/i.test(field)) return 'decision';
  if (known && [known.current, ...known.earlier].some((version) => version.by === own)) return 'yours';
  return watches.includes('*') || watches.includes(field) ? 'watched' : undefined;
}

/** Next actions as the protocol writes them: `assigned_to` is a name or an address. */
function tasksFor(value: SpaceValue, own: string): string[] {
  const entries: SpaceValue[] = Array.isArray(value) ? value : [value];
  return entries.flatMap((entry) => {
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return [];
    const { assigned_to: whom, status } = entry;
    const isMine = typeof whom === 'string' && [own, nameIn(own)].includes(whom.trim().replace(/^@/, '').toLowerCase());
    return isMine && status !== 'done' ? [canonicalText(entry)] : [];
  });
}

/** One notice for what comes within this time, not one a keystroke. */
export const noticeDelayMs = (reasons: readonly (ChangeReason | null)[], isNew = false): number =>
  isNew || reasons.includes('assigned') ? 5000 : 60_000;

/** In one's own field of this name one agrees that one's words are posted in the channel that it names. */
export const agreementField = (address: string): string => `${nameIn(address)}.posts_to`;

/** Whose words may be posted there: only their own version of their own field counts. */
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
 * The line for the channel: the words of those who agreed that they are read there; of the others it says that something changed. A
 * value that the person does not share with everybody keeps all words back.
 */
export function channelLine({ name, creator, fields, changes, audience, own, rules, values }: PostedSpace): string {
  const changed = changes.length === 1 ? '1 change' : `${changes.length} changes`;
  const told = changes.filter(({ field, by }) => field !== agreementField(by) && hasAgreed(fields, by, audience));
  const title = hasAgreed(fields, creator, audience) ? `“${cut(name)}”` : 'A shared space';
  const posted = told.slice(0, mostPosted);
  const words = posted.map(({ field, by, value }) => `${field}: ${plain(value)} (${nameIn(by)})`);
  const rest = changes.length - words.length;
  const line = `${title} has ${changed}${words.length === 0 ? '.' : `: ${words.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`}`;
  const kept = Object.entries(values).flatMap(([field, value]) =>
    tierOf(rules, field, own) === 'always_share' ? [] : [{ field, value: value as SpaceValue }],
  );
  // Also where a cut leaves only a part of the value.
  const whole = posted.map(({ value }) => value);
  return withheldIn([line, ...whole], kept, []).length === 0 ? line : `A shared space has ${changed}.`;
}

const cut = (text: string): string => {
  const flat = toOneLine(text).replaceAll(/\s+/g, ' ').trim();
  return flat.length <= mostLetters ? flat : `${flat.slice(0, mostLetters - 1)}…`;
};
const plain = (value: SpaceValue): string => (value === null ? 'removed' : cut(typeof value === 'string' ? value : JSON.stringify(value)));
