// The bytes of files that a member keeps (SYS-14).

import type { AttachmentRow, UploadTotalRow } from '../../../store/tables.ts';
import type { WorkingSet } from '../../working-set.ts';

export const uploadsLock = (memberId: string): string => `uploads:${memberId}`;

/** Files of before schema 8 are counted with the first upload after it. */
export function uploadTotal(memberId: string, set: WorkingSet): UploadTotalRow {
  const totalRow = set.get('upload_totals', memberId);
  if (totalRow) return totalRow;
  const files = set.find('attachments', 'uploader', memberId).filter(({ erased_at }) => erased_at === null);
  const total = { member_id: memberId, bytes: files.reduce((sum, { size }) => sum + size, 0) };
  set.insert('upload_totals', total);
  return total;
}

export const addUpload = ({ uploaded_by, size }: AttachmentRow, set: WorkingSet): void => move(uploadTotal(uploaded_by, set), size, set);

/** Without a total there is nothing to take it from: the first upload counts only the files that are left. */
export function removeUpload({ uploaded_by, size }: AttachmentRow, set: WorkingSet): void {
  const total = set.get('upload_totals', uploaded_by);
  if (total) move(total, -size, set);
}

function move(total: UploadTotalRow, bytes: number, set: WorkingSet): void {
  set.update('upload_totals', total, { bytes: total.bytes + bytes });
}
