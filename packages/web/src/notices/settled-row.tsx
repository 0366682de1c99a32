import type { Checkpoint } from '@parley/protocol';
import { pastSentence, withoutEffect } from '../dialogs/inbox/settled-text.ts';
import { useSettledText } from '../dialogs/inbox/use-settled-text.ts';
import { withHandles } from '../ui/handles.tsx';
import { Icon } from '../ui/icons.tsx';

/** A decision of the reader's inbox, after it was made: one line in the place of its card. */
export function SettledRow({ checkpoint }: { checkpoint: Checkpoint }) {
  const settled = useSettledText(checkpoint);
  return (
    // A feed holds articles; what the platform says is a note in one.
    <article>
      <div role="note" aria-label="Settled" data-settled={checkpoint.id} className="flex gap-3 px-4 py-0.5 text-[13px] text-ink-2 sm:px-6">
        <span className="flex w-9 shrink-0 justify-end pt-0.5">
          <Icon name="check" size={15} className="text-ink-3" />
        </span>
        <p className="min-w-0 flex-1 [overflow-wrap:anywhere]">
          {withHandles(`${pastSentence(checkpoint)} `)}
          <span className="font-medium">{withHandles(settled)}</span>
          {checkpoint.notRun && `. ${withoutEffect(checkpoint.notRun)}`}
        </p>
      </div>
    </article>
  );
}
