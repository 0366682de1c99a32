// The actions of a confirmed proposal (A2C-29): the coordinator's shared ones first, each side's own after its report. One failure undoes
// the whole, and the negotiation goes on with what it taught.

import type { PacketContents } from '@parley/protocol/relay';
import { placesOf } from './agreement.ts';
import { type NegotiationDraft, evaluate, moveTo, notify } from './draft.ts';
import type { InputOf, NegotiationVerdict } from './inputs.ts';
import { negotiationLimits } from './negotiation.ts';

type Report = PacketContents<'execution_report'>;

const isCurrent = ({ value }: NegotiationDraft, hash: string): boolean => value.proposal?.hash === hash && value.execution !== null;

function report({ value, effects }: NegotiationDraft, content: Omit<Report, 'proposal_hash'>): void {
  effects.push({ kind: 'send', type: 'execution_report', content: { proposal_hash: value.proposal!.hash, ...content } });
}

export function begin(draft: NegotiationDraft, { hash }: InputOf<'begin'>): NegotiationVerdict {
  if (!isCurrent(draft, hash)) return 'stale';
  moveTo(draft, 'EXECUTING');
  draft.value.quietSince = draft.now;
  return 'accepted';
}

function runOwn({ value, effects }: NegotiationDraft): void {
  const isIn = value.execution!.takesPart !== false;
  Object.assign(value.execution!, { shared: 'done', own: isIn ? 'running' : 'done' });
  if (!isIn) return;
  effects.push({ kind: 'run', hash: value.proposal!.hash, scope: 'own', actions: placesOf(value, 'own') });
}

export function finish(draft: NegotiationDraft, { hash, scope }: InputOf<'done'>): NegotiationVerdict {
  const { role, execution } = draft.value;
  if (!isCurrent(draft, hash)) return 'stale';
  if (execution![scope] !== 'running') return 'out_of_turn';
  execution![scope] = 'done';
  draft.value.quietSince = draft.now;
  if (scope === 'shared') {
    report(draft, { scope, status: 'done' });
    runOwn(draft);
  } else if (role === 'responder') report(draft, { scope, status: 'done' });
  completeIfDone(draft);
  return 'accepted';
}

export function receiveDone(draft: NegotiationDraft, { proposal_hash: hash, scope }: Report): NegotiationVerdict {
  const { execution } = draft.value;
  if (!isCurrent(draft, hash)) return 'stale';
  if (scope === 'shared') {
    moveTo(draft, 'EXECUTING');
    runOwn(draft);
    return 'accepted';
  }
  if (scope === 'all') {
    if (execution!.own !== 'done') return 'out_of_turn';
    moveTo(draft, 'COMPLETED');
    notify(draft, 'completed', { hash });
    return 'accepted';
  }
  if (execution!.shared !== 'done') return 'out_of_turn';
  execution!.peerDone = true;
  completeIfDone(draft);
  return 'accepted';
}

function completeIfDone(draft: NegotiationDraft): void {
  const { role, execution, proposal } = draft.value;
  if (role !== 'initiator' || execution!.own !== 'done' || !execution!.peerDone) return;
  moveTo(draft, 'COMPLETED');
  report(draft, { scope: 'all', status: 'done' });
  notify(draft, 'completed', { hash: proposal!.hash });
}

export function fail(draft: NegotiationDraft, { hash, scope, constraint, completed }: InputOf<'failed'>): NegotiationVerdict {
  if (!isCurrent(draft, hash)) return 'stale';
  if (draft.value.execution![scope] !== 'running') return 'out_of_turn';
  report(draft, { scope, status: 'failed', constraint });
  afterFailure(draft, constraint, completed > 0);
  return 'accepted';
}

export function receiveFailure(draft: NegotiationDraft, { proposal_hash: hash, constraint = '' }: Report): NegotiationVerdict {
  const { value } = draft;
  if (!isCurrent(draft, hash)) return 'stale';
  // Actions that run at this moment may have happened: the executor knows, and undoes them.
  const hasRun = value.state === 'EXECUTING';
  if (!hasRun) moveTo(draft, 'EXECUTING');
  afterFailure(draft, constraint, hasRun);
  return 'accepted';
}

function afterFailure(draft: NegotiationDraft, constraint: string, hasToUndo: boolean): void {
  const { value, effects } = draft;
  const { hash } = value.proposal!;
  moveTo(draft, 'FAILED');
  value.constraints = [...value.constraints, constraint];
  if (value.group) {
    value.proposal!.hasFailed = true;
    value.pastOutcomes = [...(value.pastOutcomes ?? []), hash].slice(-negotiationLimits.remembered);
    value.otherOutcomes = Object.fromEntries(Object.entries(value.otherOutcomes ?? {}).filter(([, one]) => one !== hash));
  }
  notify(draft, 'failed', { hash, constraint });
  if (!hasToUndo) return negotiateAgain(draft);
  moveTo(draft, 'ROLLBACK');
  effects.push({ kind: 'undo', hash });
}

export function rolledBack(draft: NegotiationDraft, { hash, irreversible }: InputOf<'undone'>): NegotiationVerdict {
  if (!isCurrent(draft, hash)) return 'stale';
  report(draft, { scope: 'own', status: 'undone', irreversible });
  if (irreversible.length > 0) notify(draft, 'irreversible', { by: 'own', irreversible });
  negotiateAgain(draft);
  return 'accepted';
}

export function receiveUndone(draft: NegotiationDraft, { irreversible = [] }: Report): NegotiationVerdict {
  if (irreversible.length > 0) notify(draft, 'irreversible', { by: 'peer', irreversible });
  return 'accepted';
}

function negotiateAgain(draft: NegotiationDraft): void {
  const { value } = draft;
  moveTo(draft, 'NEGOTIATING');
  Object.assign(value, { execution: null, quietSince: draft.now });
  if (value.constraints.length >= negotiationLimits.failures) {
    value.isEscalated = true;
    notify(draft, 'escalated', { constraints: value.constraints });
  }
  evaluate(draft);
}
