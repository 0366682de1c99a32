import { Avatar } from '../ui/avatar.tsx';
import { Icon } from '../ui/icons.tsx';
import type { Completion } from './use-completion.ts';

/** Over the composer, so that it never covers what is being typed. */
export function Suggestions({ listId, choices, active, pick }: Completion) {
  if (choices.length === 0) return null;
  return (
    <div
      id={listId}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a select takes no such rows
      role="listbox"
      aria-label="Whom to address"
      className="absolute bottom-full left-3 z-20 mb-1.5 max-h-72 w-80 max-w-[calc(100%-1.5rem)] overflow-y-auto rounded-xl bg-raised p-1.5 shadow-pop sm:left-5"
    >
      {choices.map((choice, index) => (
        // The keys are the text field's, which keeps the focus.
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
        <div
          key={choice.member?.id ?? choice.handle}
          id={`${listId}-${index}`}
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a real option cannot hold an avatar
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => pick(choice)}
          className={`flex cursor-pointer items-center gap-2.5 rounded-lg px-2 py-1.5 ${index === active ? 'bg-accent-soft' : 'hover:bg-hover'}`}
        >
          {choice.member ? (
            <Avatar member={choice.member} size={26} presence />
          ) : (
            <span className="flex size-6.5 shrink-0 items-center justify-center rounded-full bg-hover text-ink-2">
              <Icon name="people" size={16} />
            </span>
          )}
          <span className="min-w-0 flex-1 truncate text-sm">
            <span className="font-medium">{choice.handle}</span> <span className="text-ink-3">{choice.name}</span>
          </span>
          {choice.member?.kind === 'agent' && <span className="text-xs text-ink-3">agent</span>}
        </div>
      ))}
    </div>
  );
}
