import type { Task } from '@parley/protocol';
import { useSeconds } from '../lib/use-now.ts';
import { useSelect } from '../state/context.ts';
import { clockWords } from './words.ts';

export function Countdown({ task }: { task: Task }) {
  const halted = useSelect((state) => state.halt.halted);
  const clock = clockWords(task, useSeconds(), halted);
  if (!clock) return null;
  return (
    <span role="timer" title={clock.hint} aria-label={clock.hint} className="text-ink-3 tabular-nums">
      {clock.text}
    </span>
  );
}
