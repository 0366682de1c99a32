import type { Demo } from '@parley/protocol';
import { useEffect, useState } from 'react';
import { conversationPath, navigate } from '../lib/router.ts';
import { useAction } from '../lib/use-action.ts';
import { useWorkspace } from '../state/context.ts';

/** The demo story as the hub knows it; undefined until it has answered. */
export function useDemo() {
  const { client, refreshConversation } = useWorkspace();
  const [demo, setDemo] = useState<Demo>();
  useEffect(() => {
    let left = false;
    client
      .call('getDemo')
      // Without the answer nothing is offered; everything else works.
      .then(
        (now) => !left && setDemo(now),
        () => {},
      );
    return () => {
      left = true;
    };
  }, [client]);
  const play = useAction(async () => {
    const now = await client.call('playDemo');
    setDemo(now);
    if (now.conversationId === null) return;
    await refreshConversation(now.conversationId);
    navigate(conversationPath(now.conversationId));
  });
  const remove = useAction(async () => {
    const before = demo?.conversationId;
    setDemo(await client.call('removeDemo'));
    // It is archived now: the page must not lead back to it.
    if (before) await refreshConversation(before);
    navigate('/');
  });
  return { demo, play, remove };
}
