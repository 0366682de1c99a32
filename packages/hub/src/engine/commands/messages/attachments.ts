// An upload is on disk before it is known; it is nobody's until it is posted with a message.

import { wantRow } from '../../../store/port.ts';
import { ParleyError } from '@parley/protocol';
import type { AttachmentRow } from '../../../store/tables.ts';
import { actorOf, type Handler, require } from '../../command.ts';
import { append } from '../../steps/facts/append.ts';
import { accountOf, membersOn } from '../../steps/budget/budget-accounts.ts';
import { addUpload, uploadsLock, uploadTotal } from '../../steps/people/upload-quota.ts';
import { setTimer } from '../../steps/facts/timers.ts';

export interface AttachmentCommands {
  'attachment.add': [{ sha256: string; name: string; mediaType: string; size: number }, { attachment: AttachmentRow }];
}

/** An upload that was never posted is taken away again. */
const unpostedMs = 24 * 3600 * 1000;

const add: Handler<'attachment.add'> = {
  locks: (c) => [`blob:${c.sha256}`, ...('memberId' in c.by ? [uploadsLock(c.by.memberId)] : [])],
  needs: (c) => ('memberId' in c.by ? [wantRow('upload_totals', c.by.memberId)] : []),
  decide: (c, tx) => {
    const actor = actorOf(c.by, tx, tx.now);
    require('attachment.upload', actor);
    if (actor.type !== 'member') throw new ParleyError('forbidden');
    const account = accountOf(actor.id, tx);
    tx.lock(uploadsLock(account));
    const storedBytes = membersOn(account, tx).reduce((sum, id) => sum + uploadTotal(id, tx).bytes, 0);
    if (storedBytes + c.size > tx.limits.uploadBytes)
      throw new ParleyError(
        'too_large',
        `Upload quota exceeded: your files, with those of people you invited, take ${storedBytes} of ${tx.limits.uploadBytes} bytes. Delete messages with files to make room.`,
        { reason: 'upload_quota' },
      );
    const attachment: AttachmentRow = {
      id: tx.ids.next('attachment'),
      sha256: c.sha256,
      name: c.name,
      media_type: c.mediaType,
      size: c.size,
      uploaded_by: actor.id,
      message_id: null,
      created_at: tx.now,
      erased_at: null,
    };
    addUpload(attachment, tx);
    tx.insert('attachments', attachment);
    setTimer('attachment.unposted', attachment.id, 'wall', tx.now + unpostedMs, tx, true);
    append(tx, { type: 'attachment.added', actor, member_id: actor.id, subject_id: attachment.id, data: { size: c.size } });
    return { attachment };
  },
};

export const attachmentHandlers = { 'attachment.add': add };
