import type { Demo, MyConversation } from '@parley/protocol';
import { useEffect, useState } from 'react';
import { conversationPath, navigate } from '../lib/router.ts';
import { useAction } from '../lib/use-action.ts';
import { useWorkspace } from '../state/context.ts';

/** The demo story as the hub knows it; undefined until it has answered. */
export function useDemo() {
  const { client, refreshConversation } = useWorkspace();
  const start = useStartDemo();
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
  const play = useAction(async () => setDemo(await start()));
  const remove = useAction(async () => {
    const before = demo?.conversationId;
    setDemo(await client.call('removeDemo'));
    // It is archived now: the page must not lead back to it.
    if (before) await refreshConversation(before);
    navigate('/');
  });
  return { demo, play, remove };
}

/** Plays the story, or finds the one that plays, and leads to it. */
export function useStartDemo(): () => Promise<Demo> {
  const { client, refreshConversation } = useWorkspace();
  return async () => {
    const demo = await client.call('playDemo');
    if (demo.conversationId !== null) {
      await refreshConversation(demo.conversationId);
      navigate(conversationPath(demo.conversationId));
    }
    return demo;
  };
}

/** Whether a conversation can be the demo: the hub names it so. */
export const isDemoLike = ({ kind, name, archivedAt }: Pick<MyConversation, 'kind' | 'name' | 'archivedAt'>): boolean =>
  kind === 'channel' && /^demo(?:-\d+)?$/.test(name ?? '') && archivedAt === null;
