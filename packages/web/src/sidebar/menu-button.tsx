import { useDialogs } from '../dialogs/context.ts';
import { useNarrow } from '../lib/use-media.ts';
import { useSelect } from '../state/context.ts';
import { waitingFor } from '../state/work.ts';
import { IconButton } from '../ui/button.tsx';

/** Where the sidebar does not fit. A dot stands for news elsewhere than `here`, because nobody opens it to look. */
export function MenuButton({ here }: { here?: string }) {
  const narrow = useNarrow();
  const dialogs = useDialogs();
  const waits = useSelect((state) => waitingFor(state) > 0);
  const unread = useSelect((state) =>
    Object.values(state.conversations).some(
      (each) => each.joined && each.kind !== 'thread' && each.unread > 0 && each.notify !== 'none' && each.id !== here,
    ),
  );
  if (!narrow) return null;
  return (
    <span className="relative">
      <IconButton icon="menu" label={waits ? 'Open sidebar: your inbox has items' : 'Open sidebar'} onClick={dialogs.openSidebar} />
      {(waits || unread) && <span className="absolute top-1.5 right-1.5 size-2 rounded-full bg-accent" />}
    </span>
  );
}
