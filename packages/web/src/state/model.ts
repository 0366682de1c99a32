import type {
  Agent,
  Attachment,
  CalledRole,
  Chain,
  Checkpoint,
  Halt,
  Leave,
  Member,
  Membership,
  Message,
  MyConversation,
  Notice,
  Obligation,
  Task,
} from '@parley/protocol';

/** The part of a conversation's history that is here: a window without holes, oldest first. */
export interface Timeline {
  ids: readonly string[];
  /** Those in the window, and any that facts told of since: a page fetched before a fact must not undo it. */
  messages: Readonly<Record<string, Message>>;
  moreBefore: boolean;
  moreAfter: boolean;
  loading: 'first' | 'before' | 'after' | null;
  /** Why the last fetch failed, until the next one. */
  error: string | null;
}

/** A message on its way. `root` is set for a reply in a thread that may not exist yet. */
export interface PendingMessage {
  key: string;
  conversationId: string | null;
  root: string | null;
  body: string;
  attachments: Attachment[];
  urgent?: true;
  at: number;
  failed: string | null;
  /** `^ALL` would wake this many agents, more than go without a second confirmation: it waits for one. */
  asksFor: number | null;
  /** The estimated cost of that, in words. */
  cost?: string | undefined;
  /** The number of agents that was confirmed. */
  confirmAll: number | null;
  /** The fact that brought it back before the answer did; it then stands in for this one. */
  seenAs: string | null;
}

/** What an agent is writing in a task. Not kept anywhere: the message it becomes replaces it. */
export interface Draft {
  taskId: string;
  conversationId: string;
  memberId: string;
  text: string;
}

export interface ObligationState {
  owe: readonly Obligation[];
  waiting: readonly Obligation[];
}

export type ConnectionState = 'connecting' | 'live' | 'reconnecting';

export interface State {
  myId: string;
  /** Whose sign-in link opened this session; null: our own. */
  openedBy: string | null;
  workspace: string;
  members: Readonly<Record<string, Member>>;
  /** Handles that several members answer to. */
  roles: Readonly<Record<string, CalledRole>>;
  conversations: Readonly<Record<string, MyConversation>>;
  /** Who is in a conversation, for those where it was asked. */
  memberships: Readonly<Record<string, readonly Membership[]>>;
  /** Agents that were asked to leave, in conversations whose members were asked for. */
  leaves: readonly Leave[];
  timelines: Readonly<Record<string, Timeline>>;
  /** conversation → member → when the sign runs out */
  typing: Readonly<Record<string, Readonly<Record<string, number>>>>;
  pending: readonly PendingMessage[];
  /** How each agent runs and what it is doing, by its member id. */
  agents: Readonly<Record<string, Agent>>;
  /** Every open one, and those that ended while one was here or were fetched with their conversation. */
  tasks: Readonly<Record<string, Task>>;
  /** Whole chains, where they were asked for; kept current from then on. */
  chains: Readonly<Record<string, Chain>>;
  /** The tasks a message asked for, by the message's id. */
  asked: Readonly<Record<string, readonly string[]>>;
  /** What the platform told us, by conversation, oldest first. */
  notices: Readonly<Record<string, readonly Notice[]>>;
  /** What waits for us, by its id; open ones only. */
  checkpoints: Readonly<Record<string, Checkpoint>>;
  /** Closed ones by id: those that were closed while one was here, or were fetched with their conversation. */
  settled: Readonly<Record<string, Checkpoint>>;
  /** Answers that are owed, by us and to us: as of the last time it was asked for. */
  owed: ObligationState;
  /** The last message that came live, and the conversation it is in or its thread hangs in. */
  latest: { message: Message; home: string } | null;
  drafts: readonly Draft[];
  /** The tools that the agent of a task is using, and since when; with none, since when that is so. By task. */
  tools: Readonly<Record<string, { names: readonly string[]; since: number }>>;
  halt: Halt;
  /** Counts the facts about one's own peer: they carry no words, so what is shown is read again. */
  peerMoves: number;
  connection: ConnectionState;
}

export const emptyTimeline: Timeline = { ids: [], messages: {}, moreBefore: false, moreAfter: false, loading: 'first', error: null };

export const byId = <T extends { id: string }>(list: readonly T[]): Record<string, T> =>
  Object.fromEntries(list.map((item) => [item.id, item]));

export function omitKey<T>(record: Readonly<Record<string, T>>, key: string): Readonly<Record<string, T>> {
  if (!(key in record)) return record;
  const { [key]: _, ...rest } = record;
  return rest;
}
