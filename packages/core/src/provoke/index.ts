// Provoking agents, as decisions. A separate entry of the package (`@parley/core/provoke`): it brings libraries along that
// neither the page nor a hub without triggers needs.

export { absenceEvent, type CompiledAbsence, compileAbsence, sharedKey, silentAt } from './events/absence.ts';
export { alertEvents, type Alerts, type AlertSender } from './events/alerts.ts';
export {
  type AfterAttempt,
  afterAttempt,
  type AttemptEnd,
  type AttemptVerdict,
  endEvent,
  mayHaveHappened,
  retryBy,
  type StepTaken,
  wouldBeRepeated,
} from './pipeline/attempts.ts';
export { type Cascade, cascade, type CascadeVerdict, type Emitter, isStarted, mostInvocations, speaksIn } from './pipeline/cascade.ts';
export { compileDocument, type FileProblem, type LoadedFile, loadFile, type ProvokeDefinitions } from './files/document.ts';
export { asksOf, type DryRun, dryRun, type FailedFilter, failedFilter, type DryRunStep } from './pipeline/dry-run.ts';
export { type CheckedEvent, checkEvent, type EventOrigin, mayEmit, sentBy, stampInvocation, withSource } from './events/event.ts';
export { eventIdentity, idempotencyRetentionMs, keyName, type IdempotencyPair, pairText, type Sha256 } from '../invocation/retention.ts';
export { type CompiledManifest, compileManifest } from './files/document.ts';
export { type OutputVerdict, type OutputCheck } from './output/output.ts';
export { uncheckedPatterns, directPatterns, type Patterns } from './triggers/regex.ts';
export {
  decide,
  matchOf,
  type PipelineRecord,
  type PipelineOutcome,
  type StepName,
  steps,
  type StopReason,
  type UnmatchedTrigger,
  type PipelineVerdict,
} from './pipeline/pipeline.ts';
export { accepts, answerableMember } from './events/event.ts';
export { type ReplayEvent, replay, replayAsks, type ReplayResult, tally } from './pipeline/replay.ts';
export { effectiveRisk, type Risk } from '../invocation/transitions.ts';
export { type CompiledSchedule, compileSchedule, dueSlots, graceMs, scheduleEvent } from './events/schedule.ts';
export { otherProblems, isWalkable, shapeProblems } from './events/value-limits.ts';
export { readText } from './files/yaml-text.ts';
export { bucketOf, leavesAt, sharedBucket, throttle } from './events/throttle.ts';
export { type Compilation, type CompiledTrigger, compileTrigger } from './triggers/trigger.ts';
export { type TriggerSet, triggerSet } from './triggers/trigger-set.ts';
