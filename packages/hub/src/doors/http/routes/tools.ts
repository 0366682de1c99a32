import { may } from '@parley/core';
import { require } from '../../../engine/command.ts';
import type { Caller, RouteHandlers } from '../route-context.ts';

const mayChange = ({ actor }: Caller): boolean => may('tool.manage', actor).allowed;

export const toolRoutes = {
  listToolServers: async ({ caller, hub }) => {
    require('tool.see', caller.actor);
    return hub.tools.views(mayChange(caller));
  },
  setToolServer: async ({ input, caller, hub }) => {
    const { name } = input.params;
    require('tool.manage', caller.actor);
    hub.tools.mustNotBeInFile(name);
    await hub.engine.submit({ type: 'tool_server.set', by: caller.by, name, config: input.body });
    await hub.tools.stopIfChanged(name);
    return hub.tools.view(name, true);
  },
  removeToolServer: async ({ input, caller, hub }) => {
    const { name } = input.params;
    require('tool.manage', caller.actor);
    hub.tools.mustNotBeInFile(name);
    await hub.engine.submit({ type: 'tool_server.remove', by: caller.by, name });
    await hub.tools.stopIfChanged(name);
    return {};
  },
  acceptTools: async ({ input, caller, hub }) => {
    require('tool.manage', caller.actor);
    return hub.tools.accept(caller.by, input.params.name, input.body.tool);
  },
  testToolServer: async ({ input, caller, hub }) => {
    require('tool.manage', caller.actor);
    return hub.tools.test(input.params.name, true);
  },
} satisfies Partial<RouteHandlers>;
