// The end of a plain question: the asker's peer proposes a receipt of the answers. It says nothing that a person would have to agree to and
// has no actions, so each peer confirms it by itself.

import type { ProposalContent } from './inputs.ts';

const summary = 'Answers received';

/** Each `resolution` has these; none of them says anything to a person. */
const frame = [
  ...'protocol packet_id thread_id from to timestamp sequence last_seen type capabilities'.split(' '),
  ...'proposal_number after requires_confirmation_from confirmation_timeout on_timeout'.split(' '),
];

export const receiptOf = (answered: readonly string[], declined: readonly string[]): ProposalContent => ({
  proposal: { summary, details: { answered: [...answered], declined: [...declined] } },
  confirmation_timeout: 'PT24H',
  on_timeout: 'expire',
});

const hasOnly = (value: unknown, names: readonly string[]): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.keys(value).every((name) => names.includes(name));

/** Whether a `resolution` is a receipt for fields that one of the two has answered, and no word more: a word would need a person. */
export function isReceipt(resolution: Readonly<Record<string, unknown>>, answered: readonly string[]): boolean {
  const { proposal } = resolution;
  if (!hasOnly(resolution, [...frame, 'proposal']) || !hasOnly(proposal, ['summary', 'details'])) return false;
  const { summary: words, details } = proposal;
  if (words !== summary || !hasOnly(details, ['answered', 'declined'])) return false;
  return Object.values(details).every((fields) => Array.isArray(fields) && fields.every((field) => answered.includes(field as string)));
}
