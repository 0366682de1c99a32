import { useDialogs } from '../dialogs/context.ts';
import { useMe } from '../state/context.ts';
import { mayAct } from '../state/rights.ts';

/** Beside a failure for want of a key, for those who can set one. */
export function AddKey() {
  const me = useMe();
  const dialogs = useDialogs();
  if (!mayAct('secret.manage', me)) return null;
  return (
    <button
      type="button"
      onClick={() => dialogs.open('keys')}
      className="min-h-6 rounded font-medium text-accent-ink underline underline-offset-2"
    >
      Add key
    </button>
  );
}
