// What must hold of agents at work, said again from scratch: nothing here asks the code it judges. It reads the facts in
// their order, with the rows they name, and keeps for itself who held what, where, and under which lease.
// Long because each fact is held against what all the others have left.

import type { Rows, Store } from '@parley/hub';
import { AttentionModel } from './attention.ts';
import { ContactModel } from './contact.ts';
import { endedWith, type ModelTask, moves, putsAway, signals, smiles, toldAs } from './floor-moves.ts';
import { callsToEveryone } from '../misbehaving/codes.ts';

type Fact = Rows['facts'];
const ownWords = new Set(['progress', 'question', 'answer', 'decline']);

/** All that an agent can do that is a fact of its own. */
const theirs = new Set([
  'message.posted',
  'message.reacted',
  'post.refused',
  'claim.refused',
  'conversation.observed',
  'task.signal',
  'agent.returned',
]);
/** And, by its first word to another agent, the room of the two. */
const firstWord = new Set(['conversation.created', 'membership.added']);
const anyones = new Set(['any_agent', 'role']);
/** Claimed where it was said to nobody: each claim is a task of its own. */
const fromRound = new Set(['thread', 'ambient']);
/** It may be answered, and need not. */
const mayAnswer = new Set([...fromRound, 'edit']);
/** One command ends at most a chain of them. */
const atMostInChain = 50;
/** An agent's words, and asked for by somebody else: by the clock, or by a person who gave them as work. */
const byOthers = new Set(['obligation', 'assigned']);
/** Who asked is not told what they did themselves. */
const ownDoing = new Set(['requester_left', 'request_edited']);
/** Nor that one of those who were asked on an open floor gave it back. */
const givenBack = new Set(['claim_expired', 'disconnected', 'agent_left', 'asked_to_leave']);

/** Rows that facts name. */
interface Named {
  opened: Map<string, Rows['tasks']>;
  messages: Map<string, Rows['messages']>;
  words: Map<string, Rows['task_words']>;
  obligations: Map<string, Rows['obligations']>;
  approvals: Map<string, Rows['approvals']>;
  /** Message → tasks. */
  deleted: Map<string, string[]>;
  identities: readonly Rows['identity_versions'][];
}

const count = (counts: Map<string, number>, name: string): unknown => counts.set(name, (counts.get(name) ?? 0) + 1);

export class FloorModel {
  readonly problems: string[] = [];
  readonly tasks = new Map<string, ModelTask>();
  readonly open = new Map<string, ModelTask>();
  /** Some that are over. */
  readonly ended: ModelTask[] = [];
  readonly counts = new Map<string, number>();
  /** agent and reason → how often. */
  readonly refusals = new Map<string, number>();
  halted = false;
  /** agent → its words that were let in. */
  readonly wordsOf = new Map<string, number>();
  readonly attention = new AttentionModel((what) => this.wrong(what));
  readonly contacts = new ContactModel({
    wrong: (what) => this.wrong(what),
    task: (id) => this.tasks.get(id ?? ''),
    openIn: (chain) => [...this.open.values()].filter((task) => task.chain === chain),
    isIn: (room, member) => this.room(room).has(member),
  });
  private readonly store: Store;
  private readonly agents: ReadonlySet<string>;
  private readonly chains = new Map<string, number>();
  private readonly members = new Map<string, Set<string>>();
  private readonly conversations = new Map<string, Rows['conversations']>();
  private readonly lastPlace = new Map<string, number>();
  private readonly owed = new Map<string, { kind: string; to: string }>();
  private readonly told = new Map<string, number>();
  private readonly results = new Map<string, number>();
  private readonly expectResult = new Map<string, string>();
  private readonly lastWords = new Map<string, string>();
  private readonly stoppers = new Map<string, string>();
  /** Message → who deleted it. */
  private readonly takenBack = new Map<string, string>();
  /** Message of an agent → the task it was said in. */
  private readonly agentWords = new Map<string, string>();
  private readonly tasksOn = new Map<string, ModelTask[]>();
  private readonly given = new Map<string, ModelTask[]>();
  /** Agents down to somebody who had work, as JSON. */
  private readonly lines = new Set<string>();
  private readonly pairs = new Set<string>();
  /** What was anyone’s, and has been answered. */
  private readonly answered = new Set<string>();
  /** The latest of each: they say by whom what follows was done. */
  private edit: Fact | undefined;
  private reaction: (Fact & { emoji: string }) | undefined;
  /** Who marked which message with what, and still does. Said again, a signal counts, and is no fact of its own. */
  private readonly marks = new Map<string, Set<string>>();
  /** Ended by somebody who asked their agent to leave; the fact that says who comes after it, at the same time. */
  private sentAway: { task: ModelTask; at: number }[] = [];
  /** Ended by somebody who asked as well, when their agent had left already: no fact says who. */
  private readonly sentAwayBySecond = new Set<string>();
  /** Tasks of one chain that ended one right after the other, as one command ends them. */
  private endedNow: ModelTask[] = [];
  private before: Fact | undefined;
  private at = 0;
  private sum = '';
  private time = 0;

  /** When the last thing happened. */
  get now(): number {
    return this.time;
  }

  constructor(store: Store, agents: Iterable<string>) {
    this.store = store;
    this.agents = new Set(agents);
  }

  private wrong(what: string): void {
    if (this.problems.length < 50) this.problems.push(what);
  }

  private async byId<T extends 'tasks' | 'messages' | 'conversations' | 'task_words' | 'obligations' | 'approvals'>(
    table: T,
    column: string,
    ids: string[],
  ): Promise<Map<string, Rows[T]>> {
    const found = new Map<string, Rows[T]>();
    for (let i = 0; i < ids.length; i += 400) {
      const some = ids.slice(i, i + 400);
      const rows = await this.store.rows(table, `where ${column} in (${some.map(() => '?').join(', ')})`, some);
      for (const row of rows) {
        const id = (row as unknown as Record<string, string>)[column]!;
        // One message may be a word of one task and be added to another: its own is what counts.
        if (!found.has(id) || table !== 'task_words' || ownWords.has((row as Rows['task_words']).kind)) found.set(id, row);
      }
    }
    return found;
  }

  /** Message → the tasks it was part of. */
  private async wordsIn(messages: string[]): Promise<Map<string, string[]>> {
    const found = new Map<string, string[]>();
    for (let i = 0; i < messages.length; i += 400) {
      const some = messages.slice(i, i + 400);
      for (const { message_id, task_id } of await this.store.rows(
        'task_words',
        `where message_id in (${some.map(() => '?').join(', ')})`,
        some,
      ))
        found.set(message_id, [...(found.get(message_id) ?? []), task_id]);
    }
    return found;
  }

  /** Takes in every fact since the last time. */
  async follow(): Promise<void> {
    for (;;) {
      const page = await this.store.all<Fact & { sum: string }>('select * from facts where seq > ? order by seq limit 4000', [this.at]);
      if (page.length === 0) return this.waiting();
      const of = (types: (type: string) => boolean): string[] =>
        page.filter(({ type }) => types(type)).flatMap(({ subject_id }) => subject_id ?? []);
      const said = page
        .filter(({ type, actor_id }) => type === 'message.posted' && (actor_id === null || this.agents.has(actor_id)))
        .map(({ subject_id }) => subject_id!);
      const made = of((type) => type === 'conversation.created');
      if (this.at === 0 || page.some(({ type }) => type === 'member.added'))
        for (const member of await this.store.rows('members', '')) this.contacts.permits.add(member);
      const changed = of((type) => type === 'identity.changed');
      const [opened, messages, words, rooms, obligations, approvals, deleted, identities] = await Promise.all([
        this.byId(
          'tasks',
          'id',
          of((type) => type === 'task.opened'),
        ),
        this.byId('messages', 'id', said),
        this.byId('task_words', 'message_id', said),
        this.byId('conversations', 'id', made),
        this.byId(
          'obligations',
          'id',
          of((type) => type === 'obligation.opened'),
        ),
        this.byId(
          'approvals',
          'id',
          of((type) => type === 'approval.asked'),
        ),
        this.wordsIn(of((type) => type === 'message.deleted')),
        changed.length === 0 ? [] : this.store.rows('identity_versions', ''),
      ]);
      for (const [id, room] of rooms) this.conversations.set(id, room);
      for (const fact of page) this.take(fact, { opened, messages, words, obligations, approvals, deleted, identities });
    }
  }

  /** Nobody waits for what does not come. */
  private waiting(): void {
    for (const { id, state } of this.open.values()) {
      if (state === 'awaiting_approval' && !this.contacts.yes.isAsked(id)) this.wrong(`${id} waits for a yes, and nobody is asked`);
      if (state === 'awaiting_delegation' && !this.hasGiven(id)) this.wrong(`${id} waits for others, and none is at it`);
    }
  }

  private hasGiven(id: string): boolean {
    return (this.given.get(id) ?? []).some((child) => child.state !== 'ended' && this.contacts.all.get(child.id)?.action !== 'ask');
  }

  private take(fact: Fact & { sum: string }, { opened, messages, words, obligations, approvals, deleted, identities }: Named): void {
    if (fact.seq !== this.at + 1) this.wrong(`fact ${fact.seq} follows ${this.at}`);
    if (this.sum !== '' && fact.sum !== undefined && fact.prev !== this.sum)
      this.wrong(`fact ${fact.seq} does not follow the one before it`);
    if (fact.at < this.time) this.wrong(`fact ${fact.seq} is earlier than the one before it`);
    this.at = fact.seq;
    this.sum = fact.sum;
    this.time = fact.at;
    count(this.counts, fact.type);
    const data = JSON.parse(fact.data) as Record<string, unknown>;
    if (this.agents.has(fact.actor_id ?? '') && !theirs.has(fact.type) && !this.isFirstWord(fact))
      this.wrong(`${fact.type} at ${fact.seq} was done by an agent`);
    this.contacts.next(fact);
    switch (fact.type) {
      case 'membership.added':
        this.room(fact.conversation_id!).add(fact.member_id!);
        break;
      case 'membership.removed':
        this.room(fact.conversation_id!).delete(fact.member_id!);
        this.attention.removed(fact.member_id!, (id) => this.homeOf(id) === fact.conversation_id);
        break;
      case 'message.deleted':
        this.deleted(fact);
        for (const task of deleted.get(fact.subject_id!) ?? []) this.contacts.yes.over(task, `${fact.subject_id} of ${task} is gone`);
        break;
      case 'conversation.created': {
        const { dm_key: pair } = this.conversations.get(fact.subject_id!)!;
        if (pair !== null && this.pairs.has(pair)) this.wrong(`${pair} have a second DM at ${fact.seq}`);
        if (pair !== null) this.pairs.add(pair);
        break;
      }
      case 'message.edited':
        this.edit = fact;
        break;
      case 'message.reacted':
        this.reaction = { ...fact, emoji: data['on'] === true ? (data['emoji'] as string) : '' };
        this.marked(`${fact.actor_id} ${fact.subject_id}`, data['emoji'] as string, data['on'] === true);
        break;
      case 'agent.left':
        this.attention.leaves(fact, data['conversation'] as string);
        for (const { task, at } of this.sentAway.splice(0))
          if (task.agent === fact.member_id && at === fact.at) this.stoppers.set(task.id, fact.actor_id!);
          else this.sentAwayBySecond.add(task.id);
        break;
      case 'agent.returned':
        this.attention.returns(fact, data['conversation'] as string);
        break;
      case 'workspace.halted':
        this.halted = data['halted'] as boolean;
        break;
      case 'post.refused': {
        const key = `${fact.member_id} ${data['reason'] as string}`;
        if (typeof data['reason'] !== 'string') this.wrong(`refusal ${fact.seq} has no reason`);
        count(this.refusals, key);
        break;
      }
      case 'notice':
        if (typeof data['task'] === 'string') {
          const key = `${data['task']} ${data['kind'] as string} ${fact.member_id}`;
          count(this.told, key);
          if (data['kind'] === 'nobody_available') this.nobodyFor(fact, data['task']);
        }
        break;
      case 'message.posted': {
        const message = messages.get(fact.subject_id!);
        if (typeof data['result'] === 'string') this.contacts.result(fact, data, message);
        else if (message && fact.actor_id !== null) this.word(fact, message, words.get(message.id), data);
        break;
      }
      case 'contact.ruled':
        this.contacts.permits.ruled(fact, data);
        break;
      case 'contact.cleared':
        this.contacts.permits.cleared(fact, data);
        break;
      case 'contact.approved':
        this.contacts.permits.forGood(fact, data);
        break;
      case 'contact.refused':
        count(this.counts, `${fact.type} ${data['reason'] as string}`);
        this.contacts.refused(fact, data);
        break;
      case 'contact.dropped':
        this.contacts.droppedAt(fact);
        break;
      case 'contact.timed_out':
        this.contacts.timedOut(fact);
        break;
      case 'identity.changed':
        this.contacts.permits.changed(
          fact,
          identities.find(({ agent_id, version }) => agent_id === fact.member_id && version === data['version']),
        );
        break;
      case 'approval.asked':
        this.contacts.yes.asked(fact, data, this.tasks.get(data['task'] as string), approvals.get(fact.subject_id!));
        break;
      case 'approval.answered':
        count(this.counts, `${fact.type} ${data['choice'] as string}`);
        this.contacts.yes.answered(fact, data);
        break;
      default:
        if (fact.type.startsWith('task.')) this.task(fact, data, opened);
        else if (fact.type.startsWith('obligation.')) this.attention.obligation(fact, obligations);
        else if (fact.type.startsWith('checkpoint.')) this.checkpoint(fact);
    }
    // Nobody is asked any more about what ends: that is no break between what ends together.
    if (fact.type !== 'checkpoint.closed' && fact.type !== 'contact.dropped') this.before = fact;
  }

  private checkpoint(fact: Fact): void {
    this.attention.checkpoint(fact);
    if (fact.type === 'checkpoint.opened') this.contacts.yes.put(fact);
    else this.contacts.yes.closed(fact);
  }

  /** Between the two of them and nobody else. */
  private isFirstWord(fact: Fact): boolean {
    const pair = this.conversations.get(fact.conversation_id ?? '')?.dm_key?.split(',') ?? [];
    return firstWord.has(fact.type) && pair.length === 2 && pair.includes(fact.actor_id!) && pair.every((id) => this.agents.has(id));
  }

  /** Whoever was at it is so no more, before it is said that it is gone. */
  private deleted(fact: Fact): void {
    const id = fact.subject_id!;
    this.takenBack.set(id, fact.actor_id!);
    for (const task of this.tasksOn.get(id) ?? [])
      if (task.state !== 'ended') this.wrong(`${task.id} goes on after ${fact.seq}, though its request was deleted`);
  }

  /** Told with the opening: nobody could take it. Told later: it was offered, and whoever could have taken it has gone. */
  private nobodyFor(fact: Fact, id: string): void {
    const task = this.tasks.get(id);
    if (task?.state === 'offered' && this.before?.type === 'task.opened' && this.before.subject_id === id) {
      task.state = 'queued';
      task.presumed = false;
    }
    if (task?.state !== 'queued') this.wrong(`at ${fact.seq} nobody was there for ${id}, which is ${task?.state}`);
  }

  private room(id: string): Set<string> {
    let members = this.members.get(id);
    if (!members) this.members.set(id, (members = new Set()));
    return members;
  }

  private homeOf(id: string): string {
    return this.conversations.get(id)?.parent_id ?? id;
  }

  private word(fact: Fact, message: Rows['messages'], word: Rows['task_words'] | undefined, data: Record<string, unknown>): void {
    const what = `message ${message.id} at ${fact.seq} by ${fact.actor_id}`;
    const isContact = typeof data['contact'] === 'string';
    if (!isContact) count(this.wordsOf, fact.actor_id!);
    if (message.author_id !== fact.actor_id) this.wrong(`${what} is of ${message.author_id}`);
    if (message.seq !== fact.seq) this.wrong(`${what} has its place at ${message.seq}`);
    if ((this.lastPlace.get(message.conversation_id) ?? 0) >= message.seq) this.wrong(`${what} is out of order`);
    this.lastPlace.set(message.conversation_id, message.seq);
    if (this.halted) this.wrong(`${what} was said while everything was stopped`);
    const home = this.homeOf(message.conversation_id);
    if (!this.room(home).has(fact.actor_id!)) this.wrong(`${what} was said where its author is not`);
    if (isContact) return this.contacts.posts(fact, data, message, this.conversations.get(message.conversation_id));
    if (data['goodbye'] === true) return this.attention.parts(what, fact, message.conversation_id);
    const task = word && this.tasks.get(word.task_id);
    this.attention.speaks(what, fact.actor_id!, message.conversation_id, home, task?.requester);
    if (!task) return this.wrong(`${what} was unsolicited: it belongs to no task`);
    if (!ownWords.has(word.kind)) this.wrong(`${what} is a ${word.kind}`);
    if (task.agent !== fact.actor_id) this.wrong(`${what} is in a task of ${task.agent}`);
    if (task.state === 'ended') this.wrong(`${what} came after the end of ${task.id}`);
    this.agentWords.set(message.id, task.id);
    if (word.kind === 'question') this.contacts.question(task.id, fact.seq);
    if (this.takenBack.has(task.message)) this.wrong(`${what} is about a request that was deleted`);
    if (word.kind !== 'decline' && task.state !== 'active') this.wrong(`${what} was said in a task that is ${task.state}`);
    if (!this.grants(task, message.conversation_id))
      this.wrong(`${what} was said in ${message.conversation_id}, which ${task.id} does not grant`);
    const claimed = anyones.has(task.addressedBy) ? task.id : fromRound.has(task.addressedBy) ? task.message : undefined;
    if (word.kind === 'answer' && claimed !== undefined) {
      if (this.answered.has(claimed)) this.wrong(`${what} answers ${claimed}, which was claimed and answered before`);
      this.answered.add(claimed);
    }
    if (word.kind === 'answer' || word.kind === 'decline') {
      if (this.lastWords.has(task.id)) this.wrong(`${what} is a second last word in ${task.id}`);
      this.lastWords.set(task.id, message.id);
    }
  }

  private grants(task: ModelTask, conversation: string): boolean {
    if (conversation === task.conversation || task.outputs.includes(conversation)) return true;
    const room = this.conversations.get(conversation);
    if (room?.kind === 'thread') return room.root_message_id === task.message;
    const pair = [task.agent ?? '', task.requester ?? ''].toSorted().join(',');
    return room !== undefined && room.dm_key === pair;
  }

  private task(fact: Fact, data: Record<string, unknown>, opened: Map<string, Rows['tasks']>): void {
    const id = fact.subject_id!;
    if (fact.type === 'task.opened') return this.opens(fact, opened.get(id));
    const task = this.tasks.get(id);
    if (!task) return this.wrong(`${fact.type} of ${id}, which was never opened`);
    if (task.state === 'ended') this.wrong(`${fact.type} at ${fact.seq} after the end of ${id}`);
    if (fact.type === 'task.release') this.releases(fact, task, data);
    if (fact.type === 'task.lost') return this.loses(fact, task);
    if (fact.type !== 'task.claim' && task.agent !== fact.member_id)
      this.wrong(`${fact.type} at ${fact.seq} names ${fact.member_id}, ${task.agent} has it`);
    if (fact.type === 'task.claim') {
      task.claims++;
      if (task.agent !== null) this.wrong(`${id} was claimed by ${fact.member_id}, though ${task.agent} had it`);
      if (task.path.includes(fact.member_id!)) this.wrong(`${id} was claimed in a circle`);
      task.agent = fact.member_id;
      task.path = [...task.path, fact.member_id!];
      this.lines.add(JSON.stringify(task.path));
    }
    if (fact.type === 'task.begin') {
      const lease = data['lease'] as number;
      if (lease <= task.lease) this.wrong(`${id} began under lease ${lease} after ${task.lease}`);
      if (this.halted) this.wrong(`${id} began while everything was stopped`);
      task.lease = lease;
      this.contacts.begins(task, task.state);
    }
    if (fact.type === 'task.tainted') this.contacts.permits.taint(id);
    if (fact.type === 'task.result') this.contacts.told(fact, task, data, this.before);
    if (fact.type === 'task.resume' || fact.type === 'task.continued' || fact.type === 'task.approval')
      this.contacts.resumes(fact, task, data);
    if ((fact.type === 'task.result' || fact.type === 'task.resume') && typeof data['child'] === 'string') {
      const child = this.tasks.get(data['child']);
      if (child?.parent !== id) this.wrong(`${id} was given the result of ${data['child']}, which is not its own`);
      // A sub-task that asks reports too; that it has ended it reports once.
      if (child?.state === 'ended') count(this.results, child.id);
    }
    // Whoever wrote on had not said all of it: until now nobody had it, and nobody was at it.
    if (fact.type === 'task.ready') {
      if (task.presumed) task.state = 'queued';
      if (task.state !== 'queued') this.wrong(`${id} was ready at ${fact.seq}, and is ${task.state} already`);
    }
    // Its request was changed under it: whoever has the old text has an old lease.
    if (fact.type === 'task.yield' && ['edited', 'urgent', 'approval'].includes(data['why'] as string)) task.lease++;
    // Its requester goes on writing: only an agent that was at it has an old lease (C2A-28).
    if (fact.type === 'task.yield' && data['why'] === 'piece' && task.state === 'active') task.lease++;
    // Its agent was asked to leave the room, and finishes it in a thread (C2A-16).
    if (fact.type === 'task.moved') task.conversation = data['conversation'] as string;
    // Urgent words bring whoever is at it a lease of its own.
    if (fact.type === 'task.continued' && typeof data['lease'] === 'number') {
      if (data['lease'] !== task.lease + 1 || task.state !== 'active' || this.halted)
        this.wrong(`${id} was interrupted at ${fact.seq}, under lease ${task.lease}, ${task.state}`);
      task.lease = data['lease'];
    }
    if (fact.type === 'task.flagged') count(this.counts, `${fact.type} ${data['reason'] as string}`);
    if (moves[fact.type] || fact.type === 'task.ready') task.presumed = false;
    if (moves[fact.type]) this.moves(fact, task, data);
  }

  /** Only a claim is let go of: with a last word that says no, or without a word. */
  private releases(fact: Fact, task: ModelTask, data: Record<string, unknown>): void {
    if (task.claims !== 1 || task.agent === null) this.wrong(`${task.id} was released at ${fact.seq}, and nobody had claimed it`);
    const declined = data['why'] === 'declined';
    const said = this.lastWords.delete(task.id) || (declined && this.hasSignalled(task, signals.declines));
    if (declined !== said) this.wrong(`${task.id} was let go at ${fact.seq} (${data['why'] as string})`);
    // What its agent gave on ended with its claim: whoever has it next did not ask for it.
    for (const child of this.endedNow) if (child.parent === task.id && child.end?.cause === 'parent_ended') this.forget(child);
    this.contacts.yes.over(task.id, `${task.id} was let go at ${fact.seq}`);
    task.claims--;
    task.lost = declined ? null : task.agent;
    task.agent = null;
    task.path = task.path.slice(0, -1);
  }

  private loses(fact: Fact, task: ModelTask): void {
    if (fact.member_id === null || task.lost !== fact.member_id)
      this.wrong(`${fact.member_id} lost ${task.id} at ${fact.seq}, which was not its own`);
    task.lost = null;
  }

  private moves(fact: Fact, task: ModelTask, data: Record<string, unknown>): void {
    const from = task.state;
    const state = moves[fact.type]![from];
    if (state === undefined) return this.wrong(`${fact.type} at ${fact.seq} of ${task.id}, which is ${from}`);
    count(this.counts, `${fact.type} ${from}`);
    // Before a turn was begun only a signal asks or ends it.
    const bySignal = fact.type === 'task.ask' ? typeof data['signal'] === 'string' : data['cause'] === 'signalled';
    if (from === 'queued' && (fact.type === 'task.ask' || fact.type === 'task.complete') && !bySignal)
      this.wrong(`${fact.type} at ${fact.seq} of ${task.id}, which nobody had begun`);
    if (fact.type === 'task.ask' && bySignal && !this.hasSignalled(task, signals.asks))
      this.wrong(`${task.id} waits since ${fact.seq}, and its agent gave no signal`);
    if (fact.type === 'task.pause' || fact.type === 'task.await') this.contacts.waits(fact, task, this.hasGiven(task.id));
    task.state = state;
    if (fact.type === 'task.ask') this.contacts.asks(task, typeof data['message'] === 'string');
    if (state === 'ended') this.ends(fact, task, data);
  }

  /** It ended with the one above, and nobody is left who waits for it. */
  private forget(child: ModelTask): void {
    this.expectResult.delete(child.id);
    this.contacts.dropped(child);
  }

  /** Its agent has marked what it was asked with one of these. */
  private hasSignalled(task: ModelTask, glyphs: readonly string[]): boolean {
    const marks = this.marks.get(`${task.agent} ${task.message}`);
    return marks !== undefined && glyphs.some((glyph) => marks.has(glyph));
  }

  /** A smile stands beside a signal, and one signal takes the place of another. A mark that stands can be made again without a fact. */
  private marked(where: string, glyph: string, on: boolean): void {
    const before = [...(this.marks.get(where) ?? [])];
    const stay = before.filter((one) => one !== glyph && (!on || smiles.has(one) || smiles.has(glyph)));
    this.marks.set(where, new Set(on ? [...stay, glyph] : stay));
  }

  private opens(fact: Fact, row: Rows['tasks'] | undefined): void {
    if (!row) return this.wrong(`task.opened at ${fact.seq} without a task`);
    const parent = row.parent_id === null ? undefined : this.tasks.get(row.parent_id);
    // A reminder has a chain of its own, and stands below whoever waits.
    const waits = row.addressed_by === 'obligation' ? (JSON.parse(row.path) as string[]).slice(0, -1) : [];
    const path = [...(parent?.path ?? waits), ...(fact.member_id === null ? [] : [fact.member_id])];
    const task: ModelTask = {
      id: row.id,
      chain: row.chain_id,
      parent: row.parent_id,
      agent: fact.member_id,
      requester: row.requester_id,
      conversation: row.conversation_id,
      message: row.message_id,
      outputs: JSON.parse(row.outputs) as string[],
      addressedBy: row.addressed_by,
      // Anyone's: unless the next thing said is that nobody is there, or that whoever asked has only now stopped writing.
      state: fact.member_id === null ? 'offered' : 'queued',
      presumed: fact.member_id === null,
      lease: 0,
      depth: parent ? parent.depth + 1 : waits.length,
      path,
      claims: 0,
      lost: null,
      end: undefined,
    };
    if (!row.id.startsWith('tsk_') || !row.chain_id.startsWith('chn_'))
      this.wrong(`task ${row.id} of chain ${row.chain_id}: an id of another kind`);
    if (this.tasks.has(row.id)) this.wrong(`${row.id} was opened twice`);
    if (row.parent_id !== null && !parent) this.wrong(`${row.id} is under ${row.parent_id}, which is not there`);
    if (parent && parent.chain !== row.chain_id) this.wrong(`${row.id} left the chain of ${parent.id}`);
    const everyone = row.addressed_by === 'all_agents' || row.addressed_by === 'any_agent';
    if (parent && everyone && !callsToEveryone.open) this.wrong(`${row.id} was given on to everyone, by ${row.addressed_by}`);
    if (parent?.state === 'ended') this.wrong(`${row.id} was given on in ${parent.id}, which had ended`);
    if (task.depth > 3 || row.depth !== task.depth)
      this.wrong(`${row.id}, ${row.addressed_by}, is at depth ${task.depth}, written down as ${row.depth}, below ${row.path}`);
    // Who waits may wait for whoever gave it the work, and who asks in a call may ask back.
    const isKnown = [waits, waits.slice(0, -1)].some((line) => this.lines.has(JSON.stringify(line)));
    const circle =
      row.addressed_by === 'obligation'
        ? new Set(waits).size !== waits.length && !isKnown
        : row.addressed_by !== 'agent_ask' && (parent?.path ?? []).includes(fact.member_id ?? '');
    if (circle) this.wrong(`${row.id} goes in a circle: ${path.join(' ')}`);
    this.lines.add(JSON.stringify(path));
    const inChain = (this.chains.get(row.chain_id) ?? 0) + 1;
    this.chains.set(row.chain_id, inChain);
    this.asked(task);
    this.contacts.opened(task, this.homeOf(row.conversation_id));
    // What goes round is one agent's at a time.
    const before = (this.tasksOn.get(row.message_id) ?? []).find((other) => fromRound.has(other.addressedBy) && other.state !== 'ended');
    if (before && fromRound.has(task.addressedBy)) this.wrong(`${row.id} was claimed at ${fact.seq}, though ${before.agent} had it`);
    if (inChain > atMostInChain) this.wrong(`chain ${row.chain_id} has ${inChain} tasks`);
    this.tasks.set(row.id, task);
    this.open.set(row.id, task);
    if (parent) this.given.set(parent.id, [...(this.given.get(parent.id) ?? []), task]);
    this.tasksOn.set(row.message_id, [...(this.tasksOn.get(row.message_id) ?? []), task]);
  }

  /** By a person; or by an agent in a task of its own, under which it is. */
  private asked(task: ModelTask): void {
    if (this.takenBack.has(task.message)) this.wrong(`${task.id} was opened by a message that was deleted`);
    const saidIn = this.agentWords.get(task.message);
    if (task.parent === null && saidIn !== undefined && !byOthers.has(task.addressedBy))
      this.wrong(`${task.id} was asked for by an agent, under no task`);
    if (
      task.parent !== null &&
      task.addressedBy !== 'redirect' &&
      saidIn !== task.parent &&
      !this.contacts.isContact(task.message, task.id)
    )
      this.wrong(`${task.id} is under ${task.parent}, and was asked for in ${saidIn}`);
  }

  private ends(fact: Fact, task: ModelTask, data: Record<string, unknown>): void {
    this.open.delete(task.id);
    this.ended.push(task);
    if (this.ended.length > 400) this.ended.splice(0, 200);
    const cause = data['cause'] as string;
    task.end = { type: fact.type, cause };
    const goesOn = this.before?.chain_id === fact.chain_id && moves[this.before.type]?.active === 'ended';
    this.endedNow = goesOn ? this.endedNow : [];
    // Those below that ended with it are told of nowhere: nobody is left who waits for them.
    const withIt = this.endedNow.filter((child) => child.parent === task.id && endedWith(child, task));
    for (const child of withIt) this.forget(child);
    this.endedNow.push(task);
    for (const child of this.given.get(task.id) ?? [])
      if (child.state !== 'ended' && !this.contacts.all.has(child.id))
        this.wrong(`${child.id} is ${child.state}, though ${task.id} has ended`);
    this.contacts.parentEnds(task, fact.type, cause, withIt);
    count(this.counts, `${fact.type} because ${cause}`);
    this.endedBy(task, cause, fact.at);
    const said = this.lastWords.has(task.id);
    const speaks = (fact.type === 'task.complete' || fact.type === 'task.decline') && !this.needsNoWord(fact, task, cause);
    if (said !== speaks) this.wrong(`${task.id} ended with ${fact.type} (${cause}) at ${fact.seq}, last word: ${said}`);
    const parent = task.parent === null ? undefined : this.tasks.get(task.parent);
    const kind = cause === 'nobody_took_it' ? cause : toldAs[fact.type];
    if (
      !parent &&
      kind !== undefined &&
      task.requester !== null &&
      !ownDoing.has(cause) &&
      !(fromRound.has(task.addressedBy) && givenBack.has(cause))
    )
      this.owed.set(task.id, { kind, to: task.requester });
    if (this.contacts.all.has(task.id)) this.contacts.ends(task, parent);
    else if (parent && parent.state !== 'ended') this.expectResult.set(task.id, parent.id);
  }

  /** Ended by a signal, or for going round in circles. */
  private needsNoWord(fact: Fact, task: ModelTask, cause: string): boolean {
    if (cause === 'no_progress') return true;
    const completes = mayAnswer.has(task.addressedBy) ? putsAway : signals.completes;
    if (fact.type === 'task.complete') return cause === 'signalled' && this.hasSignalled(task, completes);
    return cause === 'declined' && !this.lastWords.has(task.id) && this.hasSignalled(task, signals.declines);
  }

  /** Who did it knows, and need not be told. */
  private endedBy(task: ModelTask, cause: string, at: number): void {
    const by =
      cause === 'request_edited'
        ? this.edit?.actor_id
        : cause === 'already_handled'
          ? this.reaction?.actor_id
          : cause === 'settled'
            ? task.requester
            : undefined;
    if (by) this.stoppers.set(task.id, by);
    if (cause === 'asked_to_leave') this.sentAway.push({ task, at });
  }

  /** Whether whoever stopped it was its requester is not in the fact; whoever gave the command says it here. */
  stoppedBy(taskId: string, memberId: string): void {
    this.stoppers.set(taskId, memberId);
  }

  /** Compares with the rows as they stand now, and settles what is owed. */
  async verdict(): Promise<string[]> {
    await this.follow();
    // Still being asked: nobody was offered it yet.
    for (const { task_id } of await this.store.rows('windows', '')) {
      const task = this.tasks.get(task_id);
      if (task?.presumed) task.state = 'queued';
    }
    for (const row of await this.store.rows('obligations', '')) this.attention.compare(row, (message) => this.takenBack.has(message));
    this.contacts.compare({ contacts: await this.store.rows('contacts', ''), approvals: await this.store.rows('approvals', '') });
    for (let last = ''; ;) {
      const rows = await this.store.rows('tasks', 'where id > ? order by id limit 4000', [last]);
      if (rows.length === 0) break;
      last = rows.at(-1)!.id;
      for (const row of rows) this.compare(row);
    }
    for (const row of await this.store.rows('chains', '')) {
      if (row.tasks !== this.chains.get(row.id))
        this.wrong(`chain ${row.id} counts ${row.tasks} tasks, ${this.chains.get(row.id)} were opened`);
    }
    const all = async (sql: string): Promise<number> => (await this.store.all<{ n: number }>(`select count(*) as n from ${sql}`))[0]!.n;
    const mine = await all(`task_words where kind in ('progress', 'question', 'answer', 'decline')`);
    const { goodbyes } = this.attention;
    const posted = [...this.wordsOf.values()].reduce((a, b) => a + b, 0) - goodbyes;
    if (mine !== posted) this.wrong(`${mine} words of agents are kept, ${posted} were posted`);
    const unsolicited = await all(
      `messages m join members a on a.id = m.author_id where a.kind = 'agent' and not exists (select 1 from task_words w where w.message_id = m.id)
         and not exists (select 1 from message_sources s where s.message_id = m.id and s.source = 'agent_contact')`,
    );
    for (const [source, posted] of [
      ['agent_contact', this.contacts.posted] as const,
      ['delegation_result', this.contacts.results] as const,
    ]) {
      const kept = await all(`message_sources where source = '${source}'`);
      if (kept !== posted) this.wrong(`${kept} messages are kept as ${source}, ${posted} were posted`);
    }
    if (unsolicited !== goodbyes) this.wrong(`${unsolicited} messages of agents belong to no task, ${goodbyes} of them are goodbyes`);
    for (const { task } of this.sentAway.splice(0)) this.sentAwayBySecond.add(task.id);
    for (const [id, { kind, to }] of this.owed) {
      // Who stopped it knows, and so does who took the request back.
      if (this.stoppers.get(id) === to || this.takenBack.get(this.tasks.get(id)!.message) === to) continue;
      const times = this.told.get(`${id} ${kind} ${to}`) ?? 0;
      if (times !== 1 && !(times === 0 && this.sentAwayBySecond.has(id)))
        this.wrong(`${to} was told ${times} times that ${id} ended (${kind})`);
    }
    for (const [key, times] of this.told) {
      const [, kind] = key.split(' ');
      if (times > 1 && [...Object.values(toldAs), 'nobody_took_it'].includes(kind!)) this.wrong(`${key}: told ${times} times`);
    }
    for (const [child, parent] of this.expectResult) {
      const times = this.results.get(child) ?? 0;
      if (times !== 1) this.wrong(`${parent} was told ${times} times that ${child} ended`);
    }
    return this.problems;
  }

  private compare(row: Rows['tasks']): void {
    const task = this.tasks.get(row.id);
    if (!task) return this.wrong(`${row.id} has no facts`);
    const open = task.state !== 'ended';
    if ((row.open === 1) !== open) this.wrong(`${row.id} is kept as ${row.state}, its facts say ${task.state}`);
    if (row.agent_id !== task.agent) this.wrong(`${row.id} is kept as ${row.agent_id}’s, its facts say ${task.agent}’s`);
    if (row.path !== JSON.stringify(task.path))
      this.wrong(`${row.id} has the path ${row.path}, its facts say ${JSON.stringify(task.path)}`);
    if (row.lease !== task.lease) this.wrong(`${row.id} has lease ${row.lease}, its facts say ${task.lease}`);
    if (open && row.state !== task.state) this.wrong(`${row.id} is ${row.state}, its facts say ${task.state}`);
    if ((row.answer_id ?? undefined) !== this.lastWords.get(row.id))
      this.wrong(`${row.id} ended with ${row.answer_id}, said ${this.lastWords.get(row.id)}`);
    if (task.claims > 1) this.wrong(`${row.id} was claimed ${task.claims} times`);
    if (row.agent_id !== null && anyones.has(row.addressed_by) && task.claims !== 1) this.wrong(`${row.id} was taken without a claim`);
  }
}
