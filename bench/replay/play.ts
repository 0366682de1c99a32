// Plays an archive through the engine, on a simulated clock: what people wrote is posted when they wrote it, agents begin
// as soon as the hub lets them, and say what they said in the archive. Words that the hub does not allow here are left out,
// and tasks that the archive has no words for end with a stock answer.

import { verdictFor, isAnyones } from '../../packages/core/src/index.ts';
import type { By, Command, Results } from '../../packages/hub/src/engine/command.ts';
import { operator } from '../../packages/hub/src/engine/command.ts';
import type { Engine } from '../../packages/hub/src/engine/engine.ts';
import type { Store } from '../../packages/hub/src/index.ts';
import type { TaskRow } from '../../packages/hub/src/store/tables.ts';
import { verdictsIn } from '../../packages/hub/src/views/verdicts.ts';
import { ParleyError, type Policy } from '../../packages/protocol/src/index.ts';
import type { SimClock } from '../../packages/testkit/src/clock.ts';
import type { Archive, Conversation, Event, Message } from './archive.ts';

export interface Ground {
  engine: Engine;
  store: Store;
  clock: SimClock;
}

export interface Played {
  /** Each turn that was begun: whose, and the messages its task was about in the end. */
  turns: { agent: string; messages: string[]; anyones: boolean }[];
  /** The verdict that lets the agent do most, of all the hub's decisions about a message. */
  policy(messageId: string, agent: string): Policy;
  /** Words of agents in the archive that nobody had asked them for. */
  unsaid: string[];
}

interface Someone {
  id: string;
  by: By;
  session: number;
}

const ownWord = 'There is nothing to add.';
/** An agent the archive has no words for says its own after so long. */
const patienceMs = 300_000;
/** Before the first line and after the last. */
const restMs = 600_000;

export async function play(ground: Ground, archive: Archive): Promise<Played> {
  const player = new Player(ground, archive);
  await player.prepare();
  for (const event of archive.events) await player.take(event);
  await player.passUntil(player.begun + (archive.events.at(-1)?.at ?? 0) + restMs);
  return player.played();
}

class Player {
  begun = 0;
  private readonly engine: Engine;
  private readonly store: Store;
  private readonly clock: SimClock;
  private readonly archive: Archive;
  private readonly members = new Map<string, Someone>();
  private readonly names = new Map<string, string>();
  private readonly places = new Map<string, string>();
  private readonly threads = new Map<string, string>();
  /** Ids of the archive → of the hub, and back. */
  private readonly ids = new Map<string, string>();
  private readonly known = new Map<string, string>();
  private readonly authors = new Map<string, string>();
  private readonly turns: { taskId: string; agent: string }[] = [];
  /** Begun and not heard of since. */
  private readonly running = new Map<string, { task: TaskRow; agent: string; until: number }>();
  /** Said in the archive before the hub let it begin. */
  private held: { word: Message; taskId: string }[] = [];
  private readonly unsaid: string[] = [];

  constructor({ engine, store, clock }: Ground, archive: Archive) {
    this.engine = engine;
    this.store = store;
    this.clock = clock;
    this.archive = archive;
  }

  async prepare(): Promise<void> {
    const { members, roles, conversations } = this.archive;
    // People first: an agent needs somebody who answers for it.
    for (const { member: handle, kind } of members.toSorted((a, b) => b.kind.localeCompare(a.kind))) await this.enter(handle, kind);
    for (const { role, holders } of roles)
      await this.do({
        type: 'role.add',
        by: operator,
        handle: role,
        about: '',
        holderIds: holders.map((handle) => this.member(handle).id),
      });
    for (const conversation of conversations) this.places.set(conversation.conversation, await this.open(conversation));
    this.begun = this.clock.now() + restMs;
  }

  private async enter(handle: string, kind: 'human' | 'agent'): Promise<void> {
    const role = kind === 'human' ? 'admin' : 'member';
    const person = [...this.members.values()].find(({ session }) => session === 0);
    const ownerId = kind === 'agent' ? { ownerId: person!.id } : {};
    const { member } = await this.do({ type: 'member.add', by: operator, kind, handle, displayName: handle, about: '', role, ...ownerId });
    const tokenKind = kind === 'agent' ? 'agent' : 'person';
    const { token } = await this.do({
      type: 'token.create',
      by: operator,
      hash: `replay-${handle}`,
      kind: tokenKind,
      memberId: member.id,
      label: 'replay',
    });
    const by = { memberId: member.id, tokenId: token.id };
    const session = kind === 'agent' ? (await this.do({ type: 'agent.connect', by })).agent.session : 0;
    this.members.set(handle, { id: member.id, by, session });
    this.names.set(member.id, handle);
  }

  private async open({ conversation: archivedName, kind, floor, members }: Conversation): Promise<string> {
    const [first, ...others] = [...members]
      .sort((a, b) => Number(this.isAgent(a)) - Number(this.isAgent(b)))
      .map((handle) => this.member(handle));
    const { by } = first!;
    if (kind === 'dm') return (await this.do({ type: 'dm.open', by, memberIds: others.map(({ id }) => id) })).conversation.id;
    // Every workspace has a channel of its own already.
    const name = `replay-${archivedName}`;
    const { conversation } = await this.do({ type: 'channel.create', by, name, topic: '', visibility: 'private', floor, history: 'all' });
    for (const { id: memberId } of others) await this.do({ type: 'conversation.add', by, conversationId: conversation.id, memberId });
    return conversation.id;
  }

  private isAgent(handle: string): boolean {
    return this.member(handle).session > 0;
  }

  private member(handle: string): Someone {
    const member = this.members.get(handle);
    if (!member) throw new Error(`The archive has no member ${handle}`);
    return member;
  }

  private do<C extends Command>(command: C): Promise<Results[C['type']]> {
    return this.engine.submit(command);
  }

  /** Undefined: refused. */
  private async try<C extends Command>(command: C): Promise<Results[C['type']] | undefined> {
    try {
      return await this.engine.submit(command);
    } catch (error) {
      if (error instanceof ParleyError) return undefined;
      throw error;
    }
  }

  async take(event: Event): Promise<void> {
    await this.passUntil(this.begun + event.at);
    if ('edit' in event) await this.change(event.edit, (by, messageId) => ({ type: 'message.edit', by, messageId, body: event.text }));
    else if ('delete' in event) await this.change(event.delete, (by, messageId) => ({ type: 'message.delete', by, messageId }));
    else if (this.isAgent(event.by)) await this.speak(event);
    else await this.post(event);
    await this.work();
  }

  private async change(id: string, command: (by: By, messageId: string) => Command): Promise<void> {
    const [messageId, author] = [this.ids.get(id), this.authors.get(id)];
    if (messageId !== undefined && author !== undefined) await this.do(command(this.member(author).by, messageId));
  }

  private async post({ id, in: place, by: handle, text: body, thread, replyTo }: Message): Promise<void> {
    const { by } = this.member(handle);
    const conversationId = await this.placeOf(place, thread);
    const repliedTo = replyTo === undefined ? undefined : this.ids.get(replyTo);
    const { message } = await this.do({ type: 'message.post', by, conversationId, body, replyTo: repliedTo, attachmentIds: [] });
    this.remember(id, message.id, handle);
  }

  private remember(id: string, messageId: string, author: string): void {
    this.ids.set(id, messageId);
    this.known.set(messageId, id);
    this.authors.set(id, author);
  }

  /** The author of a thread opens it, or somebody who is there: agents open none. */
  private async placeOf(place: string, thread: string | undefined): Promise<string> {
    const home = this.places.get(place);
    if (home === undefined) throw new Error(`The archive has no conversation ${place}`);
    const rootId = thread === undefined ? undefined : this.ids.get(thread);
    if (rootId === undefined) return home;
    if (!this.threads.has(rootId)) {
      const there = this.archive.conversations.find(({ conversation }) => conversation === place)!.members;
      const { by } = this.member([this.authors.get(thread!)!, ...there].find((handle) => !this.isAgent(handle))!);
      const { conversation } = await this.do({ type: 'thread.open', by, messageId: rootId });
      this.threads.set(rootId, conversation.id);
    }
    return this.threads.get(rootId)!;
  }

  /** An agent's word of the archive: in the task it is about, once that has begun. */
  private async speak(word: Message): Promise<void> {
    const task = await this.taskOf(word);
    if (!task) {
      this.unsaid.push(word.id);
      return;
    }
    this.held.push({ word, taskId: task.id });
    if (task.agent_id === null) await this.begin(task, word.by);
    // Elsewhere it would be said in a turn that has nothing to do with it.
    else if (task.state === 'queued') await this.finishOther(task, word.by);
    await this.sayHeld();
  }

  /** The task that the agent has open there, or may take there. */
  private async taskOf({ by, in: place, thread, on }: Message): Promise<TaskRow | undefined> {
    const { id } = this.member(by);
    const open = await this.store.rows('tasks', 'where open = 1 and (agent_id = ? or agent_id is null) order by seq', [id]);
    const rootId = thread === undefined ? undefined : this.ids.get(thread);
    const here = [this.places.get(place), rootId === undefined ? undefined : this.threads.get(rootId)];
    const near = open.filter((task) => here.includes(task.conversation_id) || task.message_id === rootId);
    const about = on === undefined ? undefined : this.ids.get(on);
    const isAbout = (task: TaskRow): boolean => task.message_id === about;
    return near.find(isAbout) ?? near.find((task) => task.agent_id === id) ?? near[0];
  }

  private async finishOther(task: TaskRow, agent: string): Promise<void> {
    const isOther = (one: { agent: string; task: TaskRow }): boolean =>
      one.agent === agent && one.task.conversation_id === task.conversation_id;
    for (const one of [...this.running.values()].filter(isOther)) await this.say(one.task, agent, ownWord, 'answer');
    await this.work();
  }

  private async sayHeld(): Promise<void> {
    for (const one of this.held) {
      const running = this.running.get(one.taskId);
      if (!running) continue;
      this.held = this.held.filter((other) => other !== one);
      const { word } = one;
      const conversationId = await this.placeOf(word.in, word.thread);
      const message = await this.say(running.task, word.by, word.text, word.kind ?? 'answer', conversationId);
      if (message === undefined) this.unsaid.push(word.id);
      else this.remember(word.id, message, word.by);
    }
  }

  /** Having read whatever was added meanwhile. The id of what was said; undefined: refused. */
  private async say(
    task: TaskRow,
    agent: string,
    body: string,
    kind: NonNullable<Message['kind']>,
    conversationId?: string,
  ): Promise<string | undefined> {
    const { by, session } = this.member(agent);
    const { seq: cursor } = await this.store.head();
    await this.do({ type: 'agent.ack', by, session, cursor });
    const said = await this.try({ type: 'task.say', by, taskId: task.id, lease: task.lease, kind, body, conversationId });
    if (kind === 'progress') await this.try({ type: 'task.pause', by, taskId: task.id, lease: task.lease });
    const [now] = await this.store.rows('tasks', 'where id = ?', [task.id]);
    if (now!.state !== 'active' || said === undefined) this.running.delete(task.id);
    return said?.message.id;
  }

  /** Begins every task that is ready. */
  private async work(): Promise<void> {
    const ready = await this.store.rows(
      'tasks',
      "where open = 1 and state = 'queued' and agent_id is not null and id not in (select task_id from windows) order by seq",
    );
    for (const task of ready) await this.begin(task, this.names.get(task.agent_id!)!);
    await this.sayHeld();
  }

  private async begin(task: TaskRow, agent: string): Promise<boolean> {
    const begun = await this.try({ type: 'task.begin', by: this.member(agent).by, taskId: task.id });
    if (!begun?.turn) return false;
    this.turns.push({ taskId: task.id, agent });
    this.running.set(task.id, { task: begun.task, agent, until: this.clock.now() + patienceMs });
    return true;
  }

  async passUntil(time: number): Promise<void> {
    for (;;) {
      const [timer] = await this.store.all<{ due: number | null }>('select min(due_at) as due from timers');
      const [patience] = [...this.running.values()].sort((a, b) => a.until - b.until);
      const next = Math.min(timer?.due ?? Infinity, patience?.until ?? Infinity);
      if (next > time) break;
      this.clock.advance(Math.max(0, next - this.clock.now()));
      if (patience && patience.until <= this.clock.now()) await this.loseHope(patience.task, patience.agent);
      else await this.fire();
      await this.work();
    }
    this.clock.advance(time - this.clock.now());
  }

  private async fire(): Promise<void> {
    const due = await this.store.rows('timers', 'where due_at <= ? order by due_at, id', [this.clock.now()]);
    for (const timer of due) {
      const { remains } = await this.do({ type: 'timer.fire', by: operator, timerId: timer.id });
      if (remains) throw new Error(`A timer does not fire: ${timer.kind}`);
    }
  }

  private async loseHope(task: TaskRow, agent: string): Promise<void> {
    const [now] = await this.store.rows('tasks', 'where id = ?', [task.id]);
    if (now!.state === 'active' && now!.lease === task.lease) await this.say(task, agent, ownWord, 'answer');
    this.running.delete(task.id);
  }

  async played(): Promise<Played> {
    const tasks = new Map((await this.store.rows('tasks', '')).map((task) => [task.id, task]));
    const words = Map.groupBy(await this.store.rows('task_words', "where kind = 'follow_up'"), ({ task_id }) => task_id);
    const facts = await this.store.rows('facts', "where type in ('message.posted', 'message.edited') order by seq");
    const rulings = Map.groupBy(facts, ({ subject_id }) => this.known.get(subject_id ?? ''));
    const policies = (messageId: string, agent: string): Policy[] =>
      (rulings.get(messageId) ?? []).map((fact) => verdictFor(verdictsIn(fact)!, this.member(agent).id).policy);
    return {
      turns: this.turns.map(({ taskId, agent }) => {
        const task = tasks.get(taskId)!;
        const ids = [task.message_id, ...(words.get(taskId) ?? []).map(({ message_id }) => message_id)];
        return { agent, messages: ids.flatMap((id) => this.known.get(id) ?? []), anyones: isAnyones(task.addressed_by) };
      }),
      policy: (messageId, agent) => {
        const all = policies(messageId, agent);
        return (['must_respond', 'may_respond'] as const).find((policy) => all.includes(policy)) ?? 'must_not_respond';
      },
      unsaid: this.unsaid,
    };
  }
}
