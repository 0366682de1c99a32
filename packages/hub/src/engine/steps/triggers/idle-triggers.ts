// A trigger fired and could wake nobody: its owner has it in the inbox, once, until it is over or they have noted it. The
// checkpoint remembers that they know.

import { idleBy, type IdleWhy, isTold } from '@parley/core';
import type { CheckpointRow, MemberRow, ProvokeObjectRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { type CheckpointData, close, dataOf, inboxLock, openCheckpoint } from '../facts/checkpoints.ts';
import { mayUse, provokeLock } from './triggers-in-force.ts';

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
      theirs: owner !== undefined && mayUse(manifest, set.get('members', manifest.owner_id), trigger, owner),
    },
  );

/** `why`: where the manifest is there to be woken, and still nothing can run. Of many that name the same one, the first is reported. */
export function tellIdle(trigger: ProvokeObjectRow, owner: MemberRow | undefined, tx: Tx, why?: IdleWhy): void {
  const id = wokenBy(trigger);
  const manifest = tx.get('provoke_objects', 'manifest', id);
  const reason = why ?? whyIdle(manifest, trigger, owner, tx);
  if (!owner || !reason) return;
  const now = { why: reason, version: manifest?.version ?? 0, owner: owner.id };
  // By reason: one trigger may use what another of the same owner may not, and both are reported. The last one of each
  // counts.
  const theirs = (idle: Idle): boolean => idle.owner === owner.id && idle.why === reason;
  const last = idles(id, theirs, tx).at(-1);
  const since = idles(id, (idle) => idle.owner === owner.id && idle.trigger === trigger.id && idle.why !== reason, tx).at(-1);
  // Followed by another reason, it was over as well.
  const told = last && { ...dataOf(last).idle!, over: isOver(last) || (since !== undefined && placeIn(since) > placeIn(last)) };
  if (isTold(told, now)) return;
  // Of two events at once one tells it, and none does while what it hangs on is written.
  tx.lock(provokeLock, inboxLock(owner.id));
  over(
    idles(id, (idle) => idle.owner === owner.id && (idle.why === reason || idle.trigger === trigger.id), tx),
    tx,
  );
  const idle = { trigger: trigger.id, manifest: id, ...now };
  openCheckpoint({ kind: 'idle_trigger', for: owner.id, subjectId: subjectOf(id), data: { idle } }, tx);
}

/** Closed without an answer, or so after they had noted it. */
const isOver = (row: CheckpointRow): boolean => row.open === 0 && (row.choice === null || dataOf(row).idle!.over === true);

function over(rows: readonly CheckpointRow[], tx: Tx): void {
  for (const row of rows) {
    if (isOver(row)) continue;
    tx.lock(inboxLock(row.member_id));
    if (row.open === 1) close(row, null, null, tx);
    else {
      const { idle, ...rest } = dataOf(row);
      tx.update('checkpoints', row, { data: JSON.stringify({ ...rest, idle: { ...idle!, over: true } } satisfies CheckpointData) });
    }
  }
}

/** One of them wakes somebody again: its owner need not look any more. Reasons that keep others from it are not over. */
export function idleOver(manifest: ProvokeObjectRow, owner: MemberRow, tx: Tx): void {
  const isFree = ({ why, trigger: id }: Idle): boolean => {
    if (why === 'no_agent' || why === 'no_approver') return true;
    const trigger = tx.get('provoke_objects', 'trigger', id);
    return !trigger || whyIdle(manifest, trigger, owner, tx) === undefined;
  };
  over(
    idles(manifest.id, (idle) => idle.owner === owner.id && isFree(idle), tx),
    tx,
  );
}

/** Of what is written again, a manifest, or a trigger with what it named so far, nothing is known yet: the next event will tell. */
export function idleChanged(before: ProvokeObjectRow, tx: Tx): void {
  const rows =
    before.kind === 'manifest'
      ? idles(before.id, () => true, tx)
      : before.kind === 'trigger'
        ? idles(wokenBy(before), ({ trigger }) => trigger === before.id, tx)
        : [];
  over(rows, tx);
}
