// An agent's mailbox (C2A-6): messages that were stored for it and not delivered. Nobody finds `silent` ones (C2A-8), and
// those that made a task, or an offer, were delivered already.

import type { Mode } from '@parley/protocol';
import type { VerdictFields } from './verdict.ts';

export const isInMailbox = ({ mode, task }: Pick<VerdictFields, 'mode' | 'task'>): boolean => !task && mode !== 'silent';

const places: Partial<Record<Mode, string>> = {
  tool_mailbox: ' It is in its mailbox.',
  digest: ' It is in its mailbox, and counts in its digest.',
};

/** A sentence that says where an agent finds a message that it was not given; empty: nowhere. */
export const keptIn = (mode: Mode): string => places[mode] ?? '';
