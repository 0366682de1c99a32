// Consent on every way out (SYS-6). A value that was read from a person's profile, memory or connected data carries its
// field and its owner; whether it may go to those who would hear it is decided here, for every way out alike.

import type { InvocationState, MemberKind } from '@parley/protocol';
import { foldForQuotes, shortestQuote } from './quoted-text.ts';
import { scan } from './private-value-scan.ts';

export interface TaggedValue {
  /** Such as `profile.about` or `memory`. */
  field: string;
  ownerId: string;
}

export interface Recipient {
  id: string;
  kind: MemberKind;
  /** Agents: who answers for it. */
  ownerId: string | null;
}

/** The hearers. `anyone`: also everyone in the workspace who cares to look, as in a public channel. */
export interface Hearers {
  recipients: readonly Recipient[];
  anyone: boolean;
}

export type Egress = { ok: true } | { ok: false; withheld: TaggedValue[] };

/** What everyone in the workspace sees of a member anyway. */
const publicFields: ReadonlySet<string> = new Set(['profile.handle', 'profile.displayName', 'profile.about']);

export function egress(fields: readonly TaggedValue[], audience: Hearers): Egress {
  const withheld = fields.filter((tagged) => !mayHear(tagged, audience));
  return withheld.length === 0 ? { ok: true } : { ok: false, withheld };
}

/** The tiers as they are when nobody has set any: public, or for the owner and their own agents. */
function mayHear({ field, ownerId }: TaggedValue, { recipients, anyone }: Hearers): boolean {
  if (publicFields.has(field)) return true;
  return !anyone && recipients.every((one) => one.id === ownerId || (one.kind === 'agent' && one.ownerId === ownerId));
}

/** A chain, as far as something could still be said in it. Its invocations are looked at where no task is open. */
export interface ChainSpeech {
  openTasks: number;
  invocations: () => readonly { open: boolean; state: InvocationState }[];
}

/**
 * With its last task and its last invocation a chain is silent, and values read in it need no more protection. An expired
 * invocation can be requested again: until its chain is forgotten, it is not over.
 */
export const saysNoMore = ({ openTasks, invocations }: ChainSpeech): boolean =>
  openTasks === 0 && invocations().every(({ open, state }) => !open && state !== 'expired');

/** Whether a text says one of these, or half of one, in whatever disguise. */
export function holdsAny(text: string, values: readonly string[]): boolean {
  return values.some(scan(text));
}

/** The same of a text that is still being written: what it ends with may be the beginning of one. */
export function mayHoldAny(text: string, values: readonly string[]): boolean {
  const whole = foldForQuotes(text);
  return holdsAny(text, values) || values.some((value) => beginningOf(foldForQuotes(value), whole) >= shortestQuote);
}

/** How much of the beginning of `part` the text ends with. By the lengths of borders, so that long notes take no longer than they are long. */
function beginningOf(part: string, text: string): number {
  const joined = `${part}\uFFFF${text.slice(-part.length)}`;
  const borders = new Uint32Array(joined.length);
  for (let at = 1, length = 0; at < joined.length; at++) {
    while (length > 0 && joined[at] !== joined[length]) length = borders[length - 1]!;
    if (joined[at] === joined[length]) length++;
    borders[at] = length;
  }
  return borders.at(-1)!;
}
