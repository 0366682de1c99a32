import { Icon } from '../../ui/icons.tsx';
import { stateTone } from '../prompts/prompt-words.ts';

/** Beside the state's word, which says the same. */
export function NegotiationMark({ state, waitsForMe }: { state: string; waitsForMe: boolean }) {
  const tone = stateTone(state, waitsForMe);
  return (
    <span className="flex h-[1.47em] w-4 shrink-0 items-center justify-center" aria-hidden="true">
      {tone === 'done' && <Icon name="check" size={15} className="text-accent-ink" />}
      {tone === 'ended' && <Icon name="close" size={14} className="text-ink-3" />}
      {(tone === 'wait' || tone === 'run') && (
        <span className={`size-2 rounded-full ${tone === 'wait' ? 'bg-notice' : 'bg-accent'} forced-colors:bg-[CanvasText]`} />
      )}
    </span>
  );
}
