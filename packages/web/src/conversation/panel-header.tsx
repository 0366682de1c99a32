import { useWide } from '../lib/use-media.ts';
import { IconButton } from '../ui/button.tsx';

/** Beside the conversation a panel is closed; in its place one goes back from it. */
export function PanelHeader({ title, place, onClose }: { title: string; place: string; onClose: () => void }) {
  const wide = useWide();
  // In the conversation's place it is the page's main part, and its title the page's.
  const Heading = wide ? 'h2' : 'h1';
  return (
    <header className="flex h-14 shrink-0 items-center gap-1 border-b border-line px-2 sm:px-3">
      {!wide && <IconButton icon="back" label="Back" onClick={onClose} />}
      <Heading className="min-w-0 flex-1 truncate px-1.5 font-semibold tracking-tight">
        {title} <span className="ml-1 text-sm font-normal text-ink-3">{place}</span>
      </Heading>
      {wide && <IconButton icon="close" label="Close panel" onClick={onClose} />}
    </header>
  );
}
