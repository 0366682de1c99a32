// Triggers, manifests, sources, schedules and monitors as rows with a history.

import type { Actor, OwnedObject } from '@parley/core';
import { invalidRequest, plainErrors, type Problem, problemsOf, Source } from '@parley/protocol';
import type { ProvokeObjectKind, ProvokeObjectRow } from '../../../store/tables.ts';
import { type Want, wantBy, wantRow } from '../../../store/port.ts';
import { partsOf } from '../../../provoke/compiled-definitions.ts';
import { actorId, type Context, type Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { armAbsence } from './absences.ts';
import { renewStamp, stampWant } from '../triggers/triggers-in-force.ts';
import { forgetIdleNotices } from '../triggers/idle-triggers.ts';
import { append } from '../facts/append.ts';
import { updateDescription } from './acting-agent.ts';
import { armSchedule } from './timed-events.ts';

export const objectWants = (kind: ProvokeObjectKind, id: string): Want[] => [
  wantRow('provoke_objects', kind, id),
  ...(kind === 'schedule' ? [wantRow('schedule_slots', id)] : []),
  ...(kind === 'absence' ? [wantBy('absence_keys', 'absence', id)] : []),
  stampWant,
];

export type ObjectBody = { id: string; enabled?: boolean; owner?: string | undefined };

export const bodyOf = (row: ProvokeObjectRow): ObjectBody => JSON.parse(row.body) as ObjectBody;

/**
 * The object as it will be kept, with its defaults; or all of its problems, with `at` as their place. `localProblems`:
 * problems of this workspace.
 */
export function checkObject(
  kind: ProvokeObjectKind,
  value: unknown,
  at: string,
  context: Context,
  localProblems: Problem[] = [],
): ObjectBody {
  const { core } = context.provoke;
  const part = kind === 'manifest' ? 'agent' : kind;
  const here = localProblems.map(({ field, message }) => ({ field: `${part}.${field}`, message }));
  const refuse = (found: readonly Problem[]): never => {
    const all = [...found, ...core.otherProblems(found, here)];
    throw invalidRequest(all.map(({ field, message }) => ({ field: field.replace(part, at), message })));
  };
  if (kind === 'source') {
    const shape = core.shapeProblems(value, part);
    if (!core.isWalkable(shape)) return refuse(shape);
    const parsed = Source.safeParse(value, plainErrors);
    if (!parsed.success) return refuse([...shape, ...core.otherProblems(shape, problemsOf(parsed.error, part))]);
    return shape.length === 0 && here.length === 0 ? parsed.data : refuse(shape);
  }
  const compiled = context.provoke.document(part, value, context.patterns);
  return compiled.ok && here.length === 0 ? partsOf(compiled.value)[0]!.body : refuse(compiled.ok ? [] : compiled.problems);
}

/** The part of a definition that decides what becomes of it when its owner leaves. */
export const keptOf = (row: ProvokeObjectRow): OwnedObject => ({
  kind: row.kind,
  enabled: row.enabled === 1,
  filed: row.file !== null,
  says: bodyOf(row).enabled,
});

/** The stored text of an object that was left off has it switched on. */
export const leftOff = (body: ObjectBody): ObjectBody => ({ ...body, enabled: true });

/** Files are written again and again: so many can be had again, and each that comes makes the oldest go. */
const mostVersions = 100;

export interface ObjectWrite {
  kind: ProvokeObjectKind;
  body: ObjectBody;
  ownerId: string;
  file: string | null;
  enabled?: boolean;
  removed?: boolean;
}

/** The object has not changed, so it keeps its version: the approved text is still the one that runs. */
export function moveFile(before: ProvokeObjectRow, file: string | null, set: WorkingSet): ProvokeObjectRow {
  const row = set.update('provoke_objects', before, { file });
  renewStamp(row, set);
  return row;
}

/** Writes the object as a new version; an unchanged object makes none. */
export function writeObject(
  { kind, body, ownerId, file, enabled = body.enabled ?? true, removed = false }: ObjectWrite,
  actor: Actor,
  tx: Tx,
): ProvokeObjectRow {
  const before = tx.get('provoke_objects', kind, body.id);
  const row: ProvokeObjectRow = {
    kind,
    id: body.id,
    version: (before?.version ?? 0) + 1,
    owner_id: ownerId,
    enabled: enabled ? 1 : 0,
    // The body of a file's object is stored as the file has it, and a removed one as it was.
    body: JSON.stringify('enabled' in body && file === null && !removed ? { ...body, enabled } : body),
    file,
    removed_at: removed ? tx.now : null,
    at: tx.now,
  };
  if (before && isSameObject(before, row)) return before.file === file ? before : moveFile(before, file, tx);
  if (before) forgetIdleNotices(before, tx);
  tx.put('provoke_objects', row);
  tx.insert('provoke_versions', {
    kind,
    id: row.id,
    version: row.version,
    owner_id: ownerId,
    enabled: row.enabled,
    body: row.body,
    removed: removed ? 1 : 0,
    changed_by: actorId(actor),
    at: tx.now,
  });
  const oldest = tx.get('provoke_versions', kind, row.id, row.version - mostVersions);
  if (oldest) tx.remove('provoke_versions', oldest);
  renewStamp(row, tx);
  append(tx, {
    type: 'provoke.changed',
    actor,
    member_id: ownerId,
    subject_id: `${kind}:${row.id}`,
    data: { version: row.version, enabled, removed },
  });
  if (kind === 'manifest' && before) updateDescription(bodyOf(before), body, actor, tx);
  if (kind === 'schedule') armSchedule(row, tx);
  if (kind === 'absence') armAbsence(row, tx);
  return row;
}

/** The last body is kept, under the version that says that it is gone. */
export const removeObject = (row: ProvokeObjectRow, actor: Actor, tx: Tx): void => {
  const { kind, owner_id: ownerId } = row;
  writeObject({ kind, body: bodyOf(row), ownerId, file: null, enabled: row.enabled === 1, removed: true }, actor, tx);
};

const isSameObject = (a: ProvokeObjectRow, b: ProvokeObjectRow): boolean =>
  a.body === b.body &&
  a.enabled === b.enabled &&
  a.owner_id === b.owner_id &&
  // In a file or not matters: what stands in files uses what stands in files. In which one does not.
  (a.file === null) === (b.file === null) &&
  (a.removed_at === null) === (b.removed_at === null);
