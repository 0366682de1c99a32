// What an agent finds when it looks (C2A-6): what was stored for it and not put before it. What is `silent` is nobody's
// to find (C2A-8), and what made a task, or an offer, was put before it already.

import type { Mode } from '@parley/protocol';
import type { VerdictFields } from './verdict.ts';

export const isInMailbox = ({ mode, task }: Pick<VerdictFields, 'mode' | 'task'>): boolean => !task && mode !== 'silent';

const places: Partial<Record<Mode, string>> = {
  tool_mailbox: ' It is in its mailbox.',
  digest: ' It is in its mailbox, and counts in its digest.',
};

/** Where an agent finds what was not put before it, in a sentence; empty: nowhere. */
export const keptIn = (mode: Mode): string => places[mode] ?? '';
