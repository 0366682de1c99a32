// Chains as trees: every step under the one that delegated it.

import { isOpen } from '@parley/core';
import type { Chain, MyConversation, ProvokedStep, Task } from '@parley/protocol';

/** Of a chain that was fetched, or a task that a fact told of. */
export type TreeStep = Chain['steps'][number] | Task;
export interface TreeBranch {
  step: TreeStep | ProvokedStep;
  below: TreeBranch[];
}

export const isHidden = (step: TreeStep): step is Extract<TreeStep, { hidden: true }> => 'hidden' in step;
export const isProvoked = (step: TreeBranch['step']): step is ProvokedStep => 'kind' in step;

/** The task that delegated it, or the event's invocation that caused it. */
const aboveOf = (step: TreeBranch['step']): string | null => step.parentId ?? ('invocationId' in step ? step.invocationId : null);

/** In the order they are listed; what hangs on a step that is not among them stands at the top. */
export function treeOf(steps: readonly TreeBranch['step'][]): TreeBranch[] {
  const branches = new Map<string, TreeBranch>(steps.map((step) => [step.id, { step, below: [] }]));
  const roots: TreeBranch[] = [];
  for (const branch of branches.values()) {
    const above = branches.get(aboveOf(branch.step) ?? '');
    (above?.below ?? roots).push(branch);
  }
  return roots;
}

/** The chains with a task in these conversations: those with an open task first, each group newest first. */
export function chainsIn(tasks: Readonly<Record<string, Task>>, isHere: (conversationId: string) => boolean): Task[][] {
  const chains = new Map<string, Task[]>();
  for (const task of Object.values(tasks)) {
    if (!isHere(task.conversationId)) continue;
    const chain = chains.get(task.chainId);
    if (chain) chain.push(task);
    else chains.set(task.chainId, [task]);
  }
  const order = (chain: Task[]) => [Number(!isRunning(chain)), -Math.max(...chain.map((task) => task.createdAt))] as const;
  return [...chains.values()]
    .map((chain) => chain.sort((a, b) => a.createdAt - b.createdAt || a.id.localeCompare(b.id)))
    .sort((a, b) => order(a)[0] - order(b)[0] || order(a)[1] - order(b)[1]);
}

export interface WorkFilter {
  state: 'open' | 'all';
  agentId: string;
  conversationId: string;
}

/** Those that fit, the running ones first, each group newest first. `homeOf`: where a thread hangs. */
export function chainsFor(
  chains: Readonly<Record<string, Chain>>,
  { state, agentId, conversationId }: WorkFilter,
  homeOf: (conversationId: string) => string,
): Chain[] {
  const fits = (step: TreeStep) =>
    !isHidden(step) &&
    (agentId === '' || step.agentId === agentId) &&
    (conversationId === '' || step.conversationId === conversationId || homeOf(step.conversationId) === conversationId);
  const runs = (chain: Chain) => chain.steps.some((step) => isOpen(step.state));
  return Object.values(chains)
    .filter((chain) => (state === 'all' || runs(chain)) && chain.steps.some(fits))
    .sort((a, b) => Number(runs(b)) - Number(runs(a)) || b.startedAt - a.startedAt);
}

/** The newer of what a chain was fetched with and what facts have told of the task since. */
export const newerStep = (step: TreeStep, live: Task | undefined): TreeStep =>
  isHidden(step) || !live || live.updatedAt < step.updatedAt ? step : { ...step, ...live };

/** The steps of a chain as they are now. Open ones count by the chain's timer, as the line below them does. */
export function stepsOf(chain: Chain, live: Readonly<Record<string, Task>>, beside: readonly Task[]): TreeStep[] {
  const known = new Set(chain.steps.map((step) => step.id));
  return [...chain.steps.map((step) => newerStep(step, live[step.id])), ...beside.filter((task) => !known.has(task.id))].map((step) =>
    isHidden(step) || step.timer === null || chain.timer === null ? step : { ...step, timer: chain.timer },
  );
}

/** Conversations in which one can look for work. */
export const placesToShow = (conversations: readonly MyConversation[]): MyConversation[] =>
  conversations.filter(({ kind, joined, archivedAt }) => kind !== 'thread' && joined && archivedAt === null);

export const isRunning = (chain: readonly Task[]): boolean => chain.some((task) => isOpen(task.state));
