// The MCP bridge: a peer's folder as tools.

import type { Command } from 'commander';
import { helpFor } from '../folder-help.ts';
import type { GlobalOptions } from '../settings.ts';

export function addMcp(program: Command, version: string): void {
  program
    .command('mcp')
    .description('offer your peer as tools to an MCP client, over standard input and output')
    .configureHelp(helpFor(program, 'the folder of the peer (PARLEY_PEER_DATA; .parley-peer)'))
    .addHelpText('after', '\nPARLEY_PEER_PASSPHRASE opens a locked folder.')
    .action(async (_options: object, command: Command) =>
      (await import('../commands/peer/mcp.ts')).serve({ env: process.env, data: command.optsWithGlobals<GlobalOptions>().data }, version),
    );
}
