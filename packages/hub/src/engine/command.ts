// The commands that a door may submit, and the shape of a handler. Doors only make commands; a command is plain data.

import { type AccessReason, type Action, type Actor, type Relation, may, relationsToMember } from '@parley/core';
import { type ErrorCode, type IdKind, ParleyError } from '@parley/protocol';
import { operatorMark } from '../store/fact-data.ts';
import { type Want, wantRow } from '../store/port.ts';
import type { MemberRow } from '../store/tables.ts';
import type { AgentPresenceCommands } from './commands/agents/agent-presence.ts';
import type { AgentSettingsCommands } from './commands/agents/agent-settings.ts';
import type { AssignCommands } from './commands/tasks/assignments.ts';
import type { AttachmentCommands } from './commands/messages/attachments.ts';
import type { CheckpointCommands } from './commands/checkpoints/checkpoints.ts';
import type { WorkspaceCommands } from './commands/system/workspace.ts';
import type { AgentBlockCommands } from './commands/contact/agent-blocks.ts';
import type { ContactCommands } from './commands/contact/contacts.ts';
import type { ContactRuleCommands } from './commands/contact/contact-rules.ts';
import type { ConversationCommands } from './commands/conversations/conversations.ts';
import type { IdentityCommands } from './commands/agents/identities.ts';
import type { JournalCommands } from './commands/tasks/journal.ts';
import type { LeaveCommands } from './commands/conversations/leave-requests.ts';
import type { MailboxCommands } from './commands/agents/mailboxes.ts';
import type { MemberCommands } from './commands/people/members.ts';
import type { OpenNegotiationCommands } from './commands/peers/negotiations.ts';
import type { ChannelPostCommands } from './commands/peers/channel-posts.ts';
import type { PeerCommands } from './commands/peers/peers.ts';
import type { RequestLinkCommands } from './commands/peers/request-links.ts';
import type { PeerHomeCommands } from './commands/peers/home.ts';
import type { PeerSpaceCommands } from './commands/peers/spaces.ts';
import type { MessageCommands } from './commands/messages/messages.ts';
import type { ObligationCommands } from './commands/obligations/obligations.ts';
import type { ReactionCommands } from './commands/messages/reactions.ts';
import type { ReadCommands } from './commands/conversations/read-cursors.ts';
import type { RoleCommands } from './commands/people/team-roles.ts';
import type { RoundCommands } from './commands/tasks/offer-rounds.ts';
import type { SecretCommands } from './commands/agents/secrets.ts';
import type { SharingCommands } from './commands/people/sharing-rules.ts';
import type { SpeechCommands } from './commands/tasks/speech.ts';
import type { StartCommands } from './commands/system/starts.ts';
import type { IdempotencyKeyCommands } from './commands/system/kept-answers.ts';
import type { OutboxCommands } from './commands/system/outbox.ts';
import type { TimerCommands } from './commands/system/timers.ts';
import type { TaintCommands } from './commands/tasks/taint.ts';
import type { TaskCommands } from './commands/tasks/tasks.ts';
import type { LinkCommands } from './commands/people/links.ts';
import type { SessionCommands } from './commands/people/sessions.ts';
import type { TokenCommands } from './commands/people/tokens.ts';
import type { ToolServerCommands } from './commands/agents/tool-servers.ts';
import type { WindowCommands } from './commands/messages/composing-windows.ts';
import type { CompiledDefinitions } from '../provoke/compiled-definitions.ts';
import type { Answers } from '../regex/answers.ts';
import type { EventCommands } from './commands/invocations/events.ts';
import type { ForgetCommands } from './commands/invocations/forget-chains.ts';
import type { InvocationCommands } from './commands/invocations/invocation-runs.ts';
import type { InvocationDecisionCommands } from './commands/invocations/invocation-decisions.ts';
import type { InvocationEndCommands } from './commands/invocations/invocation-ends.ts';
import type { ProvokeFileCommands } from './commands/triggers/provoke-files.ts';
import type { ProvokeCommands } from './commands/triggers/definitions.ts';
import type { WorkLimits } from './limits.ts';
import type { FactInput } from './steps/facts/append.ts';
import type { WorkingSet } from './working-set.ts';

/** The caller. The token is looked up again inside the transaction: one revoked a moment ago gets nothing in. */
export type By = { operator: true } | { platform: true } | { memberId: string; tokenId: string };
export const operator: By = { operator: true };
export const platform: By = { platform: true };
/** A source's webhook, whose secret the door has checked. */
export interface ByWebhook {
  webhook: string;
}

/** Each command family maps a type to `[input, result]`. */
type Families = MessageCommands &
  AssignCommands &
  ReactionCommands &
  LeaveCommands &
  ConversationCommands &
  MailboxCommands &
  MemberCommands &
  RoleCommands &
  RoundCommands &
  LinkCommands &
  SessionCommands &
  TokenCommands &
  ToolServerCommands &
  ReadCommands &
  AttachmentCommands &
  TaintCommands &
  TaskCommands &
  WindowCommands &
  SpeechCommands &
  AgentPresenceCommands &
  AgentSettingsCommands &
  IdentityCommands &
  SecretCommands &
  SharingCommands &
  JournalCommands &
  ObligationCommands &
  CheckpointCommands &
  PeerHomeCommands &
  PeerCommands &
  PeerSpaceCommands &
  ChannelPostCommands &
  OpenNegotiationCommands &
  RequestLinkCommands &
  ContactCommands &
  ContactRuleCommands &
  AgentBlockCommands &
  EventCommands &
  ForgetCommands &
  InvocationCommands &
  InvocationDecisionCommands &
  InvocationEndCommands &
  ProvokeCommands &
  ProvokeFileCommands &
  StartCommands &
  IdempotencyKeyCommands &
  OutboxCommands &
  WorkspaceCommands &
  TimerCommands;
export type CommandType = keyof Families;
export type Input<T extends CommandType> = Families[T][0];
/** A handler’s result. `void`: the command has none, and its sender gets an empty one. */
export type Decided<T extends CommandType> = Families[T][1];
export type Results = { [T in CommandType]: Decided<T> extends void ? Record<string, never> : Decided<T> };
type Sender<T extends CommandType> = T extends 'event.accept' ? By | ByWebhook : By;
export type Command = {
  [T in CommandType]: { type: T; by: Sender<T>; /** idempotency key */ key?: string | undefined } & Input<T>;
}[CommandType];
export type CommandOf<T extends CommandType> = Extract<Command, { type: T }>;

export interface Context {
  now: number;
  ids: { next: (kind: IdKind) => string; member: () => string };
  limits: WorkLimits;
  /** The version of the rules, stored with their decisions. */
  rules: number;
  /** The definitions that decide about events. When they are not loaded yet, the group waits for them and decides again. */
  readonly provoke: CompiledDefinitions;
  /** The verdicts of regular expressions. A command that lacks one leaves its group until the verdict is known. */
  readonly patterns: Answers;
  /** The group must hold these locks; if it does not, it starts over with them. */
  lock: (...keys: string[]) => void;
}

/** A decision works on the rows in hand and the circumstances. */
export interface Tx extends WorkingSet, Context {}

export interface Handler<T extends CommandType> {
  /** Lock keys known from the command alone. */
  locks?(command: CommandOf<T>): string[];
  /** Rows known to be needed besides the actor's, to be loaded in the first round. Deciding finds out the others, and is repeated with them:
   * a command that is rare and lacks a row or two names none. */
  needs?(command: CommandOf<T>, library: CompiledDefinitions | undefined): Want[];
  /** Reads and changes the working set; throws `ParleyError` to refuse. No clock, no chance, no input or output of its own. */
  decide(command: CommandOf<T>, tx: Tx): Decided<T>;
}
export type Handlers = { [T in CommandType]: Handler<T> };

export const byWants = (by: Command['by']): Want[] =>
  'memberId' in by ? [wantRow('members', by.memberId), wantRow('tokens', by.tokenId)] : [];

/** The acting member as of now, or a refusal: the token may have been revoked since the door looked. */
export function actorOf(by: Command['by'], set: WorkingSet, now: number): Actor {
  if ('operator' in by) return { type: 'operator' };
  if ('platform' in by) return { type: 'platform' };
  if ('webhook' in by) return { type: 'webhook', sourceId: by.webhook };
  const token = set.get('tokens', by.tokenId);
  const member = set.get('members', by.memberId);
  const valid =
    token && member && token.member_id === member.id && token.revoked_at === null && (token.expires_at === null || token.expires_at > now);
  if (!valid || member.status !== 'active') throw new ParleyError('unauthenticated');
  return { type: 'member', id: member.id, kind: member.kind, role: member.role, active: true, tokenKind: token.kind };
}

/** Refuses commands that only the operator or the platform may send. */
export function mustBeSystem(by: By, tx: Tx): Actor {
  const actor = actorOf(by, tx, tx.now);
  if (actor.type !== 'operator' && actor.type !== 'platform') throw new ParleyError('forbidden');
  return actor;
}

/** The agent that sent the command, or in whose name the platform sent it. */
export const agentIdOf = ({ by, agentId }: { by: By; agentId?: string | undefined }): string | undefined =>
  'memberId' in by ? by.memberId : agentId;

export const storedActor = (actor: Actor): string | null => (actor.type === 'operator' ? operatorMark : actorId(actor));
export const actorId = (actor: Actor): string | null => (actor.type === 'member' ? actor.id : null);

const reasons: Record<AccessReason, string> = {
  deactivated: 'You are deactivated.',
  token_kind: 'This kind of token cannot do that.',
  agents_may_not: 'Agents may not do this.',
  role_may_not: 'Your role does not allow this.',
  not_related: 'This is not yours to do.',
};

export function require(action: Action, actor: Actor, relations: Iterable<Relation> = []): void {
  const access = may(action, actor, relations);
  if (!access.allowed) throw new ParleyError('forbidden', reasons[access.reason], { reason: `${action}:${access.reason}` });
}

/** Like `require`, for things that are visible only to those who may act on them: others get `not_found`. */
export function requireSeen(action: Action, actor: Actor, relations: Iterable<Relation>, text: string): void {
  if (!may(action, actor, relations).allowed) throw new ParleyError('not_found', text);
}

export const noAgent = (): ParleyError => new ParleyError('not_found', 'There is no such agent.');

/** Like `require`, but guests and agents get `not_found` for an agent that they do not know. */
export function requireOf(action: Action, actor: Actor, agent: MemberRow): void {
  const relations = relationsToMember(actor, memberFacts(agent));
  if (!may('member.see', actor).allowed && !may(action, actor, relations).allowed) throw noAgent();
  require(action, actor, relations);
}

/** The agent that a person wants to change, if they may. */
export function agentToChange(action: Action, { by, agentId }: { by: By; agentId: string }, tx: Tx): { actor: Actor; agent: MemberRow } {
  const actor = actorOf(by, tx, tx.now);
  const agent = tx.get('members', agentId);
  if (agent?.kind !== 'agent' || agent.status === 'erased') throw noAgent();
  requireOf(action, actor, agent);
  return { actor, agent };
}

export function invalidField(field: string, message: string): ParleyError {
  return new ParleyError('invalid_request', undefined, { problems: [{ field, message }] });
}

export const memberFacts = (row: MemberRow) => ({
  id: row.id,
  kind: row.kind,
  role: row.role,
  ownerId: row.owner_id,
  managerId: row.manager_id,
});

/** A refusal that is itself a fact: nothing of the command is kept but that it was tried. */
export class RecordedRefusal extends ParleyError {
  readonly fact: FactInput;
  constructor(code: ErrorCode, fact: FactInput, reason?: string) {
    super(code, undefined, reason === undefined ? {} : { reason });
    this.fact = fact;
  }
}
