// What an event is put to, as it is now: built once for each state of the objects, which one setting names.

import { may } from '@parley/core';
import type { InForce } from '../../provoke/library.ts';
import type { ProvokeObjectRow } from '../../store/provoke-tables.ts';
import type { Want } from '../../store/port.ts';
import type { MemberRow } from '../../store/tables.ts';
import type { Context } from '../command.ts';
import type { WorkingSet } from '../working-set.ts';
import { putSetting, setting } from './settings.ts';
import { sha256 } from './short.ts';

const stampKey = 'provoke.set';
const kinds = ['trigger', 'manifest', 'absence'] as const;

export const stampWant: Want = { table: 'settings', values: [stampKey] };

export function inForceNow(set: WorkingSet, context: Context): InForce {
  return context.provoke.inForce(setting(stampKey, set, ''), () => {
    set.need(kinds.map((kind) => ({ table: 'provoke_objects', lookup: 'kind', values: [kind] })));
    return kinds.flatMap((kind) => set.find('provoke_objects', 'kind', kind));
  });
}

/** From all that was changed so far and what is changed now: two states have one name only if they are the same. */
export function stampAnew({ kind, id, version, body, enabled, removed_at }: ProvokeObjectRow, set: WorkingSet): void {
  const text = JSON.stringify([setting(stampKey, set, ''), kind, id, version, enabled, removed_at, body]);
  putSetting(stampKey, sha256(text), set);
}

/** A manifest may reach tools and keys: somebody else's serves only who could have given them all that themselves. */
export const mayUse = (manifest: ProvokeObjectRow, { id, kind, role, status }: MemberRow): boolean =>
  manifest.owner_id === id ||
  may('agent.reach', { type: 'member', id, kind, role, active: status === 'active', tokenKind: 'person' }).allowed;
