// The tools of an agent at work: those of the workspace, and those of the tool servers it was given.

import { withheldResultsText } from '@parley/core';
import { identityOf } from '../agents/identity.ts';
import type { Tool, ToolResult, ToolsFor } from '../brains/brain.ts';
import { platform } from '../engine/command.ts';
import { readRows } from '../engine/decision-reads.ts';
import { connection } from '../engine/steps/tasks/notes.ts';
import type { AtWork, ToolHub } from './tool-caller.ts';
import type { FoundTool, McpClients } from './mcp-clients.ts';
import { contactAgent, negotiate, claim, react, sendChannelMessage } from './workspace/acting-tools.ts';
import { mailbox, queryWorkspace, readThread, searchMessages } from './workspace/reading-tools.ts';
import { toolAt } from './workspace/tool.ts';

const workspace = [queryWorkspace, mailbox, readThread, searchMessages, react, claim, sendChannelMessage];

const workspaceToolsAt = (at: AtWork): Tool[] => [...workspace, contactAgent(at.hub.contact), negotiate].map((tool) => toolAt(tool, at));

export async function toolsAt(at: AtWork, servers: McpClients): Promise<Tool[]> {
  const { tools } = await identityOf(at.hub.store, at.agentId);
  const serverTools = await servers.tools(tools);
  const withheld = await withheldAt(at, serverTools);
  const described = serverTools.map((found) => {
    const tool = serverTool(found, at, servers);
    return withheld.has(found.server) ? { ...tool, description: withheldResultsText(found.server) } : tool;
  });
  return [...workspaceToolsAt(at), ...described];
}

/** The servers among these whose results this task may not have. */
async function withheldAt({ hub, taskId }: AtWork, found: readonly FoundTool[]): Promise<Set<string>> {
  const own = new Map(found.flatMap(({ server, owner }) => (owner === undefined ? [] : [[server, owner] as const])));
  if (own.size === 0) return new Set();
  return readRows(hub.store, [{ table: 'tasks', values: [taskId] }], (set) => {
    const task = set.get('tasks', taskId);
    return new Set(
      [...own].filter(([server, owner]) => !task || !connection(task, { server, owner }, set).allowed).map(([server]) => server),
    );
  });
}

/** The one of that name; no server is asked that has nothing to do with it. */
export async function toolNamed(name: string, at: AtWork, servers: McpClients): Promise<Tool | undefined> {
  const workspaceTool = workspaceToolsAt(at).find((tool) => tool.name === name);
  if (workspaceTool) return workspaceTool;
  const server = `mcp://${name.split('__')[0]}`;
  const { tools } = await identityOf(at.hub.store, at.agentId);
  const found = await servers.tools(tools.filter((reference) => reference === server || reference.startsWith(`${server}/`)));
  const foundTool = found.find(({ calledAs }) => calledAs === name);
  return foundTool && serverTool(foundTool, at, servers);
}

function serverTool({ server, calledAs, tool, access, owner }: FoundTool, at: AtWork, servers: McpClients): Tool {
  const connect = async (result: string | null): Promise<boolean> =>
    owner === undefined ||
    (await at.hub.engine.submit({ type: 'task.connect', by: platform, taskId: at.taskId, server, owner, result })).allowed;
  const withheld: ToolResult = { text: `Error: ${withheldResultsText(server)}`, isError: true };
  return {
    name: calledAs,
    description: tool.description,
    input: tool.input,
    readOnly: access === 'read',
    keyed: false,
    run: async (input, { signal }) => {
      if (!(await connect(null))) return withheld;
      const { foreign, ...result } = await servers.call(server, tool.name, input, signal);
      // The taint is on disk before the model gets the words, so that no later act counts as done without them (SYS-13).
      if (foreign)
        await at.hub.engine.submit({ type: 'task.taint', by: platform, taskId: at.taskId, source: { kind: 'tool', name: calledAs } });
      // Somebody may have joined meanwhile.
      return !foreign || (await connect(result.text)) ? result : withheld;
    },
  };
}

/** Used by brains that run in the hub. */
export const toolsFor =
  (hub: ToolHub, servers: McpClients): ToolsFor =>
  ({ task, me }) =>
    toolsAt({ hub, by: platform, agentId: me.id, taskId: task.id, lease: task.lease }, servers);
