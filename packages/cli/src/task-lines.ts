// Tasks as a tree: each sub-task under the task that delegated it.

import { asMoney, negotiationStateText, senderText, spanText, taskStateTexts, taskText } from '@parley/core';
import type { Chain, ProvokedStep, Task } from '@parley/protocol';
import { count, printable } from './output.ts';

export interface Names {
  /** `^ORAC`, `@ann`; undefined when they are not known. */
  member(id: string): string | undefined;
  /** `#general`. */
  place(conversationId: string): string | undefined;
}

export function timeLeft({ timer, endedAt }: Task, now: number): string {
  return endedAt === null ? clockLeft(timer, now) : `${spanText(now - endedAt)} ago`;
}

function clockLeft(timer: Task['timer'], now: number): string {
  if (timer === null) return '';
  // The timer is paused until somebody answers or comes back.
  if (timer.endsAt === null) return `${spanText(timer.leftMs ?? 0)} left, paused`;
  return `${spanText(timer.endsAt - now)} left`;
}

type Step = Chain['steps'][number];
const isHidden = (step: Step): step is Exclude<typeof step, Task> => 'hidden' in step;
const isProvoked = (step: Step | ProvokedStep): step is ProvokedStep => 'kind' in step;

/** The parent of a step: a task, an invocation or an event. */
const parentOf = (step: Step | ProvokedStep): string | null =>
  isProvoked(step) || isHidden(step) ? step.parentId : (step.parentId ?? step.invocationId);

/** A chain as lines: its time and cost, then its steps. */
export const chainLines = (chain: Chain, names: Names, now: number): string[] => [
  headOf(chain, names, now),
  ...stepLines(chain, names, now),
  ...chain.negotiations.map(negotiationLine),
];

/** `thr_…: negotiation — proposed`. Of another person's negotiation the hub shows only whether it has ended. */
const negotiationLine = ({ threadId, state, open }: Chain['negotiations'][number]): string =>
  `${threadId === null ? '' : `${threadId}: `}negotiation — ${state === null ? (open ? 'under way' : 'ended') : printable(negotiationStateText(state)).toLowerCase()}`;

/** The steps as a tree: each under the step that delegated or caused it. */
export function stepLines(chain: Chain, names: Names, now: number): string[] {
  const steps = [...chain.provoked, ...chain.steps];
  const ids = new Set<string>(steps.map((step) => step.id));
  const childrenOf = Map.groupBy(steps, (step) => {
    const parent = parentOf(step);
    return parent !== null && ids.has(parent) ? parent : '';
  });
  const lines: string[] = [];
  const add = (step: Step | ProvokedStep, before: string, branch: string, below: string): void => {
    lines.push(`${before}${branch}${isProvoked(step) ? provokedLine(step, names, now) : stepLine(step, names, now)}`);
    const children = childrenOf.get(step.id) ?? [];
    for (const [n, child] of children.entries()) {
      const isLast = n === children.length - 1;
      add(child, `${before}${below}`, isLast ? '└── ' : '├── ', isLast ? '    ' : '│   ');
    }
  };
  for (const root of childrenOf.get('') ?? []) add(root, '', '', '');
  return lines;
}

/** `evt_…: energy.price.threshold_exceeded from the source meter — 0:41 ago`, `inv_…: price-planner → planner (^PLANNER) — completed ✓ · took 0:04, 0:37 ago`. */
function provokedLine(step: ProvokedStep, names: Names, now: number): string {
  if ('hidden' in step) return `hidden ${step.kind}`;
  if (step.kind === 'event')
    return `${step.id}: ${printable(step.type)} from ${printable(senderText(step.source, step))} — ${spanText(now - step.at)} ago`;
  const { id, triggerId, manifestId, agentId, state, createdAt, endedAt } = step;
  const agent = agentId === null ? '' : ` (${names.member(agentId) ?? '?'})`;
  const mark = endedAt === null ? '' : state === 'completed' ? ' ✓' : ' ✗';
  const time =
    endedAt === null ? `for ${spanText(now - createdAt)}` : `took ${spanText(endedAt - createdAt)}, ${spanText(now - endedAt)} ago`;
  return `${id}: ${triggerId} → ${manifestId}${agent} — ${state.replaceAll('_', ' ')}${mark} · ${time}`;
}

/** `@ada in #general · 1:12 so far · 29:41 left · 2 turns · $0.01`. */
function headOf(chain: Chain, names: Names, now: number): string {
  const first = chain.steps.find((step) => !isHidden(step));
  const place = first && !isHidden(first) ? names.place(first.conversationId) : undefined;
  const asker = chain.requesterId === null ? 'nobody any more' : (names.member(chain.requesterId) ?? '?');
  const remaining = clockLeft(chain.timer, now);
  const reserved = chain.reservedMicros > 0 ? ` (up to ${asMoney(chain.reservedMicros)} more reserved)` : '';
  const spent = `${count(chain.turns, 'turn')} · ${asMoney(chain.micros)}${reserved}`;
  const took = chain.endedAt === null ? `${spanText(now - chain.startedAt)} so far` : `took ${spanText(chain.endedAt - chain.startedAt)}`;
  return [`${asker}${place === undefined ? '' : ` in ${place}`}`, took, ...(remaining === '' ? [] : [remaining]), spent].join(' · ');
}

/** `tsk_…: "Draft the post" (^WRITER) — answered ✓ · took 0:41`. */
function stepLine(step: Step, names: Names, now: number): string {
  if (isHidden(step)) return `hidden step — ${taskStateTexts[step.state]}${marks[step.state] ?? ''}`;
  const asker = step.requesterId === null ? 'nobody any more' : (names.member(step.requesterId) ?? '?');
  const agent = step.agentId === null ? '^ANY' : (names.member(step.agentId) ?? '?');
  const what = step.title === null || step.title === '' ? '' : ` "${printable(step.title)}"`;
  const time =
    step.endedAt === null
      ? `for ${spanText(now - step.createdAt)}`
      : `took ${spanText(step.endedAt - step.createdAt)}, ${timeLeft(step, now)}`;
  return `${step.id}:${what} (${agent}) — ${printable(taskText(step, asker))}${marks[step.state] ?? ''} · ${time}`;
}

const marks: Partial<Record<Task['state'], string>> = {
  completed: ' ✓',
  failed: ' ✗',
  declined: ' ✗',
  timed_out: ' ✗',
  cancelled: ' ✗',
};
