import type { ReactNode } from 'react';
import { Logo } from '../ui/icons.tsx';

/** The card that everything outside a workspace is written on. */
export function Sheet({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="flex h-full items-start justify-center overflow-y-auto bg-sunken px-4 py-[max(1.5rem,12dvh)]">
      <div className="w-full max-w-[26rem]">
        <div className="mb-6 flex items-center justify-center gap-2.5 text-lg font-semibold tracking-tight">
          <Logo size={30} />
          Parley
        </div>
        <div className="rounded-2xl border border-line bg-canvas p-6 shadow-[0_1px_2px_rgb(0_0_0/0.04)] sm:p-8">
          <h1 className="text-xl font-semibold tracking-tight text-balance">{title}</h1>
          {children}
        </div>
      </div>
    </main>
  );
}
