// The tools of an agent at work: those of the workspace, and those of the tool servers it was given.

import { identityOf } from '../agents/identity.ts';
import type { Tool, ToolsFor } from '../brains/tools.ts';
import { platform } from '../engine/command.ts';
import type { AtWork, ToolHub } from './tool-caller.ts';
import type { FoundTool, McpClients } from './mcp-clients.ts';
import { contactAgent } from './workspace/contact-tool.ts';
import { negotiate } from './workspace/negotiate-tool.ts';
import { claim, react, sendChannelMessage } from './workspace/acting-tools.ts';
import { mailbox, queryWorkspace, readThread, searchMessages } from './workspace/reading-tools.ts';
import { toolAt } from './workspace/tool.ts';

const workspace = [queryWorkspace, mailbox, readThread, searchMessages, react, claim, sendChannelMessage, negotiate];

const workspaceToolsAt = (at: AtWork): Tool[] => [...workspace, contactAgent(at.hub.contact)].map((tool) => toolAt(tool, at));

export async function toolsAt(at: AtWork, servers: McpClients): Promise<Tool[]> {
  const { tools } = await identityOf(at.hub.store, at.agentId);
  const given = await servers.tools(tools);
  return [...workspaceToolsAt(at), ...given.map((found) => serverTool(found, at, servers))];
}

/** The one of that name; no server is asked that has nothing to do with it. */
export async function toolNamed(name: string, at: AtWork, servers: McpClients): Promise<Tool | undefined> {
  const ours = workspaceToolsAt(at).find((tool) => tool.name === name);
  if (ours) return ours;
  const server = `mcp://${name.split('__')[0]}`;
  const { tools } = await identityOf(at.hub.store, at.agentId);
  const found = await servers.tools(tools.filter((reference) => reference === server || reference.startsWith(`${server}/`)));
  const wanted = found.find(({ calledAs }) => calledAs === name);
  return wanted && serverTool(wanted, at, servers);
}

function serverTool({ server, calledAs, tool, access }: FoundTool, at: AtWork, servers: McpClients): Tool {
  return {
    name: calledAs,
    description: tool.description,
    input: tool.input,
    readOnly: access === 'read',
    keyed: false,
    run: async (input, { signal }) => {
      const { foreign, ...result } = await servers.call(server, tool.name, input, signal);
      // On disk before the words are handed over, so that nothing done after them is thought to be done without them (SYS-13).
      if (foreign)
        await at.hub.engine.submit({ type: 'task.taint', by: platform, taskId: at.taskId, source: { kind: 'tool', name: calledAs } });
      return result;
    },
  };
}

/** For brains that run in the hub. */
export const toolsFor =
  (hub: ToolHub, servers: McpClients): ToolsFor =>
  ({ task, me }) =>
    toolsAt({ hub, by: platform, agentId: me.id, taskId: task.id, lease: task.lease }, servers);
