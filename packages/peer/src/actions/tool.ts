// An action that is a call of a tool which the host offers, such as one of an MCP server. The person names the tools that it may call.

import { PeerCallError } from '@parley/protocol';
import type { ConfiguredAction } from './configured-actions.ts';
import { type ActionCall, type ActionHandler, ActionRefused } from './port.ts';

/** Calls a tool of the host. Throws where it fails: a `PeerCallError` with `refused` where nothing has happened. */
export type CallTool = (tool: string, argument: Readonly<Record<string, unknown>>) => Promise<void>;

/** A tool has no idempotency key, so a call whose end is unknown is not made again. */
export function tool({ run, undo }: ConfiguredAction, callTool: CallTool | undefined): ActionHandler {
  const call = async (name: string, { key, action, summary, details, isRepeated }: ActionCall): Promise<void> => {
    if (!callTool) throw new ActionRefused(`${action.action} is not possible here`);
    if (isRepeated) throw new Error(`Nobody knows whether ${action.action} happened: the peer stopped while it ran.`);
    try {
      await callTool(name, { key, summary, details });
    } catch (error) {
      if (error instanceof PeerCallError && error.code === 'refused') throw new ActionRefused(`${action.action} is not possible now`);
      throw error;
    }
  };
  return { isRemote: true, run: (one) => call(run, one), ...(undo === null ? {} : { undo: (one: ActionCall) => call(undo, one) }) };
}
