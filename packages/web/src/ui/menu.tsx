import type { ReactNode } from 'react';
import { Icon } from './icons.tsx';
import type { IconName } from './icons.tsx';

interface MenuItemProps {
  icon?: IconName;
  onSelect: () => void;
  danger?: boolean;
  /** Set for one of several: a check shows the one that holds. */
  checked?: boolean;
  children: ReactNode;
}

export function MenuItem({ icon, onSelect, danger = false, checked, children }: MenuItemProps) {
  return (
    <button
      type="button"
      role={checked === undefined ? 'menuitem' : 'menuitemradio'}
      aria-checked={checked}
      tabIndex={-1}
      onClick={onSelect}
      className={`flex min-h-9 w-full items-center gap-2.5 rounded-lg px-2.5 text-left text-sm whitespace-nowrap outline-none hover:bg-hover focus-visible:bg-hover ${danger ? 'text-danger' : ''}`}
    >
      {icon && <Icon name={icon} size={17} className={danger ? '' : 'text-ink-2'} />}
      <span className="flex-1 pr-4">{children}</span>
      {checked !== undefined && <Icon name="check" size={16} className={checked ? 'text-accent-ink' : 'invisible'} />}
    </button>
  );
}

export const MenuLine = () => <hr className="mx-2.5 my-1.5 border-line" />;

export function MenuTitle({ children }: { children: ReactNode }) {
  return <div className="px-2.5 pt-1.5 pb-1 text-xs font-medium text-ink-3">{children}</div>;
}
