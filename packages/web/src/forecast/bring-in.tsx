import { useAction } from '../lib/use-action.ts';
import { useConversation, useMe, useSelect, useWorkspace } from '../state/context.ts';
import { mayIn } from '../state/rights.ts';

/** Brings in somebody who is addressed and not here, before the message is sent. */
export function BringIn({ handle, roomId }: { handle: string; roomId: string }) {
  const { client, refreshMemberships } = useWorkspace();
  const me = useMe();
  const home = useConversation(roomId);
  const member = useSelect((state) => Object.values(state.members).find((one) => one.handle.toLowerCase() === handle.toLowerCase()));
  const { act, busy, error } = useAction(async () => {
    await client.call('addToConversation', { params: { conversationId: roomId }, body: { memberId: member!.id } });
    await refreshMemberships(roomId);
  });
  if (!member || member.status !== 'active' || home?.kind !== 'channel' || !mayIn('conversation.add', me, home)) return null;
  return (
    <>
      {' '}
      <button type="button" disabled={busy} onClick={act} className="rounded font-semibold underline underline-offset-2">
        Bring in {member.displayName}
      </button>
      {error && <span className="text-danger"> {error}</span>}
    </>
  );
}
