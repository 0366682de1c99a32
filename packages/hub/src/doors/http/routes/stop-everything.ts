import { haltView } from '../../../views/settings.ts';
import type { RouteHandlers } from '../route-context.ts';

export const stopRoutes = {
  getHalt: ({ hub }) => haltView(hub.store),
  halt: async ({ caller, hub }) => (await hub.engine.submit({ type: 'workspace.halt', by: caller.by, halted: true })).halt,
  release: async ({ caller, hub }) => (await hub.engine.submit({ type: 'workspace.halt', by: caller.by, halted: false })).halt,
} satisfies Partial<RouteHandlers>;
