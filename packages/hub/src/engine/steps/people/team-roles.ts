// The holders of a role.

import type { Actor } from '@parley/core';
import { wantBy } from '../../../store/port.ts';
import type { Tx } from '../../command.ts';
import { append } from '../facts/append.ts';

export const roleLock = (id: string): string => `role:${id}`;

export function roleEdited(roleId: string, fields: string[], actor: Actor, tx: Tx): void {
  const holderRows = tx.find('role_holders', 'role', roleId);
  const data = { fields, holders: holderRows.length };
  const isAccess = fields.includes('holders') || fields.includes('handle');
  const access = isAccess ? { role: roleId, fields, holderIds: holderRows.map(({ member_id }) => member_id) } : undefined;
  append(tx, { type: 'role.edited', actor, scope: 'workspace', subject_id: roleId, data, access });
}

/** A departed member holds no role. */
export function endHoldings(memberId: string, actor: Actor, tx: Tx): void {
  const holderRows = tx.find('role_holders', 'member', memberId);
  tx.lock(...holderRows.map(({ role_id }) => roleLock(role_id)));
  tx.need(holderRows.map(({ role_id }) => wantBy('role_holders', 'role', role_id)));
  for (const holder of holderRows) {
    tx.remove('role_holders', holder);
    roleEdited(holder.role_id, ['holders'], actor, tx);
  }
}
