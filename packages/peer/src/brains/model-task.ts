// What a negotiator has to think about next, and the cheapest model that can do it (A2C-37).

import type { BrainView } from '../negotiate/peer-brain.ts';
import { type ModelSize, modelSizes } from './model-settings.ts';

/** `open`: the first packet; `routine`: an exchange with somebody known; `gaps`: what is missing; `propose`: weighing what both want. */
export type ModelTask = 'open' | 'routine' | 'gaps' | 'propose';

const sizes: Readonly<Record<ModelTask, ModelSize>> = { open: 'small', routine: 'small', gaps: 'medium', propose: 'large' };

export const sizeFor = (task: ModelTask): ModelSize => sizes[task];

export const largerThan = (size: ModelSize): ModelSize | undefined => modelSizes[modelSizes.indexOf(size) + 1];

/** Below it a larger model tries once more. */
export const lowConfidence = 0.6;

/** Undefined where nothing is to weigh: answers that consent has decided, receipts, and waiting need no model. */
export function taskOf(view: BrainView): ModelTask | undefined {
  const { isFirst, awaitsProposal, asked, answers, remembered, role } = view;
  // A group's coordinator needs everybody's times and proposes by rules; on one line nobody else may.
  if (!isTalking(view) || awaitsProposal || isPlainQuestion(view) || view.isGroup) return undefined;
  if (isFirst && role === 'initiator') return 'open';
  const hasAsked = asked.length > 0;
  // The peer owes an answer, and this side's own needs no thought.
  if (hasAsked && answers) return undefined;
  const isReady = !hasAsked && ('time_windows' in view.received || view.unavailable.length > 0 || view.lastStart !== null);
  if (isReady) return 'propose';
  return Object.keys(remembered).length > 0 ? 'routine' : 'gaps';
}

/** The person asked for fields and for nothing else: the rules ask, and receipt the answers. */
const isPlainQuestion = ({ intent, wanted, role }: BrainView): boolean =>
  intent.category === 'information' && (role === 'responder' || wanted.length > 0);

const isTalking = ({ state }: BrainView): boolean => state === 'INITIATED' || state === 'NEGOTIATING';

/** The initiator answers first, and the responder then proposes: two proposals would cross. */
export const mayPropose = (view: BrainView): boolean =>
  isTalking(view) && !view.awaitsProposal && view.asked.length === 0 && (view.role === 'responder' || !view.answers) && !view.isFirst;
