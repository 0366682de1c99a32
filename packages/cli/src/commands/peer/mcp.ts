// The peer's folder as tools for an MCP client, over the standard streams.

import { type PeerAccess, servePeer } from '@parley/mcp';
import { type PeerCommandContext, withPeer } from './peer-access.ts';

/** Nothing but messages of the protocol may go to standard output: results and remarks of a command become the tool's result. */
export function serve(context: Pick<PeerCommandContext, 'env' | 'data'>, version: string): void {
  const access: PeerAccess = (act, note) => withPeer({ ...context, output: { json: true, result: () => {}, note } }, act);
  servePeer(access, version);
}
