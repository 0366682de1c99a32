// Provoking agents, as decisions. Its own entry of the package (`@parley/core/provoke`): it brings libraries along that
// neither the page nor a hub without triggers needs.

export { absenceEvent, type CompiledAbsence, compileAbsence, sharedKey, silentAt } from './absence.ts';
export { alertEvents, type Alerts, type AlertSender } from './alerts.ts';
export {
  type AfterAttempt,
  afterAttempt,
  type AttemptEnd,
  type Ended,
  endEvent,
  mayHaveHappened,
  retryBy,
  type StepTaken,
  wouldBeRepeated,
} from './attempts.ts';
export { type Cascade, cascade, type CascadeVerdict, type Emitter, isStarted, mostInvocations, speaksIn } from './cascade.ts';
export { compileDocument, type FileProblem, type LoadedFile, loadFile, type Provoking } from './document.ts';
export { asksOf, type DryRun, dryRun, type FailedFilter, failedFilter, type Told } from './dry-run.ts';
export { type CheckedEvent, checkEvent, type EventOrigin, mayEmit, sentBy, stamped, withSource } from './event.ts';
export { identityOf, keptMs, keyName, type Pair, pairText, type Sha256 } from './key.ts';
export { type CompiledManifest, compileManifest } from './manifest.ts';
export { type Judged, type OutputCheck } from './output.ts';
export { accepted, directPatterns, type Patterns } from './pattern.ts';
export {
  decide,
  matchOf,
  type OnRecord,
  type Outcome,
  type StepName,
  steps,
  type StopReason,
  type Unmatched,
  type Verdict,
} from './pipeline.ts';
export { accepts, senderOf } from './sender.ts';
export { type Recorded, replay, replayAsks, type Replayed, tally } from './replay.ts';
export { effectiveRisk, type Risk } from './risk.ts';
export { type CompiledSchedule, compileSchedule, due, graceMs, scheduleEvent } from './schedule.ts';
export { besides, isWalkable, shapeProblems } from './shape.ts';
export { readText } from './text.ts';
export { bucketOf, leavesAt, sharedBucket, throttle } from './throttle.ts';
export { type Compiled, type CompiledTrigger, compileTrigger } from './trigger.ts';
export { type TriggerSet, triggerSet } from './trigger-set.ts';
