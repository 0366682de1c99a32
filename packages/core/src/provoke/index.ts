// Provoking agents, as decisions. A separate entry of the package (`@parley/core/provoke`): it brings libraries along that
// neither the page nor a hub without triggers needs.

export * from './events/absence.ts';
export * from './events/alerts.ts';
export * from './events/event.ts';
export * from './events/schedule.ts';
export * from './events/throttle.ts';
export * from './events/value-limits.ts';
export * from './files/document.ts';
export * from './files/yaml-text.ts';
export * from './pipeline/attempts.ts';
export * from './pipeline/cascade.ts';
export * from './pipeline/dry-run.ts';
export * from './pipeline/pipeline.ts';
export * from './pipeline/replay.ts';
export * from './triggers/regex.ts';
export * from './triggers/trigger.ts';
export * from './triggers/trigger-set.ts';
export { type OutputVerdict, type OutputCheck } from './output/output.ts';
export { eventIdentity, idempotencyRetentionMs, keyName, type IdempotencyPair, pairText, type Sha256 } from '../invocation/retention.ts';
export { effectiveRisk, type Risk } from '../invocation/transitions.ts';
