// What a person's peer asks the person alone: what to share, whether to confirm, whether a new key is right. The words come from the
// peer's own store and go back there; the hub keeps only the ids (ADR 0023).

import { z } from 'zod';
import { oneLine } from '../text/one-line.ts';
import { FreeFields } from '../relay/packet-fields.ts';
import { GroupProgress } from './groups.ts';

export const ConsentField = z.object({
  field: z.string(),
  /** In the peer's words: text, never markup. */
  reason: z.string().nullable(),
  value: z.json().nullable().describe('what would be shared; null: no value is known yet'),
  choices: z.array(z.json()).describe('likely values, where none is known'),
  offersAlways: z.boolean().describe('shared with this person before: `always` may be chosen'),
});
export type ConsentField = z.infer<typeof ConsentField>;

const about = {
  /** The negotiation, as `getNegotiation` takes it. */
  threadId: z.string(),
  peer: z.string().describe('address of the other person’s peer'),
  peerName: z.string().describe('how the page calls them'),
  intent: z.string(),
  group: GroupProgress.optional(),
};

export const ConsentCard = z.object({
  kind: z.literal('consent'),
  ...about,
  fields: z.array(ConsentField),
  isEarly: z.boolean().optional().describe('they have not asked yet, but usually do'),
});
export type ConsentCard = z.infer<typeof ConsentCard>;

/** What confirming approves, in the platform's words (A2C-24). */
export const ShownAction = z.object({
  action: z.string().describe('its name in the proposal'),
  text: z.string(),
  scope: z.enum(['shared', 'own']).describe('`shared`: once, for everybody'),
  by: z.string().nullable().describe('address of the one peer that does it'),
  reversible: z.boolean(),
  own: z.boolean().describe('your own peer does it'),
  missing: z.boolean().optional().describe('your peer would have to do it and has no such action: it would fail'),
});
export type ShownAction = z.infer<typeof ShownAction>;

/** Proposals and reasons are in a peer's words: text, never markup. */
export const ShownProposal = z.object({
  summary: z.string(),
  details: FreeFields,
  alternatives: z.array(z.object({ summary: z.string(), reason: z.string().nullable() })),
  reasoning: z.string(),
  actions: z.array(ShownAction),
});
export type ShownProposal = z.infer<typeof ShownProposal>;

export const ProposalCard = z.object({
  kind: z.literal('proposal'),
  ...about,
  ...ShownProposal.shape,
  conflict: z.string().nullable().describe('what your calendar has then, once you wanted to confirm: confirming needs `anyway`'),
  until: z.number().nullable(),
  reminded: z.boolean(),
});
export type ProposalCard = z.infer<typeof ProposalCard>;

/** The peers found no way by themselves, such as no time that suits both: both people decide (A2C-18). */
export const EscalationCard = z.object({
  kind: z.literal('escalation'),
  ...about,
  isSilent: z.boolean().describe('the other side did not answer for too long (A2C-17)'),
  isPaused: z.boolean().describe('your peer could not write a valid packet, so it paused the negotiation (A2C-36)'),
  /** In a peer's words: text, never markup. */
  question: z.string().nullable(),
  conflict: z.string().nullable().describe('what stands against each other'),
  alternatives: z.array(z.object({ summary: z.string(), reason: z.string().nullable() })),
});
export type EscalationCard = z.infer<typeof EscalationCard>;

/** The negotiation is about something new: consents for the earlier scope do not hold for it unasked (A2C-19). */
export const ExpansionCard = z.object({
  kind: z.literal('expansion'),
  ...about,
  before: z.string().describe('of a fork: what its parent is about'),
  isFork: z.boolean(),
  /** In the peer's words: text, never markup. */
  reason: z.string().nullable(),
  asked: z.array(z.string()).describe('fields that they ask for besides'),
  shared: z.array(z.string()).describe('fields that they have already'),
});
export type ExpansionCard = z.infer<typeof ExpansionCard>;

export const KeyChangeCard = z.object({
  kind: z.literal('key_change'),
  peer: z.string(),
  peerName: z.string(),
  alarm: z.string(),
  safetyNumber: z.string(),
});
export type KeyChangeCard = z.infer<typeof KeyChangeCard>;

/** Somebody whose key nobody has checked wants to negotiate: nothing goes out before this tap. */
export const StrangerCard = z.object({
  kind: z.literal('stranger'),
  ...about,
  requests: z.int().describe('open requests of theirs; the answer counts for all of them'),
});
export type StrangerCard = z.infer<typeof StrangerCard>;

export const PromptCard = z.discriminatedUnion('kind', [
  ConsentCard,
  ProposalCard,
  EscalationCard,
  ExpansionCard,
  KeyChangeCard,
  StrangerCard,
]);
export type PromptCard = z.infer<typeof PromptCard>;
export type PromptKind = PromptCard['kind'];

export const ConsentFieldAnswer = z.strictObject({
  field: z.string().max(64),
  answer: z.enum(['share', 'always', 'decline']),
  value: z.json().optional().describe('picked or written by the person'),
});

/** One answer to one prompt. A consent field without an answer is declined. */
export const PromptAnswer = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('consent'), fields: z.array(ConsentFieldAnswer).max(20) }),
  z.strictObject({
    kind: z.literal('confirm'),
    anyway: z.literal(true).optional().describe('keeps both, where the card names something else in your calendar then'),
  }),
  z.strictObject({ kind: z.literal('different'), text: oneLine(500).min(1) }),
  z.strictObject({ kind: z.literal('excuse') }),
  z.strictObject({ kind: z.literal('decline') }),
  z.strictObject({
    kind: z.literal('continue'),
    text: oneLine(500).min(1).optional().describe('what to try instead, such as "next week"'),
  }),
  z.strictObject({ kind: z.literal('go_on') }),
  z.strictObject({ kind: z.literal('keep_intent') }),
  z.strictObject({ kind: z.literal('accept_key'), safetyNumber: oneLine(200) }),
  z.strictObject({ kind: z.literal('keep_key') }),
  z.strictObject({ kind: z.literal('answer_stranger'), isOn: z.boolean() }),
]);
export type PromptAnswer = z.infer<typeof PromptAnswer>;
