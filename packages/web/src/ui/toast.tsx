import { useEffect, useRef } from 'react';
import { createStore, useStore } from '../lib/store.ts';

interface Toast {
  id: number;
  text: string;
  tone: 'plain' | 'danger';
}

const toasts = createStore<readonly Toast[]>([]);
let nextId = 0;

/** Says something that needs no answer and goes away by itself. */
export function toast(text: string, tone: Toast['tone'] = 'plain') {
  const id = nextId++;
  toasts.update((list) => [...list.slice(-2), { id, text, tone }]);
  setTimeout(() => toasts.update((list) => list.filter((item) => item.id !== id)), tone === 'danger' ? 7_000 : 3_500);
}

export function Toasts() {
  const list = useStore(toasts, (state) => state);
  const ref = useRef<HTMLOutputElement>(null);
  useEffect(() => {
    // An open dialog lies above the whole page: only what is shown after it, in the browser's own top layer, lies above it.
    ref.current?.hidePopover();
    if (list.length > 0) ref.current?.showPopover();
  }, [list]);
  return (
    <output
      ref={ref}
      popover="manual"
      className="pointer-events-none fixed inset-x-0 top-auto bottom-24 z-50 flex w-full flex-col items-center gap-2 overflow-visible bg-transparent px-4"
    >
      {list.map((item) => (
        <div
          key={item.id}
          className={`max-w-md rounded-lg px-3.5 py-2 text-sm shadow-pop ${item.tone === 'danger' ? 'bg-danger-soft text-danger' : 'bg-ink text-canvas'}`}
        >
          {item.text}
        </div>
      ))}
    </output>
  );
}
