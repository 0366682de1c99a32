import type { Task } from '@parley/protocol';
import { Icon } from '../ui/icons.tsx';
import { toneOf } from './task-words.ts';

export function StateMark({ state, away = false }: { state: Task['state']; away?: boolean }) {
  const tone = toneOf(state, away);
  if (tone === 'done') return <Icon name="check" size={14} className="text-accent-ink" />;
  if (tone === 'ended') return <Icon name="close" size={13} className="text-ink-3" />;
  return (
    <span
      aria-hidden="true"
      className={`size-2 shrink-0 rounded-full ${tone === 'wait' ? 'bg-notice' : 'bg-accent'} ${state === 'active' ? 'pulse-dot' : ''}`}
    />
  );
}
