// One agent's connection: it answers the agent's calls and delivers its events in order.

import {
  type AgentEvent,
  type AgentMethod,
  agentMethods,
  closeCodes,
  type Delivery,
  ParleyError,
  plainErrors,
  problemsOf,
  type RoundOffer,
  rpcCodes,
  RpcRequest,
} from '@parley/protocol';
import { countFitting, isAnyones } from '@parley/core';
import type { WebSocket } from 'ws';
import type { Follower } from '../stream/live-streams.ts';
import { readRows } from '../../engine/decision-reads.ts';
import { takersOf } from '../../engine/steps/offers/offers.ts';
import { seesTask } from '../../engine/steps/tasks/task-access.ts';
import { BatchedReads } from '../../store/batched-reads.ts';
import { CorruptRowError, type PlacedFact } from '../../store/port.ts';
import { openRoundFacts } from '../../store/reads/facts.ts';
import type { TaskRow } from '../../store/tables.ts';
import { readColumns } from '../../store/where.ts';
import { AgentReads } from '../../turns/agent-reads.ts';
import { eventOf, offerTypes, pulledEvent, roundType, sizesOf, toldTypes } from './events.ts';
import { Later, type Methods, methodsFor } from './methods.ts';
import { roundOffer } from './conversation-events.ts';
import type { AgentDoor } from './sockets.ts';

const page = 200;
const maxBacklog = 1_000_000;
/** Beyond this the line is given time to take what it has: who reads at all is not cut off for what is sent in one go. */
const easyBacklog = 200_000;

const isOffer = ({ type }: PlacedFact): boolean => offerTypes.has(type) || type === roundType;

const onlyReads = (method: AgentMethod): boolean =>
  method === 'ack' || method === 'pull' || method === 'mailbox.seen' || method === 'tools' || method.startsWith('read.');

export class AgentConnection {
  readonly agentId: string;
  readonly tokenId: string;
  /** Undefined until it has said who it is. */
  session: number | undefined;
  private readonly door: AgentDoor;
  private readonly client: WebSocket;
  private readonly methods: Methods;
  private readonly queue: PlacedFact[] = [];
  /** True at first, because past events come before new ones. */
  private pumping = true;
  /** Events up to here were sent. */
  sent = 0;
  /** Notifications wait until `initialize` was answered: a client must know who it is first. */
  private early: (() => void)[] | undefined = [];

  constructor(door: AgentDoor, client: WebSocket, principal: Follower) {
    this.door = door;
    this.client = client;
    this.agentId = principal.memberId;
    this.tokenId = principal.tokenId;
    this.methods = methodsFor(door, principal, this);
  }

  async receive(text: string): Promise<void> {
    let request: unknown;
    try {
      request = JSON.parse(text);
    } catch {
      this.send({ jsonrpc: '2.0', id: null, error: { code: rpcCodes.parse, message: 'The frame is not JSON.' } });
      return;
    }
    const parsed = RpcRequest.safeParse(request, plainErrors);
    if (!parsed.success) {
      const id = (request as { id?: unknown } | null)?.id;
      const requestId = typeof id === 'string' || typeof id === 'number' ? id : null;
      this.refuse(requestId, rpcCodes.invalidRequest, 'The frame is not a JSON-RPC 2.0 request.', { problems: problemsOf(parsed.error) });
      return;
    }
    const { id, method, params } = parsed.data;
    if (!Object.hasOwn(agentMethods, method)) return this.refuse(id, rpcCodes.noMethod, `There is no method ${method}.`);
    const name = method as AgentMethod;
    const input = agentMethods[name].params.safeParse(params ?? {}, plainErrors);
    if (!input.success)
      return this.refuse(id, rpcCodes.invalidParams, 'The parameters are not of the form this method takes.', {
        problems: problemsOf(input.error, 'params'),
      });
    try {
      if (this.session === undefined && name !== 'initialize') throw new ParleyError('unauthenticated', 'Call initialize first.');
      // An acknowledgement changes nothing.
      await this.door.limit(this.agentId, onlyReads(name) ? 'read' : 'write');
      const result = await this.methods[name](input.data as never);
      if (result instanceof Later) void result.result.then(...this.answering(id));
      else this.send({ jsonrpc: '2.0', id, result });
    } catch (error) {
      this.answering(id)[1](error);
    }
  }

  private answering(id: string | number): [(result: unknown) => void, (error: unknown) => void] {
    return [
      (result) => this.send({ jsonrpc: '2.0', id, result }),
      (error) => {
        const wireError = error instanceof ParleyError ? error : new ParleyError('internal');
        if (!(error instanceof ParleyError)) this.door.onError(error);
        this.refuse(id, wireError.code === 'internal' ? rpcCodes.internal : rpcCodes.refused, wireError.message, wireError.toWire().error);
      },
    ];
  }

  /** Sends events from here on: first those that the agent has not acknowledged, then new ones. */
  async follow(after: number): Promise<void> {
    this.sent = after;
    const { early = [] } = this;
    this.early = undefined;
    for (const notify of early) notify();
    try {
      await this.past();
      await this.openOffers();
    } catch (error) {
      // A new event must not be sent over a gap.
      return this.fail(error);
    }
    this.pumping = false;
    void this.pump();
  }

  private async past(): Promise<void> {
    const { store } = this.door.hub;
    for (;;) {
      const next = { member_id: this.agentId, seq: { '>': this.sent }, type: toldTypes };
      const range = { order: 'seq', limit: page } as const;
      const { rows, damaged } = await store.intact('facts', next, range);
      for (const error of damaged) this.door.onError(error);
      await this.tell(rows);
      if (rows.length + damaged.length < page) return;
      if (rows.length > 0) continue;
      // A whole page without anything to send is stepped over, or it would be read for ever.
      const seqs = await readColumns(store, 'facts', ['seq'], next, range);
      this.sent = Math.max(this.sent, seqs.at(-1)?.seq ?? 0);
    }
  }

  /** The open offers that it may take. */
  async openOffers(): Promise<void> {
    const { store } = this.door.hub;
    const unclaimed = await store.rows('tasks', { addressed_by: ['any_agent', 'role'], open: 1, agent_id: null });
    await this.offerAll(await this.mayTake(unclaimed));
    const rounds = await openRoundFacts(store, this.agentId);
    for (const fact of new Map(rounds.rows.map((row) => [row.subject_id, row])).values()) await this.knock(fact);
  }

  private async knock(fact: PlacedFact): Promise<void> {
    const event = await this.readable(roundOffer(this.door.hub.store, this.agentId, fact));
    if (event) this.notify('deliver', { cursor: this.sent, event } satisfies Delivery);
  }

  private async offerAll(taskIds: string[]): Promise<void> {
    const { store } = this.door.hub;
    const { rows } = await store.intact('facts', { type: ['task.opened', 'task.release'], subject_id: taskIds }, { order: 'seq' });
    // Offered again after somebody let it go is another offer.
    for (const fact of new Map(rows.map((row) => [row.subject_id, row])).values()) await this.offer(fact);
  }

  /** The words of what it was knocked for, or has taken (C2A-5). An agent that may take it may read it; reading takes nothing. */
  async pull(asked: { taskId?: string | undefined; eventId?: string | undefined }): Promise<AgentEvent | RoundOffer> {
    const { store } = this.door.hub;
    const [epoch = '', seq = ''] = asked.eventId?.split(':') ?? [];
    const [fact] =
      asked.taskId === undefined
        ? await store.rows('facts', {
            seq: /^\d{1,15}$/.test(seq) ? Number(seq) : -1,
            type: ['task.opened', 'task.release', 'round.asked'],
          })
        : await store.rows('facts', { subject_id: asked.taskId, type: 'task.opened' });
    const unseen = new ParleyError('not_found');
    if (!fact || (asked.eventId !== undefined && fact.epoch !== epoch)) throw unseen;
    if (fact.type === roundType) return this.pullRound(fact);
    const [task] = await store.rows('tasks', { id: fact.subject_id! });
    if (!task) throw unseen;
    if (task.agent_id !== this.agentId) {
      if (!(await readRows(store, [], (set) => seesTask(task, this.agentId, set)))) throw unseen;
      const open = { ...task, agent_id: null };
      if (!isAnyones(task.addressed_by) || (await this.mayTake([open], true)).length === 0) throw new ParleyError('not_offered');
      if (task.open === 0) throw new ParleyError('task_over');
      if (task.agent_id !== null) throw new ParleyError('already_claimed');
    } else if (task.open === 0) throw new ParleyError('task_over');
    const event = await pulledEvent(store, task, fact);
    // The agent asked for it, as for any other message that it reads (SYS-13).
    if (task.agent_id === this.agentId && event.content !== null)
      await new AgentReads(this.door.hub, this.agentId, task.id).handOver([event.author?.id ?? null]);
    return event;
  }

  private async pullRound(fact: PlacedFact): Promise<RoundOffer> {
    const event = fact.member_id === this.agentId ? await roundOffer(this.door.hub.store, this.agentId, fact, true) : undefined;
    if (!event) throw new ParleyError('not_offered');
    return event;
  }

  private mayTake(tasks: TaskRow[], claiming = false): Promise<string[]> {
    const { store } = this.door.hub;
    return readRows(store, [], (set) => {
      const takers = takersOf(tasks, set, this.door.hub.clock.now(), { among: [this.agentId], claiming });
      return tasks.filter((task) => takers.get(task.id)!.length > 0).map((task) => task.id);
    });
  }

  hear(fact: PlacedFact): void {
    if (this.session === undefined) return;
    this.queue.push(fact);
    void this.pump();
  }

  private async pump(): Promise<void> {
    if (this.pumping) return;
    this.pumping = true;
    try {
      while (this.queue.length > 0) {
        const other = this.queue.slice(0, page).findIndex(isOffer);
        // All that came up to the next offer.
        const next = this.queue.splice(0, other === -1 ? page : Math.max(1, other));
        const [fact] = next as [PlacedFact];
        // Told as when it was asked: an offer that is made again is the same one.
        if (fact.type === 'task.ready') await this.offerAll([fact.subject_id!]);
        else if (offerTypes.has(fact.type)) await this.offer(fact);
        else if (fact.type === roundType) await this.knock(fact);
        else await this.tell(next.filter(({ seq }) => seq > this.sent));
      }
    } catch (error) {
      return this.fail(error);
    }
    this.pumping = false;
  }

  /** Closes the socket. The agent reconnects and gets everything that it has not acknowledged. */
  private fail(error: unknown): void {
    this.door.onError(error);
    this.client.close(1011);
  }

  /** Sends events in order. They are read together, a page of text at a time, because there may be thousands after a restart. */
  private async tell(facts: readonly PlacedFact[]): Promise<void> {
    const sizes = facts.length > 1 ? await sizesOf(this.door.hub.store, facts) : [0];
    for (let told = 0; told < facts.length;) {
      const next = told + countFitting(sizes.slice(told));
      await this.tellPage(facts.slice(told, next));
      told = next;
    }
  }

  private async tellPage(facts: readonly PlacedFact[]): Promise<void> {
    const { store } = this.door.hub;
    const from = facts.length > 1 ? new BatchedReads(store) : store;
    const events = await Promise.allSettled(facts.map((fact) => this.readable(eventOf(from, this.agentId, fact))));
    for (const [i, found] of events.entries()) {
      // The events before it are sent first, so that a repeated failure does not hold them back.
      if (found.status === 'rejected') throw found.reason;
      const { seq } = facts[i]!;
      this.sent = Math.max(this.sent, seq);
      if (found.value) this.notify('deliver', { cursor: seq, event: found.value } satisfies Delivery);
      if (this.client.bufferedAmount > easyBacklog) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** An event of a damaged row is reported and not sent; the agent gets all others. */
  private readable<T>(event: Promise<T>): Promise<T | undefined> {
    return event.catch((error: unknown) => {
      if (!(error instanceof CorruptRowError)) throw error;
      this.door.onError(error);
      return undefined;
    });
  }

  /** An offer is made to agents that are here; it is not kept for others, and so has nothing to acknowledge. */
  private async offer(fact: PlacedFact): Promise<void> {
    const { store } = this.door.hub;
    const [joined] = await store.rows('memberships', { conversation_id: fact.conversation_id!, member_id: this.agentId });
    // This cheap check comes first, because it excludes most agents that hear of the fact.
    if (!joined) return;
    const able = await this.mayTake(await store.rows('tasks', { id: fact.subject_id!, open: 1, agent_id: null }));
    const event = able.length > 0 ? await this.readable(eventOf(store, this.agentId, fact)) : undefined;
    if (event) this.notify('deliver', { cursor: this.sent, event } satisfies Delivery);
  }

  notify(method: string, params: unknown): void {
    if (this.early) this.early.push(() => this.notify(method, params));
    else this.send({ jsonrpc: '2.0', method, params });
  }

  private refuse(id: string | number | null, code: number, message: string, data?: unknown): void {
    this.send({ jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } });
  }

  private send(frame: object): void {
    if (this.client.readyState !== this.client.OPEN) return;
    // The hub keeps no more than this for an agent that does not read. It reconnects and gets all that it has not acknowledged.
    if (this.client.bufferedAmount > maxBacklog) this.client.close(closeCodes.slow);
    else this.client.send(JSON.stringify(frame));
  }

  /** Its agent may have been given another brain, or have come in elsewhere; or another hub has written this line off. */
  async checkSession(): Promise<void> {
    try {
      const [agent] = await this.door.hub.store.rows('agents', { member_id: this.agentId });
      if (agent?.session !== this.session) this.close(closeCodes.replaced);
      else if (agent?.online === 0) this.close(closeCodes.goingAway);
    } catch (error) {
      this.fail(error);
    }
  }

  isGone(): boolean {
    return this.client.readyState !== this.client.OPEN;
  }

  close(code: number): void {
    this.client.close(code);
  }
}
