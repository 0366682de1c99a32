// Notices to the owner of a trigger that fired and could wake nobody. A notice is a checkpoint in the owner's inbox. An owner
// who dismissed it gets no second one while the reason lasts, so a dismissed checkpoint still counts until it is ended.

import { idleBy, type IdleWhy, isNotified } from '@parley/core';
import type { CheckpointRow, MemberRow, ProvokeObjectRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { type CheckpointData, close, dataOf, inboxLock, openCheckpoint } from '../facts/checkpoints.ts';
import { mayUse, provokeLock } from './triggers-in-force.ts';

/** Notices are found by the manifest, because a new version of the manifest ends all of them. */
const subjectOf = (manifestId: string): string => `manifest:${manifestId}`;

/** The manifest that a trigger names. */
export const manifestIdOf = (trigger: ProvokeObjectRow): string => (JSON.parse(trigger.body) as { agent: string }).agent;

type IdleNotice = NonNullable<CheckpointData['idle']>;

const noticesAbout = (manifestId: string, fits: (notice: IdleNotice) => boolean, set: WorkingSet): CheckpointRow[] =>
  set
    .find('checkpoints', 'subject', subjectOf(manifestId))
    .filter((row) => row.kind === 'idle_trigger' && fits(dataOf(row).idle!))
    .toSorted((a, b) => ageOrder(a) - ageOrder(b));

/** Rows of the group that is being decided have negative numbers, counting down, and are newer than all stored rows. */
const ageOrder = ({ seq }: CheckpointRow): number => (seq < 0 ? 2 ** 52 - seq : seq);

/** Why a trigger's manifest cannot be woken. */
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
      theirs: owner !== undefined && mayUse(manifest, set.get('members', manifest.owner_id), trigger, owner),
    },
  );

/** Opens a notice, unless the owner has one for the same reason. `whyNoRun`: the manifest can be woken, but nothing can run. */
export function notifyIdle(trigger: ProvokeObjectRow, owner: MemberRow | undefined, tx: Tx, whyNoRun?: IdleWhy): void {
  const manifestId = manifestIdOf(trigger);
  const manifest = tx.get('provoke_objects', 'manifest', manifestId);
  const why = whyNoRun ?? whyIdle(manifest, trigger, owner, tx);
  if (!owner || !why) return;
  const ownNotices = (fits: (notice: IdleNotice) => boolean): CheckpointRow[] =>
    noticesAbout(manifestId, (notice) => notice.owner === owner.id && fits(notice), tx);
  // Two triggers of one owner can be idle for two reasons. Each reason has a notice, and its last one counts.
  const last = ownNotices((notice) => notice.why === why).at(-1);
  const withOtherReason = ownNotices((notice) => notice.trigger === trigger.id && notice.why !== why).at(-1);
  const isFollowed = (row: CheckpointRow): boolean => withOtherReason !== undefined && ageOrder(withOtherReason) > ageOrder(row);
  const now = { why, version: manifest?.version ?? 0, owner: owner.id };
  if (isNotified(last && { ...dataOf(last).idle!, ended: hasEnded(last) || isFollowed(last) }, now)) return;
  // Only one of two simultaneous events notifies, and none does while the manifest or the trigger is written.
  tx.lock(provokeLock, inboxLock(owner.id));
  const replaced = ownNotices((notice) => notice.why === why || notice.trigger === trigger.id);
  endNotices(replaced, tx);
  const idle = { trigger: trigger.id, manifest: manifestId, ...now };
  openCheckpoint({ kind: 'idle_trigger', for: owner.id, subjectId: subjectOf(manifestId), data: { idle } }, tx);
}

/** The platform closed the notice, or its reason has gone since the owner dismissed it. */
const hasEnded = (row: CheckpointRow): boolean => row.open === 0 && (row.choice === null || dataOf(row).idle!.over === true);

function endNotices(rows: readonly CheckpointRow[], tx: Tx): void {
  for (const row of rows) {
    if (hasEnded(row)) continue;
    tx.lock(inboxLock(row.member_id));
    if (row.open === 1) close(row, null, null, tx);
    else {
      const { idle, ...rest } = dataOf(row);
      tx.update('checkpoints', row, { data: JSON.stringify({ ...rest, idle: { ...idle!, over: true } } satisfies CheckpointData) });
    }
  }
}

/** The manifest was woken, so notices whose reason has gone end. A trigger that still may not use the manifest keeps its notice. */
export function endIdleNotices(manifest: ProvokeObjectRow, owner: MemberRow, tx: Tx): void {
  const isGone = ({ why, trigger: triggerId }: IdleNotice): boolean => {
    if (why === 'no_agent' || why === 'no_approver') return true;
    const trigger = tx.get('provoke_objects', 'trigger', triggerId);
    return !trigger || whyIdle(manifest, trigger, owner, tx) === undefined;
  };
  const ended = noticesAbout(manifest.id, (notice) => notice.owner === owner.id && isGone(notice), tx);
  endNotices(ended, tx);
}

/** A manifest or trigger is written again, `before` being its last version: the next event finds out whether it is still idle. */
export function forgetIdleNotices(before: ProvokeObjectRow, tx: Tx): void {
  const rows =
    before.kind === 'manifest'
      ? noticesAbout(before.id, () => true, tx)
      : before.kind === 'trigger'
        ? noticesAbout(manifestIdOf(before), ({ trigger }) => trigger === before.id, tx)
        : [];
  endNotices(rows, tx);
}
