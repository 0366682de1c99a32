// Every operation of /api/v1 in one table. The hub registers its routes from it, the OpenAPI document is
// generated from it, and the SDK calls through it: a route cannot differ between them. Long because it is one table.

import { z } from 'zod';
import {
  AddToConversation,
  AskToLeave,
  Conversation,
  CreateChannel,
  EditConversation,
  Leave,
  MarkRead,
  Membership,
  ConversationPage,
  ConversationQuery,
  MyConversation,
  OpenDm,
  ReadState,
  SetNotify,
} from './conversations/conversations.ts';
import { ContactMatrix, ContactMatrixQuery, Contacts, ContactTarget, SetContactRule } from './tasks/contacts.ts';
import {
  AttachmentId,
  ChainId,
  CheckpointId,
  ConversationId,
  InvocationId,
  LinkId,
  MemberId,
  MessageId,
  ObligationId,
  RoleId,
  TaskId,
  TokenId,
} from './ids.ts';
import {
  AgentFolder,
  AgentIdentity,
  BindSecret,
  IdentityVersion,
  PutIdentity,
  RestoreIdentity,
  Secret,
  SecretName,
  SetSecret,
} from './agents/identities.ts';
import { AlertWebhook } from './provoke/sources.ts';
import { AuditPage, AuditQuery } from './audit.ts';
import { PapEvent, SentEvent } from './provoke/events.ts';
import {
  AcceptedEvents,
  EventAnswer,
  EventPage,
  EventQuery,
  RecordedEvent,
  TestedTriggers,
  TestTriggers,
} from './provoke/event-results.ts';
import { Invocation, InvocationPage, InvocationQuery, WholeInvocation } from './provoke/invocations.ts';
import {
  EnableProvoke,
  ProvokeFile,
  ProvokeKind,
  ProvokeObject,
  ProvokePage,
  ProvokeQuery,
  ProvokeVersion,
  PutProvoke,
  RemoveProvoke,
  StandingObject,
} from './provoke/provoke-objects.ts';
import { SchemaName } from './provoke/published-schemas.ts';
import { EventRef } from './tasks/provoked-work.ts';
import { Slug } from './provoke/triggers.ts';
import { DigestSetting, Mailbox, MailboxCursor, MailboxQuery, MailboxSeen, SetDigest } from './agents/mailboxes.ts';
import { AddMember, EditMember, Member, MemberPage, MemberQuery, SetDnd, AddRole, CalledRole, EditRole } from './people/members.ts';
import {
  Attachment,
  AssignMessage,
  Body,
  EditMessage,
  Emoji,
  HistoryQuery,
  Message,
  MessagePage,
  MessageVersion,
  PostMessage,
  SearchPage,
  SearchQuery,
  VersionPage,
  VersionQuery,
} from './conversations/messages.ts';
import { AddCalendar, EditMemory, NoticeZone, PeerProfile, RelationshipMemory, SetProfileField, SetSharingTier } from './peers/sharing.ts';
import { AddPeerAction, PeerActions } from './peers/actions.ts';
import { PeerModel, SetPeerModel } from './peers/models.ts';
import { AddPeer, BlockPeer, MyPeer, PeerPerson, PeerSafety, VerifyPeer } from './peers/people.ts';
import {
  ChangeIntent,
  ForkNegotiation,
  NegotiationSummary,
  OpenNegotiation,
  SteerNegotiation,
  TransferCoordination,
  WholeNegotiation,
} from './peers/negotiations.ts';
import {
  AnswerRequestLink,
  MadeRequestLink,
  OpenedRequestLink,
  OpenOutside,
  OpenRequestLink,
  OutsideAnswer,
  requestLinkId,
} from './peers/outside.ts';
import { PromptAnswer } from './peers/prompts.ts';
import {
  CreateSpace,
  LinkSpace,
  OpenedLink,
  OpenSpaceLink,
  SharedSpace,
  SpaceId,
  WatchSpace,
  WholeSpace,
  WriteSpace,
} from './peers/spaces.ts';
import { ThreadId } from './relay/packet-fields.ts';
import { Obligation, ObligationQuery, SignalObligation } from './tasks/obligations.ts';
import { AnsweredCheckpoint, Checkpoint, CheckpointQuery } from './tasks/checkpoints.ts';
import { HubSharing } from './peers/sharing.ts';
import {
  Agent,
  AgentBlock,
  Chain,
  ChainQuery,
  DeclineTask,
  EditAgent,
  Demo,
  Halt,
  Notice,
  RedirectTask,
  SendSignal,
  StartedTask,
  Task,
  TaskQuery,
  CloseCheckpoint,
} from './tasks/tasks.ts';
import { AcceptTools, ToolServer, ToolServerConfig, ToolServerName, ToolServers } from './agents/tools.ts';
import { ExplainQuery, Explanation, Preview } from './conversations/verdicts.ts';
import {
  CreatedToken,
  CreateToken,
  Token,
  CreatedLink,
  CreateInvitation,
  CreateSignInLink,
  InspectLink,
  Invitation,
  LinkPreview,
  EndedSessions,
  OpenSession,
  Session,
} from './people/credentials.ts';

export const Health = z.object({ status: z.literal('ok'), version: z.string(), engine: z.enum(['sqlite', 'postgres']), epoch: z.string() });
const Nothing = z.object({});

/** What a person's export holds: everything the hub keeps about them, readable without the hub. */
export const PersonExport = z.object({
  exportedAt: z.number(),
  member: Member,
  memberships: z.array(Membership),
  messages: z.array(
    z.object({
      id: MessageId,
      conversationId: ConversationId,
      body: z.string().nullable(),
      createdAt: z.number(),
      versions: z.array(MessageVersion),
    }),
  ),
  reactions: z.array(z.object({ messageId: MessageId, emoji: z.string(), at: z.number() })),
  reads: z.array(z.object({ conversationId: ConversationId, readSeq: z.number() })),
  attachments: z.array(Attachment),
  tokens: z.array(Token),
  tasks: z.array(Task).describe('this person’s requests to agents'),
  obligations: z.array(Obligation).describe('answers this person waits or waited for'),
  agents: z.array(Member).describe('agents this person owns'),
  identities: z.array(AgentIdentity).describe('the identities of these agents'),
  roles: z.array(z.string()).describe('handles of roles this person holds'),
  provoke: z.array(ProvokeObject).describe('triggers, manifests and the like that run in this person’s name'),
  events: z.array(z.object({ id: EventRef, event: PapEvent, acceptedAt: z.number() })).describe('events this person emitted'),
  sharing: z.array(HubSharing).describe('sharing tiers that this person set; empty: the defaults, or somebody else asks'),
  requestLinks: z
    .array(z.object({ id: z.string(), threadId: z.string(), state: z.string(), madeAt: z.number(), expiresAt: z.number() }))
    .describe('links for people without an agent'),
  peer: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('everything at this person’s own peer; null: there is none, or somebody else asks'),
});
export type PersonExport = z.infer<typeof PersonExport>;

export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  summary: string;
  tag: string;
  params?: z.ZodObject;
  query?: z.ZodType;
  body?: z.ZodType;
  response: z.ZodType;
  /** Takes an Idempotency-Key: a repeat under the same key is answered, not done again. */
  idempotent?: true;
  /** Reachable without a session or token. */
  open?: true;
  /** The body is bytes, not JSON. */
  bytes?: true;
  /** The body is JSON of one of several media types, or signed: it is described here and read where it is understood. */
  unparsed?: true;
  /** A secret or a signature of its own identifies the caller. */
  signed?: true;
  /** A monitor's token may ask this, which may ask nothing else. */
  sources?: true;
  /** An agent's token may ask this outside a task (SYS-9). Any other route is closed to it there. */
  outsideTask?: true;
  /** The answer is bytes, not JSON. */
  raw?: true;
  /** The body may be this long, where that is more than usual. */
  maxBytes?: number;
}
const define = <const T extends Record<string, Route>>(table: T): T => table;

const member = z.strictObject({ memberId: MemberId });
const role = z.strictObject({ roleId: RoleId });
const conversation = z.strictObject({ conversationId: ConversationId });
const message = z.strictObject({ messageId: MessageId });
const task = z.strictObject({ taskId: TaskId });
const obligation = z.strictObject({ obligationId: ObligationId });
const checkpoint = z.strictObject({ checkpointId: CheckpointId });
const toolServer = z.strictObject({ name: ToolServerName });
const peer = z.strictObject({ address: z.string().min(1).max(200) });
const negotiation = z.strictObject({ threadId: ThreadId });
const space = z.strictObject({ spaceId: SpaceId });
const provoke = z.strictObject({ kind: ProvokeKind, id: Slug });
const source = z.strictObject({ source: Slug });

// One row per operation, so that it reads as the table it is.
// prettier-ignore
export const routes = define({
  health: { method: 'GET', path: '/health', summary: 'Is the hub ready?', tag: 'hub', response: Health, open: true },

  inspectLink: { method: 'POST', path: '/links/inspect', summary: 'Read the purpose of a one-time link without using it', tag: 'session', body: InspectLink, response: LinkPreview, open: true },
  openSession: { method: 'POST', path: '/session', summary: 'Use a one-time link: sign in, or accept an invitation', tag: 'session', body: OpenSession, response: Session, open: true },
  getSession: { method: 'GET', path: '/session', summary: 'Your session, and the present position of the stream', tag: 'session', response: Session, outsideTask: true },
  closeSession: { method: 'DELETE', path: '/session', summary: 'Sign out', tag: 'session', response: Nothing, outsideTask: true },
  endOtherSessions: { method: 'DELETE', path: '/session/others', summary: 'End every other session, token and sign-in link of your account', tag: 'session', response: EndedSessions },

  listMembers: { method: 'GET', path: '/members', summary: 'People and agents of the workspace, in the order in which they came', tag: 'members', query: MemberQuery, response: MemberPage },
  addMember: { method: 'POST', path: '/members', summary: 'Add a person or an agent', tag: 'members', body: AddMember, response: Member, idempotent: true },
  getMember: { method: 'GET', path: '/members/:memberId', summary: 'One member', tag: 'members', params: member, response: Member },
  editMember: { method: 'PATCH', path: '/members/:memberId', summary: 'Change a member', tag: 'members', params: member, body: EditMember, response: Member },
  deactivateMember: { method: 'POST', path: '/members/:memberId/deactivate', summary: 'End a member’s sessions and access at once; their agents go to their manager or an admin', tag: 'members', params: member, response: Member },
  reactivateMember: { method: 'POST', path: '/members/:memberId/reactivate', summary: 'Let a deactivated member in again', tag: 'members', params: member, response: Member },
  eraseMember: { method: 'POST', path: '/members/:memberId/erase', summary: 'Deactivate a person and erase what they wrote and who they were', tag: 'members', params: member, response: Member },
  exportMember: { method: 'GET', path: '/members/:memberId/export', summary: 'Everything kept about one person', tag: 'members', params: member, response: PersonExport },
  setDnd: { method: 'PUT', path: '/me/dnd', summary: 'Do not disturb until', tag: 'members', body: SetDnd, response: Member },

  listRoles: { method: 'GET', path: '/roles', summary: 'Handles that several members answer to', tag: 'members', response: z.object({ roles: z.array(CalledRole) }) },
  addRole: { method: 'POST', path: '/roles', summary: 'Make a role and say who holds it', tag: 'members', body: AddRole, response: CalledRole },
  editRole: { method: 'PATCH', path: '/roles/:roleId', summary: 'Rename a role, describe it, or say who holds it', tag: 'members', params: role, body: EditRole, response: CalledRole },
  removeRole: { method: 'DELETE', path: '/roles/:roleId', summary: 'Remove a role; tasks that wait for its holders end', tag: 'members', params: role, response: Nothing },

  createInvitation: { method: 'POST', path: '/invitations', summary: 'A one-time link that lets one new person in', tag: 'members', body: CreateInvitation, response: CreatedLink },
  listInvitations: { method: 'GET', path: '/invitations', summary: 'Invitations still open', tag: 'members', response: z.object({ invitations: z.array(Invitation) }) },
  revokeInvitation: { method: 'DELETE', path: '/invitations/:linkId', summary: 'Take an invitation back', tag: 'members', params: z.strictObject({ linkId: LinkId }), response: Nothing },
  createSignInLink: { method: 'POST', path: '/sign-in-links', summary: 'A one-time link that signs an existing person in', tag: 'session', body: CreateSignInLink, response: CreatedLink },

  listTokens: { method: 'GET', path: '/tokens', summary: 'Your tokens and those of your agents', tag: 'tokens', response: z.object({ tokens: z.array(Token) }) },
  createToken: { method: 'POST', path: '/tokens', summary: 'A token for a person, an agent, an event source or a bridge', tag: 'tokens', body: CreateToken, response: CreatedToken },
  revokeToken: { method: 'DELETE', path: '/tokens/:tokenId', summary: 'Revoke a token; its open sockets close', tag: 'tokens', params: z.strictObject({ tokenId: TokenId }), response: Nothing },

  listConversations: { method: 'GET', path: '/conversations', summary: 'Your conversations, and the public channels you could join', tag: 'conversations', query: ConversationQuery, response: ConversationPage },
  createChannel: { method: 'POST', path: '/conversations', summary: 'Create a channel', tag: 'conversations', body: CreateChannel, response: Conversation, idempotent: true },
  openDm: { method: 'POST', path: '/dms', summary: 'The DM with these members; created once', tag: 'conversations', body: OpenDm, response: Conversation },
  getConversation: { method: 'GET', path: '/conversations/:conversationId', summary: 'One conversation', tag: 'conversations', params: conversation, response: MyConversation },
  editConversation: { method: 'PATCH', path: '/conversations/:conversationId', summary: 'Rename, set topic, floor, visibility or history, archive', tag: 'conversations', params: conversation, body: EditConversation, response: Conversation },
  joinConversation: { method: 'POST', path: '/conversations/:conversationId/join', summary: 'Join a public channel', tag: 'conversations', params: conversation, response: Membership },
  leaveConversation: { method: 'POST', path: '/conversations/:conversationId/leave', summary: 'Leave a channel', tag: 'conversations', params: conversation, response: Nothing },
  listMemberships: { method: 'GET', path: '/conversations/:conversationId/members', summary: 'Who is in it', tag: 'conversations', params: conversation, response: z.object({ memberships: z.array(Membership) }) },
  addToConversation: { method: 'POST', path: '/conversations/:conversationId/members', summary: 'Bring a member in', tag: 'conversations', params: conversation, body: AddToConversation, response: Membership },
  removeFromConversation: { method: 'DELETE', path: '/conversations/:conversationId/members/:memberId', summary: 'Take a member out', tag: 'conversations', params: conversation.extend({ memberId: MemberId }), response: Nothing },
  listLeaves: { method: 'GET', path: '/conversations/:conversationId/leaves', summary: 'Agents that were asked to leave it, or a thread in it', tag: 'conversations', params: conversation, response: z.object({ leaves: z.array(Leave) }) },
  askToLeave: { method: 'POST', path: '/conversations/:conversationId/leaves', summary: 'Ask an agent to leave; it is quiet here until it is called by name', tag: 'conversations', params: conversation, body: AskToLeave, response: Leave },
  callBack: { method: 'DELETE', path: '/conversations/:conversationId/leaves/:memberId', summary: 'Let an agent that was asked to leave come back', tag: 'conversations', params: conversation.extend({ memberId: MemberId }), response: Nothing },
  setNotify: { method: 'PUT', path: '/conversations/:conversationId/notify', summary: 'Your notification level here', tag: 'conversations', params: conversation, body: SetNotify, response: Nothing },
  markRead: { method: 'PUT', path: '/conversations/:conversationId/read', summary: 'Move your read cursor; it never moves back', tag: 'conversations', params: conversation, body: MarkRead, response: ReadState },
  sendTyping: { method: 'POST', path: '/conversations/:conversationId/typing', summary: 'Say that you are typing (not kept)', tag: 'conversations', params: conversation, response: Nothing },
  finishComposing: { method: 'POST', path: '/conversations/:conversationId/done', summary: 'Say that your request is complete: agents that wait for more begin at once', tag: 'conversations', params: conversation, response: Nothing },

  listMessages: { method: 'GET', path: '/conversations/:conversationId/messages', summary: 'History, by cursor', tag: 'messages', params: conversation, query: HistoryQuery, response: MessagePage },
  postMessage: { method: 'POST', path: '/conversations/:conversationId/messages', summary: 'Say something; send an Idempotency-Key to make a retry safe', tag: 'messages', params: conversation, body: PostMessage, response: Message, idempotent: true, outsideTask: true },
  getMessage: { method: 'GET', path: '/messages/:messageId', summary: 'One message: what a link to it opens', tag: 'messages', params: message, response: Message },
  editMessage: { method: 'PATCH', path: '/messages/:messageId', summary: 'Edit your message; earlier versions are kept', tag: 'messages', params: message, body: EditMessage, response: Message },
  deleteMessage: { method: 'DELETE', path: '/messages/:messageId', summary: 'Delete a message; every version of its text is erased', tag: 'messages', params: message, response: Message },
  listVersions: { method: 'GET', path: '/messages/:messageId/versions', summary: 'Its latest versions, as many as fit one page; `before` gives the ones before them', tag: 'messages', params: message, query: VersionQuery, response: VersionPage },
  assignMessage: { method: 'POST', path: '/messages/:messageId/assign', summary: 'Give a message to an agent as work; it is brought back if it was asked to leave', tag: 'messages', params: message, body: AssignMessage, response: Task, idempotent: true },
  openThread: { method: 'POST', path: '/messages/:messageId/thread', summary: 'The thread on this message; created once', tag: 'messages', params: message, response: Conversation },
  addReaction: { method: 'PUT', path: '/messages/:messageId/reactions/:emoji', summary: 'React', tag: 'messages', params: message.extend({ emoji: Emoji }), response: Message, outsideTask: true },
  removeReaction: { method: 'DELETE', path: '/messages/:messageId/reactions/:emoji', summary: 'Take a reaction back', tag: 'messages', params: message.extend({ emoji: Emoji }), response: Message, outsideTask: true },
  sendSignal: { method: 'POST', path: '/messages/:messageId/signal', summary: 'React with a signal; an agent’s signal may end or block its task', tag: 'messages', params: message, body: SendSignal, response: Message, outsideTask: true },
  search: { method: 'GET', path: '/search', summary: 'Full-text search in what you may read', tag: 'messages', query: SearchQuery, response: SearchPage },

  explainMessage: { method: 'GET', path: '/messages/:messageId/explain', summary: 'Who was woken by it, who was not, and why', tag: 'tasks', params: message, query: ExplainQuery, response: Explanation },
  previewMessage: { method: 'POST', path: '/conversations/:conversationId/preview', summary: 'Who would be woken by it; nothing is sent', tag: 'tasks', params: conversation, body: z.strictObject({ body: Body, replyTo: MessageId.optional(), urgent: z.boolean().optional() }), response: Preview },
  listTasks: { method: 'GET', path: '/tasks', summary: 'Tasks in conversations you may read; an agent’s own', tag: 'tasks', query: TaskQuery, response: z.object({ tasks: z.array(Task) }), outsideTask: true },
  getTask: { method: 'GET', path: '/tasks/:taskId', summary: 'One task', tag: 'tasks', params: task, response: Task, outsideTask: true },
  startTask: { method: 'POST', path: '/tasks/:taskId/start', summary: 'Agents: claim an offered task, or begin a queued one; the lease is yours', tag: 'tasks', params: task, response: StartedTask, outsideTask: true },
  declineTask: { method: 'POST', path: '/tasks/:taskId/decline', summary: 'Agents: decline a task, with a reason', tag: 'tasks', params: task, body: DeclineTask, response: Task, outsideTask: true },
  claimMessage: { method: 'POST', path: '/messages/:messageId/claim', summary: 'Agents: claim a message that an open floor offers you; this makes the task', tag: 'tasks', params: message, response: StartedTask, outsideTask: true },
  passMessage: { method: 'POST', path: '/messages/:messageId/pass', summary: 'Agents: pass on such a message; the next agent is asked', tag: 'tasks', params: message, response: Nothing, outsideTask: true },
  stopTask: { method: 'POST', path: '/tasks/:taskId/stop', summary: 'End a task and its sub-tasks', tag: 'tasks', params: task, response: Task },
  redirectTask: { method: 'POST', path: '/tasks/:taskId/redirect', summary: 'Give the task a new instruction, or move it to another agent', tag: 'tasks', params: task, body: RedirectTask, response: Task },
  listChains: { method: 'GET', path: '/chains', summary: 'Chains with a task you may see, the newest first', tag: 'tasks', query: ChainQuery, response: z.object({ chains: z.array(Chain) }) },
  getChain: { method: 'GET', path: '/chains/:chainId', summary: 'All of a chain that you may see', tag: 'tasks', params: z.strictObject({ chainId: ChainId }), response: Chain },
  listNotices: { method: 'GET', path: '/notices', summary: 'Your notices, the latest last', tag: 'tasks', query: z.strictObject({ conversationId: ConversationId.optional(), after: z.coerce.number().int().min(0).default(0) }), response: z.object({ notices: z.array(Notice) }) },
  readMailbox: { method: 'GET', path: '/conversations/:conversationId/mailbox', summary: 'Agents: your mailbox here, inside the task of the Parley-Task header', tag: 'agents', params: conversation, query: MailboxQuery, response: Mailbox, outsideTask: true },
  seeMailbox: { method: 'PUT', path: '/conversations/:conversationId/mailbox', summary: 'Agents: mark your mailbox as seen up to a position; it never moves back', tag: 'agents', params: conversation, body: MailboxSeen, response: MailboxCursor, outsideTask: true },
  listDigests: { method: 'GET', path: '/conversations/:conversationId/digests', summary: 'Agents that get a digest of this conversation, and how often', tag: 'agents', params: conversation, response: z.object({ digests: z.array(DigestSetting) }) },
  setDigest: { method: 'PUT', path: '/conversations/:conversationId/digests/:memberId', summary: 'Send an agent a regular digest of this conversation', tag: 'agents', params: conversation.extend({ memberId: MemberId }), body: SetDigest, response: DigestSetting, outsideTask: true },
  listObligations: { method: 'GET', path: '/obligations', summary: 'Answers you owe or await', tag: 'obligations', query: ObligationQuery, response: z.object({ obligations: z.array(Obligation) }), outsideTask: true },
  signalObligation: { method: 'POST', path: '/obligations/:obligationId/signal', summary: 'Signal your progress on an answer you owe, without a message', tag: 'obligations', params: obligation, body: SignalObligation, response: Obligation, outsideTask: true },
  dischargeObligation: { method: 'POST', path: '/obligations/:obligationId/discharge', summary: 'Settle it: for the member who waited, or their delegate', tag: 'obligations', params: obligation, response: Obligation, outsideTask: true },
  listCheckpoints: { method: 'GET', path: '/checkpoints', summary: 'Your inbox, oldest first', tag: 'checkpoints', query: CheckpointQuery, response: z.object({ checkpoints: z.array(Checkpoint) }) },
  getCheckpoint: { method: 'GET', path: '/checkpoints/:checkpointId', summary: 'One checkpoint', tag: 'checkpoints', params: checkpoint, response: Checkpoint },
  closeCheckpoint: { method: 'POST', path: '/checkpoints/:checkpointId/close', summary: 'Answer it with one of its choices', tag: 'checkpoints', params: checkpoint, body: CloseCheckpoint, response: AnsweredCheckpoint },
  answerCheckpoint: { method: 'POST', path: '/checkpoints/:checkpointId/answer', summary: 'Answer a prompt of your peer, with content; the first answer counts', tag: 'checkpoints', params: checkpoint, body: PromptAnswer, response: AnsweredCheckpoint },
  listAgents: { method: 'GET', path: '/agents', summary: 'Agents you may see, and what they are doing', tag: 'agents', response: z.object({ agents: z.array(Agent) }), outsideTask: true },
  listAgentDms: { method: 'GET', path: '/agents/conversations', summary: 'DMs between agents that you may read: of those you own or manage; every one for owners and admins', tag: 'agents', response: z.object({ conversations: z.array(MyConversation) }) },
  editAgent: { method: 'PATCH', path: '/agents/:memberId', summary: 'Change how an agent runs', tag: 'agents', params: member, body: EditAgent, response: Agent },
  listBlocks: { method: 'GET', path: '/agents/:memberId/blocks', summary: 'Members whose words never wake this agent: its owner and admins see them', tag: 'agents', params: member, response: z.object({ blocks: z.array(AgentBlock) }) },
  blockMember: { method: 'PUT', path: '/agents/:memberId/blocks/:blockedId', summary: 'Block a member for an agent: their words are stored and never wake it', tag: 'agents', params: member.extend({ blockedId: MemberId }), response: AgentBlock },
  unblockMember: { method: 'DELETE', path: '/agents/:memberId/blocks/:blockedId', summary: 'Unblock a member for an agent', tag: 'agents', params: member.extend({ blockedId: MemberId }), response: Nothing },
  getIdentity: { method: 'GET', path: '/agents/:memberId/identity', summary: 'An agent’s identity: its owner and admins see it', tag: 'agents', params: member, response: AgentIdentity },
  putIdentity: { method: 'PUT', path: '/agents/:memberId/identity', summary: 'Replace all of it, over the version you have read', tag: 'agents', params: member, body: PutIdentity, response: AgentIdentity },
  listIdentityVersions: { method: 'GET', path: '/agents/:memberId/identity/versions', summary: 'Its last 50 versions, the latest first', tag: 'agents', params: member, response: z.object({ versions: z.array(IdentityVersion) }) },
  restoreIdentity: { method: 'POST', path: '/agents/:memberId/identity/versions/:version/restore', summary: 'Restore an earlier version as a new one; the handle stays', tag: 'agents', params: member.extend({ version: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER) }), body: RestoreIdentity, response: AgentIdentity },
  listAgentFolders: { method: 'GET', path: '/agent-folders', summary: 'Agents kept in folders of files, and their mistakes', tag: 'agents', response: z.object({ folders: z.array(AgentFolder) }) },
  listSecrets: { method: 'GET', path: '/secrets', summary: 'Which secrets are set, and by whom; never their values', tag: 'agents', response: z.object({ secrets: z.array(Secret) }) },
  setSecret: { method: 'PUT', path: '/secrets/:name', summary: 'Keep a provider’s key or a shared secret, sealed', tag: 'agents', params: z.strictObject({ name: SecretName }), body: SetSecret, response: Secret },
  bindSecret: { method: 'PUT', path: '/secrets/:name/hosts', summary: 'Name the hosts that a secret may be sent to', tag: 'agents', params: z.strictObject({ name: SecretName }), body: BindSecret, response: Secret },
  removeSecret: { method: 'DELETE', path: '/secrets/:name', summary: 'Forget a secret that is kept here', tag: 'agents', params: z.strictObject({ name: SecretName }), response: Nothing },
  getContacts: { method: 'GET', path: '/agents/:memberId/contacts', summary: 'The contact rules of an agent', tag: 'agents', params: member, response: Contacts },
  setContactRule: { method: 'PUT', path: '/agents/:memberId/contacts/:target', summary: 'Allow or deny an agent to contact another, or all (`*`)', tag: 'agents', params: member.extend({ target: ContactTarget }), body: SetContactRule, response: Contacts },
  clearContactRule: { method: 'DELETE', path: '/agents/:memberId/contacts/:target', summary: 'Remove such a rule, and a standing approval', tag: 'agents', params: member.extend({ target: ContactTarget }), response: Contacts },
  getContactMatrix: { method: 'GET', path: '/contacts', summary: 'Who may contact whom, and which line decides it', tag: 'agents', query: ContactMatrixQuery, response: ContactMatrix },
  getHalt: { method: 'GET', path: '/halt', summary: 'Is everything stopped?', tag: 'agents', response: Halt },
  halt: { method: 'POST', path: '/halt', summary: 'Stop everything: every turn ends, none begins', tag: 'agents', response: Halt },
  release: { method: 'DELETE', path: '/halt', summary: 'Let agents work again', tag: 'agents', response: Halt },
  listAudit: { method: 'GET', path: '/audit', summary: 'The audit log, the latest first: owners and admins', tag: 'agents', query: AuditQuery, response: AuditPage },
  getDemo: { method: 'GET', path: '/demo', summary: 'Whether the demo story is here, and whether you may play it', tag: 'agents', response: Demo },
  playDemo: { method: 'POST', path: '/demo', summary: 'Play the demo story in a channel of its own: owners and admins', tag: 'agents', response: Demo },
  removeDemo: { method: 'DELETE', path: '/demo', summary: 'Remove the demo story: its agents, its trigger and its channel', tag: 'agents', response: Demo },

  listToolServers: { method: 'GET', path: '/tools/servers', summary: 'The tool servers, their state and their tools', tag: 'tools', response: ToolServers },
  setToolServer: { method: 'PUT', path: '/tools/servers/:name', summary: 'Add a tool server, or change how it is reached', tag: 'tools', params: toolServer, body: ToolServerConfig, response: ToolServer },
  removeToolServer: { method: 'DELETE', path: '/tools/servers/:name', summary: 'Take a tool server away; calls under way end', tag: 'tools', params: toolServer, response: Nothing },
  acceptTools: { method: 'POST', path: '/tools/servers/:name/accept', summary: 'Accept that a tool, or all tools of a server, only read, although they are new or were listed as writing', tag: 'tools', params: toolServer, body: AcceptTools, response: ToolServer },
  testToolServer: { method: 'POST', path: '/tools/servers/:name/test', summary: 'Connect to a tool server now, and list its tools', tag: 'tools', params: toolServer, response: ToolServer },

  emitEvent: { method: 'POST', path: '/events', summary: 'Emit an event, or CloudEvents 1.0 (structured, binary, batched); the answer says what each trigger did with it', tag: 'provoke', body: SentEvent, response: EventAnswer, unparsed: true, sources: true, outsideTask: true },
  alertmanagerWebhook: { method: 'POST', path: '/webhooks/alertmanager/:source', summary: 'Alerts of Prometheus Alertmanager, with the secret or the signature of the source', tag: 'provoke', params: source, body: AlertWebhook, response: AcceptedEvents, unparsed: true, open: true, signed: true },
  grafanaWebhook: { method: 'POST', path: '/webhooks/grafana/:source', summary: 'Alerts of Grafana, with the secret or the signature of the source', tag: 'provoke', params: source, body: AlertWebhook, response: AcceptedEvents, unparsed: true, open: true, signed: true },
  listEvents: { method: 'GET', path: '/events', summary: 'Events, the latest first, and their results at triggers you may see', tag: 'provoke', query: EventQuery, response: EventPage },
  getEvent: { method: 'GET', path: '/events/:eventRef', summary: 'One event and its results', tag: 'provoke', params: z.strictObject({ eventRef: EventRef }), response: RecordedEvent },
  listInvocations: { method: 'GET', path: '/invocations', summary: 'Invocations, the latest first: yours, or every one for owners and admins', tag: 'provoke', query: InvocationQuery, response: InvocationPage },
  getInvocation: { method: 'GET', path: '/invocations/:invocationId', summary: 'One invocation, its event and its attempts', tag: 'provoke', params: z.strictObject({ invocationId: InvocationId }), response: WholeInvocation },
  askInvocationAgain: { method: 'POST', path: '/invocations/:invocationId/ask', summary: 'Ask again for an approval that expired or was for another version', tag: 'provoke', params: z.strictObject({ invocationId: InvocationId }), response: Invocation },
  cancelInvocation: { method: 'POST', path: '/invocations/:invocationId/cancel', summary: 'Cancel it: a waiting run does not begin, and a running one is abandoned', tag: 'provoke', params: z.strictObject({ invocationId: InvocationId }), response: Invocation },
  testTriggers: { method: 'POST', path: '/triggers/test', summary: 'Dry run: what triggers would do with events, step by step', tag: 'provoke', body: TestTriggers, response: TestedTriggers },
  getSchema: { method: 'GET', path: '/schemas/:name', summary: 'The JSON Schema of a file of triggers, of each thing in it, and of frames of the agent socket', tag: 'provoke', params: z.strictObject({ name: SchemaName }), response: z.record(z.string(), z.unknown()), open: true },
  listProvokeFiles: { method: 'GET', path: '/provoke-files', summary: 'Files of triggers and manifests, and their mistakes', tag: 'provoke', response: z.object({ files: z.array(ProvokeFile) }) },
  listProvoke: { method: 'GET', path: '/provoke/:kind', summary: 'Triggers, manifests, sources, schedules or absence monitors: yours, or every one for owners and admins', tag: 'provoke', params: provoke.pick({ kind: true }), query: ProvokeQuery, response: ProvokePage },
  getProvoke: { method: 'GET', path: '/provoke/:kind/:id', summary: 'One of them, with its state', tag: 'provoke', params: provoke, response: StandingObject },
  putProvoke: { method: 'PUT', path: '/provoke/:kind/:id', summary: 'Write it, over the version you have read; the answer lists references that do not exist', tag: 'provoke', params: provoke, body: PutProvoke, response: StandingObject },
  enableProvoke: { method: 'PUT', path: '/provoke/:kind/:id/enabled', summary: 'Switch it on or off', tag: 'provoke', params: provoke, body: EnableProvoke, response: ProvokeObject },
  removeProvoke: { method: 'DELETE', path: '/provoke/:kind/:id', summary: 'Remove it; its history stays', tag: 'provoke', params: provoke, query: RemoveProvoke, response: Nothing },
  listProvokeVersions: { method: 'GET', path: '/provoke/:kind/:id/versions', summary: 'Its last 50 versions, the latest first', tag: 'provoke', params: provoke, response: z.object({ versions: z.array(ProvokeVersion) }) },

  getPeer: { method: 'GET', path: '/peer', summary: 'Your own peer: its address and card; `address: null` before its first use', tag: 'peers', response: MyPeer },
  makePeer: { method: 'POST', path: '/peer', summary: 'Make your peer; once is enough', tag: 'peers', response: MyPeer },
  listPeerPeople: { method: 'GET', path: '/peer/people', summary: 'People whose peers yours knows', tag: 'peers', response: z.object({ people: z.array(PeerPerson) }) },
  addPeerPerson: { method: 'POST', path: '/peer/people', summary: 'Add a person by their contact card', tag: 'peers', body: AddPeer, response: PeerPerson },
  verifyPeerPerson: { method: 'POST', path: '/peer/people/:address/verify', summary: 'The safety number of you two; accept it, or keep the key of before', tag: 'peers', params: peer, body: VerifyPeer, response: PeerSafety },
  blockPeerPerson: { method: 'POST', path: '/peer/people/:address/block', summary: 'Block a person’s peer, or unblock it', tag: 'peers', params: peer, body: BlockPeer, response: PeerPerson },
  getPeerProfile: { method: 'GET', path: '/peer/profile', summary: 'Your profile fields, sharing tiers and calendars', tag: 'peers', response: PeerProfile },
  setPeerField: { method: 'PUT', path: '/peer/profile', summary: 'Set or forget one profile field', tag: 'peers', body: SetProfileField, response: PeerProfile },
  noticePeerZone: { method: 'PUT', path: '/peer/zone', summary: 'Say which time zone you are in; your peer takes it, unless it has one', tag: 'peers', body: NoticeZone, response: Nothing },
  setPeerTier: { method: 'PUT', path: '/peer/tiers', summary: 'Set the sharing tier of a field, for everybody or for one person', tag: 'peers', body: SetSharingTier, response: PeerProfile },
  addPeerCalendar: { method: 'POST', path: '/peer/calendars', summary: 'Add a calendar: an iCalendar file, or a CalDAV address', tag: 'peers', body: AddCalendar, response: PeerProfile, maxBytes: 5_000_000 },
  removePeerCalendar: { method: 'DELETE', path: '/peer/calendars', summary: 'Remove a calendar by its name or address', tag: 'peers', query: z.strictObject({ name: z.string().min(1).max(2000) }), response: PeerProfile },
  downloadPeerCalendar: { method: 'GET', path: '/peer/calendar.ics', summary: 'Your own calendar as an iCalendar file', tag: 'peers', response: z.any(), raw: true },
  listPeerActions: { method: 'GET', path: '/peer/actions', summary: 'What your peer can do when a proposal is confirmed', tag: 'peers', response: PeerActions },
  addPeerAction: { method: 'POST', path: '/peer/actions', summary: 'Add an action: a webhook, or a tool of a server of yours', tag: 'peers', body: AddPeerAction, response: PeerActions },
  removePeerAction: { method: 'DELETE', path: '/peer/actions', summary: 'Remove an action by its name', tag: 'peers', query: z.strictObject({ name: z.string().min(1).max(64) }), response: PeerActions },
  listNegotiations: { method: 'GET', path: '/peer/negotiations', summary: 'Your negotiations, the newest first', tag: 'peers', response: z.object({ negotiations: z.array(NegotiationSummary) }) },
  openNegotiation: { method: 'POST', path: '/peer/negotiations', summary: 'Open a negotiation with a member of this hub, or with a peer elsewhere', tag: 'peers', body: OpenNegotiation, response: NegotiationSummary, idempotent: true },
  getNegotiation: { method: 'GET', path: '/peer/negotiations/:threadId', summary: 'One negotiation: its timeline, with what was shared and what was withheld', tag: 'peers', params: negotiation, response: WholeNegotiation },
  changeNegotiation: { method: 'POST', path: '/peer/negotiations/:threadId/intent', summary: 'Say what a running negotiation is about now', tag: 'peers', params: negotiation, body: ChangeIntent, response: NegotiationSummary },
  forkNegotiation: { method: 'POST', path: '/peer/negotiations/:threadId/forks', summary: 'Split something off from a negotiation, which goes on with what is left', tag: 'peers', params: negotiation, body: ForkNegotiation, response: z.object({ negotiation: NegotiationSummary, forks: z.array(NegotiationSummary) }), idempotent: true },
  transferCoordination: { method: 'POST', path: '/peer/negotiations/:threadId/coordinator', summary: 'Offer the coordination of a group to a member’s peer, which answers by itself', tag: 'peers', params: negotiation, body: TransferCoordination, response: NegotiationSummary },
  steerNegotiation: { method: 'POST', path: '/peer/negotiations/:threadId/steer', summary: 'Decline a negotiation, or let it continue past its limit', tag: 'peers', params: negotiation, body: SteerNegotiation, response: NegotiationSummary },
  getPeerModel: { method: 'GET', path: '/peer/model', summary: 'Which models this hub offers to your peer, and whether one negotiates for you', tag: 'peers', response: PeerModel },
  setPeerModel: { method: 'PUT', path: '/peer/model', summary: 'Let the hub’s model negotiate for you, or the rules alone', tag: 'peers', body: SetPeerModel, response: PeerModel },
  inviteOutside: { method: 'POST', path: '/peer/outside', summary: 'Ask somebody without an agent: the negotiation has the text to send', tag: 'peers', body: OpenOutside, response: NegotiationSummary, idempotent: true },
  replyForOutside: { method: 'POST', path: '/peer/negotiations/:threadId/reply', summary: 'Pass on what somebody without an agent answered', tag: 'peers', params: negotiation, body: OutsideAnswer, response: NegotiationSummary },
  makeRequestLink: { method: 'POST', path: '/peer/negotiations/:threadId/link', summary: 'A link in place of the text; one that nobody opened is given out again', tag: 'peers', params: negotiation, response: MadeRequestLink },
  revokeRequestLink: { method: 'DELETE', path: '/peer/negotiations/:threadId/link', summary: 'Revoke the link of a request', tag: 'peers', params: negotiation, response: Nothing },
  openRequestLink: { method: 'POST', path: '/request-links/:requestLinkId/open', summary: 'Open a request link, once; its content is sealed', tag: 'peers', params: requestLinkId, body: OpenRequestLink, response: OpenedRequestLink, open: true },
  answerRequestLink: { method: 'POST', path: '/request-links/:requestLinkId/answer', summary: 'Answer a request link that you opened, once', tag: 'peers', params: requestLinkId, body: AnswerRequestLink, response: Nothing, open: true },
  listPeerMemory: { method: 'GET', path: '/peer/memory', summary: 'What your peer remembers of each relationship', tag: 'peers', response: z.object({ memory: z.array(RelationshipMemory) }) },
  editPeerMemory: { method: 'PATCH', path: '/peer/memory/:address', summary: 'Correct or forget one remembered value', tag: 'peers', params: peer, body: EditMemory, response: RelationshipMemory },
  forgetPeerMemory: { method: 'DELETE', path: '/peer/memory/:address', summary: 'Forget everything about one relationship', tag: 'peers', params: peer, response: Nothing },
  listSpaces: { method: 'GET', path: '/peer/spaces', summary: 'Your shared spaces, the newest first', tag: 'peers', response: z.object({ spaces: z.array(SharedSpace) }) },
  createSpace: { method: 'POST', path: '/peer/spaces', summary: 'Share a space with members of this hub, or with peers elsewhere', tag: 'peers', body: CreateSpace, response: SharedSpace, idempotent: true },
  getSpace: { method: 'GET', path: '/peer/spaces/:spaceId', summary: 'One space: fields, versions, who may write what, and what your tiers hold back', tag: 'peers', params: space, response: WholeSpace },
  writeSpace: { method: 'PATCH', path: '/peer/spaces/:spaceId', summary: 'Write or remove fields; everybody in the space gets them', tag: 'peers', params: space, body: WriteSpace, response: WholeSpace },
  joinSpace: { method: 'POST', path: '/peer/spaces/:spaceId/join', summary: 'Write also to people in it whom you have not verified', tag: 'peers', params: space, response: WholeSpace },
  leaveSpace: { method: 'DELETE', path: '/peer/spaces/:spaceId', summary: 'Leave a space; the others go on without you', tag: 'peers', params: space, response: Nothing },
  seeSpace: { method: 'POST', path: '/peer/spaces/:spaceId/seen', summary: 'You have seen what changed', tag: 'peers', params: space, response: Nothing },
  watchSpace: { method: 'PUT', path: '/peer/spaces/:spaceId/watches', summary: 'Fields whose changes you are notified of', tag: 'peers', params: space, body: WatchSpace, response: WholeSpace },
  linkSpace: { method: 'PUT', path: '/peer/spaces/:spaceId/channel', summary: 'Mention changes in a channel; words only of those who agreed to it', tag: 'peers', params: space, body: LinkSpace, response: WholeSpace },
  openSpaceLink: { method: 'POST', path: '/peer/spaces/:spaceId/open', summary: 'Read what a link points at, with a tool server of your own', tag: 'peers', params: space, body: OpenSpaceLink, response: OpenedLink },
  backUpPeer: { method: 'GET', path: '/peers/:memberId/backup', summary: 'The operator: one peer’s own backup, for `parley backup`', tag: 'hub', params: member, response: z.object({ backup: z.string().nullable() }) },
  addSampleFriend: { method: 'POST', path: '/peer/sample', summary: 'Add a sample friend, whose peer answers by itself', tag: 'peers', response: PeerPerson },
  removeSampleFriend: { method: 'DELETE', path: '/peer/sample', summary: 'Remove the sample friend', tag: 'peers', response: Nothing },

  uploadAttachment: { method: 'POST', path: '/attachments', summary: 'Upload a file (raw body; name in the query); post it with a message afterwards', tag: 'attachments', query: z.strictObject({ name: z.string() }), response: Attachment, bytes: true },
  getAttachment: { method: 'GET', path: '/attachments/:attachmentId', summary: 'Download a file; always as an attachment, never run', tag: 'attachments', params: z.strictObject({ attachmentId: AttachmentId }), response: z.any(), raw: true },
});
export type RouteName = keyof typeof routes;

type Part<R, K extends string, F> = R extends Record<K, infer S extends z.ZodType> ? (F extends 'in' ? z.input<S> : z.output<S>) : never;
type Present<T> = { [K in keyof T as [T[K]] extends [never] ? never : K]: T[K] };
/** What a caller passes: `{ params?, query?, body? }`, exactly those the route has. */
export type RouteInput<N extends RouteName> = Present<{
  params: Part<(typeof routes)[N], 'params', 'in'>;
  query: Part<(typeof routes)[N], 'query', 'in'>;
  body: Part<(typeof routes)[N], 'body', 'in'>;
}>;
/** What a handler receives, parsed and with defaults filled in. */
export type RouteParsed<N extends RouteName> = Present<{
  params: Part<(typeof routes)[N], 'params', 'out'>;
  query: Part<(typeof routes)[N], 'query', 'out'>;
  body: Part<(typeof routes)[N], 'body', 'out'>;
}>;
export type RouteOutput<N extends RouteName> = z.output<(typeof routes)[N]['response']>;
