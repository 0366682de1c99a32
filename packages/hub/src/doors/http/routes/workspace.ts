import { require } from '../../../engine/command.ts';
import { auditPage } from '../../../views/audit.ts';
import type { RouteHandlers, Caller, Services } from '../route-context.ts';
import { haltView } from '../../../views/row-views.ts';
import { may } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import { readDemo, removedDemos } from '../../../demo/demo.ts';

export const auditRoutes = {
  listAudit: async ({ input, caller, hub }) => {
    require('audit.see', caller.actor);
    return auditPage(hub.store, input.query);
  },
} satisfies Partial<RouteHandlers>;

export const stopRoutes = {
  getHalt: ({ hub }) => haltView(hub.store),
  halt: async ({ caller, hub }) => (await hub.engine.submit({ type: 'workspace.halt', by: caller.by, halted: true })).halt,
  release: async ({ caller, hub }) => (await hub.engine.submit({ type: 'workspace.halt', by: caller.by, halted: false })).halt,
} satisfies Partial<RouteHandlers>;

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
