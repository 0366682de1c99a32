import { require } from '../../../engine/command.ts';
import { auditPage } from '../../../views/audit.ts';
import type { Caller, RouteHandlers, Services } from '../route-context.ts';
import { haltView } from '../../../views/row-views.ts';
import { may } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import { readDemo, removedDemos } from '../../../demo/demo.ts';

/** Only members who may play the demo learn its channel, because it is private. */
async function demoView({ store }: Services, { actor }: Caller) {
  const mayPlay = may('demo.play', actor).allowed;
  const demo = mayPlay ? await readDemo(store) : null;
  const played = mayPlay && (demo !== null || (await removedDemos(store)).size > 0);
  return { mayPlay, played, conversationId: demo?.conversationId ?? null };
}

export const workspaceRoutes = {
  listAudit: async ({ input, caller, hub }) => {
    require('audit.see', caller.actor);
    return auditPage(hub.store, input.query);
  },

  getHalt: ({ hub }) => haltView(hub.store),
  halt: async ({ caller, hub }) => (await hub.engine.submit({ type: 'workspace.halt', by: caller.by, halted: true })).halt,
  release: async ({ caller, hub }) => (await hub.engine.submit({ type: 'workspace.halt', by: caller.by, halted: false })).halt,

  getDemo: ({ caller, hub }) => demoView(hub, caller),
  playDemo: async ({ caller, hub }) => {
    if (!('memberId' in caller.by))
      throw new ParleyError('forbidden', 'The story is played for a person: start it on the page, or with `npx parley up --demo`.');
    await hub.story.play(caller.by);
    return demoView(hub, caller);
  },
  removeDemo: async ({ caller, hub }) => {
    await hub.story.remove(caller.by);
    return demoView(hub, caller);
  },
} satisfies Partial<RouteHandlers>;
