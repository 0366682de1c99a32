import { useSelect } from '../state/context.ts';
import { nameOf } from '../state/names.ts';

export function TypingLine({ conversationId }: { conversationId: string | null }) {
  const text = useSelect((state) => {
    const typing = Object.keys(state.typing[conversationId ?? ''] ?? {}).map((id) => nameOf(state.members[id]));
    if (typing.length === 0) return '';
    if (typing.length === 1) return `${typing[0]} is typing`;
    if (typing.length === 2) return `${typing[0]} and ${typing[1]} are typing`;
    return 'Several people are typing';
  });
  return (
    <output className="flex h-6 shrink-0 items-center gap-1.5 px-4 text-xs text-ink-3 sm:px-6">
      {text && (
        <>
          <span aria-hidden="true" className="flex gap-0.5">
            <span className="pulse-dot size-1 rounded-full bg-current" />
            <span className="pulse-dot size-1 rounded-full bg-current [animation-delay:0.2s]" />
            <span className="pulse-dot size-1 rounded-full bg-current [animation-delay:0.4s]" />
          </span>
          {text}
        </>
      )}
    </output>
  );
}
