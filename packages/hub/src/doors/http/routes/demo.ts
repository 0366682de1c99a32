import { may } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import { readDemo, removedDemos } from '../../../demo/demo.ts';
import type { Caller, RouteHandlers, Services } from '../route-context.ts';

/** Only those who may play it learn where it is: the channel is private. */
async function view({ store }: Services, { actor }: Caller) {
  const mayPlay = may('demo.play', actor).allowed;
  const demo = mayPlay ? await readDemo(store) : null;
  const played = mayPlay && (demo !== null || (await removedDemos(store)).size > 0);
  return { mayPlay, played, conversationId: demo?.conversationId ?? null };
}

export const demoRoutes = {
  getDemo: ({ caller, hub }) => view(hub, caller),
  playDemo: async ({ caller, hub }) => {
    if (!('memberId' in caller.by))
      throw new ParleyError('forbidden', 'The story is played for a person: start it on the page, or with `npx parley up --demo`.');
    await hub.story.play(caller.by);
    return view(hub, caller);
  },
  removeDemo: async ({ caller, hub }) => {
    await hub.story.remove(caller.by);
    return view(hub, caller);
  },
} satisfies Partial<RouteHandlers>;
