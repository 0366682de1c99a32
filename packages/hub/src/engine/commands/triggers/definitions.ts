// Triggers, manifests, sources, schedules and monitors: written over the API.

import { wantRow } from '../../../store/port.ts';
import { type Actor, may, mayOwnAnother, mostOwned, reaches, type Relation } from '@parley/core';
import { type Manifest, ParleyError } from '@parley/protocol';
import type { ProvokeObjectKind, ProvokeObjectRow } from '../../../store/tables.ts';
import { actorId, actorOf, type Handler, invalidField, require, type Tx } from '../../command.ts';
import { recordProvoke } from '../../steps/departure/borrowed-access.ts';
import { firstOwner, nobodyYet } from '../../steps/membership/members.ts';
import { provokeLock } from '../../steps/triggers/triggers-in-force.ts';
import { pinTargets } from '../../steps/invocations/meant-targets.ts';
import { bodyOf, checkObject, objectWants, removeObject, writeObject } from '../../steps/invocations/stored-definitions.ts';
import { revoke } from '../../steps/people/tokens.ts';
import type { WorkingSet } from '../../working-set.ts';

export interface ProvokeCommands {
  /** `version`: the one it was written over; 0 for a new one. */
  'provoke.put': [{ kind: ProvokeObjectKind; id: string; version: number; body: unknown }, { object: ProvokeObjectRow }];
  'provoke.enable': [{ kind: ProvokeObjectKind; id: string; version: number; enabled: boolean }, { object: ProvokeObjectRow }];
  'provoke.remove': [{ kind: ProvokeObjectKind; id: string; version: number }, void];
}

const relations = (actor: Actor, before: ProvokeObjectRow): Relation[] => (before.owner_id === actorId(actor) ? ['owner'] : []);

interface WrittenObject {
  actor: Actor;
  before: ProvokeObjectRow | undefined;
  /** The ID is another owner's, also after a removal: its history and its events go with it. */
  taken: boolean;
}

/** To a member who may not see an object it is not there: every refusal is the one for an id that is nobody's (SYS-11). */
function objectFor(c: { by: Parameters<typeof actorOf>[0]; kind: ProvokeObjectKind; id: string; version: number }, tx: Tx): WrittenObject {
  const actor = actorOf(c.by, tx, tx.now);
  const row = tx.get('provoke_objects', c.kind, c.id);
  const isTaken = row !== undefined && c.kind !== 'source' && !may('trigger.edit', actor, relations(actor, row)).allowed;
  const before = row?.removed_at === null && !isTaken ? row : undefined;
  if (c.kind === 'source') require('source.manage', actor);
  else if (!row || isTaken) require('trigger.create', actor);
  if (before && before.file !== null) {
    // A manifest has no such field: what wakes it is switched off.
    const off = c.kind === 'manifest' ? '' : ` \`enabled: false\` switches it off.`;
    throw new ParleyError('in_folder', `The ${c.kind} ${c.id} is kept in a file: edit ${before.file} in the data folder of the hub.${off}`);
  }
  if (!before && c.version !== 0) throw new ParleyError('not_found', `There is no ${c.kind} ${c.id}, or you may not see it.`);
  const version = before?.version ?? 0;
  if (c.version !== version)
    throw new ParleyError('version_conflict', `The ${c.kind} ${c.id} has changed since you read it. Read it again.`, {
      problems: [{ field: 'version', message: `is ${version} by now` }],
    });
  return { actor, before, taken: isTaken };
}

const mustExist = (before: ProvokeObjectRow | undefined): ProvokeObjectRow => {
  if (!before) throw new ParleyError('not_found');
  return before;
};

function mustHaveRoom(kind: ProvokeObjectKind, actor: Actor, set: WorkingSet): void {
  const me = actorId(actor);
  // Members without a limit need no count.
  if (me === null || mayOwnAnother(actor, Infinity)) return;
  const mine = set.find('provoke_objects', 'owner', me).filter((one) => one.kind === kind && one.removed_at === null && one.file === null);
  if (!mayOwnAnother(actor, mine.length))
    throw invalidField('object.id', `you have ${mostOwned} of kind ${kind}, the limit for a member: remove one, or ask an owner or admin`);
}

const put: Handler<'provoke.put'> = {
  locks: () => [provokeLock],
  needs: (c) => objectWants(c.kind, c.id),
  decide: (c, tx) => {
    const { actor, before, taken } = objectFor(c, tx);
    // The limit is checked before the definition, so that a member at the limit cannot try definitions.
    if (!before) mustHaveRoom(c.kind, actor, tx);
    const { id, owner } = (c.body ?? {}) as { id?: unknown; owner?: unknown };
    const body = checkObject(c.kind, c.body, 'object', tx, [
      ...(id === c.id ? [] : [{ field: 'id', message: 'must be the one in the path' }]),
      ...(owner === undefined
        ? []
        : [{ field: 'owner', message: 'is only for files: over the API, the owner is the member who makes it' }]),
    ]);
    tx.patterns.settle();
    if (c.kind === 'manifest' && reaches(body as unknown as Manifest)) require('agent.reach', actor);
    // Last of all: only who could create it learns that the id is not free.
    if (taken) throw new ParleyError('name_taken', `The ${c.kind} ID ${c.id} is taken. Choose another one.`);
    const ownerId = before?.owner_id ?? actorId(actor) ?? firstOwner(tx);
    if (ownerId === null) throw invalidField('object.owner', nobodyYet);
    // A manifest does not say whether it is on: written again, it is as it was.
    const enabled = body.enabled ?? before?.enabled !== 0;
    const object = writeObject({ kind: c.kind, body, ownerId, file: null, enabled }, actor, tx);
    if (c.kind === 'manifest') pinTargets(body, ownerId, !before, tx);
    recordProvoke(c.by, object, tx);
    return { object };
  },
};

const enable: Handler<'provoke.enable'> = {
  locks: () => [provokeLock],
  needs: (c) => objectWants(c.kind, c.id),
  decide: (c, tx) => {
    const { actor, before } = objectFor(c, tx);
    const { kind, owner_id: ownerId } = mustExist(before);
    const object = writeObject({ kind, body: bodyOf(before!), ownerId, file: null, enabled: c.enabled }, actor, tx);
    recordProvoke(c.by, object, tx);
    return { object };
  },
};

const remove: Handler<'provoke.remove'> = {
  locks: () => [provokeLock],
  needs: (c) => objectWants(c.kind, c.id),
  decide: (c, tx) => {
    const { actor, before } = objectFor(c, tx);
    removeObject(mustExist(before), actor, tx);
    if (c.kind === 'source') revokeOf(c.id, actor, tx);
  },
};

/** Another source of the same name would find them good again. */
function revokeOf(sourceId: string, actor: Actor, tx: Tx): void {
  const sourceTokens = tx.find('source_tokens', 'source', sourceId);
  tx.need(sourceTokens.map(({ token_id }) => wantRow('tokens', token_id)));
  for (const { token_id } of sourceTokens) {
    const token = tx.get('tokens', token_id);
    if (token) revoke(token, actor, tx);
  }
}

export const provokeHandlers = { 'provoke.put': put, 'provoke.enable': enable, 'provoke.remove': remove };
