// Dry runs of triggers (PRV-16). With files, the hub's pipeline runs here, without a record of events. Without files, the hub
// tests its own triggers against its record.

import type { CompiledManifest, CompiledTrigger, DryRun, Patterns } from '@parley/core/provoke';
import { Answers } from '@parley/hub/regex';
import { invalidRequest, type PapEvent, senderIn, type TestedTrigger } from '@parley/protocol';
import { z } from 'zod';
import { withAccess } from '../../hub-access.ts';
import { CliError, exitCodes } from '../../exit.ts';
import { answerLines } from '../../json-lines.ts';
import { me } from '../../hints.ts';
import { count, type Output, applyStyle, printable } from '../../output.ts';
import { typedEvent, type TypedEvent } from '../../provoke/typed-event.ts';
import {
  documentsIn,
  manifestsById,
  type ProvokeModule,
  provokeCore,
  readProvoking,
  triggersById,
  withRegexes,
} from '../../provoke/files.ts';
import { visibleScope } from '../../provoke/hub-lists.ts';
import { foundWords, outcomeWords } from '../../provoke/event-outcome.ts';
import type { CommandContext, Settings } from '../../settings.ts';
import { fileText, wholeNumber } from '../../input.ts';

interface TriggerTestOptions extends TypedEvent {
  trigger: string[];
  manifest: string[];
  event: string[];
  depth?: string;
  steps?: true;
}

export async function testTriggers(
  { settings, output }: CommandContext,
  type: string | undefined,
  options: TriggerTestOptions,
): Promise<void> {
  if (type !== undefined && options.event.length > 0) throw new CliError('usage', 'The event comes from one place: a type, or --event.');
  const core = await provokeCore();
  const events = type === undefined ? await eventsIn(core, options.event) : [checked(core, typedEvent(type, options))];
  if (options.trigger.length === 0) return testAtHub(settings, events, options, output);
  const found = await readProvoking(core, [...options.trigger, ...options.manifest]);
  const bench = new Bench(core, [...triggersById(found.triggers).values()], manifestsById(found.manifests), options);
  if (type === undefined && options.event.length === 0) return answerLines(Line, (line) => bench.answer(line), output);
  const results: TestedTrigger[] = [];
  for (const event of events)
    results.push(
      ...(await withRegexes((patterns) => bench.triggers.map((trigger) => tested(event, trigger, bench.run(trigger, event, patterns))))),
    );
  output.result({ results }, results.map(words).join('\n\n') || 'There is no trigger in these files.');
  setExitCode(results);
  const missing = new Set(results.flatMap(({ reason, triggerId }) => (reason === 'no_manifest' ? triggerId : [])));
  if (missing.size > 0) output.note(`Give the manifest, too: --manifest <file>. (${[...missing].join(', ')})`);
}

/** A line holds an event, or an event with the trigger to test. */
const Line = z.looseObject({}, 'must be an event, or an object with event and trigger');

/** With more triggers of one type, only matching and too slow ones are listed, as in the hub's answer. */
const mostListed = 20;
const mostCompiled = 10_000;

class Bench {
  readonly triggers: readonly CompiledTrigger[];
  private readonly core: ProvokeModule;
  private readonly manifests: ReadonlyMap<string, CompiledManifest>;
  private readonly depth: number | undefined;
  private readonly steps: boolean;
  private readonly byType: Map<string, CompiledTrigger[]>;
  private readonly set;
  /** Triggers from the lines, compiled once each. */
  private readonly compiled = new Map<string, { trigger: CompiledTrigger; manifest: CompiledManifest | undefined }>();

  constructor(
    core: ProvokeModule,
    triggers: readonly CompiledTrigger[],
    manifests: ReadonlyMap<string, CompiledManifest>,
    { depth, steps }: Pick<TriggerTestOptions, 'depth' | 'steps'>,
  ) {
    [this.core, this.triggers, this.manifests, this.steps] = [core, triggers, manifests, steps === true];
    this.depth = depth === undefined ? undefined : wholeNumber('--depth', depth);
    this.byType = Map.groupBy(triggers, ({ trigger }) => trigger.match.type);
    this.set = core.triggerSet(triggers);
  }

  run(trigger: CompiledTrigger, event: PapEvent, patterns: Patterns, manifest = this.manifests.get(trigger.trigger.agent)): DryRun {
    const before = this.depth ?? (event.triggered_by === undefined ? 0 : 1);
    const cascade =
      before === 0 ? ({ from: 'root' } as const) : ({ from: 'invocation', emitter: { level: before, depth: before - 1 } } as const);
    const on = { owned: true, sender: senderIn(event.source), known: false, cascade, started: 0, starts: [], manifest, now: Date.now() };
    return this.core.dryRun(trigger, event, on, patterns);
  }

  /** Answers at once if no regex is needed: a promise for each line would cost more than the answer. */
  answer(line: Record<string, unknown>): unknown {
    const patterns = new Answers('');
    try {
      const first = this.answerWith(line, patterns);
      if (patterns.isComplete) return first;
    } catch (error) {
      if (patterns.isComplete) throw error;
    }
    return withRegexes(() => this.answerWith(line, patterns), patterns);
  }

  private answerWith(line: Record<string, unknown>, patterns: Answers): unknown {
    const isEvent = !('event' in line) || 'pap_version' in line;
    const event = checked(this.core, isEvent ? line : line['event'], isEvent ? '' : 'event.');
    const put = isEvent
      ? this.listedTriggers(event, patterns).map((trigger) => ({ trigger, manifest: undefined }))
      : [this.triggerIn(line, patterns)];
    const triggers = put.map(({ trigger, manifest }) => this.resultOf(trigger, this.run(trigger, event, patterns, manifest)));
    return { eventId: event.id, triggers };
  }

  private listedTriggers(event: PapEvent, patterns: Patterns): readonly CompiledTrigger[] {
    const all = this.byType.get(event.type) ?? [];
    if (all.length <= mostListed) return all;
    const tooSlow: CompiledTrigger[] = [];
    const matching = this.set.matching(event, patterns, tooSlow);
    return [...matching, ...tooSlow];
  }

  private resultOf({ trigger }: CompiledTrigger, { verdict, steps, filters }: DryRun): object {
    const { outcome, step, reason, until } = verdict;
    return { triggerId: trigger.id, outcome, step, reason, until, ...(this.steps ? { steps, filters } : {}) };
  }

  private triggerIn(
    { trigger, manifest }: Record<string, unknown>,
    patterns: Answers,
  ): { trigger: CompiledTrigger; manifest: CompiledManifest | undefined } {
    // The check comes before JSON.stringify, which would end the command on a deeply nested value.
    const shape = this.core.shapeProblems({ trigger, manifest });
    if (!this.core.isWalkable(shape)) throw invalidRequest(shape);
    const key = JSON.stringify([trigger, manifest]);
    const earlier = this.compiled.get(key);
    if (earlier) return earlier;
    const compiled = this.core.compileDocument(
      { pap_version: '0.2', trigger, ...(manifest === undefined ? {} : { agent: manifest }) },
      patterns,
    );
    if (!compiled.ok) throw invalidRequest(compiled.problems.map((one) => ({ ...one, field: one.field.replace(/^agent\b/, 'manifest') })));
    const [one] = compiled.value.triggers;
    if (one === undefined) throw invalidRequest([{ field: 'trigger', message: 'is required' }]);
    const pair = { trigger: one, manifest: compiled.value.manifests[0] ?? this.manifests.get(one.trigger.agent) };
    if (this.compiled.size >= mostCompiled) this.compiled.clear();
    if (patterns.isComplete) this.compiled.set(key, pair);
    return pair;
  }
}

/** Accepts events of the system too, because a trigger may wait for them. */
function checked(core: ProvokeModule, value: unknown, at = ''): PapEvent {
  // The hub fills in the same source for an event from `emit`.
  const isUnnamed = typeof value === 'object' && value !== null && Object.hasOwn(value, 'id') && !Object.hasOwn(value, 'source');
  const event = core.checkEvent(isUnnamed ? { ...value, source: 'operator' } : value, 'system');
  if (!event.ok) throw invalidRequest(event.problems.map((problem) => ({ ...problem, field: `${at}${problem.field}` })));
  return event.event;
}

const eventsIn = async (core: ProvokeModule, files: readonly string[]): Promise<PapEvent[]> =>
  (await Promise.all(files.map((file) => eventsOf(core, file)))).flat();

/** Reads one event, or one per line. */
async function eventsOf(core: ProvokeModule, file: string): Promise<PapEvent[]> {
  const text = await fileText(file, 'Type the event as JSON; end with Ctrl-D on an empty line.');
  return documentsIn(text, file).map(({ value, at }) => checked(core, value, `${at} `));
}

async function testAtHub(settings: Settings, events: PapEvent[], { manifest }: TriggerTestOptions, output: Output): Promise<void> {
  if (events.length === 0 || manifest.length > 0)
    throw new CliError('usage', events.length === 0 ? 'Which event, and which trigger?' : 'Which trigger is the manifest for?', {
      hint: `\`${me} trigger test <type> --payload <json>\`, or --event <file>; with --trigger <file> no hub is asked.`,
    });
  const { answer, scope } = await withAccess(settings, async (access) => ({
    answer: await access.call('testTriggers', { body: { events } }),
    scope: await visibleScope(access),
  }));
  const { results, leftOut } = answer;
  const omitted = leftOut === 0 ? [] : [`${count(leftOut, 'more result was', 'more results were')} left out: give fewer events.`];
  output.result(answer, [...results.map(words), ...omitted].join('\n\n') || `No trigger${scope} waits for it.`);
  setExitCode(results);
}

/** The exit code tells scripts whether anything would run, if need be after an approval. */
function setExitCode(results: readonly TestedTrigger[]): void {
  const runs = results.some(({ outcome, warnings }) => (outcome === 'run' || outcome === 'paused') && warnings.length === 0);
  if (!runs) process.exitCode = exitCodes.not_found.status;
}

const tested = (event: PapEvent, { trigger }: CompiledTrigger, { verdict, steps, filters }: DryRun): TestedTrigger => ({
  eventId: event.id,
  triggerId: trigger.id,
  outcome: verdict.outcome,
  reason: verdict.reason,
  steps,
  filters,
  // Warnings are about missing members and manifests, which only a hub knows.
  warnings: [],
});

const marks = { passed: '✓', stopped: '✗', not_reached: '·' } as const;

function words({ eventId, triggerId, outcome, steps, filters, warnings }: TestedTrigger): string {
  const lines = steps.flatMap(({ step, state, text }) => [
    `  ${marks[state]} ${step.padEnd(11)}  ${text}`.trimEnd(),
    ...(step === 'match'
      ? filters.map(
          ({ path, operator, value, found, holds }) =>
            `      ${holds ? '✓' : '✗'} ${path} ${operator} ${printable(JSON.stringify(value))}; it is ${foundWords(found)}`,
        )
      : []),
  ]);
  const ends = `${outcome === 'run' || outcome === 'paused' ? '' : 'is '}${outcomeWords(outcome)}`;
  return [
    `${applyStyle('bold', triggerId)} and ${eventId}: it ${warnings.length === 0 ? ends : 'begins, and fails'}.${warnings.map((one) => ` ${one}`).join('')}`,
    ...lines,
  ].join('\n');
}
