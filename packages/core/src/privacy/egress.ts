// Consent on every way out (SYS-6). A value that was read from a person's profile, memory or connected data carries its
// field and its owner. Its owner's tiers decide here whether it may go to those who would hear it, for every way out alike.

import type { InvocationState, MemberKind } from '@parley/protocol';
import { consentFor, type FieldConsent } from '../consent/consent.ts';
import type { SharingRules } from '../consent/tiers.ts';
import { foldForQuotes, shortestQuote } from './quoted-text.ts';
import { scan } from './private-value-scan.ts';

export interface TaggedValue {
  /** Such as `profile.about`, `memory` or `tool.calendar`. */
  field: string;
  ownerId: string;
}

export interface Recipient {
  /** A member's id, or the address of a peer. */
  id: string;
  kind: MemberKind | 'peer';
  /** Agents: who answers for it. */
  ownerId: string | null;
}

/** The hearers. `anyone`: also everyone in the workspace who cares to look, as in a public channel. */
export interface Hearers {
  recipients: readonly Recipient[];
  anyone: boolean;
}

export type Egress = { ok: true } | { ok: false; withheld: TaggedValue[] };

/** `rulesOf`: what the owner of a value has chosen, or the defaults. */
export function egress(fields: readonly TaggedValue[], audience: Hearers, rulesOf: (ownerId: string) => SharingRules): Egress {
  const withheld = fields.filter((tagged) => !mayHear(tagged, audience, rulesOf(tagged.ownerId)));
  return withheld.length === 0 ? { ok: true } : { ok: false, withheld };
}

/** Nobody can be asked on the way out, so `ask_first` is for the owner and their own agents. An agent hears for its owner. */
function mayHear({ field, ownerId }: TaggedValue, { recipients, anyone }: Hearers, rules: SharingRules): boolean {
  const consentTo = (address: string): FieldConsent =>
    consentFor(field, { rules, recipient: { address, isVerified: true }, decisions: {}, request: null });
  const hears = ({ id, kind, ownerId: personId }: Recipient): boolean => {
    if (id === ownerId) return true;
    const consent = consentTo(kind === 'agent' ? (personId ?? id) : id);
    return consent === 'share' || (consent === 'ask' && kind === 'agent' && personId === ownerId);
  };
  // Those for whom the owner made a rule may look too.
  return recipients.every(hears) && (!anyone || ['', ...Object.keys(rules.overrides)].every((address) => consentTo(address) === 'share'));
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
