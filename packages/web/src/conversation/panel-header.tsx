import { useMedia } from '../lib/media.ts';
import { IconButton } from '../ui/button.tsx';

/** Beside the conversation a panel is closed; in its place one goes back from it. */
export function PanelHeader({ title, place, onClose }: { title: string; place: string; onClose: () => void }) {
  const wide = useMedia('(min-width: 1100px)');
  return (
    <header className="flex h-14 shrink-0 items-center gap-1 border-b border-line px-2 sm:px-3">
      {!wide && <IconButton icon="back" label="Back" onClick={onClose} />}
      <h2 className="min-w-0 flex-1 truncate px-1.5 font-semibold tracking-tight">
        {title} <span className="ml-1 text-sm font-normal text-ink-3">{place}</span>
      </h2>
      {wide && <IconButton icon="close" label="Close panel" onClick={onClose} />}
    </header>
  );
}
