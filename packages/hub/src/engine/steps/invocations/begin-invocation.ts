// A trigger fired: the invocation is stored with exactly the versions that were decided on.

import type { Actor } from '@parley/core';
import type { CompiledManifest, PipelineVerdict } from '@parley/core/provoke';
import type { EventRow, InvocationRow, ProvokeObjectRow } from '../../../store/tables.ts';
import { seqOfFact } from '../../../store/port.ts';
import type { Tx } from '../../command.ts';
import { askForApproval } from './invocation-approvals.ts';
import { append } from '../facts/append.ts';

export interface NewInvocation {
  event: Pick<EventRow, 'id' | 'event_id' | 'chain_id' | 'body'>;
  trigger: ProvokeObjectRow;
  manifest: ProvokeObjectRow;
  compiled: CompiledManifest;
  verdict: PipelineVerdict;
}

/** The invocation waits for a person, or for a runner. */
export function beginInvocation({ event, trigger, manifest, compiled, verdict }: NewInvocation, actor: Actor, tx: Tx): InvocationRow {
  const id = tx.ids.next('invocation');
  const state = verdict.outcome === 'paused' ? 'awaiting_approval' : 'queued';
  const fact = append(tx, {
    type: 'invocation.started',
    actor,
    member_id: trigger.owner_id,
    subject_id: id,
    chain_id: event.chain_id,
    data: { trigger: trigger.id, manifest: manifest.id, version: manifest.version, risk: verdict.risk!.level, state },
  });
  const row: InvocationRow = {
    id,
    seq: seqOfFact(fact),
    event_ref: event.id,
    event_id: event.event_id,
    trigger_id: trigger.id,
    trigger_version: trigger.version,
    manifest_id: manifest.id,
    manifest_version: manifest.version,
    owner_id: trigger.owner_id,
    agent_id: null,
    risk: verdict.risk!.level,
    state,
    open: 1,
    attempt: 0,
    attempts: compiled.manifest.on_failure.retry.max_attempts,
    lease: 0,
    due_at: null,
    checkpoint_id: null,
    chain_id: event.chain_id,
    level: verdict.place!.level,
    depth: verdict.place!.depth,
    output: null,
    error: null,
    micros: 0,
    tool_calls: 0,
    created_at: tx.now,
    started_at: null,
    ended_at: null,
  };
  tx.insert('invocations', row);
  return state === 'queued' ? row : askForApproval({ invocation: row, event, trigger, manifest }, tx, verdict.asks ?? 'risk');
}
