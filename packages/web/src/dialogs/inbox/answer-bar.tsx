import type { ReactNode } from 'react';

interface Props {
  open?: boolean;
  /** What became of it. */
  settled?: string;
  /** On a phone, too: its card has no other controls that the bar could half cover. */
  pinned?: boolean;
  children: ReactNode;
}

/** The buttons of a checkpoint. Where its card is higher than the screen, they are in sight all the same, at the dialog's very edge. */
export const AnswerBar = ({ open = true, settled, pinned = false, children }: Props) => (
  <div
    className={`${pinned ? 'sticky -bottom-5' : 'relative sm:sticky sm:-bottom-5'} -mx-3 mt-2 -mb-2.5 rounded-b-xl border-t border-line bg-raised px-3 py-2.5`}
  >
    {/* Out of sight they still take their room: nothing below moves up under the pointer. */}
    <div className={`flex flex-wrap items-center gap-2 ${open ? '' : 'invisible'}`}>{children}</div>
    {!open && <output className="absolute inset-0 flex items-center overflow-y-auto px-3 text-sm font-medium text-ink-2">{settled}</output>}
  </div>
);
