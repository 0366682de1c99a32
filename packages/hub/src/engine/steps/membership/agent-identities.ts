// An agent's identity as rows. Name, owner and manager stand in the agent's member row, the kind of its brain in its agent
// row; a version holds all of it, so that it can be had again.

import { type Actor, givesNothingNew, reachesNothingNew } from '@parley/core';
import { type BrainConfig, type Identity, ParleyError } from '@parley/protocol';
import type { IdentityRow, IdentityVersionRow, MemberRow } from '../../../store/tables.ts';
import { actorId, invalidField, require, type Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { agentChanged, giveBrain } from '../agents/agents.ts';
import { freeHandle } from '../people/handles.ts';
import { memberNow } from '../people/meant-members.ts';
import { change, manager } from './members.ts';
import { modeChanged } from '../approvals/approvals.ts';
import { aboutMember, append } from '../facts/append.ts';
import { agentOf } from '../tasks/tasks.ts';

/** `data` of an identity's row. */
export type StoredIdentity = Pick<Identity, 'instructions' | 'memory' | 'tools' | 'brain'>;
/** `data` of a version: who is above it is kept by id, as handles change hands. */
export type Whole = Omit<Identity, 'manager'> & { managerId: string | null };

export const madeOf = (row: Pick<IdentityRow, 'data'>): StoredIdentity => JSON.parse(row.data) as StoredIdentity;
/** The agent gets signed POSTs and holds no connection. */
export const hasWebhook = ({ brain }: StoredIdentity): boolean => brain.kind === 'remote' && brain.webhook !== undefined;
export const wholeOf = (row: Pick<IdentityVersionRow, 'data'>): Whole => JSON.parse(row.data) as Whole;

/** Never set: nothing but what it thinks with, as its row says. A model that nobody has named answers nothing. */
export const blankIdentity = (kind: BrainConfig['kind']): StoredIdentity => ({
  instructions: '',
  memory: '',
  tools: [],
  brain: kind === 'builtin' ? { kind } : { kind: 'remote' },
});

/** The agent's files are the truth: a change past them would be overwritten by the next change of a file. */
export function mustBeOurs(agentId: string, handle: string, set: WorkingSet): void {
  if (set.get('identities', agentId)?.source === 'folder')
    throw new ParleyError('in_folder', `The agent is kept in files: edit agents/${handle}/ in the data folder of the hub.`);
}

export function managerNamed(written: string | null, set: WorkingSet): string | null {
  if (written === null) return null;
  const found = memberNow(written, set);
  if (!found || found.status !== 'active') throw invalidField('manager', 'is not a member');
  return found.id;
}

export const wholeNow = (member: MemberRow, row: IdentityRow | undefined, set: WorkingSet): Whole => ({
  profile: { handle: member.handle, displayName: member.display_name, about: member.about },
  ...(row ? madeOf(row) : blankIdentity(agentOf(member.id, set).brain)),
  mode: row?.mode ?? 'autonomous',
  managerId: member.manager_id,
});

/** Files are written again and again: so many can be had again, and each that comes makes the oldest go. */
const mostVersions = 100;

/** Writes the whole identity as a new version; an unchanged identity makes none. */
export function writeIdentity(
  member: MemberRow,
  next: Whole,
  origin: { actor: Actor; source: IdentityRow['source'] },
  tx: Tx,
): { member: MemberRow; row: IdentityRow } {
  const { actor, source } = origin;
  const before = tx.get('identities', member.id);
  const was = wholeNow(member, before, tx);
  const fields = (Object.keys(next) as (keyof Whole)[]).filter((field) => !isEqual(next[field], was[field]));
  if (before && fields.length === 0 && before.source === source) return { member, row: before };
  if (!reachesNothingNew(next.brain, was.brain) || !givesNothingNew(next.tools, was.tools)) require('agent.reach', actor);
  const named = rename(member, next, actor, tx);
  const { profile: _profile, managerId: _managerId, mode, ...made } = next;
  giveBrain(member.id, made.brain, before ? was.brain : undefined, tx);
  const row: IdentityRow = {
    agent_id: member.id,
    version: (before?.version ?? 0) + 1,
    mode,
    data: JSON.stringify(made),
    source,
    at: tx.now,
  };
  modeChanged(member.id, was.mode, mode, tx);
  tx.put('identities', row);
  tx.insert('identity_versions', {
    agent_id: member.id,
    version: row.version,
    data: JSON.stringify(next),
    changed_by: actorId(actor),
    at: tx.now,
  });
  const oldest = tx.get('identity_versions', member.id, row.version - mostVersions);
  if (oldest) tx.remove('identity_versions', oldest);
  append(tx, { type: 'identity.changed', actor, ...aboutMember(member.id), data: { version: row.version, fields } });
  agentChanged(member.id, tx);
  return { member: named, row };
}

/** Handed on by JSON, both have their fields in the order of the schema. */
const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

function rename(member: MemberRow, { profile, managerId }: Whole, actor: Actor, tx: Tx): MemberRow {
  const next: Partial<MemberRow> = { display_name: profile.displayName, about: profile.about };
  if (profile.handle !== member.handle)
    Object.assign(next, { handle: profile.handle, handle_fold: freeHandle(profile.handle, member.id, actor, tx) });
  if (managerId !== member.manager_id) next.manager_id = managerId === null ? null : manager(managerId, member.id, tx, 'manager');
  return change(member, next, actor, tx);
}
