import type { ReactNode } from 'react';

/** As wide for a dot as for a tick, beside the first line. */
export const MarkColumn = ({ children }: { children: ReactNode }) => (
  <span className="flex h-5 w-3.5 shrink-0 items-center justify-center">{children}</span>
);
