// What each type of fact says besides its columns: ids, versions and decisions, never what somebody wrote. Facts are
// chained by checksum, so a stored type or key keeps its word for good (SYS-15). Facts stored before a key was added
// lack it: such a key is optional.

import type { ApprovalWhy, BehaviourMode, PackedVerdicts, BudgetKind, Tokens } from '@parley/core';
import type {
  FailureCode,
  InvocationState,
  MemberKind,
  NoticeKind,
  NotifyLevel,
  RiskLevel,
  Role,
  Signal,
  SignalMeaning,
  TaskCause,
  TokenKind,
  ToolAccess,
  TriggerResult,
} from '@parley/protocol';
import type { Stored, WorkRef } from './stored-values.ts';
import type { AgentRow } from './tables.ts';

interface NoData {
  readonly none?: never;
}
/** These say nothing more. */
type PlainFact =
  | 'agent.changed'
  | 'attachment.erased'
  | 'checkpoint.closed'
  | 'checkpoint.opened'
  | 'contact.dropped'
  | 'contact.timed_out'
  | 'conversation.created'
  | 'demo.noted'
  | 'demo.removed'
  | 'identity.released'
  | 'link.revoked'
  | 'link.used'
  | 'member.exported'
  | 'membership.removed'
  | 'message.deleted'
  | 'negotiation.opened'
  | 'peer.made'
  | 'peers.home_moved'
  | 'space.changed'
  | 'obligation.changed'
  | 'obligation.discharged'
  | 'obligation.opened'
  | 'obligation.raised'
  | 'obligation.returned'
  | 'role.removed'
  | 'session.renewed'
  | 'sign_in.refused'
  | 'task.claim'
  | 'task.offer'
  | 'task.pause'
  | 'task.ready'
  | 'token.revoked'
  | 'workspace.founded';

/** `audited`: the audit log has an entry of it. */
interface Audited {
  audited?: true;
}
type Cost = { micros: number } & Tokens;
interface Step {
  turn: string;
  n: number;
}

export interface NoticeData {
  kind: NoticeKind;
  conversation: string;
  message?: string;
  task?: string;
  invocation?: string;
  agent?: string;
  member?: string;
  /** The member that may have been meant. */
  nearest?: string;
  reason?: string;
  failure?: FailureCode;
  /** The position in the message that the entry is about. */
  start?: number;
  end?: number;
}

/** The results of regexes, so that a later reader need not run them again. */
export interface RegexRecord {
  /** The filter that failed, by trigger. */
  failed?: Record<string, number>;
  /** The monitors with a regex: those that heard the event, and those whose regex was too slow. */
  monitors?: { heard: string[]; tooSlow: string[] };
}

/** The end of a task; `reason` is in the platform's words. */
interface TaskEnding {
  cause: TaskCause;
  reason?: string;
  failure?: FailureCode;
}
/** Why a task is queued again: each key names what came. */
interface TaskReturn {
  why?: string;
  message?: string;
  urgent?: true;
  piece?: 'request' | 'answer';
  child?: string;
  /** The sub-task whose result comes next. */
  of?: string;
  /** The state of the sub-task or of the approval. */
  state?: string;
  approval?: string;
  choice?: string;
  signal?: Signal;
}
interface InvocationMove {
  trigger: string;
  attempt: number;
  reason?: string;
}

export interface FactData
  extends
    Record<PlainFact, NoData>,
    Record<'task.cancel' | 'task.complete' | 'task.decline' | 'task.fail' | 'task.time_out', TaskEnding>,
    Record<'task.resume' | 'task.yield', TaskReturn>,
    Record<`invocation.${Exclude<Stored<InvocationState>, 'running'> | 'asked_again'}`, InvocationMove> {
  /** False: its owner has written it again in a session of their own. */
  'access.borrowed': { borrowed: boolean };
  'agent.blocked': { member: string };
  'agent.edited': {
    brain?: AgentRow['brain'] | undefined;
    maxConcurrent?: number | undefined;
    asleepUntil?: number | null | undefined;
    mode?: BehaviourMode | undefined;
  };
  'agent.left': { conversation: string; parent?: string | null };
  'agent.returned': { conversation: string };
  'agent.unblocked': { member: string };
  'approval.answered': WorkRef & { choice: string } & Audited;
  'approval.asked': WorkRef & { name: string; why: ApprovalWhy; target?: string; version?: number; of?: string };
  'approval.expired': Audited;
  'attachment.added': { size: number };
  'budget.exhausted': { purse: BudgetKind };
  'chain.extended': { outerAt: number };
  'claim.refused': { reason: string };
  'clock.jumped': { gapMs: number; why: 'jump' | 'downtime' };
  'contact.approved': { target: string };
  'contact.cleared': { target: string };
  'contact.refused': { reason: string; target?: string };
  'contact.ruled': { target: string; permission: 'allow' | 'deny'; requiresApproval: boolean };
  'conversation.edited': { fields: string[] };
  'conversation.observed': Audited;
  'digest.set': { everyMs: number | null };
  'effect.performed': { kind: string; attempts: number };
  'egress.withheld': { field: string; owner: string };
  'sharing.changed': { version: number };
  'event.accepted': { triggers: TriggerResult[]; sender?: string } & RegexRecord;
  'identity.changed': { version: number; fields?: string[]; why?: 'erased' };
  'invocation.delivered': { message: string; task?: string } | (InvocationMove & { webhook: true });
  'invocation.done': InvocationMove & { n: number } & Partial<Cost>;
  'invocation.intended': InvocationMove & { n: number; kind: 'model' | 'tool'; name: string } & Audited;
  'invocation.known': InvocationMove & { n: number; kind: 'model' | 'tool'; name: string };
  'invocation.not_delivered': InvocationMove & { webhook: true };
  'invocation.running': InvocationMove & { lease: number };
  'invocation.started': { trigger: string; manifest: string; version: number; risk: RiskLevel; state: Stored<InvocationState> };
  'link.created': { purpose: 'invite' | 'sign_in'; role?: Role };
  'mailbox.digest': { after: number };
  'mailbox.seen': { seq: number };
  'member.added': { kind: MemberKind; role: Role };
  'member.edited': { fields: string[]; status?: string; role?: Role };
  'member.erased_more': { messages: number; attachments: number; reactions: number };
  'membership.added': { role: 'moderator' | 'participant' };
  'message.assigned': { task: string; urgent?: true };
  'message.edited': { version: number; ruling?: PackedVerdicts };
  'message.posted': {
    ruling?: PackedVerdicts;
    /** The thread and the message that it belongs to. */
    thread?: string;
    root?: string | null;
    task?: string;
    /** The sub-task whose result it is. */
    result?: string;
    invocation?: string;
    contact?: string;
    goodbye?: true;
  } & Audited;
  'message.reacted': { emoji: string; on: boolean };
  'negotiation.changed': { state: string; open: boolean };
  notice: NoticeData;
  'notify.set': { level: NotifyLevel };
  'post.refused': { reason: string };
  'provoke.changed': { version: number; enabled: boolean; removed: boolean };
  'read.moved': { seq: number };
  /** `holders`: how many hold it then. */
  'role.added': { holders?: number };
  'role.edited': { fields: string[]; holders?: number };
  'round.asked': { n: number; reason: 'thread' | 'ambient' };
  'secret.bound': { name: string; hosts: readonly string[] };
  'secret.removed': { name: string };
  'secret.set': { name: string; hosts: readonly string[] };
  'task.approval': { approval: string; state: string };
  'task.ask': { message: string } | { signal: Signal } | { why: string; step: string };
  'task.await': { why?: string; step?: string };
  'task.begin': { lease: number; again?: true };
  /** `lease`: urgent words bring a remote agent's next one with them. */
  'task.continued': { message: string; urgent?: true; piece?: 'request' | 'answer'; lease?: number };
  'task.corrected': { message: string };
  'task.flagged': { reason: string; message: string; agent?: string };
  'task.knocked': { message: string; obligation: string };
  'task.lost': { cause: string };
  'task.moved': { conversation: string; why: string };
  'task.opened': { message: string };
  'task.release': { why: string };
  'task.result': { child: string; state: string; message?: string };
  'task.signal': { message: string; signal: Signal; meaning: SignalMeaning };
  'task.tainted': { by: string };
  /** `source`: it speaks for a registered one. */
  'token.created': { kind: TokenKind; purpose: 'api' | 'session'; source?: true };
  /** A person's peer calls a tool of a server of theirs. The words of the call are in the peer's own journal. */
  'peer.tool_called': { server: string; tool: string };
  'tool_server.changed':
    | { change: 'set' | 'removed' }
    | { state: 'up' | 'down' }
    | { accepted: Record<string, ToolAccess> }
    | { pinned: Record<string, ToolAccess> };
  'turn.cut_off': Step & Cost & { estimated: boolean };
  'turn.done': Step & Partial<Cost>;
  'turn.intended': Step & { kind: 'model' | 'tool'; name: string } & Audited;
  'turn.refused': Step & { name: string; reason: 'needs_approval' | 'denied' };
  'turn.repeated': Step & { name: string };
  'workspace.halted': { halted: boolean };
  /** The database ended earlier than the last fact that its folder knew. */
  'workspace.loss_accepted': { ends: number; known: number };
}

export type FactType = keyof FactData;

/** Stored as the actor of what the operator does; null is the platform, and in facts from before schema 8 either of them. */
export const operatorMark = 'operator';
export const actingMember = ({ actor_id }: { actor_id: string | null }): string | null => (actor_id === operatorMark ? null : actor_id);

/** The stored key is an older word for verdicts. */
export const verdictData = (verdicts: PackedVerdicts): Pick<FactData['message.posted'], 'ruling'> => ({ ruling: verdicts });
export const storedVerdicts = (fact: { type: FactType; data: string }): PackedVerdicts | undefined =>
  factData(fact, 'message.posted', 'message.edited')?.ruling;

/** The data of a fact of one of these types; undefined for a fact of another type. */
export function factData<T extends FactType>(fact: { type: FactType; data: string }, ...types: readonly T[]): FactData[T] | undefined {
  return (types as readonly FactType[]).includes(fact.type) ? (JSON.parse(fact.data) as FactData[T]) : undefined;
}
