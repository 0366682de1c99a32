import { timeOfDay } from '../lib/time.ts';
import { useAction } from '../lib/use-action.ts';
import { useMe, useMember, useSelect, useWorkspace } from '../state/context.ts';
import { nameOf } from '../state/names.ts';
import { mayAct } from '../state/rights.ts';
import { Icon } from '../ui/icons.tsx';

export function StopEverythingBanner() {
  const halted = useSelect((state) => state.halt.halted);
  return <output className="block shrink-0">{halted && <StoppedLine />}</output>;
}

function StoppedLine() {
  const { client, store } = useWorkspace();
  const me = useMe();
  const halt = useSelect((state) => state.halt);
  const by = useMember(halt.by);
  const { act, busy, error } = useAction(async () => {
    const released = await client.call('release');
    store.update((state) => ({ ...state, halt: released }));
  });
  const who = halt.by === me.id ? 'You' : halt.by === null ? 'The operator' : nameOf(by);
  return (
    <div className="flex flex-wrap items-center justify-center gap-x-3 gap-y-0.5 bg-danger-soft px-4 py-1.5 text-sm text-danger">
      <span className="flex items-center gap-2">
        <Icon name="stop" size={16} />
        <span>
          {who} stopped every agent{halt.since === null ? '' : ` at ${timeOfDay(halt.since)}`}.
          <span className="max-sm:hidden"> No agent works until it is released.</span>
        </span>
      </span>
      {mayAct('workspace.release', me) && (
        <button type="button" disabled={busy} onClick={act} className="rounded font-medium underline underline-offset-2">
          Release
        </button>
      )}
      {error && <span>{error}</span>}
    </div>
  );
}
