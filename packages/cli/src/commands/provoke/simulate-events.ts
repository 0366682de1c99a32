// `parley simulate`: replays recorded events with other triggers (PRV-16, SYS-5), and compares wakings, duplicates, throttled
// events and costs. It starts and stores nothing.

import { timeText, asMoney } from '@parley/core';
import type { CompiledManifest, CompiledTrigger, ReplayEvent, ReplayResult } from '@parley/core/provoke';
import { Answers } from '@parley/hub/regex';
import type { Trigger } from '@parley/protocol';
import { withAccess } from '../../hub-access.ts';
import { CliError } from '../../exit.ts';
import { me } from '../../hints.ts';
import { arrow, count, differenceLines, table } from '../../output.ts';
import { manifestsById, provokeCore, readProvoking, triggersById, withRegexes } from '../../provoke/files.ts';
import { noOwners } from '../../provoke/owners.ts';
import { definitionsInForce, type EventRecord, recordIn, recordOf } from '../../provoke/event-record.ts';
import { nothingStored, withProgress } from '../../progress.ts';
import type { CommandContext } from '../../settings.ts';
import { seconds } from '../tokens.ts';

interface SimulateOptions {
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

interface TriggerComparison {
  triggerId: string;
  /** Results with the triggers in force, counted by end; null without a hub. */
  was: Record<string, number> | null;
  would: Record<string, number>;
  /** Millionths of a dollar; null if the manifest has never run, or without a hub. */
  micros: { was: number | null; would: number | null };
}
interface Change {
  eventId: string;
  triggerId: string;
  at: number;
  was: string | null;
  would: string | null;
  /** The recorded result, if the replay of the triggers in force gives a different one. */
  onRecord?: string | null;
}

interface Report {
  events: number;
  from: number | null;
  to: number | null;
  goneUntil: number | null;
  differs: number;
  triggers: TriggerComparison[];
  changes: Change[];
  moreChanges: number;
}

const mostChanges = 1000;
/** Events whose regexes run in one batch. */
const eventsPerBatch = 500;

export async function simulate({ settings, output }: CommandContext, options: SimulateOptions): Promise<void> {
  const { channel } = options;
  const last = Number(options.last ?? (channel === undefined ? 10_000 : 200));
  if (!Number.isSafeInteger(last) || last < 1) throw new CliError('usage', `--last ${options.last} is not a whole number.`);
  const since = options.since === undefined ? 0 : Date.now() - seconds(options.since, '--since') * 1000;
  const misplaced = misplacedOption(options);
  if (misplaced !== undefined)
    throw new CliError(
      'usage',
      `${misplaced} is for ${channel === undefined ? 'messages: name a --channel' : 'events, not for a channel'}.`,
    );
  if (channel !== undefined) {
    const { simulateTalk } = await import('../simulate-talk.ts');
    return simulateTalk(settings, { ...options, channel, since, last }, output);
  }
  const core = await provokeCore();
  const changes = await readProvoking(core, [...options.trigger, ...options.manifest]);
  if (options.events !== undefined && changes.triggers.length === 0)
    throw new CliError('usage', 'Which triggers? With --events nothing is asked of a hub.', { hint: 'Give them with --trigger <file>.' });
  const { record, inForce } =
    options.events === undefined
      ? await withAccess(settings, async (access) => ({
          inForce: await definitionsInForce(access, core),
          record: await recordOf(access, { last, since }),
        }))
      : {
          inForce: { triggers: [], manifests: [], owners: noOwners, since: new Map<string, number>() },
          record: await recordIn(core, options.events, since),
        };
  const triggers = triggersById([...inForce.triggers, ...changes.triggers]);
  for (const id of options.without)
    if (!triggers.delete(id)) throw new CliError('not_found', `There is no trigger ${id}.`, { hint: `\`${me} triggers\` lists them.` });
  const manifests = manifestsById([...inForce.manifests, ...changes.manifests]);
  const { runs, mayWake, ownerIdOf, modeFor } = inForce.owners;
  // As in a hub, a trigger without its owner is switched off, and it finds only manifests that its owner may use.
  const before = triggersById(inForce.triggers);
  const events = record.events.map((one, i): ReplayEvent => ({
    ...one,
    tooSlow: (record.tooSlow[i] ?? []).flatMap((id) => (inForce.since.get(id)! <= one.at ? searchesOf(before.get(id)) : [])),
  }));
  const answers = new Answers('', { unbounded: true });
  const replayOf = async (
    act: string,
    some: Iterable<CompiledTrigger>,
    of: ReadonlyMap<string, CompiledManifest>,
  ): Promise<ReplayResult[]> => {
    const set = core.triggerSet([...some].filter(({ trigger }) => runs(trigger)));
    const manifestFor = (trigger: Trigger) => (mayWake(trigger) ? of.get(trigger.agent) : undefined);
    await withProgress(output, nothingStored, async (onProgress) => {
      for (let at = 0; at < events.length; at += eventsPerBatch) {
        onProgress({ act, done: at, total: events.length, unit: 'event' });
        await withRegexes(
          (patterns) => events.slice(at, at + eventsPerBatch).forEach((one) => core.replayAsks(set, one, patterns)),
          answers,
        );
      }
    });
    return [...core.replay(set, manifestFor, events, answers, ownerIdOf, (trigger) => modeFor(trigger, manifestFor(trigger)?.manifest))];
  };
  const would = await replayOf('Replaying with the changes', triggers.values(), manifests);
  // The triggers in force are replayed too, so that effects of the cut record are the same on both sides.
  const was =
    options.events === undefined ? await replayOf('Replaying without them', before.values(), manifestsById(inForce.manifests)) : null;
  const report: Report = {
    events: record.events.length,
    from: record.events[0]?.at ?? null,
    to: record.events.at(-1)?.at ?? null,
    goneUntil: record.goneUntil,
    differs: was === null ? 0 : countDifferences(was, record),
    triggers: comparisonsOf(was && { ends: core.tally(was), agents: before }, { ends: core.tally(would), agents: triggers }, record.cost),
    ...(was === null ? { changes: [], moreChanges: 0 } : changesOf(was, would, record)),
  };
  output.result(report, words(report));
}

const searchesOf = (compiled: CompiledTrigger | undefined): string[] =>
  compiled?.trigger.match.filter.flatMap((one) => (one.operator === 'regex' || one.operator === 'contains' ? one.value : [])) ?? [];

/** Messages are replayed under other floors and agents, events under other triggers. */
function misplacedOption({ channel, trigger, manifest, events, floor, agent }: SimulateOptions): string | undefined {
  if (channel === undefined) return floor !== undefined ? '--floor' : agent.length > 0 ? '--agent' : undefined;
  return trigger.length > 0 ? '--trigger' : manifest.length > 0 ? '--manifest' : events !== undefined ? '--events' : undefined;
}

interface Side {
  ends: ReadonlyMap<string, ReadonlyMap<string, number>>;
  agents: ReadonlyMap<string, CompiledTrigger>;
}

function comparisonsOf(was: Side | null, would: Side, cost: ReadonlyMap<string, number>): TriggerComparison[] {
  const ids = new Set([...(was?.ends.keys() ?? []), ...would.ends.keys()]);
  return [...ids].toSorted().map((triggerId) => {
    const before = was && sideOf(was, triggerId, cost);
    const after = sideOf(would, triggerId, cost);
    return { triggerId, was: before && before.ends, would: after.ends, micros: { was: before && before.micros, would: after.micros } };
  });
}

function sideOf(
  { ends, agents }: Side,
  triggerId: string,
  cost: ReadonlyMap<string, number>,
): { ends: Record<string, number>; micros: number | null } {
  const of = Object.fromEntries(ends.get(triggerId) ?? []);
  const runs = of['run'] ?? 0;
  const each = cost.get(agents.get(triggerId)?.trigger.agent ?? '');
  return { ends: of, micros: runs === 0 ? 0 : each === undefined ? null : Math.round(each * runs) };
}

const endsOf = ({ verdicts }: ReplayResult): Map<string, string> =>
  new Map(verdicts.map(({ triggerId, reason, outcome }) => [triggerId, reason ?? outcome]));

const idsOf = (...maps: ReadonlyMap<string, string>[]): string[] => [...new Set(maps.flatMap((map) => [...map.keys()]))];

/** Counts the results on record that differ from the replay of the triggers in force. */
const countDifferences = (was: readonly ReplayResult[], { results: recorded }: EventRecord): number =>
  was.reduce((sum, one, i) => {
    const [replayed, onRecord] = [endsOf(one), recorded[i]!];
    return sum + idsOf(replayed, onRecord).filter((id) => replayed.get(id) !== onRecord.get(id)).length;
  }, 0);

/** The events whose result differs between the triggers in force and the changed ones. */
function changesOf(
  was: readonly ReplayResult[],
  would: readonly ReplayResult[],
  { results: recorded }: EventRecord,
): { changes: Change[]; moreChanges: number } {
  const all = was.flatMap((one, i) => {
    const [before, after, onRecord] = [endsOf(one), endsOf(would[i]!), recorded[i]!];
    return idsOf(before, after).flatMap((triggerId): Change[] => {
      const change = {
        eventId: one.eventId,
        triggerId,
        at: one.at,
        was: before.get(triggerId) ?? null,
        would: after.get(triggerId) ?? null,
      };
      if (change.was === change.would) return [];
      const recordedEnd = onRecord.get(triggerId) ?? null;
      return [recordedEnd === change.was ? change : { ...change, onRecord: recordedEnd }];
    });
  });
  return { changes: all.slice(0, mostChanges), moreChanges: Math.max(0, all.length - mostChanges) };
}

const columns = ['run', 'needs_approval', 'duplicate', 'throttled'] as const;
const titles = ['TRIGGER', 'WOKEN', 'ASKED A PERSON', 'KNOWN', 'THROTTLED', 'STOPPED OTHERWISE', 'COST'];

function words({ events, from, to, goneUntil, differs, triggers, changes, moreChanges }: Report): string {
  const goneNote =
    goneUntil === null
      ? []
      : [
          `Events that came until ${timeText(goneUntil)} are not all kept any more. The missing ones are left out, and so are their effects on later ones.`,
        ];
  if (from === null || to === null) return ['There are no events on record.', ...goneNote].join('\n');
  const head = `${count(events, 'event')}, ${timeText(from)} to ${timeText(to)}${triggers.some(({ was }) => was !== null) ? '; before → would have.' : '.'}`;
  const differenceNote =
    differs === 0
      ? []
      : [
          `Before is what the triggers in force do with these events; ${count(differs, 'result is', 'results are')} another on record, where keys and windows did not begin empty, or triggers were others.`,
        ];
  const cost = (of: number | null): string => (of === null ? 'not known' : asMoney(of));
  const rows = triggers.map(({ triggerId, was, would, micros }) => {
    const otherEnds = (of: Record<string, number>): number =>
      Object.entries(of).reduce((sum, [end, n]) => (columns.some((one) => one === end) ? sum : sum + n), 0);
    return [
      triggerId,
      ...columns.map((end) => arrow(was && String(was[end] ?? 0), String(would[end] ?? 0))),
      arrow(was && String(otherEnds(was)), String(otherEnds(would))),
      arrow(was && cost(micros.was), cost(micros.would)),
    ];
  });
  const differences = changes.map(
    (one) =>
      `  ${new Date(one.at).toISOString()}  ${one.eventId} at ${one.triggerId}: ${one.was ?? 'nothing'} → ${one.would ?? 'nothing'}${one.onRecord === undefined ? '' : ` (on record: ${one.onRecord ?? 'nothing'})`}`,
  );
  return [
    head,
    ...goneNote,
    ...differenceNote,
    rows.length === 0 ? 'No trigger would have let one of them through its filters.' : table(titles, rows),
    ...differenceLines(differences, moreChanges),
  ].join('\n');
}
