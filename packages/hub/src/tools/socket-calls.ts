// Tools for agents of any make: a call over the socket is a step of the turn like any other (SYS-12). It is written down
// before and after, so that a call that is repeated after a lost connection, or a hub that was restarted, is not made twice.

import { approvalResults, contactResults } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import type { Tool, ToolResult } from '../brains/brain.ts';
import { Shares } from '../concurrency-shares.ts';
import type { JournalRow } from '../store/tables.ts';
import type { AtWork, ToolHub } from './tool-caller.ts';
import type { McpClients } from './mcp-clients.ts';
import { toolNamed, toolsAt } from './tools-for.ts';

export interface SocketToolCall {
  name: string;
  input?: unknown;
  key?: string | undefined;
}

const unknownOutcome = (name: string): ToolResult => ({
  text: `Error: Nobody knows whether ${name} happened: the hub was lost in the middle of it. Find out before you do it again.`,
  isError: true,
});
const forgotten: ToolResult = { text: 'Error: It was done; what it answered is no longer kept.', isError: true };

const refusals: Readonly<Record<string, (name: string) => ToolResult>> = {
  pending: () => ({ text: contactResults.waiting(), isError: true }),
  denied: (name) => ({ text: approvalResults.denied({ agent: '', name }), isError: true }),
};

export class ToolCalls {
  private readonly hub: ToolHub;
  private readonly servers: McpClients;
  /** Steps of one task are numbered one after the other. */
  private readonly numbering = new Shares({ own: 1 });
  private readonly underWay = new Map<string, Promise<ToolResult>>();

  constructor(hub: ToolHub, servers: McpClients) {
    this.hub = hub;
    this.servers = servers;
  }

  list(at: Omit<AtWork, 'hub'>): Promise<Tool[]> {
    return toolsAt({ ...at, hub: this.hub }, this.servers);
  }

  async call(at: Omit<AtWork, 'hub'>, { name, input, key }: SocketToolCall): Promise<ToolResult> {
    const tool = await toolNamed(name, { ...at, hub: this.hub }, this.servers);
    if (!tool) return { text: `Error: There is no tool ${name}, or its server is down.`, isError: true };
    await this.mustHold(at);
    const [turn] = await this.hub.store.rows('turns', { task_id: at.taskId, state: 'running' });
    if (!turn) throw new ParleyError('task_not_active');
    const stepKey = key === undefined ? null : `agent:${key}`;
    const sameCall = stepKey === null ? undefined : this.underWay.get(`${turn.id} ${stepKey}`);
    if (sameCall) return sameCall;
    const working = this.take(tool, turn.id, { at, input, stepKey });
    if (stepKey === null) return working;
    const place = `${turn.id} ${stepKey}`;
    this.underWay.set(place, working);
    return working.finally(() => this.underWay.delete(place));
  }

  /** An answer from the journal runs no command, so the lease is checked here as a command would. */
  private async mustHold({ agentId, taskId, lease }: Omit<AtWork, 'hub'>): Promise<void> {
    const [task] = await this.hub.store.rows('tasks', { id: taskId });
    if (!task) throw new ParleyError('agent_without_task');
    if (task.agent_id !== agentId) throw new ParleyError('task_of_another');
    if (task.open === 0) throw new ParleyError('task_over');
    if (task.lease !== lease) throw new ParleyError('stale_lease');
  }

  private async take(
    tool: Tool,
    turnId: string,
    { at, input, stepKey }: { at: Omit<AtWork, 'hub'>; input: unknown; stepKey: string | null },
  ): Promise<ToolResult> {
    const { by, agentId, taskId, lease } = at;
    const heldTurn = { by, agentId, taskId, lease, turnId };
    const { n, before, refused } = await this.numbering.run(taskId, async () => {
      const rows = await this.hub.store.rows('journal', { turn_id: turnId }, { order: 'n' });
      const same = stepKey === null ? undefined : rows.find((row) => row.key === stepKey);
      if (same && (same.name !== tool.name || same.input !== JSON.stringify(input ?? null))) throw new ParleyError('key_reused');
      if (same) return { n: same.n, before: same, refused: undefined };
      const next = (rows.at(-1)?.n ?? -1) + 1;
      const { verdict } = await this.hub.engine.submit({
        type: 'turn.intend',
        ...heldTurn,
        n: next,
        kind: 'tool',
        name: tool.name,
        readOnly: tool.readOnly,
        stepKey,
        input: JSON.stringify(input ?? null),
      });
      return { n: next, before: undefined, refused: refusals[verdict]?.(tool.name) };
    });
    // A person is asked, or has denied it; the call was not made. After approval the same call goes through.
    if (refused) return refused;
    const earlierResult = before && answerOf(before, tool);
    if (earlierResult && before.done_at !== null) return earlierResult;
    const result = earlierResult ?? (await tool.run(input, { key: `${turnId}:${n}`, signal: new AbortController().signal }));
    try {
      await this.hub.engine.submit({ type: 'turn.done', ...heldTurn, n, result: JSON.stringify(result) });
    } catch (error) {
      // The tool's own command ended the turn, so there is no journal left to record it.
      if (!(tool.keyed && error instanceof ParleyError && error.code === 'task_over')) throw error;
    }
    return result;
  }
}

/** The result of an earlier call; undefined if the call can be repeated without harm. */
function answerOf(row: JournalRow, tool: Tool): ToolResult | undefined {
  if (row.done_at !== null) return row.result === null ? forgotten : (JSON.parse(row.result) as ToolResult);
  return tool.readOnly || tool.keyed ? undefined : unknownOutcome(tool.name);
}
