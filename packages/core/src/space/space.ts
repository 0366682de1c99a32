// A shared space (A2C-33): fields that several people's agents write, each field with its own versions. Of two versions the one with
// the higher counter wins, then the one of the greater address, so every participant ends with the same fields in whatever order
// updates come. No clock is compared.

import { canonicalText, type SharedValue } from '../consent/consent.ts';

export const spacePermissions = ['read-all', 'write-own-fields', 'full-write'] as const;
export type SpacePermission = (typeof spacePermissions)[number];

/** Set by the creator once: a permission that changed would make the same write count here and not there. */
export interface SpaceDefinition {
  name: string;
  creator: string;
  /** By address, the creator among them. */
  participants: Readonly<Record<string, SpacePermission>>;
}

export type SpaceValue = SharedValue;

export interface FieldVersion {
  counter: number;
  by: string;
  /** Null: it was removed. */
  value: SpaceValue;
}

export interface FieldUpdate extends FieldVersion {
  field: string;
}

export interface SpaceField {
  current: FieldVersion;
  /** Versions that lost or were replaced, the latest first. */
  earlier: FieldVersion[];
}

export type SpaceFields = Readonly<Record<string, SpaceField>>;

/** What one's own peer writes, and what it takes from others who wrote at the same time. */
export const mostOwnFields = 500;
const mostFields = 2000;
export const mostFieldBytes = 8192;
const mostEarlierVersions = 20;

/** No honest writer comes near it, and a hostile one cannot make a counter that no number holds. */
export const highestCounter = 2 ** 40;

/** Restored devices and missed writes make honest steps of a few thousands; one to the highest counter would win for ever. */
export const longestStep = 2 ** 20;

/** Others read a number beyond 2^53 as another one, and one beyond every number as nothing. */
export function isExact(value: SpaceValue): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every((part) => isExact(part));
}

const beginsWithName = (field: string, address: string): boolean => field.startsWith(`${nameIn(address)}.`);

/** The fields of one's own begin with one's name: `bob.flight` is Bob's, and no field of Bob's where somebody is `bob.flight`. */
function isOwnField({ participants }: SpaceDefinition, field: string, address: string): boolean {
  if (!beginsWithName(field, address)) return false;
  const isNearer = (other: string): boolean => nameIn(other).length >= nameIn(address).length && beginsWithName(field, other);
  return !Object.keys(participants).some((other) => other !== address && isNearer(other));
}

/** Two people of one name, at two relays: neither has fields of their own. */
export const hasNamesake = (participants: readonly string[], address: string): boolean =>
  participants.some((other) => other !== address && nameIn(other) === nameIn(address));

/** `agent:<name>@<relay>`. */
export const nameIn = (address: string): string => address.slice(address.indexOf(':') + 1, address.lastIndexOf('@'));

export function mayWrite(definition: SpaceDefinition, field: string, address: string): boolean {
  const { participants } = definition;
  const permission = Object.hasOwn(participants, address) ? participants[address] : undefined;
  return permission === 'full-write' || (permission === 'write-own-fields' && isOwnField(definition, field, address));
}

export type UpdateVerdict = 'changed' | 'older' | 'repeated' | 'not_allowed' | 'too_large' | 'too_many' | 'not_exact' | 'too_far';

/** Merges somebody's update: in any order, once or several times, with the same result. */
export function mergeUpdate(
  definition: SpaceDefinition,
  fields: SpaceFields,
  update: FieldUpdate,
): { verdict: UpdateVerdict; fields: SpaceFields } {
  const { field, counter, by, value } = update;
  if (!mayWrite(definition, field, by)) return { verdict: 'not_allowed', fields };
  if (!fitsField(value) || counter > highestCounter) return { verdict: 'too_large', fields };
  if (!isExact(value)) return { verdict: 'not_exact', fields };
  const version: FieldVersion = { counter, by, value };
  const known = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (counter - (known?.current.counter ?? 0) > longestStep) return { verdict: 'too_far', fields };
  if (!known) {
    if (Object.keys(fields).length >= mostFields) return { verdict: 'too_many', fields };
    return { verdict: 'changed', fields: { ...fields, [field]: { current: version, earlier: [] } } };
  }
  const versions = [known.current, ...known.earlier];
  if (versions.some((one) => compareVersions(one, version) === 0)) return { verdict: 'repeated', fields };
  const [current, ...earlier] = [...versions, version].toSorted((a, b) => compareVersions(b, a));
  const verdict = current === version ? 'changed' : 'older';
  return { verdict, fields: { ...fields, [field]: { current: current!, earlier: earlier.slice(0, mostEarlierVersions) } } };
}

/** A writer that gave two values the same counter is dishonest; then the greater text wins everywhere. */
function compareVersions(a: FieldVersion, b: FieldVersion): number {
  return a.counter - b.counter || compareTexts(a.by, b.by) || compareTexts(canonicalText(a.value), canonicalText(b.value));
}

const compareTexts = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

const encoder = new TextEncoder();
export const bytesIn = (value: SpaceValue): number => encoder.encode(JSON.stringify(value)).length;

export const fitsField = (value: SpaceValue): boolean => bytesIn(value) <= mostFieldBytes;

/** Of all versions of one writer: what one's own peer writes, and what it takes from others, who may not know yet what was replaced. */
export const writerBytes = { own: 2 ** 20, taken: 2 ** 21 };

/** The fields with so much of one writer, whose earlier versions go first. Undefined: it is too much without them, too. */
export function withinBytes(fields: SpaceFields, by: string, most: number): SpaceFields | undefined {
  if (bytesBy(fields, by) <= most) return fields;
  const shortened = Object.fromEntries(
    Object.entries(fields).map(([field, { current, earlier }]) => [field, { current, earlier: earlier.filter((one) => one.by !== by) }]),
  );
  return bytesBy(shortened, by) <= most ? shortened : undefined;
}

const bytesBy = (fields: SpaceFields, by: string): number =>
  Object.values(fields)
    .flatMap(({ current, earlier }) => [current, ...earlier])
    .reduce((sum, version) => sum + (version.by === by ? bytesIn(version.value) : 0), 0);

export type WriteRefusal = 'not_allowed' | 'too_large' | 'too_many' | 'not_exact' | 'exhausted' | 'unchanged';

/** A restored device does not know what the one before it wrote last: its versions begin above those. `device`: which one, from 1. */
const floorOf = (device: number): number => Math.min((device - 1) * 1000, longestStep / 2);

/** The update that a write of one's own makes, above every version that this peer knows. */
export function writeField(
  definition: SpaceDefinition,
  fields: SpaceFields,
  { field, by, value }: Omit<FieldUpdate, 'counter'>,
  device = 1,
): { update: FieldUpdate } | { refused: WriteRefusal } {
  if (!mayWrite(definition, field, by)) return { refused: 'not_allowed' };
  if (!fitsField(value)) return { refused: 'too_large' };
  if (!isExact(value)) return { refused: 'not_exact' };
  const known = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (!known && Object.keys(fields).length >= mostOwnFields) return { refused: 'too_many' };
  if (known ? canonicalText(known.current.value) === canonicalText(value) : value === null) return { refused: 'unchanged' };
  const counter = Math.max(known?.current.counter ?? 0, floorOf(device)) + 1;
  return counter > highestCounter ? { refused: 'exhausted' } : { update: { field, counter, by, value } };
}

/** Whether a person wants to know: somebody else changed what is said, not only how it is spaced or capitalised. */
export function isMeaningful(before: SpaceValue | undefined, after: FieldVersion, own: string): boolean {
  return after.by !== own && plainText(before ?? null) !== plainText(after.value);
}

const plainText = (value: SpaceValue): string => canonicalText(value).toLowerCase().replaceAll(/\s+/g, '');

// Links in a field of a space to something outside (A2C-33). A link is words of a peer: nothing follows it by itself.

export interface SpaceLink {
  name: string;
  uri: string;
  /** The tool server that its writer reads it with; a reader's own may be called otherwise. */
  server: string | null;
}

const mostLinks = 50;
const oneLine = /^[^\p{Cc}\p{Zl}\p{Zp}]+$/u;
const text = (value: unknown, most: number): value is string => typeof value === 'string' && value.length <= most && oneLine.test(value);

/** `{name, uri, server}`, or a list of them as in `shared_files`. Entries that are none are left out. */
export function linksIn(value: SpaceValue | undefined): SpaceLink[] {
  const entries: (SpaceValue | undefined)[] = Array.isArray(value) ? value.slice(0, mostLinks) : [value];
  return entries.flatMap((entry) => {
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return [];
    const { name, uri, server } = entry;
    if (!text(uri, 2000) || !/^[a-z][a-z0-9+.-]*:\S+$/i.test(uri)) return [];
    return [{ name: text(name, 200) ? name : uri, uri, server: text(server, 64) ? server : null }];
  });
}
