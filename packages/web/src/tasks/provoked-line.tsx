import type { ProvokedStep } from '@parley/protocol';
import { timeOfDay } from '../lib/time.ts';
import { useSelect } from '../state/context.ts';
import { nameOf } from '../state/names.ts';
import { MarkColumn } from './mark-column.tsx';
import { StateMark } from './state-mark.tsx';
import { sinceWords } from './task-words.ts';
import { useSeconds } from '../lib/use-now.ts';
import { provokedState, provokedWords } from './provoked-words.ts';

/** An event in a chain, or what it started: where the tasks below it come from. */
export function ProvokedLine({ step }: { step: ProvokedStep }) {
  const agentId = 'agentId' in step ? step.agentId : null;
  const agent = useSelect((state) => (agentId === null ? '' : nameOf(state.members[agentId])));
  const now = useSeconds();
  if ('hidden' in step)
    return (
      <span data-step={step.kind} className="flex items-start gap-2 text-sm text-ink-3 italic">
        <MarkColumn> </MarkColumn>
        hidden {step.kind}
      </span>
    );
  const time = step.kind === 'event' ? timeOfDay(step.at) : `${timeOfDay(step.createdAt)} · ${sinceWords(step, now)}`;
  return (
    <div data-step={step.kind} className="flex items-start gap-2 text-sm">
      <MarkColumn>{step.kind === 'invocation' && <StateMark state={provokedState[step.state]} />}</MarkColumn>
      <span className="min-w-0 flex-1 leading-tight [overflow-wrap:anywhere]">
        <span className="text-ink-2">{provokedWords(step, agent)}</span>
        <span className="mt-0.5 block text-xs text-ink-3 tabular-nums">{time}</span>
      </span>
    </div>
  );
}
