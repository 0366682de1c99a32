import { useId } from 'react';
import type { ReactNode } from 'react';
import { Icon } from './icons.tsx';

interface SelectProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  children: ReactNode;
}

export function Select({ label, value, onChange, children }: SelectProps) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block text-sm font-medium">
        {label}
      </label>
      <div className="relative">
        <select id={id} value={value} onChange={(event) => onChange(event.target.value)} className="field appearance-none truncate pr-9">
          {children}
        </select>
        <Icon name="chevron" size={16} className="pointer-events-none absolute top-1/2 right-3 -translate-y-1/2 text-ink-3" />
      </div>
    </div>
  );
}
