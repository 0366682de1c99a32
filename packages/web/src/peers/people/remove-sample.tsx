import { useAction } from '../../lib/use-action.ts';
import { useWorkspace } from '../../state/context.ts';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/problem.tsx';
import { toast } from '../../ui/toast.tsx';

/** The sample friend goes with everything that was negotiated with it; another one can be made at any time. */
export function RemoveSample({ name, className = '', onRemoved }: { name: string; className?: string; onRemoved: () => void }) {
  const { client } = useWorkspace();
  const remove = useAction(async () => {
    await client.call('removeSampleFriend');
    toast(`${name} is removed`);
    onRemoved();
  });
  return (
    <>
      <Button aria-label={`Remove ${name}`} disabled={remove.busy} onClick={remove.act} className={className}>
        Remove
      </Button>
      <Problem text={remove.error} />
    </>
  );
}
