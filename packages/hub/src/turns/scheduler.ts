// The order of work: a queued task begins when its agent is here. Agents of the hub run in this process; remote ones learn
// of it on their socket.

import { addressesIn, directory, textWithoutAddresses } from '@parley/core';
import { ParleyError, type ErrorCode, lostClaimCodes } from '@parley/protocol';
import { type Brain, BrainError } from '../brains/brain.ts';
import { isAway } from '../engine/background-failures.ts';
import { platform } from '../engine/command.ts';
import type { Engine } from '../engine/engine.ts';
import { readRows } from '../engine/decision-reads.ts';
import { takersOf } from '../engine/steps/offers/offers.ts';
import { isHere, runsInHub } from '../engine/steps/tasks/tasks.ts';
import { factData } from '../store/fact-data.ts';
import { CorruptRowError, type PlacedFact, type Store } from '../store/port.ts';
import { leastBusy, openWork, roundTexts, unclaimedTasks } from '../store/reads/tasks.ts';
import type { AgentRow, TaskRow, TurnRow } from '../store/tables.ts';
import { readColumns } from '../store/where.ts';
import { JournalDivergence } from '../executor/journal.ts';
import { LeaseRunner, type LeaseRunnerOptions } from '../executor/lease-runner.ts';
import { type RunningTask, queueOf, stillWaiting, startable, type QueuedTask } from './queue.ts';
import { runTurn, type TurnServices } from './turn.ts';

export interface SchedulerOptions extends LeaseRunnerOptions {
  engine: Engine;
  brains: { builtin: Brain; model: Brain };
  draft: TurnServices['draft'];
}

const atOnce = 50;
const moreWasSaid = new Error('more was said');

export class Scheduler extends LeaseRunner<SchedulerOptions> {
  /** Runs that have had an effect outside: they are not begun again, but go on. */
  private readonly acted = new WeakSet<AbortSignal>();
  /** Agents and offers to look at. */
  private readonly waiting = new Set<string>();
  private readonly offers = new Set<string>();
  private everyone = false;
  /** Looks of this round that failed, and how to take them again. */
  private missed: { error: unknown; back: () => void }[] = [];

  protected hear(fact: PlacedFact): void {
    if (fact.type === 'agent.changed') this.lookFor(fact.subject_id!);
    // Where it comes in, something may be waiting for anyone.
    if (fact.type === 'membership.added' || fact.type === 'agent.returned') this.lookFor(fact.member_id!);
    if (fact.type === 'round.asked') this.lookFor(fact.member_id!);
    if (!fact.type.startsWith('task.')) return;
    const abort = this.runs.get(fact.subject_id!)?.abort;
    // Before it has acted, the turn is begun again with all of it; after that, its answer is not the last word.
    if (abort && fact.type === 'task.continued' && !this.acted.has(abort.signal)) abort.abort(moreWasSaid);
    if (stopped.has(fact.type)) abort?.abort();
    const beginning = factData(fact, 'task.begin');
    if (beginning) this.overtake(fact.subject_id!, beginning.lease);
    if (fact.member_id !== null) this.lookFor(fact.member_id);
    else if (fact.type === 'task.opened' || fact.type === 'task.ready' || fact.type === 'task.release') {
      this.offers.add(fact.subject_id!);
      this.look();
    }
  }

  protected override lookAtAll(): void {
    this.everyone = true;
    this.look();
  }

  private lookFor(agentId: string): void {
    this.waiting.add(agentId);
    this.look();
  }

  private hasMore(): boolean {
    return this.everyone || this.waiting.size > 0 || this.offers.size > 0;
  }

  protected async beginDue(): Promise<void> {
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

  /** A failed check holds up no other and is retried, except after a damaged row. */
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
    // A person's word or its timer wakes a sleeper; both are facts. A task that the agent could have taken may have no
    // taker now.
    if (!isHere(agent) || agent.asleep_until !== null) return this.unclaimed(agent);
    if (runsInHub(agent) && !(await this.leads())) return;
    await this.beginAll(await queueOf(store, agent), agent);
    if (!runsInHub(agent)) return;
    await this.unclaimed(agent);
    await this.rounds(agent);
  }

  /**
   * Begins tasks in order within a conversation: a task behind one that cannot begin waits with it, unless somebody waits
   * in the call for it.
   */
  private async beginAll(queue: readonly QueuedTask[], agent: AgentRow): Promise<void> {
    let remaining = queue.filter(({ task }) => !this.runs.has(task.id));
    // Estimated once: with a read for each task, the reads would decide which begins first (IAC-8).
    const micros = remaining.length > 0 ? await this.estimateFor(agent) : 0;
    while (remaining.length > 0) {
      // Together, so that they share a commit.
      const now = startable(remaining, agent.max_concurrent);
      const became = await Promise.all(now.map(({ task, behind }) => this.begin(task, agent, micros, behind)));
      remaining = stillWaiting(remaining, now, became);
    }
  }

  /** The most that a turn of it can cost; one outside the hub pays for itself. */
  private async estimateFor(agent: AgentRow): Promise<number> {
    return runsInHub(agent) ? ((await this.brainOf(agent).estimate?.(agent.member_id)) ?? 0) : 0;
  }

  private brainOf({ brain }: AgentRow): Brain {
    return brain === 'model' ? this.options.brains.model : this.options.brains.builtin;
  }

  /** The rounds that offer a message to an agent of the hub: claimed, or passed on at once and without a turn. */
  private async rounds(agent: AgentRow): Promise<void> {
    const { store, engine, onError } = this.options;
    const agentId = agent.member_id;
    const offers = await store.rows('offers', { agent_id: agentId, state: 'open' }, { order: 'message_id' });
    for (const { message_id: messageId } of offers) {
      const at = { by: platform, messageId, agentId } as const;
      const pieces = await roundTexts(store, messageId);
      const text = pieces.flatMap(({ body }) => body ?? []).join('\n');
      try {
        if (this.brainOf(agent).takesUp?.(text) !== true) await engine.submit({ type: 'round.pass', ...at });
        else {
          const { task, turn } = await engine.submit({ type: 'round.claim', ...at });
          if (turn) this.runTurn(task, turn, agent);
        }
      } catch (error) {
        if (isAway(error)) throw error;
        // The agent wants the message, and has no budget left: it did not decline.
        if (error instanceof ParleyError && error.code === 'budget_exhausted')
          await engine.submit({ type: 'round.pass', ...at, unable: true }).catch(ignoreOvertaken(onError));
        else ignoreOvertaken(onError)(error);
      }
    }
  }

  private async begin(task: TaskRow, agent: AgentRow, micros: number, behind?: string): Promise<RunningTask> {
    try {
      // A remote agent may have taken it itself meanwhile: that turn is not to be taken from it.
      const ifQueued = agent.brain === 'remote';
      const startedTask = await this.options.engine.submit({
        type: 'task.begin',
        by: platform,
        taskId: task.id,
        agentId: agent.member_id,
        ifQueued,
        behind,
        micros,
      });
      if (startedTask.turn && runsInHub(agent)) this.runTurn(startedTask.task, startedTask.turn, agent);
      return 'begun';
    } catch (error) {
      if (error instanceof ParleyError && error.code === 'agent_busy') return 'busy';
      if (isAway(error)) throw error;
      if (!isOvertaken(error)) this.options.onError(error);
      return 'refused';
    }
  }

  /**
   * Tasks for any agent where this agent is: no agent was there when the task was asked for, or one that could have taken
   * it has gone.
   */
  private async unclaimed(agent: AgentRow): Promise<void> {
    for (const { id } of await unclaimedTasks(this.options.store, agent.member_id)) this.offers.add(id);
  }

  /**
   * To the hub's agents in the conversation, the least busy first; remote ones claim for themselves. One that is not sure to
   * have an answer passes without a word (PAP-4).
   */
  private async offer(taskId: string): Promise<void> {
    const { store } = this.options;
    const [task] = await store.rows('tasks', { id: taskId, open: 1, agent_id: null });
    if (!task || !(await this.leads())) return;
    const takers = await readRows(store, [], (set) => takersOf([task], set, this.options.clock.now()).get(task.id)!);
    const text = await requestText(store, task);
    const inHub = await leastBusy(store, takers);
    const unable: AgentRow[] = [];
    for (const { id } of inHub) {
      const [agent] = await store.rows('agents', { member_id: id });
      if (!agent) continue;
      const brain = this.brainOf(agent);
      if (brain.takesUp?.(text) !== false) {
        if ((await brain.isAble?.(id)) === false) unable.push(agent);
        else if ((await this.begin(task, agent, await this.estimateFor(agent))) === 'begun') return;
        continue;
      }
      const at = { by: platform, messageId: task.message_id, agentId: id } as const;
      await this.options.engine.submit({ type: 'round.pass', ...at }).catch(ignoreOvertaken(this.options.onError));
    }
    // Nobody else could take it: its failure says what it lacks.
    if (unable[0] && takers.length === inHub.length) await this.begin(task, unable[0], await this.estimateFor(unable[0]));
  }

  private runTurn(task: TaskRow, turn: TurnRow, agent: AgentRow): void {
    const work = (signal: AbortSignal) => this.runToEnd(task, turn, this.brainOf(agent), signal);
    this.run(task.id, turn.lease, work, (end) => {
      this.waiting.add(turn.agent_id);
      if (end === 'away') this.lookLater();
      else this.look();
    });
  }

  /** Away: it could not go on, and is to be taken up again. */
  private async runToEnd(task: TaskRow, turn: TurnRow, brain: Brain, signal: AbortSignal): Promise<'ended' | 'away'> {
    const { engine, store, draft, onError } = this.options;
    const at = { by: platform, taskId: task.id, lease: turn.lease, agentId: turn.agent_id } as const;
    try {
      await runTurn({ store, engine, draft }, brain, task, turn, {
        signal,
        acted: () => this.acted.add(signal),
      });
    } catch (error) {
      if (this.stopping) return 'ended';
      if (signal.aborted) {
        // The turn begins again with the follow-up; any other stop is in the rows.
        if (signal.reason === moreWasSaid) await engine.submit({ type: 'task.yield', ...at }).catch(ignoreOvertaken(onError));
        return 'ended';
      }
      if (isOvertaken(error) && !(await this.holds(turn, error))) return 'ended';
      // The task would wait for a sub-task that asked meanwhile, and another turn hears the question. Or its journal no
      // longer fits.
      if ((error instanceof ParleyError && error.code === 'task_not_active') || error instanceof JournalDivergence) {
        await engine.submit({ type: 'task.yield', ...at }).catch(ignoreOvertaken(onError));
        return 'ended';
      }
      onError(error);
      if (isAway(error)) return 'away';
      const { reason, failure } = error instanceof BrainError ? error : {};
      await engine.submit({ type: 'task.fail', ...at, reason, failure }).catch(ignoreOvertaken(onError));
    }
    return 'ended';
  }

  /** Whether the refusal is the brain's own doing, and would come again for ever: no person or limit decided it. */
  private async holds({ task_id, lease }: TurnRow, { code }: ParleyError): Promise<boolean> {
    if (code === 'halted') return false;
    const [now] = await this.options.store.rows('tasks', { id: task_id });
    return now?.state === 'active' && now.lease === lease;
  }
}

/** All pieces of a request, without whom it calls. */
async function requestText(store: Store, task: TaskRow): Promise<string> {
  const words = await store.rows('task_words', { task_id: task.id, kind: 'follow_up' });
  const ids = [task.message_id, ...words.map(({ message_id }) => message_id)];
  const pieces = await store.rows('messages', { id: ids }, { order: 'seq' });
  return pieces.map(({ body }) => textWithoutAddresses(body ?? '', addressesIn(body ?? '', nobody)).trim()).join('\n');
}

const nobody = directory([]);

const ignoreOvertaken = (onError: (error: unknown) => void) => (error: unknown) => {
  if (!isOvertaken(error)) onError(error);
};

// How the scheduler learns that a task is not its own to run any more.

/** Somebody else decided meanwhile: an expected end of a race. */
const overtaken: ReadonlySet<ErrorCode> = new Set([...lostClaimCodes, 'agent_busy', 'composing', 'forbidden', 'asked_to_leave']);
const isOvertaken = (error: unknown): error is ParleyError => error instanceof ParleyError && overtaken.has(error.code);

/** Facts after which nobody is at the task any more. */
const stopped = new Set([
  'task.complete',
  'task.fail',
  'task.decline',
  'task.time_out',
  'task.cancel',
  'task.yield',
  'task.release',
  'task.pause',
  'task.await',
  'task.ask',
]);
