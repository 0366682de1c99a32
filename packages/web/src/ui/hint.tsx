import { type ReactNode, useEffect, useState } from 'react';
import { dismissHint, type HintName, isHintDue, keepHint } from '../lib/hints.ts';
import { IconButton } from './button.tsx';

interface Props {
  name: HintName;
  /** Where it helps first, such as the ID of a negotiation. */
  subject: string;
  className?: string;
  children: ReactNode;
}

/** One quiet line about something that has just become useful. */
export function Hint({ name, subject, className = '', children }: Props) {
  const [shown, setShown] = useState(() => isHintDue(name, subject));
  useEffect(() => {
    if (shown) keepHint(name, subject);
  }, [name, subject, shown]);
  if (!shown) return null;
  const dismiss = () => {
    dismissHint(name);
    setShown(false);
  };
  return (
    <div
      role="note"
      data-hint={name}
      className={`flex items-center gap-2 rounded-lg bg-sunken px-3 py-1.5 text-sm text-ink-2 ${className}`}
    >
      <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">{children}</span>
      <IconButton small icon="close" label="Dismiss" onClick={dismiss} />
    </div>
  );
}
