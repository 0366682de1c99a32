// Menus and small panels on the browser's popover: it closes on Escape and on a press elsewhere, and sits above everything,
// dialogs included. This file decides where it goes and how arrow keys move in it.

import { useId, useLayoutEffect, useRef, useState } from 'react';
import type { KeyboardEvent, ReactNode, ToggleEvent } from 'react';

export interface TriggerProps {
  popoverTarget: string;
  'aria-haspopup': 'menu' | 'dialog';
  'aria-expanded': boolean;
}

interface PopoverProps {
  label: string;
  kind?: 'menu' | 'dialog';
  renderTrigger: (props: TriggerProps) => ReactNode;
  children: (close: () => void) => ReactNode;
  align?: 'start' | 'end';
  /** Items in a row, for arrow keys in a grid. */
  columns?: number;
  className?: string;
}

export function Popover({ label, kind = 'menu', renderTrigger, children, align = 'end', columns = 1, className = '' }: PopoverProps) {
  const id = useId();
  const ref = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);

  useLayoutEffect(() => {
    if (!open) return;
    // The content is drawn just before the popover shows, and has a size only when it does; still before it is painted.
    const frame = requestAnimationFrame(() => {
      const panel = ref.current;
      const anchor = document.querySelector(`[popovertarget="${CSS.escape(id)}"]`);
      if (!panel || !anchor) return;
      place(panel, anchor.getBoundingClientRect(), align);
      (itemsOf(panel)[0] ?? panel).focus();
    });
    return () => cancelAnimationFrame(frame);
  }, [open, id, align]);

  const close = () => document.getElementById(id)?.hidePopover();
  return (
    <>
      {renderTrigger({ popoverTarget: id, 'aria-haspopup': kind, 'aria-expanded': open })}
      {/* It has a role: either of the two above. */}
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions */}
      <div
        ref={ref}
        id={id}
        popover="auto"
        role={kind}
        aria-label={label}
        tabIndex={-1}
        onBeforeToggle={(event: ToggleEvent<HTMLDivElement>) => setOpen(event.newState === 'open')}
        onKeyDown={(event) => moveFocus(event, columns)}
        className={`fixed top-0 right-auto bottom-auto left-0 m-0 max-h-[70dvh] max-w-[calc(100vw-1rem)] overflow-y-auto rounded-xl bg-raised p-1.5 text-ink shadow-pop ${className}`}
      >
        {open && children(close)}
      </div>
    </>
  );
}

const margin = 8;

/** Below the trigger, or above it where there is more room; never off the screen. */
function place(panel: HTMLElement, anchor: DOMRect, align: 'start' | 'end') {
  const { offsetWidth: width, offsetHeight: height } = panel;
  const below = anchor.bottom + 4;
  const above = anchor.top - 4 - height;
  const top = below + height + margin <= innerHeight || above < margin ? below : above;
  const left = align === 'start' ? anchor.left : anchor.right - width;
  panel.style.top = `${Math.max(margin, Math.min(top, innerHeight - height - margin))}px`;
  panel.style.left = `${Math.max(margin, Math.min(left, innerWidth - width - margin))}px`;
}

const itemsOf = (panel: HTMLElement) => [...panel.querySelectorAll<HTMLElement>('button:not(:disabled), a[href], input')];

function moveFocus(event: KeyboardEvent<HTMLDivElement>, columns: number) {
  const items = itemsOf(event.currentTarget);
  const at = items.indexOf(document.activeElement as HTMLElement);
  const steps: Record<string, number> = { ArrowDown: columns, ArrowUp: -columns };
  if (columns > 1) Object.assign(steps, { ArrowRight: 1, ArrowLeft: -1 });
  let to: number | undefined;
  if (event.key in steps) to = (at + steps[event.key]! + items.length) % items.length;
  else if (event.key === 'Home') to = 0;
  else if (event.key === 'End') to = items.length - 1;
  if (to === undefined || items.length === 0) return;
  event.preventDefault();
  event.stopPropagation();
  items[to]?.focus();
}
