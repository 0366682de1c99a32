// Every read an agent has (SYS-9). Inside a task it reads what it may read itself, what the chain's requester may read,
// and what everyone may read who will hear its answer; so there is nothing in its hands that must not come out.

import {
  holdsAny,
  isAgentDm,
  mayContact,
  isOverseer,
  type Prompt,
  readableFrom,
  type ReadingScope as Person,
  taints,
  valuesIn,
  approvalResults,
  contactResults,
  approvalReasonFor,
} from '@parley/core';
import { foldHandle, type Message, type MessagePage, ParleyError, type SearchPage } from '@parley/protocol';
import { memberFacts, platform, type By } from '../engine/command.ts';
import type { Engine } from '../engine/engine.ts';
import { readRows } from '../engine/decision-reads.ts';
import { madeOf } from '../engine/steps/membership/agent-identities.ts';
import { isContact } from '../engine/steps/tasks/callbacks.ts';
import { seesTask } from '../engine/steps/tasks/task-access.ts';
import type { Store } from '../store/port.ts';
import { withThreads } from '../store/reads/conversations.ts';
import { acquaintedWithAll, activeMembersAmong, activeMembersIn, agentsAndGuests, membersById } from '../store/reads/members.ts';
import { messagesOfChain } from '../store/reads/messages.ts';
import { messagePage } from '../store/reads/pages.ts';
import { openTasksIn } from '../store/reads/tasks.ts';
import type { ConversationRow, MemberRow, MessageRow, TaskRow } from '../store/tables.ts';
import { messageViews, searchPage } from '../views/messages.ts';
import { undamaged } from '../views/row-views.ts';
import { contextOf } from './turn-context.ts';
import { taskPrompt } from './task-prompt.ts';

const outsideError = (): ParleyError => new ParleyError('outside_task');
/** So many of the messages before it an agent's request comes with. */
const pastMessages = 20;

const isPublic = (home: ConversationRow): boolean => home.kind === 'channel' && home.visibility === 'public';

interface Audience {
  people: (Person & { role: string })[];
  /** Where it may speak: its hearers know the messages there. */
  homes: ConversationRow[];
}

/** A read's data: the store that it reads, and the engine that records the read. */
export interface ReadFrom {
  store: Store;
  engine: Engine;
}

function overseers(home: ConversationRow, members: Map<string, MemberRow>, { people }: Audience): Set<string> {
  const pair = (home.dm_key?.split(',') ?? []).flatMap((id) => members.get(id) ?? []).map(memberFacts);
  if (!isAgentDm(pair)) return new Set();
  return new Set(people.filter((person) => !person.guest && isOverseer(person, pair)).map(({ id }) => id));
}

/** The authors of a member's description: itself, or the agent's owner. Of the hub's own agents, nobody. */
export const describers = ({ id, kind, handle, display_name, about, owner_id }: MemberRow): string[] =>
  about === '' && foldHandle(display_name) === foldHandle(handle) ? [] : kind === 'human' ? [id] : owner_id === null ? [] : [owner_id];

export class AgentReads {
  private readonly store: Store;
  private readonly engine: Engine;
  private readonly agentId: string;
  private readonly taskId: string;

  constructor({ store, engine }: ReadFrom, agentId: string, taskId: string) {
    this.store = store;
    this.engine = engine;
    this.agentId = agentId;
    this.taskId = taskId;
  }

  /** The task, as long as it is this agent's and open: with its end its reading ends too. */
  async task(): Promise<TaskRow> {
    const [task] = await this.store.rows('tasks', { id: this.taskId });
    if (task?.agent_id !== this.agentId) {
      const isSeen = task !== undefined && (await readRows(this.store, [], (set) => seesTask(task, this.agentId, set)));
      throw new ParleyError(isSeen ? 'task_of_another' : 'agent_without_task');
    }
    if (task.open === 0) throw new ParleyError('task_over');
    return task;
  }

  private async conversations(ids: string[]): Promise<ConversationRow[]> {
    return this.store.rows('conversations', { id: [...new Set(ids)] });
  }

  private async homesOf(ids: string[]): Promise<ConversationRow[]> {
    const found = await this.conversations(ids);
    return this.conversations(found.map((one) => one.parent_id ?? one.id));
  }

  private async audience(task: TaskRow): Promise<Audience> {
    const [chain] = await this.store.rows('chains', { id: task.chain_id });
    const line = await this.above(task);
    const homes = await this.homesOf(line.flatMap((one) => [one.conversation_id, ...(JSON.parse(one.outputs) as string[])]));
    const members = await activeMembersAmong(
      this.store,
      [chain?.requester_id ?? '', ...line.flatMap((one) => [one.requester_id ?? '', one.agent_id ?? ''])],
      homes.map((home) => home.id),
    );
    const people = members.map(({ id, role }) => ({ id, role, guest: role === 'guest' }));
    // Itself it reads only where it was put, public or not: like a guest.
    return { people: [...people.filter(({ id }) => id !== this.agentId), { id: this.agentId, role: '', guest: true }], homes };
  }

  /** The task and those above it: what it finds out comes back to them, and may be said where they may speak. */
  private async above(task: TaskRow): Promise<TaskRow[]> {
    const line = [task];
    for (let id = task.parent_id; id !== null;) {
      const [parent] = await this.store.rows('tasks', { id });
      if (!parent) break;
      line.push(parent);
      id = parent.parent_id;
    }
    return line;
  }

  /** From which place on the agent may read each of these homes; those it may not read are not among them. */
  private async floors(homes: ConversationRow[], audience: Audience): Promise<Map<string, number>> {
    const memberships = await this.store.rows('memberships', {
      conversation_id: homes.map((home) => home.id),
      member_id: audience.people.map(({ id }) => id),
    });
    const joined = new Map(memberships.map((row) => [`${row.conversation_id} ${row.member_id}`, row.joined_seq]));
    const agents = await membersById(
      this.store,
      homes.flatMap((home) => home.dm_key?.split(',') ?? []),
    );
    const open = audience.homes.some(isPublic);
    const floors = new Map<string, number>();
    for (const home of homes) {
      const from = readableFrom(
        {
          public: isPublic(home),
          fromJoining: home.history === 'joined',
          // A member who answers for one of two agents may read their DM.
          joinedSeq: (id) => joined.get(`${home.id} ${id}`) ?? (overseers(home, agents, audience).has(id) ? 0 : undefined),
        },
        { readers: audience.people, open },
      );
      if (from !== undefined) floors.set(home.id, from);
    }
    return floors;
  }

  /** The conversations of these homes that may be read. */
  async readable(homes: ConversationRow[]): Promise<ConversationRow[]> {
    const floors = await this.floors(homes, await this.audience(await this.task()));
    return homes.filter((home) => floors.has(home.id));
  }

  /** The conversation, if it may be read, and from which place on. */
  async sight(conversationId: string): Promise<{ conversation: ConversationRow; home: ConversationRow; from: number; task: TaskRow }> {
    const task = await this.task();
    const [conversation] = await this.conversations([conversationId]);
    if (!conversation) throw outsideError();
    const [home] = await this.homesOf([conversationId]);
    const from = (await this.floors([home!], await this.audience(task))).get(home!.id);
    // Unknown and unreadable look the same.
    if (from === undefined) throw outsideError();
    return { conversation, home: home!, from, task };
  }

  async history(ask: { conversationId?: string | undefined; before?: number | undefined; limit: number }): Promise<MessagePage> {
    const { conversation, from } = await this.sight(ask.conversationId ?? (await this.task()).conversation_id);
    const before = ask.before ?? Number.MAX_SAFE_INTEGER;
    const span = { conversationId: conversation.id, from, side: 'before', seq: before, limit: ask.limit } as const;
    const { rows, more } = await messagePage(this.store, span);
    const messages = await undamaged(rows.reverse(), (some) => messageViews(this.store, some));
    await this.handOverMessages(messages);
    return { messages, moreBefore: more, moreAfter: ask.before !== undefined };
  }

  async message(messageId: string): Promise<Message> {
    const [row] = await this.store.rows('messages', { id: messageId });
    if (!row) throw outsideError();
    const { from } = await this.sight(row.conversation_id);
    if (row.seq < from) throw outsideError();
    const messages = await messageViews(this.store, [row]);
    await this.handOverMessages(messages);
    return messages[0]!;
  }

  /** The prompt of the task for a model (C2A-29). */
  async prompt(): Promise<Prompt> {
    const task = await this.task();
    const context = await contextOf(this.store, task, this.agentId, await this.past());
    await this.handOver([
      ...context.words.filter(({ by }) => by !== undefined).map(({ by }) => by!.id),
      ...context.given.flatMap(({ agent }) => agent?.id ?? []),
    ]);
    return taskPrompt(task, context);
  }

  /**
   * The latest messages of the pair before an agent's request (IAC-11): all of them where everyone who may hear of the
   * request may read their DM, else those of this chain.
   */
  async past(): Promise<MessageRow[]> {
    const task = await this.task();
    if (!isContact(task)) return [];
    const [home] = await this.homesOf([task.conversation_id]);
    const from = (await this.floors([home!], await this.audience(task))).get(home!.id);
    const [request] = await this.store.rows('messages', { id: task.message_id });
    const [{ id: conversationId }, { seq }, limit] = [home!, request!, pastMessages];
    const rows =
      from === undefined
        ? await messagesOfChain(this.store, { conversationId, seq, chainId: task.chain_id, limit })
        : await this.store.rows(
            'messages',
            { conversation_id: conversationId, seq: { '<': seq, '>=': from }, deleted_at: null },
            { order: 'seq desc', limit },
          );
    await this.handOverMessages(rows.map(({ author_id, body }) => ({ authorId: author_id, body })));
    return rows.reverse();
  }

  async search(ask: { q: string; limit: number }): Promise<SearchPage> {
    const task = await this.task();
    const memberships = await this.store.rows('memberships', { member_id: this.agentId });
    const homes = await this.conversations(memberships.map((row) => row.conversation_id));
    const floors = await this.floors(homes, await this.audience(task));
    const readable = await withThreads(this.store, [...floors.keys()]);
    const homeOf = new Map(readable.map(({ id, home }) => [id, home]));
    const { messages, more } = await searchPage(
      this.store,
      { text: ask.q, where: { conversationIds: [...homeOf.keys()] }, limit: ask.limit },
      (hit) => hit.seq >= (floors.get(homeOf.get(hit.conversationId) ?? '') ?? Number.MAX_SAFE_INTEGER),
    );
    await this.handOverMessages(messages);
    return { messages, more, indexedSeq: await this.store.search.position() };
  }

  private async handOverMessages(messages: readonly Pick<Message, 'authorId' | 'body'>[]): Promise<void> {
    await this.tagNotes(messages);
    await this.handOver(messages.map(({ authorId }) => authorId));
  }

  /**
   * An agent may have passed a private note to another agent of the same owner: in a later chain the note is as private as
   * in the first (SYS-6).
   */
  private async tagNotes(messages: readonly Pick<Message, 'authorId' | 'body'>[]): Promise<void> {
    const others = [...new Set(messages.flatMap(({ authorId }) => (authorId === null || authorId === this.agentId ? [] : authorId)))];
    if (others.length === 0) return;
    const [me] = await this.store.rows('members', { id: this.agentId });
    const ownerId = me?.owner_id ?? null;
    const { chain_id } = await this.task();
    const [chain] = await this.store.rows('chains', { id: chain_id });
    // In a chain of somebody else's a refusal would confirm a guess, and nothing of the owner's is readable there.
    if (ownerId === null || chain?.requester_id !== ownerId) return;
    const own = await this.store.rows('members', { id: others, kind: 'agent', owner_id: ownerId });
    const identities = own.length === 0 ? [] : await this.store.rows('identities', { agent_id: own.map(({ id }) => id) });
    const affected = identities.filter((row) => {
      const values = valuesIn(madeOf(row).memory);
      return messages.some(({ authorId, body }) => authorId === row.agent_id && body !== null && holdsAny(body, values));
    });
    if (affected.length === 0) return;
    const agentIds = affected.map(({ agent_id }) => agent_id);
    await this.engine.submit({ type: 'task.tag', by: platform, taskId: this.taskId, ownerId, agentIds });
  }

  /** Before anybody's words are handed over it is on disk that they were (SYS-13). */
  async handOver(authorIds: readonly (string | null)[]): Promise<void> {
    const [known] = await this.store.rows('taints', { task_id: this.taskId, kind: 'member' });
    if (known) return;
    const { chain_id } = await this.task();
    const [chain] = await this.store.rows('chains', { id: chain_id });
    const trust = { chainRequesterId: chain?.requester_id ?? null, agentId: this.agentId };
    const stranger = authorIds.find((id) => taints({ kind: 'member', id: id ?? '' }, trust));
    if (stranger !== undefined)
      await this.engine.submit({
        type: 'task.taint',
        by: platform,
        taskId: this.taskId,
        source: { kind: 'member', id: stranger ?? '' },
      });
  }

  /** The members of the conversation. */
  async members(conversationId?: string): Promise<MemberRow[]> {
    const { home } = await this.sight(conversationId ?? (await this.task()).conversation_id);
    return activeMembersIn(this.store, home.id);
  }

  /** The authors of the messages that were read: a reader of a message reads its author's handle. */
  async authors(ids: readonly string[]): Promise<Pick<MemberRow, 'id' | 'kind' | 'handle'>[]> {
    await this.task();
    return this.store.rows('members', { id: [...ids] });
  }

  /** Members that everyone may see who will hear of them: to a guest, and to an agent, those they share a conversation with. */
  async acquainted(): Promise<MemberRow[]> {
    const { people } = await this.audience(await this.task());
    const relatedMembers = await agentsAndGuests(
      this.store,
      people.map(({ id }) => id),
    );
    return acquaintedWithAll(
      this.store,
      relatedMembers.map(({ id }) => id),
    );
  }

  /** Everyone it may contact, and itself (IAC-17). An agent's description is its owner's text. */
  async agents(): Promise<MemberRow[]> {
    // A guest who hears of it sees those it shares a conversation with, and no others.
    const { people } = await this.audience(await this.task());
    const [all, rules] = await Promise.all([
      people.some(({ role }) => role === 'guest')
        ? this.acquainted().then((members) => members.filter(({ kind }) => kind === 'agent'))
        : this.store.rows('members', { kind: 'agent', status: 'active' }, { order: 'handle_fold', limit: 500 }),
      this.store.rows('contact_rules', { agent_id: this.agentId }),
    ]);
    const me = all.find(({ id }) => id === this.agentId);
    const caller = { id: this.agentId, managerId: me?.manager_id ?? null, mode: 'autonomous' } as const;
    const ruleViews = rules.map(({ target, permission, requires_approval }) => ({
      target,
      permission,
      requiresApproval: requires_approval === 1,
    }));
    const agents = all.filter(
      ({ id, manager_id }) =>
        id === this.agentId || mayContact({ caller, target: { id, managerId: manager_id }, rules: ruleViews }).allowed,
    );
    await this.handOver(agents.flatMap(describers));
    return agents;
  }

  /** The open tasks in the conversation and its threads. */
  async tasks(conversationId?: string): Promise<TaskRow[]> {
    const { home } = await this.sight(conversationId ?? (await this.task()).conversation_id);
    return openTasksIn(this.store, home.id);
  }
}

// Every door where an agent reads without a tool asks this: whether the agent's mode lets it.

/** Most agents need not ask: that is seen without a command. */
export async function mayReadNow(
  { store, engine }: ReadFrom,
  who: { by: By; agentId: string; taskId: string },
  name: string,
  input: object,
): Promise<void> {
  const [identity] = await store.rows('identities', { agent_id: who.agentId });
  const mode = identity?.mode ?? 'autonomous';
  if (approvalReasonFor({ kind: 'tool', name, readOnly: true }, { mode, tainted: false }) === null) return;
  const { verdict } = await engine.submit({ type: 'task.read', ...who, name, input });
  if (verdict === 'pending') throw new ParleyError('needs_approval', contactResults.waiting());
  if (verdict === 'denied') throw new ParleyError('needs_approval', approvalResults.denied({ agent: '', name }));
}
