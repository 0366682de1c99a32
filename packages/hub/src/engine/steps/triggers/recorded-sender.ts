// The sender of an event, from the record of how it came in.

import type { EventSender } from '@parley/protocol';
import type { EventRow, MemberRow } from '../../../store/tables.ts';

/** `by`: the member that sent it, if they are still there. */
export const recordedSender = (
  { via, source_id: sourceId, by_id }: Pick<EventRow, 'via' | 'source_id' | 'by_id'>,
  by: Pick<MemberRow, 'kind' | 'handle'> | undefined,
): EventSender => ({
  via,
  sourceId,
  by: by_id === null ? null : by ? `${by.kind === 'agent' ? '^' : '@'}${by.handle}` : 'somebody who is gone',
});
