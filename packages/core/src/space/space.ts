// A shared space (A2C-33): fields that several people's agents write, each field with its own versions. Of two versions the one with
// the higher counter wins, then the one of the greater address: every participant ends with the same fields, whatever the order of
// the updates. Clocks are not compared, because they differ.

import { canonicalText, type SharedValue } from '../consent/consent.ts';

export const spacePermissions = ['read-all', 'write-own-fields', 'full-write'] as const;
export type SpacePermission = (typeof spacePermissions)[number];

/** The creator sets it once: after a change, some participants would accept a write that others refuse. */
export interface SpaceDefinition {
  name: string;
  creator: string;
  /** By address, with the creator. */
  participants: Readonly<Record<string, SpacePermission>>;
}

export type SpaceValue = SharedValue;

export interface FieldVersion {
  counter: number;
  by: string;
  /** Null: the field was removed. */
  value: SpaceValue;
}

export interface FieldUpdate extends FieldVersion {
  field: string;
}

export interface SpaceField {
  current: FieldVersion;
  /** Versions that lost or were replaced, newest first. */
  earlier: FieldVersion[];
}

export type SpaceFields = Readonly<Record<string, SpaceField>>;

/** A peer writes no more fields than these. */
export const mostOwnFields = 500;
/** A peer accepts more from others, who may all have written at the same time. */
const mostFields = 2000;
export const mostFieldBytes = 8192;
const mostEarlierVersions = 20;

/** No honest writer comes near it, and above it a number would lose precision. */
export const highestCounter = 2 ** 40;

/** Restored devices and missed writes cause steps of a few thousands. A version with a far higher counter would win for ever. */
export const largestStep = 2 ** 20;

/** Other programs round integers beyond 2^53, and cannot read Infinity. */
export function isExact(value: SpaceValue): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every((part) => isExact(part));
}

const beginsWithName = (field: string, address: string): boolean => field.startsWith(`${nameIn(address)}.`);

/** Own fields begin with their participant's name: `bob.flight` is Bob's. `bob.lee.flight` is not Bob's where another is named `bob.lee`. */
function isOwnField({ participants }: SpaceDefinition, field: string, address: string): boolean {
  if (!beginsWithName(field, address)) return false;
  const isNearer = (other: string): boolean => nameIn(other).length >= nameIn(address).length && beginsWithName(field, other);
  return !Object.keys(participants).some((other) => other !== address && isNearer(other));
}

/** Two people may have one name at two relays: then neither has fields of their own. */
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

/** Merges an update. The result is the same in any order, and when an update comes twice. */
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
  const existing = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (counter - (existing?.current.counter ?? 0) > largestStep) return { verdict: 'too_far', fields };
  if (!existing) {
    if (Object.keys(fields).length >= mostFields) return { verdict: 'too_many', fields };
    return { verdict: 'changed', fields: { ...fields, [field]: { current: version, earlier: [] } } };
  }
  const versions = [existing.current, ...existing.earlier];
  if (versions.some((one) => compareVersions(one, version) === 0)) return { verdict: 'repeated', fields };
  const [current, ...earlier] = [...versions, version].toSorted((a, b) => compareVersions(b, a));
  const verdict = current === version ? 'changed' : 'older';
  return { verdict, fields: { ...fields, [field]: { current: current!, earlier: earlier.slice(0, mostEarlierVersions) } } };
}

/** Only a dishonest writer gives two values the same counter. Then the greater text wins everywhere. */
function compareVersions(a: FieldVersion, b: FieldVersion): number {
  return a.counter - b.counter || compareTexts(a.by, b.by) || compareTexts(canonicalText(a.value), canonicalText(b.value));
}

const compareTexts = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

const encoder = new TextEncoder();
export const bytesIn = (value: SpaceValue): number => encoder.encode(JSON.stringify(value)).length;

export const fitsField = (value: SpaceValue): boolean => bytesIn(value) <= mostFieldBytes;

/** For all versions of one writer. `taken` is larger, because other peers may not know yet which versions were replaced. */
export const writerBytes = { own: 2 ** 20, taken: 2 ** 21 };

/** Removes the earlier versions of one writer if it has more than `most` bytes. Undefined: its current versions alone have more. */
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

/** A restored device does not know the last writes of the device before it, so its counters begin above those. `device` counts from 1. */
const firstCounterOf = (device: number): number => Math.min((device - 1) * 1000, largestStep / 2);

/** The update for an own write. Its counter is higher than those of all versions that this peer knows. */
export function writeField(
  definition: SpaceDefinition,
  fields: SpaceFields,
  { field, by, value }: Omit<FieldUpdate, 'counter'>,
  device = 1,
): { update: FieldUpdate } | { refused: WriteRefusal } {
  if (!mayWrite(definition, field, by)) return { refused: 'not_allowed' };
  if (!fitsField(value)) return { refused: 'too_large' };
  if (!isExact(value)) return { refused: 'not_exact' };
  const existing = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (!existing && Object.keys(fields).length >= mostOwnFields) return { refused: 'too_many' };
  if (existing ? canonicalText(existing.current.value) === canonicalText(value) : value === null) return { refused: 'unchanged' };
  const counter = Math.max(existing?.current.counter ?? 0, firstCounterOf(device)) + 1;
  return counter > highestCounter ? { refused: 'exhausted' } : { update: { field, counter, by, value } };
}

/** Whether the person is notified: somebody else changed the value, and not only its spaces or capitals. */
export function isMeaningful(before: SpaceValue | undefined, after: FieldVersion, own: string): boolean {
  return after.by !== own && plainText(before ?? null) !== plainText(after.value);
}

const plainText = (value: SpaceValue): string => canonicalText(value).toLowerCase().replaceAll(/\s+/g, '');
