import { useId, useLayoutEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { IconButton } from './button.tsx';

interface DialogProps {
  title: string;
  /** Under the title, in one sentence. */
  hint?: string;
  onClose: () => void;
  children: ReactNode;
  /** Sits below the part that scrolls. */
  footer?: ReactNode;
  wide?: boolean;
  /** The dialog is for reading: its fields come below the text, and none takes the focus. */
  forReading?: boolean;
}

const fields = ':is(input, textarea, select):not(:disabled)';

/** The browser's own modal: it holds the focus, answers Escape, and needs no style the CSP would refuse. */
export function Dialog({ title, hint, onClose, children, footer, wide = false, forReading = false }: DialogProps) {
  const ref = useModal(onClose);
  useLayoutEffect(() => {
    // The browser would choose the close button, the first control: Space would close the dialog.
    if (!forReading) ref.current?.querySelector<HTMLElement>(fields)?.focus();
    // The dialog opens once; later the focus is the person's.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);
  const titleId = useId();
  return (
    <dialog
      ref={ref}
      aria-labelledby={titleId}
      onClose={onClose}
      className={`m-auto flex max-h-[min(85dvh,44rem)] w-[calc(100%-1.5rem)] flex-col overflow-hidden rounded-2xl bg-raised text-ink shadow-pop ${wide ? 'max-w-xl' : 'max-w-md'}`}
    >
      <header className="flex items-start gap-3 px-5 pt-4.5 pb-3">
        <div className="min-w-0 flex-1">
          <h2 id={titleId} className="text-[17px] font-semibold">
            {title}
          </h2>
          {hint && <p className="mt-0.5 text-sm text-ink-2">{hint}</p>}
        </div>
        <IconButton icon="close" label="Close" onClick={onClose} className="-mt-1 -mr-2" />
      </header>
      <div className="min-h-0 flex-1 overflow-x-hidden overflow-y-auto px-5 pb-5">{children}</div>
      {footer && <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3.5">{footer}</footer>}
    </dialog>
  );
}

export function useModal(onClose: () => void) {
  const ref = useRef<HTMLDialogElement>(null);
  // Read before anything in the dialog can take the focus by itself.
  const [opener] = useState(() => document.activeElement);
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (!dialog) return;
    if (!dialog.open) dialog.showModal();
    // Only a press that also began on the backdrop: selecting text and letting go outside is not a wish to leave.
    const press = (event: PointerEvent) => {
      if (event.target === dialog && isOutside(dialog, event)) onClose();
    };
    dialog.addEventListener('pointerdown', press);
    return () => {
      dialog.removeEventListener('pointerdown', press);
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
    // The dialog opens once; a new onClose must not close and open it again.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);
  return ref;
}

function isOutside(element: HTMLElement, { clientX: x, clientY: y }: PointerEvent): boolean {
  const box = element.getBoundingClientRect();
  return x < box.left || x > box.right || y < box.top || y > box.bottom;
}
