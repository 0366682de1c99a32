// A replay (PRV-16, SYS-5) applies a set of triggers to events on record. The pipeline is the same, with keys and windows
// kept here instead of in the store. No act of an agent is guessed: events that agents emitted are on record as well, and
// are taken as they were.

import { type PapEvent, senderIn, type Trigger } from '@parley/protocol';
import type { BehaviourMode } from '../../contact/contact-permission.ts';
import { type Cascade, isStarted } from './cascade.ts';
import { eventIdentity, idempotencyRetentionMs, pairText } from '../../invocation/retention.ts';
import type { CompiledManifest } from '../files/document.ts';
import type { Patterns } from '../triggers/regex.ts';
import { decide, type PipelineVerdict } from './pipeline.ts';
import { accepts } from '../events/event.ts';
import { bucketOf, leavesAt } from '../events/throttle.ts';
import type { CompiledTrigger } from '../triggers/trigger.ts';
import type { TriggerSet } from '../triggers/trigger-set.ts';

export interface ReplayEvent {
  event: PapEvent;
  /** When it came. */
  at: number;
  cascade: Cascade;
  /** Undefined: the record does not say, and it is one of its own. */
  chain?: string | undefined;
  /** The member whose event it was, where the record says so; else its source does. */
  sender?: string | undefined;
  /** The searches that took too long then: they are not timed again. */
  tooSlow?: readonly string[] | undefined;
  /** How it came in: a CloudEvent's source is part of its identity. */
  via?: string | undefined;
}

export interface ReplayResult {
  eventId: string;
  at: number;
  /** The verdicts of the triggers that the event matched, and of those that were too slow for it. */
  verdicts: PipelineVerdict[];
}

/** One at a time, in the order of the record: a year of it need not fit in memory at once. */
export function* replay(
  /** The triggers whose owners may run them. */
  set: TriggerSet,
  /** The one that it may wake, if there is one. */
  manifestFor: (trigger: Trigger) => CompiledManifest | undefined,
  events: Iterable<ReplayEvent>,
  patterns: Patterns,
  /** The owner of a trigger: each owner's invocations in a chain are counted by themselves. */
  whose: (trigger: Trigger) => string = () => '',
  /** The mode of the agent that the trigger would wake. */
  modeFor: (trigger: Trigger) => BehaviourMode | undefined = () => undefined,
): Generator<ReplayResult> {
  /** When each pair was first seen. */
  const known = new Map<string, number>();
  const windows = new Map<string, number[]>();
  /** How many of an owner's were started by others of the chain. */
  const started = new Map<string, number>();
  for (const { event, at, cascade, chain, sender, tooSlow = [], via = '' } of events) {
    const slow: CompiledTrigger[] = [];
    const sentBy = sender ?? senderIn(event.source);
    // One from a file was compiled before anybody had it.
    const ownerOf = (compiled: CompiledTrigger): string => whose(compiled.trigger) || compiled.owner;
    // Without a hub nobody owns it, and everybody's events are for it.
    const senderTo = (owner: string): string | undefined => (owner === '' ? undefined : sentBy);
    const takes = (compiled: CompiledTrigger): boolean => accepts(compiled.trigger, ownerOf(compiled), senderTo(ownerOf(compiled)));
    const matching = set.matching(event, asRecorded(patterns, tooSlow), slow, takes);
    const verdicts = matching.map((compiled) => {
      const { trigger } = compiled;
      const pair = pairText({ eventId: eventIdentity(event, via), triggerId: trigger.id });
      const counted = JSON.stringify([trigger.id, bucketOf(compiled, event)]);
      const owner = ownerOf(compiled);
      const inChain = JSON.stringify([chain ?? event.id, owner]);
      const starts = windows.get(counted) ?? [];
      const verdict = decide({ ...compiled, owner }, event, {
        owned: true,
        sender: senderTo(owner),
        known: at - (known.get(pair) ?? -Infinity) <= idempotencyRetentionMs,
        cascade,
        started: started.get(inChain) ?? 0,
        starts,
        manifest: manifestFor(trigger),
        mode: modeFor(trigger),
        now: at,
      });
      if (verdict.key) known.set(pair, at);
      if (verdict.place && isStarted(verdict.place)) started.set(inChain, (started.get(inChain) ?? 0) + 1);
      const { throttle } = trigger;
      if (throttle && verdict.bucket !== null) windows.set(counted, [...starts.filter((start) => leavesAt(throttle, start) > at), at]);
      return verdict;
    });
    yield { eventId: event.id, at, verdicts: [...verdicts, ...slow.map((compiled) => tooSlowFor(compiled, event, at))] };
  }
}

/** Everything that a replay of one event asks of regexes. */
export const replayAsks = (set: TriggerSet, { event, tooSlow = [] }: ReplayEvent, patterns: Patterns): void =>
  void set.matching(event, asRecorded(patterns, tooSlow));

const asRecorded = (patterns: Patterns, tooSlow: readonly string[]): Patterns =>
  tooSlow.length === 0
    ? patterns
    : {
        ...patterns,
        holds: (source, text, owner) => (tooSlow.includes(source) ? null : patterns.holds(source, text, owner)),
        contains: (part, text, owner) => (tooSlow.includes(part) ? null : patterns.contains(part, text, owner)),
      };

const tooSlowFor = (compiled: CompiledTrigger, event: PapEvent, now: number): PipelineVerdict =>
  decide(
    compiled,
    event,
    { owned: true, sender: undefined, known: false, cascade: { from: 'root' }, started: 0, starts: [], manifest: undefined, now },
    'too_slow',
  );

/** How often each trigger ended in what, for the report. */
export function tally(replayed: Iterable<ReplayResult>): Map<string, Map<string, number>> {
  const counts = new Map<string, Map<string, number>>();
  for (const { triggerId, outcome, reason } of Iterator.from(replayed).flatMap(({ verdicts }) => verdicts)) {
    const of = counts.get(triggerId) ?? new Map<string, number>();
    const end = reason ?? outcome;
    counts.set(triggerId, of.set(end, (of.get(end) ?? 0) + 1));
  }
  return counts;
}
