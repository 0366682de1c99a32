import type { Task } from '@parley/protocol';
import { useSeconds } from '../lib/use-now.ts';
import { useSelect } from '../state/context.ts';
import { clockWords, elapsedWords } from './task-words.ts';

/** `spelled`: with what it counts, where nothing beside it says so. */
export function Countdown({ task, spelled = false }: { task: Task; spelled?: boolean }) {
  const halted = useSelect((state) => state.halt.halted);
  const clock = clockWords(task, useSeconds(), halted);
  if (!clock) return null;
  return (
    <span
      role="timer"
      title={clock.hint}
      aria-label={clock.hint}
      className={`text-ink-3 tabular-nums ${spelled ? '' : 'shrink-0 whitespace-nowrap'}`}
    >
      {spelled && task.timer?.running && !halted ? clock.hint : clock.text}
    </span>
  );
}

/** How long it has been at what it is doing; how long it may is in the hint. */
export function Elapsed({ task, since }: { task: Task; since: number }) {
  const elapsed = elapsedWords(task, useSeconds(), since);
  if (!elapsed) return null;
  return (
    <span role="timer" title={elapsed.hint} aria-label={elapsed.hint} className="shrink-0 whitespace-nowrap text-ink-3 tabular-nums">
      {elapsed.text}
    </span>
  );
}
