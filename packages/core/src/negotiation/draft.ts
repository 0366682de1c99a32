// A negotiation while one input is decided: handlers change the draft, and nobody outside sees it before it is whole.

import type { Need } from '@parley/protocol/relay';
import type { NegotiationEffect, NegotiationNotice } from './inputs.ts';
import { type Negotiation, negotiationLimits } from './negotiation.ts';
import { type NegotiationState, stateSteps } from './states.ts';

export interface NegotiationDraft {
  value: Negotiation;
  effects: NegotiationEffect[];
  /** Every state that was entered, in order. */
  moves: NegotiationState[];
  now: number;
}

export const draftOf = (negotiation: Negotiation, now: number): NegotiationDraft => ({
  value: structuredClone(negotiation),
  effects: [],
  moves: [],
  now,
});

/** Throws for a step that A2C-28 does not have, as only a defect takes one. */
export function moveTo(
  { value, moves }: { value: { state: NegotiationState }; moves: NegotiationState[] },
  ...path: readonly NegotiationState[]
): void {
  for (const to of path) {
    if (!stateSteps[value.state].includes(to)) throw new Error(`A negotiation does not move from ${value.state} to ${to}`);
    value.state = to;
    moves.push(to);
  }
}

/** Words of one side go on with the talk. It begins when the responder has sent something. */
export function talkOn(draft: NegotiationDraft, by: 'own' | 'peer'): void {
  const { state, role } = draft.value;
  const isFirstAnswer = state === 'INITIATED' && (role === 'responder') === (by === 'own');
  if (state === 'STALLED' || state === 'NEGOTIATING' || isFirstAnswer) moveTo(draft, 'NEGOTIATING');
}

/** Needs in place of earlier ones for the same fields. */
export const withNeeds = (needs: readonly Need[], added: readonly Need[]): Need[] => [
  ...needs.filter(({ field }) => !added.some((need) => need.field === field)),
  ...added,
];

export const notify = ({ effects }: NegotiationDraft, notice: NegotiationNotice, details?: Record<string, unknown>): void => {
  effects.push({ kind: 'notify', notice, ...(details ? { details } : {}) });
};

/** Nobody evaluates while a person has to decide first. */
export function evaluate({ value, effects }: NegotiationDraft): void {
  if (value.paused === 'own' || value.isEscalated || value.isClosing) return;
  effects.push({ kind: 'evaluate', needs: value.openNeeds });
}

export const remember = (list: readonly string[], item: string): string[] => [
  ...list.filter((other) => other !== item).slice(1 - negotiationLimits.remembered),
  item,
];
