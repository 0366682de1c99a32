// Dry runs: what triggers would do with events, as of now (PRV-16). The pipeline gives its own verdict over the stored
// rows. Nothing is written down, and one event of the list does not count for the next.

import { setImmediate as turn } from 'node:timers/promises';
import type { Compilation, CompiledManifest, CompiledTrigger, PipelineRecord, ProvokeDefinitions } from '@parley/core/provoke';
import {
  invalidRequest,
  type Manifest,
  type PapEvent,
  papVersion,
  type Problem,
  senderIn,
  type TestedTriggers,
  type TestTriggers,
} from '@parley/protocol';
import type { z } from 'zod';
import { readRows } from '../engine/decision-reads.ts';
import { mayRun, mayUse } from '../engine/steps/triggers/triggers-in-force.ts';
import { actingMode } from '../engine/steps/invocations/acting-agent.ts';
import { shortKey } from '../engine/ids.ts';
import { Answers } from '../regex/answers.ts';
import type { Matcher } from '../regex/matcher.ts';
import type { Reader } from '../store/port.ts';
import { membersById } from '../store/reads/members.ts';
import { manifestsFor } from '../store/reads/provoke.ts';
import type { MemberRow } from '../store/tables.ts';
import { endsOf } from './missing-references.ts';
import type { CompiledDefinitions } from './compiled-definitions.ts';

type Ask = z.output<typeof TestTriggers>;
interface Put {
  trigger: CompiledTrigger;
  manifest: CompiledManifest | undefined;
  owner: MemberRow | undefined;
  /** Events came to it before, and count. */
  hasPast: boolean;
}

const mostResults = 1000;
/** The limit for all filters together, because each is listed. */
const mostFilters = 5000;

interface Asker {
  /** The owner of the triggers; left out, all triggers. */
  ownerId: string | undefined;
  /** The owner of a new trigger; null: the first owner. */
  memberId: string | null;
}

export async function dryRuns(
  { store, library, matcher, now }: { store: Reader; library: CompiledDefinitions; matcher: Matcher; now: number },
  ask: Ask,
  asker: Asker,
): Promise<TestedTriggers> {
  const { core } = library;
  // The caller pays, not the owners of the triggers: a test takes nothing from real events.
  const payer = `tests:${asker.memberId ?? ''}`;
  const problems: Problem[] = [];
  const events = ask.events.flatMap((value, i): PapEvent[] => {
    // Events of the system count, too: a trigger may wait for them.
    const checked = core.checkEvent(value, 'system');
    if (checked.ok) return [checked.event];
    problems.push(...checked.problems.map(({ field, message }) => ({ field: `events.${i}.${field}`, message })));
    return [];
  });
  const answers = new Answers(payer, { fixed: true });
  const compiled = await answers.complete(matcher, () => broughtDefinitions(library, ask, answers));
  const puts = await triggersOf(store, library, ask, asker, compiled, problems);
  if (problems.length > 0) throw invalidRequest(problems);
  const named = ask.trigger !== undefined || ask.triggers !== undefined;
  const pairs = events.flatMap((event) =>
    puts.filter(({ trigger }) => named || trigger.trigger.match.type === event.type).map((put) => ({ event, ...put })),
  );
  const results: TestedTriggers['results'] = [];
  for (const [event, together] of Map.groupBy(asManyAsAreTold(pairs), (pair) => pair.event)) {
    // Others have their turn between two events.
    await turn();
    const patterns = new Answers(payer, { fixed: true });
    await patterns.complete(matcher, () => together.forEach(({ trigger }) => core.asksOf(trigger, event, patterns)));
    results.push(...(await Promise.all(together.map((pair) => tested(pair, patterns)))));
  }
  return { results, leftOut: pairs.length - results.length };

  async function tested(
    { event, trigger, manifest, owner, hasPast }: Put & { event: PapEvent },
    patterns: Answers,
  ): Promise<TestedTriggers['results'][number]> {
    const { id } = trigger.trigger;
    const [known, starts] = hasPast
      ? await Promise.all([
          store.rows('provoke_keys', { event_id: event.id, trigger_id: id }),
          store.rows('throttle_starts', { trigger_id: id, bucket: shortKey(core.bucketOf(trigger, event)) }),
        ])
      : [[], []];
    const on: PipelineRecord = {
      owned: owner !== undefined && mayRun(owner),
      sender: senderIn(event.source),
      known: known.length > 0,
      ...(await chainOf(store, core, event, owner)),
      starts: starts.map(({ at }) => at),
      manifest,
      mode: manifest && owner ? await readRows(store, [], (set) => actingMode(manifest.manifest, owner, set)) : undefined,
      now,
    };
    const { verdict, steps, filters } = core.dryRun(trigger, event, on, patterns);
    const begins = verdict.outcome === 'run' || verdict.outcome === 'paused';
    const warnings = begins && manifest && owner ? await readRows(store, [], (set) => endsOf(manifest.manifest, owner, set)) : [];
    return { eventId: event.id, triggerId: id, outcome: verdict.outcome, reason: verdict.reason, steps, filters, warnings };
  }
}

/** The first in any case. */
function asManyAsAreTold<T extends Put>(pairs: readonly T[]): T[] {
  let filters = 0;
  const past = pairs.findIndex(({ trigger }, i) => (filters += trigger.filters.length) > mostFilters && i > 0);
  return pairs.slice(0, Math.min(mostResults, past === -1 ? pairs.length : past));
}

/** The place of the event in the chain of the invocation that it names. */
async function chainOf(
  store: Reader,
  core: CompiledDefinitions['core'],
  { triggered_by }: PapEvent,
  owner: MemberRow | undefined,
): Promise<Pick<PipelineRecord, 'cascade' | 'started'>> {
  if (triggered_by === undefined) return { cascade: { from: 'root' }, started: 0 };
  const [row] = await store.rows('invocations', { id: triggered_by });
  if (!row) return { cascade: { from: 'unknown' }, started: 0 };
  const ownInvocations = owner ? await store.rows('invocations', { chain_id: row.chain_id, owner_id: owner.id }) : [];
  return { cascade: { from: 'invocation', emitter: row }, started: ownInvocations.filter(core.isStarted).length };
}

/** The definitions that the question brings along; undefined: none. */
const broughtDefinitions = ({ core }: CompiledDefinitions, ask: Ask, patterns: Answers): Compilation<ProvokeDefinitions> | undefined =>
  ask.trigger === undefined
    ? undefined
    : core.compileDocument(
        {
          pap_version: papVersion,
          trigger: ask.trigger,
          ...(ask.manifest === undefined ? {} : { agent: ask.manifest as unknown as Manifest }),
        },
        patterns,
      );

async function triggersOf(
  store: Reader,
  library: CompiledDefinitions,
  ask: Ask,
  asker: Asker,
  compiled: Compilation<ProvokeDefinitions> | undefined,
  problems: Problem[],
): Promise<Put[]> {
  const { ownerId } = asker;
  const whose = ownerId === undefined ? {} : { owner_id: ownerId };
  const [known, triggers] = await Promise.all([
    ownerId === undefined
      ? store.rows('provoke_objects', { kind: 'manifest', removed_at: null }, { order: 'id' })
      : manifestsFor(store, ownerId),
    ask.trigger === undefined ? store.rows('provoke_objects', { kind: 'trigger', removed_at: null, ...whose }, { order: 'id' }) : [],
  ]);
  const manifests = new Map(known.map((row) => [row.id, row]));
  const rows = triggers.filter(({ id }) => ask.triggers?.includes(id) ?? true);
  for (const [i, id] of (ask.triggers ?? []).entries())
    if (!rows.some((row) => row.id === id)) problems.push({ field: `triggers.${i}`, message: 'there is no such trigger' });
  const owners = await membersById(
    store,
    [...rows, ...known].map(({ owner_id }) => owner_id),
  );
  /** The same rule as in a real run: a disabled manifest, or one that the owner may not use, does not exist. */
  const manifestFor = (owner: MemberRow | undefined, id: string, trigger: { file: string | null }): CompiledManifest | undefined => {
    const row = manifests.get(id);
    const usable = row && owner && row.enabled === 1 && mayUse(row, owners.get(row.owner_id), trigger, owner);
    return usable ? library.manifest(row) : undefined;
  };
  if (compiled === undefined)
    return rows.flatMap((row) => {
      const compiledTrigger = library.trigger(row);
      const owner = owners.get(row.owner_id);
      return compiledTrigger
        ? [{ trigger: compiledTrigger, manifest: manifestFor(owner, compiledTrigger.trigger.agent, row), owner, hasPast: true }]
        : [];
    });
  if (!compiled.ok) {
    problems.push(...compiled.problems.map(({ field, message }) => ({ field: field.replace(/^agent\b/, 'manifest'), message })));
    return [];
  }
  const unowned = compiled.value.triggers[0]!;
  const { owner, hasPast } = await wouldOwn(store, unowned.trigger.id, asker);
  // The searches stay on the asker's account.
  const trigger = { ...unowned, owner: owner?.id ?? '' };
  const manifest = compiled.value.manifests[0] ?? manifestFor(owner, trigger.trigger.agent, { file: null });
  return [{ trigger, manifest, owner, hasPast }];
}

/** An existing owner keeps it; a new one belongs to the asker. Another's that the asker may not see is answered for like a new one. */
async function wouldOwn(store: Reader, id: string, { ownerId, memberId }: Asker): Promise<Pick<Put, 'owner' | 'hasPast'>> {
  const [row] = await store.rows('provoke_objects', { kind: 'trigger', id, ...(ownerId === undefined ? {} : { owner_id: ownerId }) });
  const whose = row && (row.removed_at === null || ownerId !== undefined) ? row.owner_id : memberId;
  const [owner] =
    whose !== null
      ? await store.rows('members', { id: whose })
      : await store.rows('members', { role: 'owner', kind: 'human', status: 'active' }, { order: ['created_at', 'id'], limit: 1 });
  return { owner, hasPast: row !== undefined };
}
