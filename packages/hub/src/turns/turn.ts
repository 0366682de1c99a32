// One turn of a brain in the hub: its context and its end.

import { hasActed, hasPrivateNotes, notesFor } from '@parley/core';
import type { Brain, TurnOutcome, BrainTurn } from '../brains/brain.ts';
import { platform } from '../engine/command.ts';
import { readRows } from '../engine/decision-reads.ts';
import type { Engine } from '../engine/engine.ts';
import { modeOf } from '../engine/steps/agents/agents.ts';
import { audienceOf, holdsPrivate } from '../engine/steps/conversations/egress.ts';
import type { WorkingSet } from '../engine/working-set.ts';
import type { Store } from '../store/port.ts';
import type { HeldTask } from '../tools/tool-caller.ts';
import type { JournalRow, TaskRow, TurnRow } from '../store/tables.ts';
import { readColumns } from '../store/where.ts';
import { type TurnContext, contextOf, wordsOf } from './turn-context.ts';
import { ApprovalDenial, Journal, type Ledger, InterruptedStep, NeedsApproval } from '../executor/journal.ts';
import { taskPrompt } from './task-prompt.ts';
import { abandonOnAbort } from '../waiting.ts';
import { AgentReads } from './agent-reads.ts';

export interface TurnServices {
  store: Store;
  engine: Engine;
  draft: (task: TaskRow, text: string | null) => void;
}

export interface RunState {
  signal: AbortSignal;
  /** The turn has had an effect outside: from now on it does not start over. */
  acted: () => void;
}

/** Runs it to its end. Refusals (stopped, taken over, halted) are thrown; the journal stays for the next runner. */
export async function runTurn(services: TurnServices, brain: Brain, task: TaskRow, turn: TurnRow, run: RunState): Promise<void> {
  const { store, engine } = services;
  const heldTask: HeldTask = { by: platform, taskId: task.id, lease: turn.lease, agentId: turn.agent_id };
  const rows = await store.rows('journal', { turn_id: turn.id }, { order: 'n' });
  const interrupted = await interruptedBefore(store, task);
  if (hasActed(rows.map(({ kind, read_only }) => ({ kind, readOnly: read_only === 1 })))) run.acted();
  const now = await wordsOf(store, task);
  const keepsReads = !brain.isModelless || (await readRows(store, [], (set) => asksToRead(task, turn.agent_id, set)));
  let turnContext: TurnContext | undefined;
  const journal = new Journal({
    ledger: ledgerOf(engine, heldTask),
    turnId: turn.id,
    rows,
    before: interrupted ?? [],
    signal: run.signal,
    since: () => now.filter(({ messageId }) => turnContext?.words.every((word) => word.messageId !== messageId)),
  });
  // Counted from when it is intended: from then on nobody can be sure that nothing happened.
  const step: BrainTurn['step'] = (one, take, spent) => {
    if (hasActed([one])) run.acted();
    return one.readOnly && !keepsReads ? take('') : journal.step(one, take, spent);
  };
  const read = new AgentReads(services, turn.agent_id, task.id);
  try {
    const contextNow = async () => contextOf(store, task, turn.agent_id, await read.past(), turn.id);
    // The context is the first step of a model's turn: resumed, it gets the same one.
    const context = keepsReads ? await journal.step({ kind: 'tool', name: 'context', readOnly: true }, contextNow) : await contextNow();
    turnContext = context;
    // Words of an interrupted turn are not said a second time.
    const unsaid = interrupted ? context.words.filter(({ kind, by }) => kind === 'progress' && by?.id === turn.agent_id) : [];
    const brainTurn: BrainTurn = {
      ...context,
      // An approved call is made before a model is asked, and its result is in the prompt: the model is not to make it again.
      prompt: () => taskPrompt(task, { ...context, approved: [] }),
      task,
      signal: run.signal,
      read,
      step,
      reserve: journal.reserve,
      // Where nothing is private, no command is needed; else one transaction decides on their hearers and tags them (SYS-6).
      notes: async (memory, reaching) =>
        hasPrivateNotes(memory) ? engine.submit({ type: 'task.note', ...heldTask, reaching }) : notesFor(memory, true),
      say: async (text) => {
        run.acted();
        const at = unsaid.findIndex((word) => word.text === text);
        if (at !== -1) return givenIn(store, task, unsaid.splice(at, 1)[0]!.messageId);
        return journal.step({ kind: 'tool', name: 'say', readOnly: false, keyed: true, input: text }, async (key, intended) => {
          const { message } = await engine.submit({ type: 'task.say', ...heldTask, key, kind: 'progress', body: intended as string });
          return givenIn(store, task, message.id);
        });
      },
      draft: (text) => services.draft(task, text),
    };
    // A brain that does not listen is not waited for: what it still tries is refused by its lease.
    await end(engine, heldTask, turn, await abandonOnAbort(brain.turn(brainTurn), run.signal), run.signal);
  } catch (error) {
    // A brain that cannot go on without the approval waits for it, and one that is denied says so.
    if (error instanceof NeedsApproval) await engine.submit({ type: 'task.pause', ...heldTask });
    else if (error instanceof ApprovalDenial)
      await engine.submit({ type: 'task.decline', ...heldTask, outcome: 'blocked', reason: error.message });
    else if (error instanceof InterruptedStep) await engine.submit({ type: 'turn.unknown', ...heldTask, ...error.step });
    else throw error;
  } finally {
    services.draft(task, null);
    // A call that was cut off is charged as far as its cost is known, even if the turn was taken away (SYS-10).
    for (const charge of journal.charges())
      if (charge.known.tokens.input > 0) await engine.submit({ type: 'turn.cut_off', by: heldTask.by, taskId: task.id, ...charge });
  }
}

/** A person may be asked about reads: by the agent's mode, or because the chain holds private values. */
const asksToRead = (task: TaskRow, agentId: string, set: WorkingSet): boolean =>
  modeOf(agentId, set) === 'strict' || holdsPrivate(task.chain_id, () => audienceOf([], set, true), set);

const ledgerOf = (engine: Engine, held: HeldTask): Ledger => ({
  intend: (step) => engine.submit({ type: 'turn.intend', ...held, ...step }),
  done: (step) => engine.submit({ type: 'turn.done', ...held, ...step }),
  reserve: (_step, estimate) => engine.submit({ type: 'turn.reserve', ...held, estimate }),
});

/** To how many it was delegated. */
async function givenIn(store: Store, task: TaskRow, messageId: string): Promise<{ given: number }> {
  return { given: (await readColumns(store, 'tasks', ['id'], { parent_id: task.id, message_id: messageId })).length };
}

/** The journal of turns that were taken away, since the last that came to an end of its own. Undefined: there was none. */
async function interruptedBefore(store: Store, task: TaskRow): Promise<JournalRow[] | undefined> {
  const turns = await store.rows('turns', { task_id: task.id, state: { '<>': 'running' } }, { order: 'lease desc' });
  const own = turns.findIndex(({ state }) => state === 'done');
  const earlierTurnIds = turns.slice(0, own === -1 ? undefined : own).map(({ id }) => id);
  if (earlierTurnIds.length === 0) return undefined;
  const steps = await store.rows('journal', { turn_id: earlierTurnIds }, { order: ['intended_at', 'turn_id', 'n'] });
  return steps.filter(({ kind, read_only, name }) => hasActed([{ kind, readOnly: read_only === 1 }]) && name !== 'say');
}

async function end(engine: Engine, held: HeldTask, turn: TurnRow, outcome: TurnOutcome, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  // The requester would see an end with nothing in it: that is a failure, and is reported as one (C2A-13).
  if (outcome.kind !== 'pause' && (outcome.kind === 'decline' ? outcome.reason : outcome.text).trim() === '')
    throw new Error('The turn ended without a word');
  const last = { type: 'task.say', ...held, key: `${turn.id}:${outcome.kind}` } as const;
  if (outcome.kind === 'pause') await engine.submit({ type: 'task.pause', ...held });
  else if (outcome.kind === 'decline')
    await engine.submit({ type: 'task.decline', ...held, outcome: outcome.outcome, reason: outcome.reason });
  else await engine.submit({ ...last, kind: outcome.kind, body: outcome.text });
}
