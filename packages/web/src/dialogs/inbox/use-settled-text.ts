import type { Checkpoint } from '@parley/protocol';
import { momentOf } from '../../lib/time.ts';
import { useNow } from '../../lib/use-now.ts';
import { useMember } from '../../state/context.ts';
import { calledAs } from '../../state/names.ts';
import { settledText } from './settled-text.ts';

/** Undefined: it is closed, but its closing is not here yet. */
export function useSettledText(closed: Checkpoint | undefined): string {
  const by = useMember(closed?.closedBy ?? null);
  const now = useNow();
  return closed ? settledText(closed, calledAs(by), momentOf(closed.closedAt ?? closed.createdAt, now)) : 'It was settled meanwhile';
}
