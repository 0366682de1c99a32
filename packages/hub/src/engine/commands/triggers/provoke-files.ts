// Definitions in files (PRV-4). All changes in them come together, because IDs may move from one file to another; each file
// is taken whole or not at all.

import { type Actor, asFiled, clashes } from '@parley/core';
import { ParleyError, type Problem } from '@parley/protocol';
import { wantBy } from '../../../store/port.ts';
import type { ProvokeObjectKind, ProvokeObjectRow } from '../../../store/tables.ts';
import { type Context, type Handler, mustBeSystem, type Tx } from '../../command.ts';
import { provokeLock } from '../../steps/triggers/triggers-in-force.ts';
import { firstOwner, nobodyYet, person } from '../../steps/membership/members.ts';
import { pinTargets } from '../../steps/invocations/meant-targets.ts';
import { objectPlace, pinMember } from '../../steps/people/meant-members.ts';
import {
  checkObject,
  keptOf,
  leftOff,
  moveFile,
  type ObjectBody,
  objectWants,
  removeObject,
  type ObjectWrite,
  writeObject,
} from '../../steps/invocations/stored-definitions.ts';
import type { WorkingSet } from '../../working-set.ts';

export interface ProvokeFileCommands {
  /**
   * An object that is no longer in its file is removed, unless it is in another file by now, or the file has only now come:
   * then it stays, and is edited over the API. `refused`: those that stay as they were. The field of a problem begins with
   * which of the file's objects it is in.
   */
  'provoke.load': [{ files: FileDefinitions[] }, { refused: { file: string; problems: Problem[] }[] }];
}

export interface FileDefinitions {
  file: string;
  /** The file was in this hub's folder before. */
  held: boolean;
  objects: { kind: ProvokeObjectKind; body: unknown }[];
}

interface Checked {
  file: string;
  objects: { kind: ProvokeObjectKind; body: ObjectBody }[];
  problems: readonly Problem[];
}

const nameOf = ({ kind, id }: { kind: ProvokeObjectKind; id: string }): string => `${kind} ${id}`;
const namesOf = ({ objects }: Checked): string[] => objects.map(({ kind, body }) => nameOf({ kind, id: body.id }));

function checked({ file, objects }: FileDefinitions, context: Context): Checked {
  try {
    return {
      file,
      objects: objects.map(({ kind, body }, i) => ({ kind, body: checkObject(kind, body, String(i), context) })),
      problems: [],
    };
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error;
    return { file, objects: [], problems: error.problems };
  }
}

/** How it would be written, as far as it can be. */
function prepared(one: Checked, tx: Tx): { writings: ObjectWrite[]; problems: Problem[] } {
  const problems = [...one.problems];
  const writings = one.objects.flatMap(({ kind, body }, i): ObjectWrite[] => {
    const before = tx.get('provoke_objects', kind, body.id);
    const { ownerId, problem } = ownerOf(kind, body, before, tx);
    const filed = asFiled({ says: body.enabled, names: body.owner !== undefined }, before && keptOf(before));
    const kept = filed.leftOff ? leftOff(body) : body;
    if (ownerId !== undefined) return [{ kind, body: kept, ownerId, file: one.file, enabled: filed.enabled }];
    problems.push({ field: `${i}.owner`, message: problem ?? (body.owner === undefined ? nobodyYet : 'is not an active person') });
    return [];
  });
  return { writings, problems };
}

function clashesOf(files: readonly Checked[], set: WorkingSet): Map<string, Problem[]> {
  const rows = files.flatMap(({ objects }) => objects.map(({ kind, body }) => set.get('provoke_objects', kind, body.id)));
  const held = new Map(rows.flatMap((row) => (row?.removed_at === null ? [[nameOf(row), row.file] as const] : [])));
  const found = clashes(
    files.map((one) => ({ file: one.file, ids: namesOf(one), whole: one.problems.length === 0 })),
    (name) => held.get(name),
  );
  const words = (by: string | null) => `there is one of this id ${by === null ? 'already' : `in ${by}`}`;
  return new Map([...found].map(([file, all]) => [file, all.map(({ at, by }) => ({ field: `${at}.id`, message: words(by) }))]));
}

function writeFiled(writing: ObjectWrite, actor: Actor, tx: Tx): void {
  const isNew = tx.get('provoke_objects', writing.kind, writing.body.id)?.removed_at !== null;
  const { owner_id } = writeObject(writing, actor, tx);
  if (writing.kind === 'manifest') pinTargets(writing.body, owner_id, isNew, tx);
}

const load: Handler<'provoke.load'> = {
  locks: () => [provokeLock],
  needs: (c) => c.files.map(({ file }) => wantBy('provoke_objects', 'file', file)),
  decide: (c, tx) => {
    const actor = mustBeSystem(c.by, tx);
    const read = c.files.map((one) => checked(one, tx));
    tx.patterns.settle();
    tx.need(read.flatMap(({ objects }) => objects.flatMap(({ kind, body }) => objectWants(kind, body.id))));
    const files = tx.each(read, (one) => ({ ...one, ...prepared(one, tx) }));
    const taken = clashesOf(files, tx);
    const refused = files
      .map(({ file, problems }) => ({ file, problems: [...(taken.get(file) ?? []), ...problems] }))
      .filter(({ problems }) => problems.length > 0);
    const whole = files.filter(({ file }) => !refused.some((one) => one.file === file));
    const here = new Set(whole.flatMap(namesOf));
    const gone = whole.flatMap(({ file }) => tx.find('provoke_objects', 'file', file)).filter((row) => !here.has(nameOf(row)));
    tx.need(gone.flatMap(({ kind, id }) => objectWants(kind, id)));
    const held = new Set(c.files.filter((one) => one.held).map(({ file }) => file));
    tx.each(gone, (row) => (held.has(row.file!) ? removeObject(row, actor, tx) : moveFile(row, null, tx)));
    tx.each(
      whole.flatMap(({ writings }) => writings),
      (writing) => writeFiled(writing, actor, tx),
    );
    return { refused };
  },
};

/**
 * The owner that the file names; else the object's present owner, or the first owner of the workspace. A member who removed the
 * id over the API does not get what a file defines under it.
 */
function ownerOf(
  kind: ProvokeObjectKind,
  body: ObjectBody,
  before: ProvokeObjectRow | undefined,
  tx: Tx,
): { ownerId?: string | undefined; problem?: string | undefined } {
  const filed = before?.removed_at === null && before.file !== null ? before.owner_id : undefined;
  if (body.owner === undefined) return { ownerId: filed ?? firstOwner(tx) ?? undefined };
  const { id, problem } = pinMember(objectPlace(kind, body.id), body.owner, '@', tx);
  try {
    return { ownerId: id && person(id, 'owner', tx).id, problem };
  } catch (error) {
    if (error instanceof ParleyError) return {};
    throw error;
  }
}

export const provokeFileHandlers = { 'provoke.load': load };
