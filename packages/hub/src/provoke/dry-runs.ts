// What triggers would do with events, as of now (PRV-16): the pipeline's own verdict over what is on record. Nothing is
// written down, and one event of the list does not count for the next.

import type { CompiledManifest, CompiledTrigger } from '@parley/core/provoke';
import {
  type Manifest,
  type PapEvent,
  papVersion,
  ParleyError,
  type Problem,
  type TestedTrigger,
  type TestTriggers,
} from '@parley/protocol';
import type { z } from 'zod';
import { inList } from '../engine/look.ts';
import { mayRun, mayUse } from '../engine/steps/in-force.ts';
import { short } from '../engine/steps/short.ts';
import type { Reader } from '../store/port.ts';
import type { ProvokeLibrary } from './library.ts';

type Ask = z.output<typeof TestTriggers>;
interface Put {
  trigger: CompiledTrigger;
  manifest: CompiledManifest | undefined;
}

const mostResults = 1000;

/** `ownerId`: whose triggers only; left out, all of them. */
export async function dryRuns(
  { store, library, now }: { store: Reader; library: ProvokeLibrary; now: number },
  ask: Ask,
  ownerId: string | undefined,
): Promise<TestedTrigger[]> {
  const { core } = library;
  const problems: Problem[] = [];
  const events = ask.events.flatMap((value, i): PapEvent[] => {
    // Those of the system, too: a trigger may wait for them.
    const checked = core.checkEvent(value, 'system');
    if (checked.ok) return [checked.event];
    problems.push(...checked.problems.map(({ field, message }) => ({ field: `events.${i}.${field}`, message })));
    return [];
  });
  const puts = await triggersOf(store, library, ask, ownerId, problems);
  if (problems.length > 0)
    throw new ParleyError('invalid_request', problems.map(({ field, message }) => `${field}: ${message}`).join('; '), { problems });
  const named = ask.trigger !== undefined || ask.triggers !== undefined;
  const pairs = events.flatMap((event) =>
    puts.filter(({ trigger }) => named || trigger.trigger.match.type === event.type).map((put) => ({ event, ...put })),
  );
  return Promise.all(
    pairs.slice(0, mostResults).map(async ({ event, trigger, manifest }) => {
      const { id } = trigger.trigger;
      const [known, starts] = await Promise.all([
        store.rows('provoke_keys', 'where event_id = ? and trigger_id = ?', [event.id, id]),
        store.rows('throttle_starts', 'where trigger_id = ? and bucket = ?', [id, short(core.bucketOf(trigger, event))]),
      ]);
      const { verdict, steps, filters } = core.dryRun(trigger, event, {
        known: known.length > 0,
        cascade: await cascadeOf(store, event),
        starts: starts.map(({ at }) => at),
        manifest,
        now,
      });
      return { eventId: event.id, triggerId: id, outcome: verdict.outcome, reason: verdict.reason, steps, filters };
    }),
  );
}

async function cascadeOf(store: Reader, { triggered_by }: PapEvent) {
  if (triggered_by === undefined) return { from: 'root' as const };
  const [row] = await store.rows('invocations', 'where id = ?', [triggered_by]);
  return row ? { from: 'invocation' as const, emitter: { level: row.level, depth: row.depth } } : { from: 'unknown' as const };
}

async function triggersOf(
  store: Reader,
  library: ProvokeLibrary,
  ask: Ask,
  ownerId: string | undefined,
  problems: Problem[],
): Promise<Put[]> {
  const whose = ownerId === undefined ? '' : 'and owner_id = ?';
  const of = async (kind: 'trigger' | 'manifest') =>
    store.rows('provoke_objects', `where kind = ? and removed_at is null ${whose} order by id`, [
      kind,
      ...(ownerId === undefined ? [] : [ownerId]),
    ]);
  const manifests = new Map((await of('manifest')).map((row) => [row.id, row]));
  const manifestOf = (id: string): CompiledManifest | undefined => {
    const row = manifests.get(id);
    return row && library.manifest(row);
  };
  if (ask.trigger !== undefined) {
    const compiled = library.core.compileDocument({
      pap_version: papVersion,
      trigger: ask.trigger,
      ...(ask.manifest === undefined ? {} : { agent: ask.manifest as unknown as Manifest }),
    });
    if (!compiled.ok) {
      problems.push(...compiled.problems.map(({ field, message }) => ({ field: field.replace(/^agent\b/, 'manifest'), message })));
      return [];
    }
    const [trigger] = compiled.value.triggers;
    return [{ trigger: trigger!, manifest: compiled.value.manifests[0] ?? manifestOf(trigger!.trigger.agent) }];
  }
  const rows = (await of('trigger')).filter(({ id }) => ask.triggers?.includes(id) ?? true);
  for (const [i, id] of (ask.triggers ?? []).entries())
    if (!rows.some((row) => row.id === id)) problems.push({ field: `triggers.${i}`, message: 'there is no such trigger' });
  const list = inList([...new Set([...rows, ...manifests.values()].map(({ owner_id }) => owner_id))]);
  const owners = new Map((await store.rows('members', `where id in ${list.sql}`, list.params)).map((member) => [member.id, member]));
  return rows.flatMap((row) => {
    const kept = library.trigger(row);
    const owner = owners.get(row.owner_id);
    // As in earnest: without its owner it is as good as switched off.
    const trigger = kept && (owner && mayRun(owner) ? kept : { ...kept, trigger: { ...kept.trigger, enabled: false } });
    const manifest = trigger && manifests.get(trigger.trigger.agent);
    const usable = manifest && owner && manifest.enabled === 1 && mayUse(manifest, owners.get(manifest.owner_id), owner);
    return trigger ? [{ trigger, manifest: usable ? library.manifest(manifest) : undefined }] : [];
  });
}
