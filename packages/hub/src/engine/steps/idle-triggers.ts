// A trigger fired and could wake nobody: its owner has it in the inbox, once, until it is over or they have noted it. The
// checkpoint is what remembers that they were told.

import { idleBy, type IdleWhy, isTold } from '@parley/core';
import type { CheckpointRow, MemberRow, ProvokeObjectRow } from '../../store/tables.ts';
import type { Context } from '../command.ts';
import type { WorkingSet } from '../working-set.ts';
import { type CheckpointData, close, dataOf, inboxLock, openCheckpoint } from './checkpoints.ts';
import { isUsable, provokeLock } from './in-force.ts';

/** By the manifest: once that is written, all that hung on it is over. */
const subjectOf = (manifestId: string): string => `manifest:${manifestId}`;

const wokenBy = (trigger: ProvokeObjectRow): string => (JSON.parse(trigger.body) as { agent: string }).agent;

type Idle = NonNullable<CheckpointData['idle']>;

const idles = (manifestId: string, which: (idle: Idle) => boolean, set: WorkingSet): CheckpointRow[] =>
  set
    .find('checkpoints', 'subject', subjectOf(manifestId))
    .filter((row) => row.kind === 'idle_trigger' && which(dataOf(row).idle!))
    .toSorted((a, b) => placeIn(a) - placeIn(b));

/** New in this group it has no place yet (it counts downwards), and comes after all that have one. */
const placeIn = ({ seq }: CheckpointRow): number => (seq < 0 ? 2 ** 52 - seq : seq);

/** By the manifest that it names. */
export const whyIdle = (
  manifest: ProvokeObjectRow | undefined,
  trigger: ProvokeObjectRow,
  owner: MemberRow | undefined,
  set: WorkingSet,
): IdleWhy | undefined =>
  idleBy(
    manifest && {
      removed: manifest.removed_at !== null,
      enabled: manifest.enabled === 1,
      usable: isUsable(manifest, trigger, owner, set),
    },
  );

/** `why`: where the manifest is there to be woken, and still nothing can run. Of many that name the same one it is told of the first. */
export function tellIdle(trigger: ProvokeObjectRow, owner: MemberRow | undefined, set: WorkingSet, context: Context, why?: IdleWhy): void {
  const id = wokenBy(trigger);
  const manifest = set.get('provoke_objects', 'manifest', id);
  const reason = why ?? whyIdle(manifest, trigger, owner, set);
  if (!owner || !reason) return;
  const now = { why: reason, version: manifest?.version ?? 0, owner: owner.id };
  // By reason: what one trigger may use another of the same owner may not, and both are told. The last one of each counts.
  const theirs = (idle: Idle): boolean => idle.owner === owner.id && idle.why === reason;
  const last = idles(id, theirs, set).at(-1);
  const since = idles(id, (idle) => idle.owner === owner.id && idle.trigger === trigger.id && idle.why !== reason, set).at(-1);
  // Closed without an answer, or followed by another reason, it was over.
  const isOver = last?.open === 0 && (last.choice === null || (since !== undefined && placeIn(since) > placeIn(last)));
  const told = last && { ...dataOf(last).idle!, over: isOver };
  if (isTold(told, now)) return;
  // Of two events at once one tells it, and none does while what it hangs on is written.
  context.lock(provokeLock, inboxLock(owner.id));
  over(
    idles(id, (idle) => idle.owner === owner.id && (idle.why === reason || idle.trigger === trigger.id), set),
    set,
    context,
  );
  const idle = { trigger: trigger.id, manifest: id, ...now };
  openCheckpoint({ kind: 'idle_trigger', for: owner.id, subjectId: subjectOf(id), data: { idle } }, set, context);
}

function over(rows: readonly CheckpointRow[], set: WorkingSet, context: Context): void {
  for (const row of rows) {
    if (row.open === 0) continue;
    context.lock(inboxLock(row.member_id));
    close(row, null, null, set, context);
  }
}

/** A person can be asked: whoever was told that none can need not look any more. What else keeps others from it is not over. */
export const idleOver = (manifestId: string, ownerId: string, set: WorkingSet, context: Context): void =>
  over(
    idles(manifestId, ({ owner, why }) => owner === ownerId && (why === 'no_agent' || why === 'no_approver'), set),
    set,
    context,
  );

/** Of what is written anew, a manifest, or a trigger with what it named so far, nothing is known yet: the next event will tell. */
export function idleChanged(before: ProvokeObjectRow, set: WorkingSet, context: Context): void {
  const rows =
    before.kind === 'manifest'
      ? idles(before.id, () => true, set)
      : before.kind === 'trigger'
        ? idles(wokenBy(before), ({ trigger }) => trigger === before.id, set)
        : [];
  over(rows, set, context);
}
