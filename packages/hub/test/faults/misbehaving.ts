// People who ask, stop, redirect, leave and halt, and agents that try everything they must not. A step is a command; what
// carries it (the engine itself, HTTP, the agent socket) is somebody else's affair.

import { type Random } from '@parley/testkit';
import { type Command, operator } from '../../src/engine/command.ts';
import type { Someone } from './bare.ts';
import type { FloorModel, ModelTask } from './floor-model.ts';

export interface Tried {
  ok: boolean;
  code: string;
  /** Of the message, if it made one. */
  id?: string;
  seq?: number;
}
export type Carry = (command: Command) => Promise<Tried>;

export interface Cast {
  owner: Someone;
  people: Someone[];
  agents: Someone[];
  channels: string[];
  dms: string[];
}

/** Refusals of words: each of them is to be a fact. */
const recorded = new Set([
  'agent_without_task',
  'task_of_another',
  'task_over',
  'task_not_active',
  'task_elsewhere',
  'stale_lease',
  'halted',
]);
/** Of an agent's steps those that are wrong whatever the state of things. */
const wrongs = [0, 0, 0, 1, 2, 2, 3, 4, 4, 6, 11, 13, 14, 14, 15];
/** More open at once than this and people stop asking for a while. */
const enough = 120;

export class Misbehaviour {
  readonly problems: string[] = [];
  steps = 0;
  /** What came of them. */
  readonly outcomes = new Map<string, number>();
  /** agent and reason → how often its words were refused with it. */
  readonly refused = new Map<string, number>();
  accepted = 0;
  /** Words that were never answered. */
  lost = 0;
  private readonly cast: Cast;
  private readonly random: Random;
  private readonly model: FloorModel;
  private readonly messages: { id: string; conversationId: string }[] = [];
  private readonly byKey = new Map<string, string>();
  private readonly acked = new Map<string, number>();
  private readonly sessions = new Map<string, number>();
  private threads: string[] = [];
  private keys = 0;

  constructor(cast: Cast, random: Random, model: FloorModel) {
    this.cast = cast;
    this.random = random;
    this.model = model;
  }

  private wrong(what: string): void {
    if (this.problems.length < 50) this.problems.push(what);
  }

  /** A batch of steps, all of them under way at once. `storm`: agents alone, and nothing but what they must not. */
  async batch(count: number, carry: Carry, storm = false): Promise<void> {
    const open = [...this.model.open.values()];
    const running: Promise<void>[] = [];
    while (running.length < count) {
      const commands = storm ? this.agentStep(open, this.random.pick(wrongs)) : this.step(open);
      this.steps += commands.length;
      for (const command of commands) running.push(this.take(command, carry));
    }
    await Promise.all(running);
    await this.model.follow();
  }

  private async take(command: Command, carry: Carry): Promise<void> {
    const tried = await carry(command);
    const what = `${command.type} ${tried.ok ? 'ok' : tried.code}`;
    this.outcomes.set(what, (this.outcomes.get(what) ?? 0) + 1);
    if (tried.code === 'internal') this.wrong(`${command.type} failed: ${JSON.stringify(command)}`);
    const agent =
      'operator' in command.by ? undefined : this.cast.agents.find(({ id }) => id === (command.by as { memberId: string }).memberId);
    if (command.type === 'task.say' || command.type === 'task.decline') this.spoke(command, tried, agent);
    if (command.type === 'message.post' && tried.ok) {
      if (agent) this.wrong('an agent posted as if it were a person');
      this.remember(tried.id!, command.conversationId);
    }
    if ((command.type === 'task.stop' || command.type === 'task.redirect') && tried.ok && 'memberId' in command.by)
      this.model.stoppedBy(command.taskId, command.by.memberId);
    if (command.type === 'thread.open' && tried.ok && tried.id) this.threads = [tried.id, ...this.threads].slice(0, 20);
    if (command.type === 'agent.ack' && tried.ok && agent && tried.seq !== undefined) {
      if (tried.seq < (this.acked.get(agent.id) ?? 0)) this.wrong(`${agent.handle}’s acknowledgements went back to ${tried.seq}`);
      this.acked.set(agent.id, tried.seq);
    }
    if (command.type === 'agent.connect' && tried.seq !== undefined && agent) this.sessions.set(agent.id, tried.seq);
  }

  private spoke(command: Command & { type: 'task.say' | 'task.decline' }, tried: Tried, agent: Someone | undefined): void {
    if (tried.ok) {
      const key = command.type === 'task.say' ? command.key : undefined;
      const name = `${agent?.id} ${key}`;
      const before = key === undefined ? undefined : this.byKey.get(name);
      if (before !== undefined && tried.id !== before) this.wrong(`key ${key} made ${before} and ${tried.id}`);
      if (before !== undefined) return;
      if (key !== undefined) this.byKey.set(name, tried.id!);
      this.accepted++;
      if (command.type === 'task.say' && tried.id) this.remember(tried.id, command.conversationId ?? '');
      return;
    }
    // It hung up before it was answered: nobody knows what came of it.
    if (tried.code === 'closed') this.lost++;
    if (!recorded.has(tried.code) || !agent) return;
    const name = `${agent.id} ${tried.code}`;
    this.refused.set(name, (this.refused.get(name) ?? 0) + 1);
  }

  private remember(id: string, conversationId: string): void {
    this.messages.push({ id, conversationId });
    if (this.messages.length > 500) this.messages.splice(0, 250);
  }

  private step(open: ModelTask[]): Command[] {
    return this.random.next() < 0.7 ? this.agentStep(open, this.random.int(24)) : this.personStep(open);
  }

  private anyTask(open: ModelTask[]): ModelTask | undefined {
    const { ended } = this.model;
    if (open.length > 0 && (ended.length === 0 || this.random.next() < 0.8)) return this.random.pick(open);
    return ended.length > 0 ? this.random.pick(ended) : undefined;
  }

  private place(): string {
    const { random, cast, threads } = this;
    return random.pick([...cast.channels, ...cast.channels, ...cast.dms, ...threads]);
  }

  /** What it says: often it gives work on, to whoever comes to mind. */
  private text(): string {
    const { random, cast } = this;
    const handle = () => random.pick(cast.agents).handle;
    return random.pick([
      'still at it',
      'thanks',
      `^${handle()} please look at this`,
      `^${handle()} and ^${handle()} please`,
      '^ANY take this',
      '^ALL look',
      `@${random.pick(cast.people).handle} see above`,
      `^nobody${random.int(9)} help`,
    ]);
  }

  private agentStep(open: ModelTask[], which: number): Command[] {
    const { random, cast, model } = this;
    const agent = random.pick(cast.agents);
    const mine = open.filter((task) => task.agent === agent.id);
    const own = mine.length > 0 ? random.pick(mine) : undefined;
    const other = this.anyTask(open);
    const kind = random.pick(['progress', 'progress', 'progress', 'question', 'answer', 'answer'] as const);
    const say = (task: ModelTask | undefined, over: object = {}): Command => ({
      type: 'task.say',
      by: agent.by,
      taskId: task?.id ?? null,
      lease: task?.lease,
      kind,
      body: this.text(),
      ...over,
    });
    const person = random.pick(cast.people);
    switch (which) {
      case 0: // names no task
        return [say(undefined, { conversationId: this.place() })];
      case 1: // another's
        return [say(other)];
      case 2: // after the end
        return [say(model.ended.length > 0 ? random.pick(model.ended) : undefined, { conversationId: this.place() })];
      case 3: // elsewhere
        return [say(own ?? other, { conversationId: this.place() })];
      case 4: // an old lease, or one to come
        return [say(own ?? other, { lease: (own ?? other)?.lease === undefined ? 1 : (own ?? other)!.lease + random.pick([-1, 1, 7]) })];
      case 5: {
        // twice under one key, at once: the same, or something else
        const key = `k${this.keys++}`;
        const first = say(own ?? other, { key });
        return [first, random.next() < 0.5 ? { ...first } : ({ ...first, body: `${this.text()} again` } as Command)];
      }
      case 6: // an old key
        return [say(own ?? other, { key: `k${random.int(this.keys + 1)}` })];
      case 7:
      case 8: // claims everything
        return open
          .filter((task) => task.agent === null)
          .slice(0, 3)
          .map((task): Command => ({ type: 'task.begin', by: agent.by, taskId: task.id }));
      case 9: // begins whatever there is
        return other ? [{ type: 'task.begin', by: agent.by, taskId: other.id }] : [];
      case 10: // as somebody else: the name is not what counts
        return other
          ? [{ type: 'task.begin', by: agent.by, taskId: other.id, agentId: other.agent ?? agent.id }, say(other, { agentId: other.agent })]
          : [];
      case 11: // declines what is not its own
        return other
          ? [{ type: 'task.decline', by: agent.by, taskId: other.id, lease: other.lease, outcome: 'declined', reason: 'no' }]
          : [];
      case 12: // or its own, now and then
        return own && random.next() < 0.3
          ? [{ type: 'task.decline', by: agent.by, taskId: own.id, lease: own.lease, outcome: 'blocked', reason: 'cannot' }]
          : [];
      case 13: // acknowledges backwards, and from a connection that is no more
        return [
          { type: 'agent.ack', by: agent.by, session: (this.sessions.get(agent.id) ?? 1) - random.int(2), cursor: random.int(100_000) },
        ];
      case 14: // as a person: the person's name, its own token
        return [
          {
            type: 'message.post',
            by: { memberId: person.id, tokenId: (agent.by as { tokenId: string }).tokenId },
            conversationId: this.place(),
            body: '^ALL hear me',
            attachmentIds: [],
          },
          { type: 'message.post', by: agent.by, conversationId: this.place(), body: this.text(), attachmentIds: [] },
        ];
      case 15: // what only people do
        return [this.forbidden(agent, other)];
      case 16:
        return random.next() < 0.2 ? [{ type: 'agent.connect', by: agent.by }] : [];
      case 17:
        return random.next() < 0.2
          ? [{ type: 'agent.disconnect', by: operator, agentId: agent.id, session: this.sessions.get(agent.id) ?? 1 }]
          : [];
      case 18:
        return own ? [{ type: 'task.pause', by: agent.by, taskId: own.id, lease: own.lease }] : [];
      case 19: {
        // a question and an answer to one lease, at once: only one of them is the last word
        if (!own) return [];
        return [say(own, { kind: 'answer' }), say(own, { kind: 'answer' }), say(own, { kind: 'question' })];
      }
      default: // at last: works on what it has
        if (!own) return [];
        return [own.state === 'queued' ? { type: 'task.begin', by: agent.by, taskId: own.id } : say(own)];
    }
  }

  private forbidden(agent: Someone, task: ModelTask | undefined): Command {
    const { random, cast } = this;
    const { by } = agent;
    const conversationId = this.place();
    const message = this.messages.length > 0 ? random.pick(this.messages).id : 'msg_none';
    const taskId = task?.id ?? 'tsk_none';
    return random.pick<Command>([
      { type: 'task.stop', by, taskId },
      { type: 'task.redirect', by, taskId, instruction: 'mine' },
      { type: 'task.redirect', by, taskId, instruction: 'mine', agentId: agent.id },
      { type: 'message.edit', by, messageId: message, body: 'changed' },
      { type: 'message.delete', by, messageId: message },
      { type: 'conversation.edit', by, conversationId, change: { topic: 'hear me' } },
      { type: 'conversation.add', by, conversationId, memberId: agent.id },
      { type: 'conversation.join', by, conversationId },
      { type: 'dm.open', by, memberIds: [random.pick(cast.people).id] },
      { type: 'member.edit', by, memberId: agent.id, change: { displayName: 'hear me' } },
      { type: 'agent.edit', by, memberId: agent.id, change: { maxConcurrent: 1000 } },
      { type: 'workspace.halt', by, halted: random.next() < 0.5 },
    ]);
  }

  private personStep(open: ModelTask[]): Command[] {
    const { random, cast } = this;
    const person = random.pick(cast.people);
    const task = this.anyTask(open);
    const crowded = open.length > enough;
    const last = this.messages.length > 0 ? random.pick(this.messages) : undefined;
    const post = (body: string, over: object = {}): Command => ({
      type: 'message.post',
      by: person.by,
      conversationId: this.place(),
      body,
      attachmentIds: [],
      ...over,
    });
    const handle = () => random.pick(cast.agents).handle;
    switch (crowded ? 6 + random.int(14) : random.int(20)) {
      case 0:
      case 1:
        return [post(`^${handle()} please do`)];
      case 2:
        return [post(`^${handle()} and ^${handle()} please`, { outputs: [random.pick(cast.channels)] })];
      case 3:
        return [post('^ANY of you')];
      case 4:
        return random.next() < 0.3 ? [post('^ALL of you')] : [post('nobody in particular')];
      case 5:
        return last ? [post('and this?', { conversationId: last.conversationId || this.place(), replyTo: last.id })] : [];
      case 6:
        return [post(random.pick(['thanks', 'go on', 'more of that please', '@all listen']))];
      case 7:
      case 8:
      case 9:
        return task ? [{ type: 'task.stop', by: random.next() < 0.5 ? cast.owner.by : person.by, taskId: task.id }] : [];
      case 10:
        return task ? [{ type: 'task.redirect', by: person.by, taskId: task.id, instruction: 'rather this' }] : [];
      case 11:
        return task
          ? [{ type: 'task.redirect', by: person.by, taskId: task.id, instruction: 'you do it', agentId: random.pick(cast.agents).id }]
          : [];
      case 12:
        return last ? [{ type: 'message.delete', by: person.by, messageId: last.id }] : [];
      case 13:
        return last ? [{ type: 'thread.open', by: person.by, messageId: last.id }] : [];
      case 14: // comes and goes
        return random.next() < 0.2
          ? [
              { type: 'conversation.leave', by: person.by, conversationId: random.pick(cast.channels) },
              { type: 'conversation.add', by: cast.owner.by, conversationId: random.pick(cast.channels), memberId: person.id },
            ]
          : [];
      case 15: // takes an agent out, and back in
        return random.next() < 0.2
          ? [
              {
                type: 'conversation.remove',
                by: cast.owner.by,
                conversationId: random.pick(cast.channels),
                memberId: random.pick(cast.agents).id,
              },
              {
                type: 'conversation.add',
                by: cast.owner.by,
                conversationId: random.pick(cast.channels),
                memberId: random.pick(cast.agents).id,
              },
            ]
          : [
              {
                type: 'conversation.add',
                by: cast.owner.by,
                conversationId: random.pick(cast.channels),
                memberId: random.pick([...cast.agents, ...cast.people]).id,
              },
            ];
      case 16: // stops everything, and lets it go on a little later
        return random.next() < 0.1 ? [{ type: 'workspace.halt', by: person.by, halted: !this.model.halted }] : [];
      case 17:
        return last ? [{ type: 'message.edit', by: person.by, messageId: last.id, body: `^${handle()} rather you` }] : [];
      default: // the platform itself begins what is queued, as its scheduler does
        return open
          .filter(({ agent, state }) => agent !== null && state === 'queued')
          .slice(0, 2)
          .map((queued): Command => ({ type: 'task.begin', by: operator, taskId: queued.id, agentId: queued.agent! }));
    }
  }

  /** Every refusal it got is among the facts, and no other is. */
  compareRefusals(): void {
    const { refusals } = this.model;
    for (const name of new Set([...refusals.keys(), ...this.refused.keys()])) {
      const [got, kept] = [this.refused.get(name) ?? 0, refusals.get(name) ?? 0];
      if (kept < got || kept > got + this.lost) this.wrong(`${name}: refused ${got} times, recorded ${kept} times`);
    }
    const { agentWords } = this.model;
    if (agentWords < this.accepted || agentWords > this.accepted + this.lost)
      this.wrong(`${this.accepted} words were accepted, ${this.model.agentWords} are there`);
  }
}
