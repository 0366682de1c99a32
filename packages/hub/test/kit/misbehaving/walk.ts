// People who ask, stop, redirect, leave and halt, and agents that try everything they must not. A step is a command; what
// carries it (the engine itself, HTTP, the agent socket) is somebody else's affair.

import type { Random } from '@parley/testkit';
import type { Command } from '../../../src/engine/command.ts';
import type { Someone } from '../bare.ts';
import type { FloorModel } from '../judges/floor.ts';
import { agentStep } from './agents.ts';
import { recorded } from './codes.ts';
import { personStep } from './people.ts';
import { type Cast, type Play, Scene, tokenOf } from './scene.ts';

export interface Tried {
  ok: boolean;
  code: string;
  /** Through which it went, where there are several. */
  door?: 'http' | 'socket';
  /** Of the message, if it made one. */
  id?: string;
  seq?: number;
}
export type Carry = (command: Command) => Promise<Tried>;

/** There is no way to ask for this: it was no step. */
export const noWay: Tried = { ok: false, code: 'no_way' };
/** It was sent, and nobody knows what came of it. */
const noAnswer = 'closed';

/** As what a contact comes to nothing: said in words, and no refusal of the command. */
const toldInWords: ReadonlySet<string> = new Set(['refused', 'awaiting_approval', 'denied']);
const isRecorded: ReadonlySet<string> = new Set(recorded);
const add = (counts: Map<string, number>, name: string): unknown => counts.set(name, (counts.get(name) ?? 0) + 1);

export class Misbehaviour {
  readonly problems: string[] = [];
  steps = 0;
  /** What came of them: by the door, the command and the code. */
  readonly outcomes = new Map<string, number>();
  /** agent and reason → how often its words were refused with it. */
  private readonly refused = new Map<string, number>();
  /** agent → its words that were accepted, and those that were sent and never answered. */
  private readonly accepted = new Map<string, number>();
  private readonly lost = new Map<string, number>();
  /** agent and action → how often it was let contact another so; agent → how often it was kept from it. */
  private readonly made = new Map<string, number>();
  private readonly kept = new Map<string, number>();
  private readonly scene: Scene;
  private readonly agents: ReadonlyMap<string | undefined, Someone>;
  /** agent and key → what it made; at the doors a notification has no id, and was made all the same. */
  private readonly byKey = new Map<string, string | undefined>();
  private readonly acked = new Map<string, number>();
  /** message → what was said with it, and in which task. */
  private readonly said = new Map<string, string>();

  constructor(cast: Cast, random: Random, model: FloorModel) {
    this.scene = new Scene(cast, random, model);
    // Whoever has an agent's token is that agent, whatever name it gives.
    this.agents = new Map(cast.agents.map((agent) => [tokenOf(agent), agent]));
  }

  private wrong(what: string): void {
    if (this.problems.length < 50) this.problems.push(what);
  }

  /** A batch of steps, all of them under way at once. */
  async batch(count: number, carry: Carry, play: Play = 'all'): Promise<void> {
    const { random, model } = this.scene;
    const open = [...model.open.values()];
    const byAgent = Map.groupBy(open, ({ agent }) => agent);
    const running: Promise<void>[] = [];
    while (running.length < count) {
      const byAnAgent = play === 'wrong' || random.next() < 0.7;
      const commands = byAnAgent ? agentStep(this.scene, open, byAgent, play) : personStep(this.scene, open, play);
      for (const command of commands) running.push(this.take(command, carry));
    }
    await Promise.all(running);
    await model.follow();
  }

  /** One step, and what is to be remembered of it. */
  async take(command: Command, carry: Carry): Promise<void> {
    const tried = await carry(command);
    if (tried.code === noWay.code) return;
    this.steps++;
    const { scene } = this;
    const { door } = tried;
    add(this.outcomes, `${door === undefined ? '' : `${door} `}${command.type} ${tried.ok ? 'ok' : tried.code}`);
    if (tried.code === 'internal') this.wrong(`${command.type} failed: ${JSON.stringify(command)}`);
    const agent = this.agents.get(tokenOf(command));
    if (agent) this.heard(command, tried, agent);
    if (command.type === 'message.post' && tried.ok) {
      // At the doors it is its goodbye, and the judge holds it to that.
      if (agent && door === 'http') add(this.accepted, agent.id);
      else if (agent) this.wrong('an agent posted as if it were a person');
      scene.remember(tried.id!, command.conversationId);
    }
    if ((command.type === 'task.stop' || command.type === 'task.redirect') && tried.ok && 'memberId' in command.by)
      scene.model.stoppedBy(command.taskId, command.by.memberId);
    if (command.type === 'obligation.discharge' && tried.ok && 'memberId' in command.by)
      scene.model.attention.settledBy(command.obligationId, command.by.memberId);
    if (command.type === 'thread.open' && tried.ok && tried.id) scene.rememberThread(tried.id);
  }

  private heard(command: Command, tried: Tried, agent: Someone): void {
    const speaks = command.type === 'task.say' || command.type === 'task.decline';
    if (speaks && tried.ok) this.spoke(command, tried, agent);
    if (speaks && tried.code === noAnswer) add(this.lost, agent.id);
    // At the doors, what an agent posts without a task is a word of its own.
    if ((speaks || command.type === 'message.post') && isRecorded.has(tried.code)) add(this.refused, `${agent.id} ${tried.code}`);
    if (command.type === 'agent.ack' && tried.ok && tried.seq !== undefined) {
      if (tried.seq < (this.acked.get(agent.id) ?? 0)) this.wrong(`${agent.handle}’s acknowledgements went back to ${tried.seq}`);
      this.acked.set(agent.id, tried.seq);
    }
    if (command.type === 'agent.connect' && tried.seq !== undefined) this.scene.sessions.set(agent.id, tried.seq);
    if (command.type === 'contact.start') this.contacted(command, tried, agent);
  }

  /** It was let contact another, or told in words why not: both are facts. */
  private contacted({ key, taskId, lease, action }: Command & { type: 'contact.start' }, tried: Tried, agent: Someone): void {
    if (tried.code === noAnswer) return void add(this.lost, agent.id);
    // What came to nothing is decided again, under the same key, too.
    if (!tried.ok) return void (toldInWords.has(tried.code) && add(this.kept, agent.id));
    if (this.isRepeat(`contact ${agent.id}`, key, tried.id)) return;
    add(this.made, `${agent.id} ${action}`);
    const known = this.scene.model.tasks.get(taskId);
    // As of before these steps: by now there may be a later one, never an earlier one.
    if (known && lease < known.lease)
      this.wrong(`${agent.handle} contacted another in ${taskId} under lease ${lease}, which is at ${known.lease}`);
  }

  private spoke(command: Command & { type: 'task.say' | 'task.decline' }, tried: Tried, agent: Someone): void {
    const key = command.type === 'task.say' ? command.key : undefined;
    if (this.isRepeat(agent.id, key, tried.id) || this.isShownAlready(command, tried.id)) return;
    add(this.accepted, agent.id);
    if (command.type === 'task.say' && tried.id) this.scene.remember(tried.id, command.conversationId ?? '');
  }

  /**
   * The same progress in a task is shown once (C2A-19): its repeat is answered with the first message. That may have been meant
   * as an answer, which is progress as long as others work for the task (IAC-6).
   */
  private isShownAlready(command: Command & { type: 'task.say' | 'task.decline' }, made: string | undefined): boolean {
    if (command.type !== 'task.say' || made === undefined) return false;
    const words = `${command.taskId} ${command.body}`;
    const before = this.said.get(made);
    this.said.set(made, before ?? words);
    if (before !== undefined && (before !== words || command.kind !== 'progress')) this.wrong(`${made} stands for ${before} and ${words}`);
    return before !== undefined;
  }

  /** Under one key the same is made, and only once. */
  private isRepeat(whose: string, key: string | undefined, made: string | undefined): boolean {
    if (key === undefined) return false;
    const name = `${whose} ${key}`;
    const isRepeat = this.byKey.has(name);
    const before = this.byKey.get(name);
    if (!isRepeat) this.byKey.set(name, made);
    else if (made !== before) this.wrong(`key ${key} made ${before} and ${made}`);
    return isRepeat;
  }

  /** Every refusal it got is among the facts, and no other is; and so are its words. Only what it got no answer to may be more. */
  compareWithFacts(): void {
    const { refusals, wordsOf, contacts } = this.scene.model;
    for (const { id } of this.agents.values()) {
      let more = 0;
      const which: string[] = [];
      const compare = (what: string, got: number, kept: number): void => {
        if (kept < got) this.wrong(`${what} ${got} times, recorded ${kept} times`);
        more += kept - got;
        if (kept > got) which.push(what);
      };
      for (const name of new Set([...refusals.keys(), ...this.refused.keys()]))
        if (name.startsWith(`${id} `)) compare(`${name}: refused`, this.refused.get(name) ?? 0, refusals.get(name) ?? 0);
      compare(`${id} was let speak`, this.accepted.get(id) ?? 0, wordsOf.get(id) ?? 0);
      // Each for itself: at the doors nobody hears what came of an ask, and that must not hide that another is missing.
      for (const name of ['ask', 'delegate', 'notify'].map((action) => `${id} ${action}`))
        compare(`${name}: was let contact others`, this.made.get(name) ?? 0, contacts.made.get(name) ?? 0);
      compare(`${id} was kept from contacting others`, this.kept.get(id) ?? 0, contacts.refusals.get(id) ?? 0);
      const lost = this.lost.get(id) ?? 0;
      if (more > lost)
        this.wrong(
          `of ${id} ${more} words or refusals more are there than it was told of (${which.join(', ')}); it got no answer ${lost} times`,
        );
    }
  }

  get words(): number {
    return [...this.accepted.values()].reduce((a, b) => a + b, 0);
  }
}
