// What agents are doing, as the page knows it: tasks, what they write, what the platform says of them. Pure.

import { isOpen } from '@parley/core';
import type { Agent, Checkpoint, Message, Notice, Obligation, PromptKind, StreamEvent, Task, ManifestWaking } from '@parley/protocol';
import { type Draft, type State, omitKey } from './model.ts';

export function indexTasks(tasks: readonly Task[]): Pick<State, 'tasks' | 'asked'> {
  const empty: Pick<State, 'tasks' | 'asked'> = { tasks: {}, asked: {} };
  return tasks.reduce(put, empty);
}

function put<S extends Pick<State, 'tasks' | 'asked'>>(state: S, task: Task): S {
  const ids = state.asked[task.messageId] ?? [];
  const asked = ids.includes(task.id) ? state.asked : { ...state.asked, [task.messageId]: [...ids, task.id] };
  return { ...state, tasks: { ...state.tasks, [task.id]: task }, asked };
}

/** A fact carries a task as it is at that moment, so it is never older than ours. */
export function withTask(state: State, task: Task): State {
  const next = withChainTimer(put(state, task), task);
  // Only a turn uses tools: one that waits, or has ended, uses none.
  const tools = task.state === 'active' ? state.tools : omitKey(state.tools, task.id);
  if (isOpen(task.state)) return { ...next, tools };
  return { ...next, tools, drafts: state.drafts.filter((draft) => draft.taskId !== task.id) };
}

/** Of the tasks of a chain, a fact names the one that changed; the timer is the chain's. */
function withChainTimer(state: State, { chainId, timer }: Task): State {
  if (timer === null) return state;
  const others = Object.values(state.tasks).filter((one) => one.chainId === chainId && one.timer !== null && isOpen(one.state));
  return { ...state, tasks: { ...state.tasks, ...Object.fromEntries(others.map((one) => [one.id, { ...one, timer }])) } };
}

/** An answer may have been read before facts that came meanwhile. In doubt what is here stands: a later fact will come by itself. */
export function withFetched(
  state: State,
  tasks: readonly Task[],
  notices: readonly Notice[] = [],
  checkpoints: readonly Checkpoint[] = [],
): State {
  const fresh = tasks.filter((task) => (state.tasks[task.id]?.updatedAt ?? -1) < task.updatedAt);
  // Only closing is final: facts announce the open ones.
  const closed = checkpoints.filter(({ open }) => !open);
  return closed.reduce(withCheckpoint, notices.reduce(withNotice, fresh.reduce(withTask, state)));
}

/** What is said of no conversation that one is in is kept under this. */
export const noConversation = '';

export function withNotice(state: State, notice: Notice): State {
  const place = notice.conversationId ?? noConversation;
  const here = state.notices[place] ?? [];
  if (here.some((known) => known.seq === notice.seq)) return state;
  const list = [...here, notice].sort((a, b) => a.seq - b.seq);
  return { ...state, notices: { ...state.notices, [place]: list } };
}

const prompts: ReadonlySet<string> = new Set<PromptKind>(['consent', 'proposal', 'escalation', 'expansion', 'key_change', 'stranger']);

/** Asked by one's own peer: with a card of its own. The page keeps the kinds, because core's come with all texts of checkpoints. */
export const isPrompt = (kind: string): boolean => prompts.has(kind);

/** Told as it stands: what was answered, here or elsewhere, waits no more. */
export const withCheckpoint = (state: State, checkpoint: Checkpoint): State => ({
  ...state,
  ...(checkpoint.open
    ? { checkpoints: { ...state.checkpoints, [checkpoint.id]: withCard(checkpoint, state.checkpoints[checkpoint.id]) } }
    : { checkpoints: omitKey(state.checkpoints, checkpoint.id), settled: { ...state.settled, [checkpoint.id]: checkpoint } }),
});

/** A fact carries no words of a prompt: those that are here stay. */
const withCard = (told: Checkpoint, known: Checkpoint | undefined): Checkpoint => ({ ...told, card: told.card ?? known?.card ?? null });

/** What we owe and was not put before us as a checkpoint, which asks for it already. */
export function toAnswer(owe: readonly Obligation[], checkpoints: State['checkpoints']): Obligation[] {
  const asked = new Set(Object.values(checkpoints).flatMap(({ obligationIds }) => obligationIds));
  return owe.filter(({ id }) => !asked.has(id));
}

/** How much waits for us: what *Waiting for you* counts. */
export const waitingFor = ({ checkpoints, owed }: Pick<State, 'checkpoints' | 'owed'>): number =>
  Object.keys(checkpoints).length + toAnswer(owed.owe, checkpoints).length;

/** As it stands after we said something about it; settled, it is gone. */
export function withObligation(state: State, obligation: Obligation): State {
  const put = (list: readonly Obligation[]): Obligation[] =>
    list.flatMap((one) => (one.id !== obligation.id ? one : obligation.open ? obligation : []));
  return { ...state, owed: { owe: put(state.owed.owe), waiting: put(state.owed.waiting) } };
}

export function withAgent(state: State, told: Agent): State {
  const known = state.agents[told.id];
  // A fact does not say whether the key is there, or whose its tool servers are: what the list said stands.
  const key = told.needsKey === undefined && known?.needsKey !== undefined ? { needsKey: known.needsKey } : {};
  const tools = told.privateTools === undefined && known?.privateTools ? { privateTools: known.privateTools } : {};
  const agent = { ...told, ...key, ...tools, waking: stillSeen(known?.waking, told.waking) };
  const next = { ...state, agents: { ...state.agents, [agent.id]: agent } };
  return { ...next, members: markPresence(state.members, [agent]) };
}

/** A fact goes to many as one text, without what not all of them may see: our own view of it stays. */
function stillSeen(known: ManifestWaking | null | undefined, told: ManifestWaking | null): ManifestWaking | null {
  if (!known || told?.triggers !== null || known.version !== told.version || known.state !== told.state) return told;
  return { ...told, triggers: known.triggers, model: known.model, lastRun: known.lastRun };
}

/** An agent is here when it can work, whether or not anything of it is connected: a built-in one never is. */
export function markPresence(members: State['members'], agents: readonly Agent[]): State['members'] {
  const changed = agents.flatMap(({ id, status }) => {
    const member = members[id];
    const online = status !== 'offline';
    return member && member.online !== online ? [[id, { ...member, online }] as const] : [];
  });
  return changed.length === 0 ? members : { ...members, ...Object.fromEntries(changed) };
}

export function draftWritten(state: State, sign: Extract<StreamEvent, { type: 'draft' }>): State {
  const { taskId, conversationId, memberId, text } = sign;
  const others = state.drafts.filter((draft) => draft.taskId !== taskId);
  if (text === null) return others.length === state.drafts.length ? state : { ...state, drafts: others };
  // A sign may come late; what has ended writes no more.
  const task = state.tasks[taskId];
  if (task && !isOpen(task.state)) return state;
  return { ...state, drafts: [...others, { taskId, conversationId, memberId, text }] };
}

export function toolsUsed(state: State, { taskId, tools, since }: Extract<StreamEvent, { type: 'tool' }>): State {
  // A sign may come late; what has ended uses nothing.
  const task = state.tasks[taskId];
  if (task && task.state !== 'active') return state;
  return { ...state, tools: { ...state.tools, [taskId]: { names: tools, since } } };
}

/** The committed message stands where its draft stood. */
export function draftSaid(drafts: readonly Draft[], message: Message): readonly Draft[] {
  if (message.task === null) return drafts;
  const left = drafts.filter((draft) => draft.taskId !== message.task?.id);
  return left.length === drafts.length ? drafts : left;
}
