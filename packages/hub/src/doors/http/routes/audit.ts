import { require } from '../../../engine/command.ts';
import { auditPage } from '../../../views/audit.ts';
import type { RouteHandlers } from '../route-context.ts';

export const auditRoutes = {
  listAudit: async ({ input, caller, hub }) => {
    require('audit.see', caller.actor);
    return auditPage(hub.store, input.query);
  },
} satisfies Partial<RouteHandlers>;
