import { useDialogs } from '../dialogs/context.ts';
import { MenuButton } from '../sidebar/menu-button.tsx';
import { useMe, useSelect } from '../state/context.ts';
import { mayAct } from '../state/rights.ts';
import { Button } from '../ui/button.tsx';
import { Logo } from '../ui/icons.tsx';

/** For a workspace in which one is in no conversation yet. */
export function Welcome() {
  const dialogs = useDialogs();
  const workspace = useSelect((state) => state.workspace);
  const me = useMe();
  return (
    <main className="flex flex-1 flex-col">
      <div className="p-2">
        <MenuButton />
      </div>
      <div className="m-auto max-w-sm px-6 pb-16 text-center">
        <div className="mb-5 flex justify-center">
          <Logo size={44} />
        </div>
        <h1 className="text-xl font-semibold tracking-tight">Welcome to {workspace}</h1>
        <p className="mt-2 mb-6 text-ink-2">Conversations live in channels. Join one, or start the first.</p>
        <div className="flex flex-wrap justify-center gap-2">
          {mayAct('channel.create', me) && (
            <Button look="primary" icon="plus" onClick={() => dialogs.open('create-channel')}>
              Create a channel
            </Button>
          )}
          <Button icon="compass" onClick={() => dialogs.open('browse')}>
            Browse channels
          </Button>
        </div>
      </div>
    </main>
  );
}
