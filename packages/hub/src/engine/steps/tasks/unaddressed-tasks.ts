// Tasks that began with a question in a thread to nobody by name (line 9). Only those who take part in the thread may take
// one, and its requester's further talk there is for people (C2A-12).

import { beganUnaddressed } from '@parley/core';
import type { TaskRow } from '../../../store/tables.ts';
import type { WorkingSet } from '../../working-set.ts';
import { homeOf } from './tasks.ts';

export function isUnaddressed({ addressed_by, conversation_id, message_id }: TaskRow, set: WorkingSet): boolean {
  if (addressed_by !== 'any_agent' && addressed_by !== 'edit') return beganUnaddressed(addressed_by, true, '');
  const inThread = set.get('conversations', conversation_id)?.kind === 'thread' && homeOf(conversation_id, set).kind !== 'dm';
  return inThread && beganUnaddressed(addressed_by, true, set.get('messages', message_id)?.body ?? '');
}
