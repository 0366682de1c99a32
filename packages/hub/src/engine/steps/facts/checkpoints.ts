// Checkpoints, which wait for a person (SYS-1): opened, added to and closed. A checkpoint holds IDs and nothing else.

import { choicesOf, type FailureFacts, isPersonal, type IdleTriggerText } from '@parley/core';
import type { CheckpointKind } from '@parley/protocol';
import { seqOfFact } from '../../../store/port.ts';
import { wordOf } from '../../../store/stored-values.ts';
import type { CheckpointRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import { append } from './append.ts';

/** Two that come up to one person at the same time must find each other. */
export const inboxLock = (memberId: string): string => `inbox:${memberId}`;

export interface StepRef {
  turn: string;
  n: number;
}

/** An agent as it was when it was offered. `hash`: of its identity, with its name, manager, contact rules, digests and settings. */
export interface OfferedAgent {
  version: number;
  hash: string;
  tokens: number;
  manager?: string;
}

export interface CheckpointData {
  /** Obligations that came up. */
  obligations?: string[];
  /** Two agents that were stopped, and how many turns they had. */
  agents?: string[];
  turns?: number;
  /** The task of the one above, in which they were called. */
  task?: string;
  /** A person let them go on: the sub-tasks that had been ended by then, and for how many turns. */
  lifted?: string[];
  allowed?: number;
  /** The last message it is about; the first is the checkpoint's own. */
  last?: string;
  /** The offer of an agent to a new owner. */
  offered?: OfferedAgent;
  /** A sign-in link: who made it. */
  from?: string;
  /** An approval of a contact: with whom. */
  pair?: string;
  /** A trigger that wakes nobody, the manifest it names, and why. */
  idle?: IdleTriggerText & { trigger: string; manifest: string; over?: true };
  /** The approval counts once, because of what the turn has read: nobody approves for good what others may write. */
  once?: true;
  /** A call that may have happened: where its journal has it. */
  step?: StepRef;
  /** A prompt of the person's own peer: its negotiation. */
  thread?: string;
  /** An invocation that a trigger started, and that has failed. */
  failed?: FailureFacts & { invocation: string };
}

export function dataOf(row: CheckpointRow): CheckpointData {
  const data = JSON.parse(row.data) as CheckpointData;
  return data.failed ? { ...data, failed: { ...data.failed, reason: wordOf(data.failed.reason) } } : data;
}

export const choicesFor = (row: CheckpointRow): ReturnType<typeof choicesOf> => {
  const { pair, once, offered } = dataOf(row);
  return choicesOf(row.kind, { pair: pair !== undefined && !once, managed: offered?.manager !== undefined });
};

/** The choice that closes the checkpoint of an answered prompt: the answer itself is kept by the peer. */
export const promptAnswered = 'answered';

export interface NewCheckpoint {
  kind: CheckpointKind;
  /** The person who is asked. */
  for: string;
  conversationId?: string | undefined;
  messageId?: string | undefined;
  chainId?: string;
  subjectId?: string;
  data: CheckpointData;
}

function appendForMember(type: 'checkpoint.opened' | 'checkpoint.closed', id: string, memberId: string, tx: Tx): number {
  return append(tx, { type, scope: 'member', member_id: memberId, subject_id: id });
}

export function openCheckpoint(checkpoint: NewCheckpoint, tx: Tx): CheckpointRow {
  const id = tx.ids.next('checkpoint');
  const row: CheckpointRow = {
    id,
    seq: seqOfFact(appendForMember('checkpoint.opened', id, checkpoint.for, tx)),
    kind: checkpoint.kind,
    member_id: checkpoint.for,
    conversation_id: checkpoint.conversationId ?? null,
    message_id: checkpoint.messageId ?? null,
    chain_id: checkpoint.chainId ?? null,
    subject_id: checkpoint.subjectId ?? null,
    data: JSON.stringify(checkpoint.data),
    open: 1,
    created_at: tx.now,
    closed_at: null,
    closed_by: null,
    choice: null,
  };
  tx.insert('checkpoints', row);
  return row;
}

/** Adds the obligation to the person's open checkpoint instead of opening another one. */
export function addObligation(memberId: string, checkpoint: NewCheckpoint, obligationId: string, tx: Tx): void {
  tx.lock(inboxLock(memberId));
  const open = tx.find('checkpoints', 'member', memberId, 1).find((row) => row.kind === 'obligation');
  if (!open) {
    openCheckpoint(checkpoint, tx);
    return;
  }
  const ids = new Set([...(dataOf(open).obligations ?? []), obligationId]);
  refreshCheckpoint(open, { obligations: [...ids] }, tx);
}

/** The new text is sent out, or an open page would keep the old one. */
export function refreshCheckpoint(row: CheckpointRow, data: CheckpointData, tx: Tx): void {
  tx.update('checkpoints', row, { data: JSON.stringify(data) });
  appendForMember('checkpoint.opened', row.id, row.member_id, tx);
}

/** Settled meanwhile: who was asked need not look; with nothing left in it, it closes by itself. */
export function takeOut(memberId: string, obligationId: string, tx: Tx): void {
  tx.lock(inboxLock(memberId));
  for (const row of tx.find('checkpoints', 'member', memberId, 1)) {
    const ids = dataOf(row).obligations;
    if (!ids?.includes(obligationId)) continue;
    const remaining = ids.filter((id) => id !== obligationId);
    if (remaining.length === 0) close(row, null, null, tx);
    else refreshCheckpoint(row, { obligations: remaining }, tx);
  }
}

/** A person's heir gets their open checkpoints (SYS-14). Those for the person alone are withdrawn. */
export function handCheckpoints(memberId: string, heirId: string | undefined, tx: Tx): void {
  tx.lock(inboxLock(memberId), ...(heirId === undefined ? [] : [inboxLock(heirId)]));
  for (const row of tx.find('checkpoints', 'member', memberId, 1)) {
    if (isPersonal(row.kind)) {
      close(row, null, null, tx);
      continue;
    }
    if (heirId === undefined) continue;
    tx.update('checkpoints', row, { member_id: heirId });
    appendForMember('checkpoint.opened', row.id, heirId, tx);
  }
}

/** Another person is asked now; the one before sees it closed. */
export function giveCheckpoint(row: CheckpointRow, toId: string, tx: Tx): void {
  tx.update('checkpoints', row, { member_id: toId });
  appendForMember('checkpoint.closed', row.id, row.member_id, tx);
  appendForMember('checkpoint.opened', row.id, toId, tx);
}

export function close(row: CheckpointRow, by: string | null, choice: string | null, tx: Tx): CheckpointRow {
  const closed = tx.update('checkpoints', row, { open: 0, closed_at: tx.now, closed_by: by, choice });
  appendForMember('checkpoint.closed', row.id, row.member_id, tx);
  return closed;
}
