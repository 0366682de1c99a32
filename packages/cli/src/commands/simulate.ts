// What other triggers would have done with the events on record (PRV-16, SYS-5): who would have been woken, what would have
// been known already, what throttled, and at what cost. Nothing is done, and nothing written down.

import type { Replayed } from '@parley/core/provoke';
import { withAccess } from '../access.ts';
import { CliError } from '../exit.ts';
import { me } from '../name.ts';
import { count, type Output, table } from '../output.ts';
import { manifestsById, provokeCore, readProvoking, triggersById } from '../provoke/files.ts';
import { inForce, type OnRecord, recordIn, recordOf } from '../provoke/record.ts';
import { money } from '../provoke/words.ts';
import type { Settings } from '../settings.ts';
import { seconds } from './tokens.ts';

export interface SimulateOptions {
  trigger: string[];
  manifest: string[];
  without: string[];
  events?: string;
  channel?: string;
  floor?: string;
  agent: string[];
  since?: string;
  last?: string;
}

interface Tried {
  triggerId: string;
  /** How often it ended in what; null: the record does not say. */
  was: Record<string, number> | null;
  would: Record<string, number>;
  /** In millionths of a dollar; null: its manifest has never run. */
  micros: { was: number | null; would: number | null };
}
interface Change {
  eventId: string;
  triggerId: string;
  at: number;
  was: string | null;
  would: string | null;
}

const mostChanges = 1000;

export async function simulate(settings: Settings, options: SimulateOptions, output: Output): Promise<void> {
  const { channel } = options;
  const last = Number(options.last ?? (channel === undefined ? 10_000 : 200));
  if (!Number.isSafeInteger(last) || last < 1) throw new CliError('usage', `--last ${options.last} is not a whole number.`);
  const since = options.since === undefined ? 0 : Date.now() - seconds(options.since, '--since') * 1000;
  const wrong = misplaced(options);
  if (wrong !== undefined)
    throw new CliError('usage', `${wrong} is for ${channel === undefined ? 'messages: name a --channel' : 'events, not for a channel'}.`);
  if (channel !== undefined) {
    const { simulateTalk } = await import('./simulate-talk.ts');
    return simulateTalk(settings, { ...options, channel, since, last }, output);
  }
  const core = await provokeCore();
  const changed = await readProvoking(core, [...options.trigger, ...options.manifest]);
  if (options.events !== undefined && changed.triggers.length === 0)
    throw new CliError('usage', 'Which triggers? With --events nothing is asked of a hub.', { hint: 'Give them with --trigger <file>.' });
  const { record, kept } =
    options.events === undefined
      ? await withAccess(settings, async (access) => ({
          kept: await inForce(access, core),
          record: await recordOf(access, { last, since }),
        }))
      : { kept: { triggers: [], manifests: [] }, record: await recordIn(core, options.events, since) };
  const triggers = triggersById([...kept.triggers, ...changed.triggers]);
  for (const id of options.without)
    if (!triggers.delete(id)) throw new CliError('not_found', `There is no trigger ${id}.`, { hint: `\`${me} triggers\` lists them.` });
  const manifests = manifestsById([...kept.manifests, ...changed.manifests]);
  const replayed = [...core.replay(core.triggerSet([...triggers.values()]), (id) => manifests.get(id), record.events)];

  const agentOf = (id: string) => triggers.get(id)?.trigger.agent;
  const report = {
    events: record.events.length,
    from: record.events[0]?.at ?? null,
    to: record.events.at(-1)?.at ?? null,
    goneUntil: record.goneUntil,
    triggers: triedOf(core.tally(replayed), record, agentOf),
    ...changesOf(replayed, record),
  };
  output.result(report, words(report));
}

/** Messages are replayed under other floors and agents, events under other triggers. */
function misplaced({ channel, trigger, manifest, events, floor, agent }: SimulateOptions): string | undefined {
  if (channel === undefined) return floor !== undefined ? '--floor' : agent.length > 0 ? '--agent' : undefined;
  return trigger.length > 0 ? '--trigger' : manifest.length > 0 ? '--manifest' : events !== undefined ? '--events' : undefined;
}

function triedOf(
  would: ReadonlyMap<string, ReadonlyMap<string, number>>,
  { was, cost, spent }: OnRecord,
  agentOf: (triggerId: string) => string | undefined,
): Tried[] {
  const before = new Map<string, Record<string, number>>();
  for (const [triggerId, end] of was.flatMap((one) => [...one])) {
    const of = before.get(triggerId) ?? {};
    before.set(triggerId, { ...of, [end]: (of[end] ?? 0) + 1 });
  }
  return [...new Set([...before.keys(), ...would.keys()])].toSorted().map((triggerId) => {
    const ends = Object.fromEntries(would.get(triggerId) ?? []);
    const runs = ends['run'] ?? 0;
    const each = cost.get(agentOf(triggerId) ?? '');
    return {
      triggerId,
      was: was.length === 0 ? null : (before.get(triggerId) ?? {}),
      would: ends,
      micros: {
        was: was.length === 0 ? null : (spent.get(triggerId) ?? 0),
        would: runs === 0 ? 0 : each === undefined ? null : Math.round(each * runs),
      },
    };
  });
}

/** Where the record and the replay part, event by event. */
function changesOf(replayed: readonly Replayed[], { was }: OnRecord): { changes: Change[]; moreChanges: number } {
  if (was.length === 0) return { changes: [], moreChanges: 0 };
  const all = replayed.flatMap(({ eventId, at, verdicts }, i) => {
    const before = was[i]!;
    const after = new Map(verdicts.map(({ triggerId, reason, outcome }) => [triggerId, reason ?? outcome]));
    return [...new Set([...before.keys(), ...after.keys()])].flatMap((triggerId): Change[] => {
      const change = { eventId, triggerId, at, was: before.get(triggerId) ?? null, would: after.get(triggerId) ?? null };
      return change.was === change.would ? [] : [change];
    });
  });
  return { changes: all.slice(0, mostChanges), moreChanges: Math.max(0, all.length - mostChanges) };
}

const columns = ['run', 'needs_approval', 'duplicate', 'throttled'] as const;
const titles = ['TRIGGER', 'WOKEN', 'ASKED A PERSON', 'KNOWN', 'THROTTLED', 'STOPPED OTHERWISE', 'COST'];

function words({
  events,
  from,
  to,
  goneUntil,
  triggers,
  changes,
  moreChanges,
}: {
  events: number;
  from: number | null;
  to: number | null;
  goneUntil: number | null;
  triggers: Tried[];
  changes: Change[];
  moreChanges: number;
}): string {
  const gone =
    goneUntil === null
      ? []
      : [
          `Events that came until ${new Date(goneUntil).toISOString()} are not all kept any more: those that are gone are left out, and so is what later ones would have met because of them.`,
        ];
  if (from === null || to === null) return ['There are no events on record.', ...gone].join('\n');
  const head = `${count(events, 'event')}, ${new Date(from).toISOString()} to ${new Date(to).toISOString()}; before → would have.`;
  const arrow = (was: string | null, would: string): string => (was === null || was === would ? would : `${was} → ${would}`);
  const rows = triggers.map(({ triggerId, was, would, micros }) => {
    const others = (of: Record<string, number>): number =>
      Object.entries(of).reduce((sum, [end, n]) => (columns.some((one) => one === end) ? sum : sum + n), 0);
    return [
      triggerId,
      ...columns.map((end) => arrow(was && String(was[end] ?? 0), String(would[end] ?? 0))),
      arrow(was && String(others(was)), String(others(would))),
      arrow(micros.was === null ? null : money(micros.was), micros.would === null ? 'not known' : money(micros.would)),
    ];
  });
  const told = changes
    .slice(0, 20)
    .map(
      (one) =>
        `  ${new Date(one.at).toISOString()}  ${one.eventId} at ${one.triggerId}: ${one.was ?? 'nothing'} → ${one.would ?? 'nothing'}`,
    );
  const more = changes.length + moreChanges - told.length;
  return [
    head,
    ...gone,
    rows.length === 0 ? 'No trigger would have let one of them through its filters.' : table(titles, rows),
    ...(told.length > 0 ? ['What would have been different:', ...told] : []),
    ...(more > 0 ? [`  … and ${count(more, 'more', 'more')}`] : []),
  ].join('\n');
}
