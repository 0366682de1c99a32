import type { ReactNode } from 'react';
import { useModal } from '../ui/dialog.tsx';

/** The sidebar of a narrow screen. A modal, so that what it covers is out of reach of the keyboard as well. */
export function Drawer({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  const ref = useModal(onClose);
  return (
    <dialog
      ref={ref}
      aria-label="Sidebar"
      onClose={onClose}
      className="m-0 h-dvh max-h-none w-[min(20rem,86vw)] max-w-none overflow-hidden bg-sunken text-ink shadow-pop"
    >
      {children}
    </dialog>
  );
}
