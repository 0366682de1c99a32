// A replay of the events on record with other triggers (PRV-16, SYS-5): who would have been woken, what would have been a
// duplicate, what throttled, and at what cost. Nothing is done, and nothing written down.

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
import { inForce, type EventRecord, recordIn, recordOf } from '../../provoke/event-record.ts';
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

interface Tried {
  triggerId: string;
  /** How often it ended in what with the triggers in force; null: no hub was asked which those are. */
  was: Record<string, number> | null;
  would: Record<string, number>;
  /** In millionths of a dollar; null: its manifest has never run, or nobody was asked. */
  micros: { was: number | null; would: number | null };
}
interface Change {
  eventId: string;
  triggerId: string;
  at: number;
  was: string | null;
  would: string | null;
  /** Where the record says another than the triggers in force do with these events. */
  onRecord?: string | null;
}

interface Report {
  events: number;
  from: number | null;
  to: number | null;
  goneUntil: number | null;
  differs: number;
  triggers: Tried[];
  changes: Change[];
  moreChanges: number;
}

const mostChanges = 1000;
/** Events whose regexes are asked together. */
const askedAtOnce = 500;

export async function simulate({ settings, output }: CommandContext, options: SimulateOptions): Promise<void> {
  const { channel } = options;
  const last = Number(options.last ?? (channel === undefined ? 10_000 : 200));
  if (!Number.isSafeInteger(last) || last < 1) throw new CliError('usage', `--last ${options.last} is not a whole number.`);
  const since = options.since === undefined ? 0 : Date.now() - seconds(options.since, '--since') * 1000;
  const wrong = misplaced(options);
  if (wrong !== undefined)
    throw new CliError('usage', `${wrong} is for ${channel === undefined ? 'messages: name a --channel' : 'events, not for a channel'}.`);
  if (channel !== undefined) {
    const { simulateTalk } = await import('../simulate-talk.ts');
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
      : {
          kept: { triggers: [], manifests: [], owners: noOwners, since: new Map<string, number>() },
          record: await recordIn(core, options.events, since),
        };
  const triggers = triggersById([...kept.triggers, ...changed.triggers]);
  for (const id of options.without)
    if (!triggers.delete(id)) throw new CliError('not_found', `There is no trigger ${id}.`, { hint: `\`${me} triggers\` lists them.` });
  const manifests = manifestsById([...kept.manifests, ...changed.manifests]);
  const { runs, mayWake, whose, modeFor } = kept.owners;
  // As in earnest: without its owner it is as good as switched off, and what is not the owner's to use is not there.
  const before = triggersById(kept.triggers);
  const events = record.events.map((one, i): ReplayEvent => ({
    ...one,
    tooSlow: (record.tooSlow[i] ?? []).flatMap((id) => (kept.since.get(id)! <= one.at ? searchesOf(before.get(id)) : [])),
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
      for (let at = 0; at < events.length; at += askedAtOnce) {
        onProgress({ act, done: at, total: events.length, unit: 'event' });
        await withRegexes((patterns) => events.slice(at, at + askedAtOnce).forEach((one) => core.replayAsks(set, one, patterns)), answers);
      }
    });
    return [...core.replay(set, manifestFor, events, answers, whose, (trigger) => modeFor(trigger, manifestFor(trigger)?.manifest))];
  };
  const would = await replayOf('Replaying with the changes', triggers.values(), manifests);
  // Replayed as well, not read from the record: what only comes from where the record is cut, is the same on both sides.
  const was =
    options.events === undefined ? await replayOf('Replaying without them', before.values(), manifestsById(kept.manifests)) : null;
  const report: Report = {
    events: record.events.length,
    from: record.events[0]?.at ?? null,
    to: record.events.at(-1)?.at ?? null,
    goneUntil: record.goneUntil,
    differs: was === null ? 0 : differing(was, record),
    triggers: triedOf(was && { ends: core.tally(was), agents: before }, { ends: core.tally(would), agents: triggers }, record.cost),
    ...(was === null ? { changes: [], moreChanges: 0 } : changesOf(was, would, record)),
  };
  output.result(report, words(report));
}

const searchesOf = (compiled: CompiledTrigger | undefined): string[] =>
  compiled?.trigger.match.filter.flatMap((one) => (one.operator === 'regex' || one.operator === 'contains' ? one.value : [])) ?? [];

/** Messages are replayed under other floors and agents, events under other triggers. */
function misplaced({ channel, trigger, manifest, events, floor, agent }: SimulateOptions): string | undefined {
  if (channel === undefined) return floor !== undefined ? '--floor' : agent.length > 0 ? '--agent' : undefined;
  return trigger.length > 0 ? '--trigger' : manifest.length > 0 ? '--manifest' : events !== undefined ? '--events' : undefined;
}

interface Side {
  ends: ReadonlyMap<string, ReadonlyMap<string, number>>;
  agents: ReadonlyMap<string, CompiledTrigger>;
}

function triedOf(was: Side | null, would: Side, cost: ReadonlyMap<string, number>): Tried[] {
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

/** How often the record says another than the replay of what is in force. */
const differing = (was: readonly ReplayResult[], { was: onRecord }: EventRecord): number =>
  was.reduce((sum, one, i) => {
    const [ends, kept] = [endsOf(one), onRecord[i]!];
    return sum + idsOf(ends, kept).filter((id) => ends.get(id) !== kept.get(id)).length;
  }, 0);

/** Where what is in force and what is tried part, event by event. */
function changesOf(
  was: readonly ReplayResult[],
  would: readonly ReplayResult[],
  { was: onRecord }: EventRecord,
): { changes: Change[]; moreChanges: number } {
  const all = was.flatMap((one, i) => {
    const [before, after, kept] = [endsOf(one), endsOf(would[i]!), onRecord[i]!];
    return idsOf(before, after).flatMap((triggerId): Change[] => {
      const change = {
        eventId: one.eventId,
        triggerId,
        at: one.at,
        was: before.get(triggerId) ?? null,
        would: after.get(triggerId) ?? null,
      };
      if (change.was === change.would) return [];
      const recorded = kept.get(triggerId) ?? null;
      return [recorded === change.was ? change : { ...change, onRecord: recorded }];
    });
  });
  return { changes: all.slice(0, mostChanges), moreChanges: Math.max(0, all.length - mostChanges) };
}

const columns = ['run', 'needs_approval', 'duplicate', 'throttled'] as const;
const titles = ['TRIGGER', 'WOKEN', 'ASKED A PERSON', 'KNOWN', 'THROTTLED', 'STOPPED OTHERWISE', 'COST'];

function words({ events, from, to, goneUntil, differs, triggers, changes, moreChanges }: Report): string {
  const gone =
    goneUntil === null
      ? []
      : [
          `Events that came until ${timeText(goneUntil)} are not all kept any more. The missing ones are left out, and so are their effects on later ones.`,
        ];
  if (from === null || to === null) return ['There are no events on record.', ...gone].join('\n');
  const head = `${count(events, 'event')}, ${timeText(from)} to ${timeText(to)}${triggers.some(({ was }) => was !== null) ? '; before → would have.' : '.'}`;
  const cut =
    differs === 0
      ? []
      : [
          `Before is what the triggers in force do with these events; ${count(differs, 'result is', 'results are')} another on record, where keys and windows did not begin empty, or triggers were others.`,
        ];
  const cost = (of: number | null): string => (of === null ? 'not known' : asMoney(of));
  const rows = triggers.map(({ triggerId, was, would, micros }) => {
    const others = (of: Record<string, number>): number =>
      Object.entries(of).reduce((sum, [end, n]) => (columns.some((one) => one === end) ? sum : sum + n), 0);
    return [
      triggerId,
      ...columns.map((end) => arrow(was && String(was[end] ?? 0), String(would[end] ?? 0))),
      arrow(was && String(others(was)), String(others(would))),
      arrow(was && cost(micros.was), cost(micros.would)),
    ];
  });
  const differences = changes.map(
    (one) =>
      `  ${new Date(one.at).toISOString()}  ${one.eventId} at ${one.triggerId}: ${one.was ?? 'nothing'} → ${one.would ?? 'nothing'}${one.onRecord === undefined ? '' : ` (on record: ${one.onRecord ?? 'nothing'})`}`,
  );
  return [
    head,
    ...gone,
    ...cut,
    rows.length === 0 ? 'No trigger would have let one of them through its filters.' : table(titles, rows),
    ...differenceLines(differences, moreChanges),
  ].join('\n');
}
