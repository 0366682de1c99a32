// One turn of a brain inside the hub: what it is given, and the journal that lets another runner go on with it.

import type { Message } from '@parley/protocol';
import type { Brain, Step, SubTask, Turn, Word } from '../brains/brain.ts';
import { operator } from '../engine/command.ts';
import { unknownOutcome } from '../engine/commands/journal.ts';
import type { Engine } from '../engine/group.ts';
import { inList } from '../engine/look.ts';
import type { Store } from '../store/port.ts';
import type { JournalRow, MemberRow, MessageRow, TaskRow, TurnRow } from '../store/tables.ts';
import { messageView } from '../views/rows.ts';
import { TaskReader } from './task-reader.ts';

/** A step was under way when its runner was lost, and cannot be repeated. */
class MayHaveHappened extends Error {
  readonly n: number;
  constructor(n: number) {
    super(`Step ${n} may have happened`);
    this.n = n;
  }
}

export interface TurnServices {
  store: Store;
  engine: Engine;
  draft: (task: TaskRow, text: string | null) => void;
}

export type TurnEnd = 'ended' | 'more_was_said';

/** Runs it to its end. Refusals (stopped, taken over, halted) are thrown; the journal stays for whoever goes on. */
export async function runTurn(
  services: TurnServices,
  brain: Brain,
  task: TaskRow,
  turn: TurnRow,
  run: { signal: AbortSignal; moreWasSaid: () => boolean; spoke: () => void },
): Promise<TurnEnd> {
  const { store, engine } = services;
  const me = (await membersById(store, [turn.agent_id])).get(turn.agent_id)!;
  const journal = await store.rows('journal', 'where turn_id = ? order by n', [turn.id]);
  const at = { taskId: task.id, lease: turn.lease, agentId: turn.agent_id, by: operator };
  const journaled = new Journal(services, at, turn.id, journal);
  let words = 0;
  const say = async (text: string, kind: 'progress' | 'question' | 'answer'): Promise<Message> => {
    run.spoke();
    const key = `${turn.id}:word:${words++}`;
    return messageView((await engine.submit({ type: 'task.say', ...at, key, kind, body: text })).message);
  };
  const given: Turn = {
    task,
    me,
    signal: run.signal,
    read: new TaskReader(store, turn.agent_id, task.id),
    ...(await context(store, task, turn)),
    step: (step, take) => journaled.step(step, take, run.signal),
    say: (text) => say(text, 'progress'),
    draft: (text) => services.draft(task, text),
  };
  try {
    const outcome = await brain.turn(given);
    run.signal.throwIfAborted();
    switch (outcome.kind) {
      case 'answer':
        // Whoever said more while it worked gets an answer to that too.
        if (run.moreWasSaid()) {
          await say(outcome.text, 'progress');
          await engine.submit({ type: 'task.yield', ...at });
          return 'more_was_said';
        }
        await say(outcome.text, 'answer');
        return 'ended';
      case 'question':
        await say(outcome.text, 'question');
        return 'ended';
      case 'decline':
        await engine.submit({ type: 'task.decline', ...at, outcome: outcome.outcome, reason: outcome.reason });
        return 'ended';
      case 'pause':
        await engine.submit({ type: 'task.pause', ...at });
        return 'ended';
    }
  } catch (error) {
    if (!(error instanceof MayHaveHappened)) throw error;
    await engine.submit({ type: 'turn.unknown', ...at, turnId: turn.id, n: error.n });
    return 'ended';
  } finally {
    services.draft(task, null);
  }
}

class Journal {
  private readonly services: TurnServices;
  private readonly at: { taskId: string; lease: number; agentId: string; by: typeof operator };
  private readonly turnId: string;
  private readonly known: Map<number, JournalRow>;
  private next = 0;

  constructor(services: TurnServices, at: Journal['at'], turnId: string, rows: JournalRow[]) {
    this.services = services;
    this.at = at;
    this.turnId = turnId;
    this.known = new Map(rows.map((row) => [row.n, row]));
  }

  async step<T>(step: Step, take: (key: string) => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    const n = this.next++;
    const before = this.known.get(n);
    const key = `${this.turnId}:${n}`;
    if (before && before.name !== step.name) throw new Error(`Step ${n} was ${before.name} before, and is ${step.name} now`);
    if (before && before.done_at !== null) {
      if (before.result === unknownOutcome) throw new UnknownOutcome(before.name);
      return JSON.parse(before.result!) as T;
    }
    // Under way when its runner was lost: to be repeated only if that does no harm.
    if (before && before.read_only === 0 && before.key === null) throw new MayHaveHappened(n);
    const { engine } = this.services;
    if (!before)
      await engine.submit({
        type: 'turn.intend',
        ...this.at,
        turnId: this.turnId,
        n,
        kind: step.kind,
        name: step.name,
        readOnly: step.readOnly,
        stepKey: step.keyed ? key : null,
        input: JSON.stringify(step.input ?? null),
      });
    signal.throwIfAborted();
    const result = await take(key);
    await engine.submit({ type: 'turn.done', ...this.at, turnId: this.turnId, n, result: JSON.stringify(result ?? null) });
    return result;
  }
}

/** Given to a brain whose step may or may not have happened, after a person has said to go on. */
class UnknownOutcome extends Error {
  constructor(name: string) {
    super(`Nobody knows whether ${name} happened`);
  }
}

async function membersById(store: Store, ids: string[]): Promise<Map<string, MemberRow>> {
  const list = inList([...new Set(ids)]);
  return new Map((await store.rows('members', `where id in ${list.sql}`, list.params)).map((member) => [member.id, member]));
}

async function messagesById(store: Store, ids: string[]): Promise<Map<string, MessageRow>> {
  const list = inList([...new Set(ids)]);
  return new Map((await store.rows('messages', `where id in ${list.sql}`, list.params)).map((message) => [message.id, message]));
}

/** What was said in the task up to the turn's beginning: the same however often the turn is taken up. */
async function context(store: Store, task: TaskRow, turn: TurnRow): Promise<Pick<Turn, 'words' | 'given' | 'requester'>> {
  const [said, children] = await Promise.all([
    store.rows('task_words', 'where task_id = ?', [task.id]),
    store.rows('tasks', 'where parent_id = ? order by seq', [task.id]),
  ]);
  const answers = children.flatMap((child) => child.answer_id ?? []);
  const messages = await messagesById(store, [task.message_id, ...said.map((word) => word.message_id), ...answers]);
  const members = await membersById(store, [
    ...[...messages.values()].flatMap((message) => message.author_id ?? []),
    ...children.flatMap((child) => child.agent_id ?? []),
    ...(task.requester_id === null ? [] : [task.requester_id]),
  ]);
  const kinds = new Map<string, Word['kind']>(said.map((word) => [word.message_id, word.kind]));
  kinds.set(task.message_id, 'request');
  const words = [...kinds]
    .flatMap(([id, kind]) => {
      const message = messages.get(id);
      return message && message.created_at <= turn.started_at ? [{ message, kind }] : [];
    })
    .toSorted((a, b) => a.message.seq - b.message.seq)
    .map(({ message, kind }): Word => ({
      by: members.get(message.author_id ?? ''),
      kind,
      text: message.body ?? '',
      messageId: message.id,
    }));
  return {
    words,
    requester: members.get(task.requester_id ?? ''),
    given: children.map((child): SubTask => ({
      task: child,
      agent: members.get(child.agent_id ?? ''),
      words: messages.get(child.answer_id ?? '')?.body ?? undefined,
    })),
  };
}
