import type { ComponentProps } from 'react';
import { Icon } from './icons.tsx';
import type { IconName } from './icons.tsx';

const looks = {
  primary: 'bg-accent text-on-accent hover:bg-accent-hover disabled:opacity-50',
  plain: 'border border-line-strong bg-canvas hover:bg-hover disabled:opacity-50',
  quiet: 'text-ink-2 hover:bg-hover hover:text-ink disabled:opacity-50',
  danger: 'border border-transparent bg-danger text-canvas hover:opacity-90 disabled:opacity-50',
} as const;

interface ButtonProps extends ComponentProps<'button'> {
  look?: keyof typeof looks;
  icon?: IconName;
}

export function Button({ look = 'plain', icon, className = '', children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      className={`inline-flex min-h-9 items-center justify-center gap-2 rounded-lg px-3.5 text-sm font-medium transition-colors ${looks[look]} ${className}`}
      {...rest}
    >
      {icon && <Icon name={icon} size={17} />}
      {children}
    </button>
  );
}

interface IconButtonProps extends ComponentProps<'button'> {
  icon: IconName;
  /** Said by a screen reader, and shown when the pointer rests. */
  label: string;
  small?: boolean;
}

export function IconButton({ icon, label, small = false, className = '', ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={`inline-flex shrink-0 items-center justify-center rounded-md text-ink-2 transition-colors hover:bg-hover hover:text-ink disabled:opacity-40 aria-expanded:bg-hover aria-expanded:text-ink ${small ? 'size-7' : 'size-9'} ${className}`}
      {...rest}
    >
      <Icon name={icon} size={small ? 17 : 19} />
    </button>
  );
}
