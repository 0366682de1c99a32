// The triggers that an event is matched against now: built once for each state of the objects, which one setting names.

import { type Holder, isBounded as bounded, mayRun as runs, mayUse as uses } from '@parley/core';
import type { DefinitionsInForce, StateChange } from '../../../provoke/compiled-definitions.ts';
import { type Want, wantBy, wantRow } from '../../../store/port.ts';
import type { MemberRow, ProvokeObjectRow, ThrottleStartRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { putSetting, setting } from '../facts/settings.ts';
import { sha256 } from '../../ids.ts';

const stampKey = 'provoke.set';

/** The state's name, and what the latest changes changed: who knows a state of before loads that, and not all there is. */
interface Stamp {
  name: string;
  recent: StateChange[];
}
/** The changes that the setting keeps; few, because each event reads it. */
const mostRecent = 20;

/** Before schema 12 the value was only the name. */
function stampIn(set: WorkingSet): Stamp {
  const storedStamp = setting<Stamp | string>(stampKey, set, '');
  return typeof storedStamp === 'string' ? { name: storedStamp, recent: [] } : storedStamp;
}

const kinds = ['trigger', 'manifest', 'absence', 'source'] as const;

/** Changes are made one at a time: each names the state after it. */
export const provokeLock = 'provoke';

export const stampWant: Want = wantRow('settings', stampKey);

export function inForceNow(tx: Tx): DefinitionsInForce {
  const { name, recent } = stampIn(tx);
  return tx.provoke.inForce(name, recent, (changed) => {
    if (changed === undefined) {
      tx.need(kinds.map((kind) => wantBy('provoke_objects', 'kind', kind)));
      return kinds.flatMap((kind) => tx.find('provoke_objects', 'kind', kind));
    }
    tx.need(changed.map(({ kind, id }) => wantRow('provoke_objects', kind, id)));
    return changed.flatMap(({ kind, id }) => tx.get('provoke_objects', kind, id) ?? []);
  });
}

/** When it leaves its trigger's window as that is now; where none counts it any more, when it was to leave. */
export function startLeavesAt({ trigger_id, at, until }: ThrottleStartRow, tx: Tx): number {
  const throttle = inForceNow(tx).triggers.get(trigger_id)?.trigger.throttle;
  return throttle ? tx.provoke.core.leavesAt(throttle, at) : until;
}

/** The new name of the state, from all changes so far and this one: two states have one name only if they are the same. */
export function renewStamp({ kind, id, version, owner_id, body, enabled, removed_at }: ProvokeObjectRow, set: WorkingSet): void {
  const { name: before, recent } = stampIn(set);
  const name = sha256(JSON.stringify([before, kind, id, version, owner_id, enabled, removed_at, body]));
  putSetting(stampKey, { name, recent: [...recent, { before, kind, id }].slice(-mostRecent) } satisfies Stamp, set);
}

export const holderOf = ({ id, kind, role, status }: MemberRow): Holder => ({ id, kind, role, active: status === 'active' });

/** Whether the definitions of a member still run as that member. */
export const mayRun = (owner: MemberRow): boolean => runs(holderOf(owner));

/** Whether the triggers of a member are limited to a part of the workspace's daily budget. */
export const isBounded = (owner: MemberRow): boolean => bounded(holderOf(owner));

type Waking = Pick<ProvokeObjectRow, 'file'>;

export const mayUse = ({ owner_id, file }: ProvokeObjectRow, made: MemberRow | undefined, trigger: Waking, owner: MemberRow): boolean =>
  uses({ ownerId: owner_id, file }, made && holderOf(made), trigger, holderOf(owner));

/** Whether what a trigger of this owner names is there to be woken: it is on, and for it to use. */
export function isUsable(
  manifest: ProvokeObjectRow | undefined,
  trigger: Waking,
  owner: MemberRow | undefined,
  set: WorkingSet,
): manifest is ProvokeObjectRow {
  if (!owner || manifest?.removed_at !== null || manifest.enabled === 0) return false;
  return mayUse(manifest, set.get('members', manifest.owner_id), trigger, owner);
}
