import { useId } from 'react';
import type { ComponentProps, ReactNode } from 'react';

interface FieldProps extends ComponentProps<'input'> {
  label: string;
  hint?: ReactNode;
  error?: string | null;
}

export function Field({ label, hint, error, className = '', ...rest }: FieldProps) {
  const id = useId();
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1.5 block text-sm font-medium">
        {label}
      </label>
      <input id={id} className="field" autoComplete="off" aria-invalid={Boolean(error)} aria-describedby={`${id}-hint`} {...rest} />
      <p id={`${id}-hint`} className={`mt-1.5 min-h-0 text-[13px] ${error ? 'text-danger' : 'text-ink-3'}`}>
        {error ?? hint}
      </p>
    </div>
  );
}
