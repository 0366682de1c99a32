// Who works next. The rows are the truth: what is queued for an agent that is here is begun, agents of the hub are run in
// this process, remote ones are told on their socket. This loop can die at any moment; the next one looks at the rows.

import { ParleyError } from '@parley/protocol';
import { type Brain, BrainFailed } from '../brains/brain.ts';
import type { Clock } from '../clock.ts';
import { isAway } from '../engine/database-away.ts';
import { operator } from '../engine/command.ts';
import type { Engine } from '../engine/engine.ts';
import { look } from '../engine/look.ts';
import { takersOf } from '../engine/steps/offers/offers.ts';
import { isHere, runsInHub } from '../engine/steps/tasks/tasks.ts';
import type { Tail } from '../engine/tail.ts';
import { factData } from '../store/fact-data.ts';
import { CorruptRowError, type PlacedFact, type Store } from '../store/port.ts';
import { leastBusy, openWork, roundTexts, unclaimedTasks } from '../store/reads/tasks.ts';
import type { AgentRow, TaskRow, TurnRow } from '../store/tables.ts';
import { RetryTimer } from '../engine/retry-timer.ts';
import { readColumns } from '../store/where.ts';
import { Diverged } from '../executor/journal.ts';
import { type Begun, queueOf, stillWaiting, together, type Waiting } from './queue.ts';
import { isOvertaken, stopped } from './task-signs.ts';
import { runTurn, type TurnServices } from './turn.ts';

interface Run {
  abort: AbortController;
  lease: number;
  /** It has had an effect outside already: it is not begun anew, but goes on. */
  acted: boolean;
  ended: Promise<void>;
}

export interface SchedulerOptions {
  store: Store;
  engine: Engine;
  tail: Tail;
  brains: { builtin: Brain; model: Brain };
  draft: TurnServices['draft'];
  clock: Clock;
  onError: (error: unknown) => void;
}

const atOnce = 50;
const leadRetryMs = 5000;

export class Scheduler {
  private readonly options: SchedulerOptions;
  private readonly runs = new Map<string, Run>();
  /** Agents to look at, and whether somebody is looking. */
  private readonly waiting = new Set<string>();
  private readonly offers = new Set<string>();
  /** Everything that is open is to be looked at: at the start, and after a halt. */
  private everyone = false;
  private looking: Promise<void> | undefined;
  private stopping = false;
  private cancelRetry: (() => void) | undefined;
  private readonly retries: RetryTimer;
  /** Looks of this round that failed, and how to take them again. */
  private missed: { error: unknown; back: () => void }[] = [];

  constructor(options: SchedulerOptions) {
    this.options = options;
    this.retries = new RetryTimer(options.clock);
  }

  /** What a hub before this one left: its turns are taken up again. */
  async start(): Promise<void> {
    this.options.tail.listen((facts) => this.hear(facts));
    this.everyone = true;
    this.look();
    await this.looking;
  }

  private hear(facts: readonly PlacedFact[]): void {
    for (const fact of facts) {
      const halt = factData(fact, 'workspace.halted');
      if (halt) this.halted(halt);
      if (fact.type === 'agent.changed') this.look(fact.subject_id!);
      // Where it comes in, something may be waiting for anyone.
      if (fact.type === 'membership.added' || fact.type === 'agent.returned') this.look(fact.member_id!);
      if (fact.type === 'round.asked') this.look(fact.member_id!);
      if (!fact.type.startsWith('task.')) continue;
      const run = this.runs.get(fact.subject_id!);
      // Before it has acted, the turn is begun anew with all of it; after that, its answer is not the last word.
      if (run && fact.type === 'task.continued' && !run.acted) run.abort.abort('more was said');
      if (run && stopped.has(fact.type)) run.abort.abort();
      if (run && (factData(fact, 'task.begin')?.lease ?? 0) > run.lease) run.abort.abort();
      if (fact.member_id !== null) this.look(fact.member_id);
      else if (fact.type === 'task.opened' || fact.type === 'task.ready' || fact.type === 'task.release') {
        this.offers.add(fact.subject_id!);
        this.look();
      }
    }
  }

  private halted({ halted }: { halted: boolean }): void {
    if (halted) for (const run of this.runs.values()) run.abort.abort('halted');
    else {
      this.everyone = true;
      this.look();
    }
  }

  private look(...agentIds: string[]): void {
    for (const id of agentIds) this.waiting.add(id);
    this.looking ??= this.lookNow();
  }

  private async lookNow(): Promise<void> {
    try {
      await this.lookRound();
      this.looking = undefined;
      this.retries.succeed();
      if (!this.stopping && this.hasMore()) this.look();
    } catch (error) {
      this.looking = undefined;
      this.options.onError(error);
      this.lookLater();
    }
  }

  private lookLater(...agentIds: string[]): void {
    for (const id of agentIds) this.waiting.add(id);
    if (!this.stopping) this.retries.retry(() => this.look());
  }

  private hasMore(): boolean {
    return this.everyone || this.waiting.size > 0 || this.offers.size > 0;
  }

  private async lookRound(): Promise<void> {
    while (this.hasMore() && !this.stopping) {
      if (this.everyone) {
        this.everyone = false;
        await this.tried(this.lookAround(), () => (this.everyone = true));
        continue;
      }
      if (this.waiting.size > 0) {
        // Together, so that their beginnings share a commit.
        const agents = [...this.waiting].slice(0, atOnce);
        for (const id of agents) this.waiting.delete(id);
        await Promise.all(agents.map((id) => this.tried(this.lookAt(id), () => this.waiting.add(id))));
        continue;
      }
      const [offer] = this.offers;
      this.offers.delete(offer!);
      await this.tried(this.offer(offer!), () => this.offers.add(offer!));
    }
    const missed = this.missed.splice(0);
    for (const { back } of missed) back();
    if (missed[0]) throw missed[0].error;
  }

  /** One that fails holds up no other, and is not forgotten; only what is damaged stays so, however often it is looked at. */
  private async tried(look: Promise<void>, back: () => void): Promise<void> {
    try {
      await look;
    } catch (error) {
      if (error instanceof CorruptRowError) this.options.onError(error);
      else this.missed.push({ error, back });
    }
  }

  private async lookAround(): Promise<void> {
    const { store } = this.options;
    for (const { agent_id, id } of await openWork(store)) (agent_id === null ? this.offers : this.waiting).add(agent_id ?? id);
    for (const { agent_id } of await readColumns(store, 'offers', ['agent_id'], { state: 'open' })) this.waiting.add(agent_id);
  }

  private async lookAt(agentId: string): Promise<void> {
    const { store } = this.options;
    const [agent] = await store.rows('agents', { member_id: agentId });
    if (!agent) return;
    // A sleeper is woken by a person's word, or by its timer; both are told.
    if (!isHere(agent) || agent.asleep_until !== null) return;
    if (runsInHub(agent) && !(await this.leads())) return;
    await this.beginAll(await queueOf(store, agent), agent);
    await this.unclaimed(agent);
    if (runsInHub(agent)) await this.rounds(agent);
  }

  /** In order within a conversation: what is behind one that cannot begin waits with it, unless somebody waits in the call for it. */
  private async beginAll(queue: readonly Waiting[], agent: AgentRow): Promise<void> {
    let left = queue.filter(({ task }) => !this.runs.has(task.id));
    while (left.length > 0) {
      // Together, so that they share a commit.
      const now = together(left, agent.max_concurrent);
      const became = await Promise.all(now.map(({ task, behind }) => this.begin(task, agent, behind)));
      left = stillWaiting(left, now, became);
    }
  }

  private brainOf({ brain }: AgentRow): Brain {
    return brain === 'model' ? this.options.brains.model : this.options.brains.builtin;
  }

  /** What goes round and stands with an agent of the hub: taken up, or passed on at once and without a turn. */
  private async rounds(agent: AgentRow): Promise<void> {
    const { store, engine, onError } = this.options;
    const agentId = agent.member_id;
    const asked = await store.rows('offers', { agent_id: agentId, state: 'open' }, { order: 'message_id' });
    for (const { message_id: messageId } of asked) {
      const at = { by: operator, messageId, agentId } as const;
      const pieces = await roundTexts(store, messageId);
      const text = pieces.flatMap(({ body }) => body ?? []).join('\n');
      try {
        if (this.brainOf(agent).takesUp?.(text) !== true) await engine.submit({ type: 'round.pass', ...at });
        else {
          const { task, turn } = await engine.submit({ type: 'round.claim', ...at });
          if (turn) this.run(task, turn, agent);
        }
      } catch (error) {
        if (isAway(error)) throw error;
        // It would, and has had all its turns: that is no choice of its own.
        if (error instanceof ParleyError && error.code === 'budget_exhausted')
          await engine.submit({ type: 'round.pass', ...at, unable: true }).catch(ignoreOvertaken(onError));
        else ignoreOvertaken(onError)(error);
      }
    }
  }

  /** Agents of the hub run in one hub, whichever it is; the others look now and then whether it has become them. */
  private async leads(): Promise<boolean> {
    if (await this.options.store.lead()) return true;
    this.cancelRetry?.();
    if (!this.stopping)
      this.cancelRetry = this.options.clock.after(leadRetryMs, () => {
        this.everyone = true;
        this.look();
      });
    return false;
  }

  private async begin(task: TaskRow, agent: AgentRow, behind?: string): Promise<Begun> {
    try {
      // A remote agent may have taken it itself meanwhile: that turn is not to be taken from it.
      const ifQueued = agent.brain === 'remote';
      const begun = await this.options.engine.submit({
        type: 'task.begin',
        by: operator,
        taskId: task.id,
        agentId: agent.member_id,
        ifQueued,
        behind,
        ...(runsInHub(agent) ? { micros: (await this.brainOf(agent).estimate?.(agent.member_id)) ?? 0 } : {}),
      });
      if (begun.turn && runsInHub(agent)) this.run(begun.task, begun.turn, agent);
      return 'begun';
    } catch (error) {
      if (error instanceof ParleyError && error.code === 'agent_busy') return 'busy';
      if (isAway(error)) throw error;
      if (!isOvertaken(error)) this.options.onError(error);
      return 'refused';
    }
  }

  /** `^ANY` that nobody was there for when it was asked. */
  private async unclaimed(agent: AgentRow): Promise<void> {
    if (!runsInHub(agent)) return;
    for (const { id } of await unclaimedTasks(this.options.store, agent.member_id)) this.offers.add(id);
  }

  /** To the hub's agents in the conversation, the least busy first; remote ones claim for themselves. */
  private async offer(taskId: string): Promise<void> {
    const { store } = this.options;
    const [task] = await store.rows('tasks', { id: taskId, open: 1, agent_id: null });
    if (!task || !(await this.leads())) return;
    const takers = await look(store, [], (set) => takersOf([task], set, this.options.clock.now()).get(task.id)!);
    for (const { id } of await leastBusy(store, takers)) {
      const [agent] = await store.rows('agents', { member_id: id });
      if (agent && (await this.begin(task, agent)) === 'begun') return;
    }
  }

  private run(task: TaskRow, turn: TurnRow, agent: AgentRow): void {
    const run: Run = { abort: new AbortController(), lease: turn.lease, acted: false, ended: Promise.resolve() };
    this.runs.set(task.id, run);
    // Begun while the hub was told to stop: it would be waited for and never told.
    if (this.stopping) run.abort.abort('stopping');
    run.ended = this.runToEnd(task, turn, this.brainOf(agent), run);
  }

  private async runToEnd(task: TaskRow, turn: TurnRow, brain: Brain, run: Run): Promise<void> {
    const outcome = await this.runOut(task, turn, brain, run);
    if (this.runs.get(task.id) === run) this.runs.delete(task.id);
    if (outcome === 'away') this.lookLater(turn.agent_id);
    else if (!this.stopping) this.look(turn.agent_id);
  }

  /** Away: it could not go on, and is to be taken up again. */
  private async runOut(task: TaskRow, turn: TurnRow, brain: Brain, run: Run): Promise<'ended' | 'away'> {
    const { engine, store, draft, onError } = this.options;
    const at = { by: operator, taskId: task.id, lease: turn.lease, agentId: turn.agent_id } as const;
    try {
      await runTurn({ store, engine, draft }, brain, task, turn, {
        signal: run.abort.signal,
        acted: () => (run.acted = true),
      });
    } catch (error) {
      if (this.stopping) return 'ended';
      if (run.abort.signal.aborted) {
        // Begun anew with what was added; whoever else stopped it has said so in the rows.
        if (run.abort.signal.reason === 'more was said') await engine.submit({ type: 'task.yield', ...at }).catch(ignoreOvertaken(onError));
        return 'ended';
      }
      if (isOvertaken(error) && !(await this.holds(turn, error))) return 'ended';
      // It would wait for one that asked meanwhile: another turn hears the question. Or its journal no longer fits.
      if ((error instanceof ParleyError && error.code === 'task_not_active') || error instanceof Diverged) {
        await engine.submit({ type: 'task.yield', ...at }).catch(ignoreOvertaken(onError));
        return 'ended';
      }
      onError(error);
      if (isAway(error)) return 'away';
      const { reason, failure } = error instanceof BrainFailed ? error : {};
      await engine.submit({ type: 'task.fail', ...at, reason, failure }).catch(ignoreOvertaken(onError));
    }
    return 'ended';
  }

  /** Nobody decided anything: what was refused is the brain's own doing, and would be refused for ever. */
  private async holds({ task_id, lease }: TurnRow, { code }: ParleyError): Promise<boolean> {
    if (code === 'halted') return false;
    const [now] = await this.options.store.rows('tasks', { id: task_id });
    return now?.state === 'active' && now.lease === lease;
  }

  /** Resolves when nothing that could be begun is waiting and nothing runs. */
  async settled(): Promise<void> {
    for (;;) {
      await this.options.tail.settled();
      if (!this.looking && this.runs.size === 0) return;
      await this.looking;
      await Promise.all([...this.runs.values()].map((run) => run.ended));
    }
  }

  async stop(): Promise<void> {
    this.stopping = true;
    this.cancelRetry?.();
    this.retries.stop();
    for (const run of this.runs.values()) run.abort.abort('stopping');
    await this.looking;
    await Promise.all([...this.runs.values()].map((run) => run.ended));
  }
}

const ignoreOvertaken = (onError: (error: unknown) => void) => (error: unknown) => {
  if (!isOvertaken(error)) onError(error);
};
