import { may } from '@parley/core';
import { ParleyError, type ProvokeKind, publishedSchemas, type StandingObject } from '@parley/protocol';
import { z } from 'zod';
import { require } from '../../../engine/command.ts';
import { warningsOf } from '../../../provoke/missing-references.ts';
import type { ProvokeObjectRow } from '../../../store/tables.ts';
import { rowPage } from '../../../store/reads/pages.ts';
import { absenceStanding, scheduleStanding } from '../../../views/schedules.ts';
import { objectView, versionView } from '../../../views/events.ts';
import { asIs, type Caller, command, memberOf, type RouteHandlers, type Services } from '../route-context.ts';

const mostListed = 50;

/** Owners and admins see every one; who else has some sees those. */
export const seesAll = ({ actor }: Caller): boolean => may('trigger.see', actor).allowed;
/** A member who owns none sees none; guests and agents are refused. */
export function ownerScope(caller: Caller): string {
  require('trigger.see', caller.actor, ['owner']);
  return memberOf(caller);
}

/** The owner of what the caller sees; undefined: it is everybody's. */
export const whose = (caller: Caller): string | undefined => (seesAll(caller) ? undefined : ownerScope(caller));

async function objectFor(hub: Services, caller: Caller, { kind, id }: { kind: ProvokeKind; id: string }): Promise<ProvokeObjectRow> {
  const [row] = await hub.store.rows('provoke_objects', { kind, id, removed_at: null });
  const ownerId = whose(caller);
  if (!row || (ownerId !== undefined && row.owner_id !== ownerId)) throw new ParleyError('not_found');
  return row;
}

/** The keys shown in a list, and for a single monitor. */
const [fewKeys, manyKeys] = [10, 1000];

async function standing(hub: Services, row: ProvokeObjectRow, mostKeys: number, hints = false): Promise<StandingObject> {
  const { store } = hub;
  return {
    ...objectView(row),
    warnings: await warningsOf(hub, row, hints),
    ...(row.kind === 'schedule' ? { schedule: await scheduleStanding(store, row) } : {}),
    ...(row.kind === 'absence' ? { absence: await absenceStanding(store, row, mostKeys) } : {}),
  };
}

export const provokeRoutes = {
  listProvoke: async ({ input, caller, hub }) => {
    const ownerId = whose(caller);
    const { after = '', limit } = input.query;
    const { rows, more } = await rowPage(hub.store, {
      table: 'provoke_objects',
      where: { kind: input.params.kind, id: { '>': after }, removed_at: null, ...(ownerId === undefined ? {} : { owner_id: ownerId }) },
      key: 'id',
      order: 'asc',
      text: ['body'],
      limit,
    });
    return { objects: await Promise.all(rows.map((row) => standing(hub, row, fewKeys))), next: more ? rows.at(-1)!.id : null };
  },
  getProvoke: async ({ input, caller, hub }) => standing(hub, await objectFor(hub, caller, input.params), manyKeys, true),
  putProvoke: async ({ input, caller, hub }) => {
    const { version, object: body } = input.body;
    await hub.provoke.load();
    const { object } = await hub.engine.submit({ type: 'provoke.put', by: caller.by, ...input.params, version, body });
    return standing(hub, object, fewKeys, true);
  },
  enableProvoke: command('provoke.enable', ({ object }) => objectView(object)),
  removeProvoke: command('provoke.remove', asIs, ({ params, query }) => ({ ...params, ...query })),
  listProvokeVersions: async ({ input, caller, hub }) => {
    const { kind, id } = input.params;
    // A removed object has a history, too, which its last owner may read.
    const ownerId = whose(caller);
    const [row] = await hub.store.rows('provoke_objects', { kind, id });
    if (!row || (ownerId !== undefined && row.owner_id !== ownerId)) throw new ParleyError('not_found');
    const rows = await hub.store.rows('provoke_versions', { kind, id }, { order: 'version desc', limit: mostListed });
    return { versions: rows.map(versionView) };
  },
  listProvokeFiles: async ({ caller, hub }) => {
    require('trigger.see', caller.actor);
    const rows = await hub.store.rows('provoke_objects', { file: { '<>': null }, removed_at: null }, { order: ['kind', 'id'] });
    const told = await Promise.all(
      rows.map(async (row) => ({
        file: row.file!,
        warnings: (await warningsOf(hub, row)).map((warning) => `${row.kind} ${row.id}: ${warning}`),
      })),
    );
    const warnings = Map.groupBy(told, ({ file }) => file);
    return {
      files: hub.provokeFiles.all().map((one) => ({ ...one, warnings: (warnings.get(one.file) ?? []).flatMap((of) => of.warnings) })),
    };
  },
  getSchema: async ({ input }) =>
    z.toJSONSchema(publishedSchemas[input.params.name], { io: 'input', unrepresentable: 'any', target: 'draft-2020-12' }),
} satisfies Partial<RouteHandlers>;
