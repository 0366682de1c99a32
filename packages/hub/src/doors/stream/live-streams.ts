// Live delivery: one tail, an index of who is where, each fact put into words once, however many get it. The audience is
// that of the moment of the fact: memberships change here in the same order as they did in the database.

import { type MemberActor, visibilityOf, may, relationsToConversation } from '@parley/core';
import { type CursorParts, formatCursor, ParleyError, parseCursor, type StreamEvent, type StreamFact } from '@parley/protocol';
import type { Principal } from '../../engine/auth.ts';
import type { Tail } from '../../engine/tail.ts';
import { factData } from '../../store/fact-data.ts';
import type { PlacedFact, Store } from '../../store/port.ts';
import { factsFor, membersInInvocationFacts } from '../../store/reads/facts.ts';
import { textBytes } from '../../store/reads/messages.ts';
import type { Rows } from '../../store/tables.ts';
import { readColumns } from '../../store/where.ts';
import { factViews, type FactView } from '../../views/facts.ts';
import { wokenOf } from '../../views/manifest-waking.ts';
import { placesOfChains, type ToolsInUse, toolsInUse } from './live-signs.ts';

/** The member that follows, and by which token. */
export type Follower = Pick<Principal, 'by' | 'memberId' | 'tokenId'> & { actor: MemberActor };

/** The receiver of a stream: a socket or an SSE response. */
export interface Outlet {
  send(frame: Buffer, cursor: string | undefined): void;
  /** Bytes not yet taken by the other side. */
  backlog(): number;
  close(why: 'slow' | 'unauthenticated' | 'goingAway'): void;
}

interface Listener {
  principal: Follower;
  outlet: Outlet;
  browses: boolean;
  /** Conversation → the place at which it joined: nothing from before is sent live. */
  conversations: Map<string, number>;
  /** The past was sent up to here; the tail may still be behind it. */
  after: number;
  /** Live facts that arrived while the past was still being sent. */
  held: { seq: number; frame: Buffer; cursor: string | undefined }[] | undefined;
  /** Conversations it was taken out of while its memberships were still being read. */
  left: Set<string>;
}

/** A client this far behind is cut off and resumes from its cursor: nobody else waits for it. */
const maxBacklog = 1_000_000;
/** A client with more to catch up on gets a fresh snapshot, which is cheaper for both sides. */
const maxCatchUp = 1000;
const maxHeld = 5000;
/** Devices and tabs of one person; more is a program gone wrong. */
const maxPerMember = 50;

/** The fact has the agent as its member, once there is one. */
const movesInvocation = ({ type }: PlacedFact): boolean => type.startsWith('invocation.') || type === 'approval.asked';
/** The fact only says when to look; the journal has the name of the tool. */
const startsTool = (fact: PlacedFact): boolean => factData(fact, 'turn.intended')?.kind === 'tool';

const frameOf = (event: StreamEvent): Buffer => Buffer.from(JSON.stringify(event));

const seesTools = ({ principal }: Listener): boolean => may('tool.see', principal.actor).allowed;

export class Live {
  private readonly store: Store;
  private readonly tail: Tail;
  private readonly listeners = new Set<Listener>();
  private readonly byConversation = new Map<string, Set<Listener>>();
  private readonly byMember = new Map<string, Set<Listener>>();
  /** Tasks that were last told to be using a tool. */
  private readonly usingTools = new Map<string, ToolsInUse>();

  constructor(store: Store, tail: Tail) {
    this.store = store;
    this.tail = tail;
    tail.listen((facts) => this.hear(facts));
  }

  isOnline = (memberId: string): boolean => this.byMember.has(memberId);

  mustHaveRoom(memberId: string): void {
    if ((this.byMember.get(memberId)?.size ?? 0) < maxPerMember) return;
    throw new ParleyError('rate_limited', `A member has at most ${maxPerMember} streams open.`);
  }

  /** Backfill, cutover, stream: it listens first and holds what it hears; then sends the past; then what it held. */
  async open(principal: Follower, outlet: Outlet, cursor: string | undefined): Promise<() => void> {
    this.mustHaveRoom(principal.memberId);
    const browses = may('workspace.browse', principal.actor).allowed;
    const listener: Listener = { principal, outlet, browses, conversations: new Map(), after: 0, held: [], left: new Set() };
    this.listeners.add(listener);
    const wasOnline = this.isOnline(principal.memberId);
    add(this.byMember, principal.memberId, listener);
    const close = (): void => this.remove(listener);
    try {
      // It follows its conversations before the head is read: later facts are sent live, earlier ones belong to the past. The
      // memberships are then read again, because the past needs those that came in between.
      await this.settle(listener);
      const head = await this.store.head();
      listener.after = head.seq;
      const memberships = await this.settle(listener);
      if (await this.isOver(principal)) this.drop(listener, 'unauthenticated');
      if (!this.listeners.has(listener)) return close;
      if (cursor !== undefined) await this.catchUp(listener, parseCursor(cursor), head, memberships);
      this.say(listener, { type: 'ready', cursor: formatCursor(head) });
      const heldFacts = listener.held ?? [];
      listener.held = undefined;
      // Facts from before the head were sent as past.
      for (const { seq, frame, cursor: at } of heldFacts) if (seq === 0 || seq > head.seq) outlet.send(frame, at);
      if (!wasOnline) this.presence(principal.memberId, true, listener.conversations);
      if (seesTools(listener)) await this.toolsNow(listener);
      return close;
    } catch (error) {
      close();
      throw error;
    }
  }

  private async catchUp(listener: Listener, from: CursorParts, head: CursorParts, memberships: Rows['memberships'][]): Promise<void> {
    const isKnownPosition = from.epoch === head.epoch && from.seq <= head.seq;
    const past = isKnownPosition ? await this.past(listener, { after: from.seq, upTo: head.seq }, memberships) : undefined;
    if (!past)
      return this.say(listener, { type: 'reset', cursor: formatCursor(head), reason: isKnownPosition ? 'too_far_behind' : 'epoch' });
    for (const { frame, cursor } of past) listener.outlet.send(frame, cursor);
    if (!listener.browses) return;
    // A listener that comes back gets the state of those that moved meanwhile.
    const moved = await membersInInvocationFacts(this.store, from.seq, head.seq);
    for (const sign of await this.woken(moved.map(({ member_id }) => member_id))) this.say(listener, sign);
  }

  private async settle(listener: Listener): Promise<Rows['memberships'][]> {
    listener.left.clear();
    const memberships = await this.store.rows('memberships', { member_id: listener.principal.memberId });
    const present = memberships.filter((membership) => !listener.left.has(membership.conversation_id));
    for (const membership of present) this.enter(listener, membership.conversation_id, membership.joined_seq);
    return present;
  }

  /** A token that was revoked after the door looked and before we listened would never be heard of. */
  private async isOver(principal: Follower): Promise<boolean> {
    const [token] = await this.store.rows('tokens', { id: principal.tokenId });
    return token?.revoked_at !== null;
  }

  /** Undefined: it is too much to be sent at once. */
  private async past(listener: Listener, span: { after: number; upTo: number }, memberships: Rows['memberships'][]) {
    const { rows } = await factsFor(this.store, {
      memberId: listener.principal.memberId,
      browses: listener.browses,
      conversationIds: memberships.map((m) => m.conversation_id),
      ...span,
      limit: maxCatchUp + 1,
    });
    if (rows.length > maxCatchUp || (await this.isLong(rows))) return undefined;
    const frames = (await factViews(this.store, rows, this.isOnline)).flatMap((told) => {
      const fact = this.asHeard(listener, told);
      return fact ? [{ frame: frameOf(fact), cursor: fact.cursor }] : [];
    });
    // Sent at once they must fit what one client may be behind by; more than that is a snapshot's work.
    return frames.reduce((sum, { frame }) => sum + frame.length, 0) > maxBacklog ? undefined : frames;
  }

  /** The size is checked first, so that events that would be dropped for it are never built. */
  private async isLong(facts: readonly { type: string; subject_id: string | null }[]): Promise<boolean> {
    const ids = facts.flatMap(({ type, subject_id }) => (type.startsWith('message.') ? (subject_id ?? []) : []));
    return (await textBytes(this.store, ids)) > maxBacklog;
  }

  /** The fact as this listener may see it: whole, as hidden, or not at all. */
  private asHeard(listener: Listener, { row, fact, heard }: FactView): StreamFact | undefined {
    if (!fact) return undefined;
    const conversationId = row.type.startsWith('conversation.') ? row.subject_id! : (row.conversation_id ?? '');
    const subject = row.member_id === listener.principal.memberId;
    switch (visibilityOf(heard, { browses: listener.browses, joinedSeq: listener.conversations.get(conversationId), subject })) {
      case 'whole':
        return fact;
      case 'hidden':
        return fact.type === 'conversation.edited'
          ? { type: 'conversation.hidden', cursor: fact.cursor, at: fact.at, actorId: null, data: { conversationId } }
          : undefined;
      case 'nothing':
        return undefined;
    }
  }

  private async hear(facts: PlacedFact[]): Promise<void> {
    // A member who joins in the middle of a batch gets the rest of it.
    const entered = new Set(
      facts.filter((f) => f.type === 'membership.added' && this.byMember.has(f.member_id!)).map((f) => f.conversation_id),
    );
    const isHeard = (fact: PlacedFact): boolean =>
      this.anyoneFor(fact) || (fact.scope === 'conversation' && entered.has(fact.conversation_id));
    const heardFacts = this.listeners.size === 0 ? [] : facts.filter(isHeard);
    const views = new Map((await factViews(this.store, heardFacts, this.isOnline)).map((one) => [one.row.seq, one]));
    for (const row of facts) {
      const memberListeners = this.byMember.get(row.member_id ?? '') ?? [];
      if (row.type === 'membership.added') for (const listener of memberListeners) this.enter(listener, row.conversation_id!, row.seq);
      this.pass(row, views.get(row.seq));
      if (row.type === 'membership.removed') for (const listener of memberListeners) this.exit(listener, row.conversation_id!);
      if (row.type === 'token.revoked') this.cut('unauthenticated', (p) => p.tokenId === row.subject_id);
      // A new role changes what the client may see, so it must reconnect with that role.
      if (factData(row, 'member.edited')?.fields.includes('role')) this.cut('goingAway', (p) => p.memberId === row.subject_id);
    }
    await this.chainsMoved(facts);
    await this.toolsMoved(facts);
    await this.agentsMoved(facts);
  }

  private pass(row: PlacedFact, view: FactView | undefined): void {
    if (!view?.fact) return;
    // A frame is built once for all listeners that get the same.
    const frames = new Map<StreamFact, Buffer>();
    for (const listener of this.audience(row)) {
      const fact = this.asHeard(listener, view);
      if (!fact) continue;
      const frame = frames.get(fact) ?? frameOf(fact);
      frames.set(fact, frame);
      this.deliver(listener, row.seq, frame, fact.cursor);
    }
  }

  private async agentsMoved(facts: PlacedFact[]): Promise<void> {
    const moved = facts.flatMap((fact) => (movesInvocation(fact) ? (fact.member_id ?? []) : []));
    const browsing = moved.length === 0 ? [] : [...this.listeners].filter(({ browses }) => browses);
    for (const sign of browsing.length === 0 ? [] : await this.woken(moved)) this.signal(sign, browsing);
  }

  /** An invocation has no public fact; everyone who sees its agent sees that it works, or awaits approval. */
  private async woken(memberIds: string[]): Promise<StreamEvent[]> {
    if (memberIds.length === 0) return [];
    const agents = await readColumns(this.store, 'members', ['id'], { kind: 'agent', id: [...new Set(memberIds)] });
    const ids = agents.map(({ id }) => id);
    const now = await wokenOf(this.store, ids);
    return ids.map((agentId) => ({ type: 'woken', agentId, woken: now.get(agentId) ?? null }));
  }

  /** Someone who sees a chain by another of its steps does not get the fact itself: only that the chain has moved. */
  private async chainsMoved(facts: PlacedFact[]): Promise<void> {
    const moved = facts.filter((fact) => fact.chain_id !== null && fact.type.startsWith('task.'));
    if (this.listeners.size === 0 || moved.length === 0) return;
    for (const { chainId, place, lastSeq } of await placesOfChains(this.store, [...new Set(moved.map((fact) => fact.chain_id!))])) {
      const elsewhere = moved.some((fact) => fact.chain_id === chainId && fact.conversation_id !== place.id);
      const inside = elsewhere ? [...(this.byConversation.get(place.id) ?? [])] : [];
      // A step from before they came may be none of theirs.
      const receivers = new Set(inside.filter((listener) => place.history === 'all' || listener.conversations.get(place.id)! <= lastSeq));
      for (const listener of place.agents.length === 0 ? [] : this.listeners) {
        const relations = relationsToConversation(listener.principal.actor, place, undefined, place.agents);
        if (may('conversation.read', listener.principal.actor, relations).allowed) receivers.add(listener);
      }
      this.signal({ type: 'chain', chainId }, receivers);
    }
  }

  /** Tells the members of a task's conversation which tools its agent uses. */
  private async toolsMoved(facts: PlacedFact[]): Promise<void> {
    if (this.listeners.size === 0) this.usingTools.clear();
    const moved = new Map<string, number>();
    for (const fact of facts) {
      const id = fact.subject_id;
      if (id !== null && (startsTool(fact) || this.usingTools.has(id))) moved.set(id, fact.at);
    }
    if (this.listeners.size > 0 && moved.size > 0) await this.lookAtTools(moved);
  }

  /** Signs are not kept: a page opened in the middle of a call gets them now. */
  private async toolsNow(listener: Listener): Promise<void> {
    const found = await toolsInUse(this.store, { homes: [...listener.conversations.keys()] });
    for (const one of found) {
      this.usingTools.set(one.taskId, one);
      this.tellTools(one, [listener]);
    }
    // A tool that ended during the read was not shown yet, so it is looked up again.
    if (found.length > 0) await this.lookAtTools(new Map(found.map(({ taskId, since }) => [taskId, since])));
  }

  /** `moved`: tasks whose tools may have changed, and when. */
  private async lookAtTools(moved: ReadonlyMap<string, number>): Promise<void> {
    const now = new Map((await toolsInUse(this.store, { taskIds: [...moved.keys()] })).map((one) => [one.taskId, one]));
    for (const [taskId, at] of moved) {
      const shownTool = this.usingTools.get(taskId);
      const one = now.get(taskId) ?? (shownTool && { ...shownTool, tools: [], since: at });
      if (!one || shownTool?.tools.join() === one.tools.join()) continue;
      if (one.tools.length === 0) this.usingTools.delete(taskId);
      else this.usingTools.set(taskId, one);
      this.tellTools(one, this.byConversation.get(one.home) ?? []);
    }
  }

  private tellTools({ taskId, home, taskSeq, isOpenHistory, tools, since }: ToolsInUse, to: Iterable<Listener>): void {
    const sees = (listener: Listener): boolean => {
      const joined = listener.conversations.get(home);
      return joined !== undefined && (isOpenHistory || joined <= taskSeq) && seesTools(listener);
    };
    this.signal({ type: 'tool', taskId, tools, since }, [...to].filter(sees));
  }

  private anyoneFor(fact: PlacedFact): boolean {
    if (fact.scope === 'record') return false;
    if (fact.scope === 'workspace') return true;
    return (fact.scope === 'conversation' && this.byConversation.has(fact.conversation_id!)) || this.byMember.has(fact.member_id ?? '');
  }

  private audience(fact: PlacedFact): Set<Listener> {
    if (fact.scope === 'workspace') return this.listeners;
    const inside = fact.scope === 'conversation' ? this.byConversation.get(fact.conversation_id!) : undefined;
    const subject = fact.member_id === null ? undefined : this.byMember.get(fact.member_id);
    if (!inside) return subject ?? new Set();
    return subject ? inside.union(subject) : inside;
  }

  private deliver(listener: Listener, seq: number, frame: Buffer, cursor: string | undefined): void {
    if (seq > 0 && seq <= listener.after) return;
    if (listener.held) {
      listener.held.push({ seq, frame, cursor });
      if (listener.held.length > maxHeld) this.drop(listener, 'slow');
      return;
    }
    if (listener.outlet.backlog() > maxBacklog) this.drop(listener, 'slow');
    else listener.outlet.send(frame, cursor);
  }

  private say(listener: Listener, event: StreamEvent): void {
    listener.outlet.send(frameOf(event), event.type === 'ready' || event.type === 'reset' ? event.cursor : undefined);
  }

  /** Sent to everyone who is there, and kept nowhere. */
  private signal(event: StreamEvent, to: Iterable<Listener>): void {
    const frame = frameOf(event);
    for (const listener of to) if (this.listeners.has(listener)) this.deliver(listener, 0, frame, undefined);
  }

  typing(memberId: string, conversationId: string, home: string): void {
    const others = [...(this.byConversation.get(home) ?? [])].filter(({ principal }) => principal.memberId !== memberId);
    this.signal({ type: 'typing', conversationId, memberId }, others);
  }

  /** Sends an agent's draft to the people who are present. */
  draft(home: string, draft: Omit<Extract<StreamEvent, { type: 'draft' }>, 'type'>): void {
    this.signal({ type: 'draft', ...draft }, this.byConversation.get(home) ?? []);
  }

  private presence(memberId: string, online: boolean, where: ReadonlyMap<string, number>): void {
    // Guests and agents know only those they share a conversation with.
    const knows = ({ principal, browses, conversations }: Listener): boolean =>
      principal.memberId !== memberId && (browses || [...conversations.keys()].some((id) => where.has(id)));
    this.signal({ type: 'presence', memberId, online }, [...this.listeners].filter(knows));
  }

  private enter(listener: Listener, conversationId: string, joinedSeq: number): void {
    // A listener that was dropped while it opened must not stay alive in the index.
    if (!this.listeners.has(listener)) return;
    listener.left.delete(conversationId);
    listener.conversations.set(conversationId, joinedSeq);
    add(this.byConversation, conversationId, listener);
  }

  private exit(listener: Listener, conversationId: string): void {
    listener.left.add(conversationId);
    listener.conversations.delete(conversationId);
    drop(this.byConversation, conversationId, listener);
  }

  private cut(why: 'unauthenticated' | 'goingAway', which: (principal: Follower) => boolean): void {
    for (const listener of this.listeners) if (which(listener.principal)) this.drop(listener, why);
  }

  private drop(listener: Listener, why: 'slow' | 'unauthenticated' | 'goingAway'): void {
    this.remove(listener);
    listener.outlet.close(why);
  }

  private remove(listener: Listener): void {
    if (!this.listeners.delete(listener)) return;
    for (const id of listener.conversations.keys()) drop(this.byConversation, id, listener);
    drop(this.byMember, listener.principal.memberId, listener);
    if (!this.isOnline(listener.principal.memberId)) this.presence(listener.principal.memberId, false, listener.conversations);
  }

  closeAll(): void {
    for (const listener of this.listeners) this.drop(listener, 'goingAway');
  }
}

function add<K, V>(index: Map<K, Set<V>>, key: K, value: V): void {
  const set = index.get(key);
  if (set) set.add(value);
  else index.set(key, new Set([value]));
}

function drop<K, V>(index: Map<K, Set<V>>, key: K, value: V): void {
  const set = index.get(key);
  set?.delete(value);
  if (set?.size === 0) index.delete(key);
}
