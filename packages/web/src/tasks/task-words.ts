// What goes on in a task, in words.

import { agentList, agentStatus, agentStatusTexts, asMoney, isOpen, spanText, taskText, unwokenText } from '@parley/core';
import type { Agent, Chain, Task } from '@parley/protocol';
import { momentOf } from '../lib/time.ts';

/** What is known of a task at work besides its state. */
export interface TaskActivity {
  /** Its words are being written. */
  drafting: boolean;
  /** It thinks inside the hub: then nothing but thinking or a tool goes on while it writes nothing. */
  brain: Agent['brain'] | undefined;
  /** The tools it is using, by name. */
  tools: readonly string[];
  /** Since when it has been using them, or none. */
  since: number;
  /** Handles of the agents whose sub-tasks are open. */
  delegatedTo: readonly string[];
  /** Its approval waits for the reader. */
  asksMe: boolean;
}

/** What it is doing now: thinking, writing, or waiting for whom. Any other state is said as it is. */
export function nowWords(task: Parameters<typeof taskText>[0], requester: string, doing: TaskActivity): string {
  if (task.state === 'active' && task.agentOnline) return atWorkWords(doing);
  if (task.state === 'awaiting_approval' && doing.asksMe) return 'waiting for your approval';
  if (task.state === 'awaiting_delegation' && doing.delegatedTo.length > 0) return `waiting for ${agentList([...doing.delegatedTo])}`;
  return taskText(task, requester);
}

function atWorkWords({ tools, delegatedTo, drafting, brain }: TaskActivity): string {
  if (tools.includes('contact_agent') && delegatedTo.length > 0) return `waiting for ${agentList([...delegatedTo])}`;
  if (tools.length > 0) return `using ${toolList(tools)}`;
  return drafting ? 'writing' : brain === 'model' ? 'thinking' : 'working';
}

/** A tool of a server by both names, as `depot.stock`. */
function toolList(names: readonly string[]): string {
  const [first = '', ...more] = names.map((name) => name.replace('__', '.'));
  return more.length === 0 ? first : more.length === 1 ? `${first} and ${more[0]}` : `${first} and ${more.length} other tools`;
}

const passing: ReadonlySet<Task['state']> = new Set(['active', 'waiting', 'awaiting_approval', 'awaiting_delegation']);

/** How long it has been doing that; null where nothing goes on. The limit is in the hint. */
export function elapsedWords(
  task: Pick<Task, 'state' | 'updatedAt' | 'timer' | 'composingUntil'>,
  now: number,
  since = 0,
): { text: string; hint: string } | null {
  if (!passing.has(task.state)) return null;
  const text = `for ${spanText(Math.max(0, now - Math.max(task.updatedAt, since)))}`;
  const limit = clockWords(task, now)?.hint;
  return { text, hint: limit ? `${text}. ${limit}` : text };
}

/** What an edit of the request has meant for it: nothing to say of one that ended before. */
export function editWords(task: Pick<Task, 'state' | 'addressedBy' | 'createdAt'>, editedAt: number | null): string {
  if (!isOpen(task.state)) return '';
  if (task.addressedBy === 'edit') return 'again, as it was edited';
  return editedAt !== null && editedAt > task.createdAt ? 'with the new text' : '';
}

/** Still being asked: when it begins. Running: counts down. Standing: how much is left when it goes on. Null once it has ended. */
export function clockWords(
  task: Pick<Task, 'timer' | 'state' | 'composingUntil'>,
  now: number,
  halted = false,
): { text: string; hint: string } | null {
  const { timer, composingUntil } = task;
  if (!isOpen(task.state) || (!timer && composingUntil === null)) return null;
  if (halted) return { text: 'paused', hint: 'Everything is stopped, and timers are paused.' };
  if (composingUntil !== null) {
    const seconds = Math.max(0, Math.ceil((composingUntil - now) / 1_000));
    return { text: `${seconds} s`, hint: `Starts in ${seconds === 1 ? '1 second' : `${seconds} seconds`}, unless more is written.` };
  }
  if (!timer) return null;
  if (timer.running && timer.endsAt !== null) {
    const left = spanText(Math.min(timer.endsAt, timer.outerAt) - now);
    return { text: left, hint: `${left} left` };
  }
  const hint = `Timer paused. ${timer.leftMs === null ? '' : `${spanText(timer.leftMs)} left when it resumes; `}ends in ${spanText(timer.outerAt - now)} at the latest.`;
  return { text: 'timer paused', hint };
}

/** How a task looks: at work, in need of somebody, done, or ended without an answer. `away`: its agent is offline. */
export function toneOf(state: Task['state'], away: boolean): 'work' | 'wait' | 'done' | 'ended' {
  if (state === 'completed') return 'done';
  if (!isOpen(state)) return 'ended';
  return away || state === 'waiting' || state === 'awaiting_approval' ? 'wait' : 'work';
}

/** How long it has been, or took. */
export const sinceWords = (task: Pick<Task, 'createdAt' | 'endedAt'>, now: number): string =>
  task.endedAt === null ? `for ${spanText(now - task.createdAt)}` : `took ${spanText(task.endedAt - task.createdAt)}`;

/** The spent and remaining budget of a chain. Its timer pauses while nobody is at work on it. */
export function chainWords(
  chain: Pick<Chain, 'startedAt' | 'endedAt' | 'turns' | 'micros' | 'reservedMicros' | 'timer'>,
  now: number,
  halted = false,
): string[] {
  const { turns, micros, reservedMicros, timer, endedAt } = chain;
  const aside = reservedMicros > 0 ? [`up to ${asMoney(reservedMicros)} more reserved`] : [];
  const spent = [turns === 1 ? '1 turn' : `${turns} turns`, asMoney(micros), ...aside];
  if (endedAt !== null) return [`took ${spanText(endedAt - chain.startedAt)}`, ...spent];
  const left = timer && (timer.endsAt === null ? timer.leftMs : Math.min(timer.endsAt, timer.outerAt) - now);
  const clock = left === null ? [] : [`${spanText(left)} left${timer?.running && !halted ? '' : ', timer paused'}`];
  return [`${spanText(now - chain.startedAt)} so far`, ...spent, ...clock];
}

const workOf: Partial<Record<Agent['status'], Task['state'][]>> = {
  working: ['active'],
  awaiting_approval: ['awaiting_approval'],
  awaiting_delegation: ['awaiting_delegation'],
};

/**
 * Its record says whether it is here, and what events have it do; the tasks one may see say what else it does. All of these
 * come as they move. `fresh`: the record was asked for just now, so that work where one cannot look counts as well.
 */
export function activityWords(agent: Agent | undefined, tasks: Readonly<Record<string, Task>>, now = Date.now(), fresh = false): string {
  const states = Object.values(tasks).flatMap((task) => (task.agentId === agent?.id ? task.state : []));
  if (fresh && agent) states.push(...(workOf[agent.status] ?? []));
  const here = { online: agent !== undefined && agent.status !== 'offline', asleep: agent?.status === 'sleeping' };
  const status = agentStatus(here, states, agent?.woken);
  if (status === 'idle' && agent?.needsKey) return 'needs a key';
  if (status === 'idle') return unwokenText(agent?.waking) ?? agentStatusTexts.idle;
  return status === 'sleeping' && agent?.asleepUntil ? `asleep until ${momentOf(agent.asleepUntil, now)}` : agentStatusTexts[status];
}
