// The platform speaking to one member. A notice is a fact and nothing else: it names things and never repeats what
// somebody wrote.

import type { NoticeData } from '../../../store/fact-data.ts';
import type { Tx } from '../../command.ts';
import { append } from './append.ts';

/** `home`: null where it is about no conversation. */
export function notify(memberId: string, home: string | null, data: NoticeData, tx: Tx, chainId?: string): void {
  append(tx, {
    type: 'notice',
    scope: 'member',
    member_id: memberId,
    conversation_id: home,
    subject_id: data.message ?? data.task ?? data.invocation ?? null,
    chain_id: chainId ?? null,
    data,
  });
}
