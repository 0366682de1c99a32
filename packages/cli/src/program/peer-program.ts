// The commands of a peer, one person's end of the sealed line. They need no hub.

import type { ReportReason } from '@parley/peer';
import { type Command, Option } from 'commander';
import { helpFor } from '../folder-help.ts';
import type { Settings, GlobalOptions } from '../settings.ts';
import type { Output } from '../output.ts';
import { addNegotiation } from './negotiation-program.ts';
import type { VerifyOptions, QrOption } from '../commands/peer/peer.ts';
import type { PeerCommandContext } from '../commands/peer/peer-access.ts';

type Context = (command: Command) => { settings: Settings; output: Output };

export function addPeer(program: Command, context: Context): void {
  const peer = program
    .command('peer')
    .description('your end of the sealed line to other people’s agents; it needs no hub')
    .configureHelp(helpFor(program, 'the folder of the peer (PARLEY_PEER_DATA; .parley-peer)'))
    .addHelpText('after', '\nPARLEY_PEER_PASSPHRASE locks its folder.');
  const here = (command: Command): PeerCommandContext => {
    const { settings, output } = context(command);
    return { env: settings.env, data: command.optsWithGlobals<GlobalOptions>().data, output };
  };
  peer
    .command('init')
    .description('make an identity and register it with a relay')
    .requiredOption('--name <name>', 'your name at the relay: agent:<name>@<relay>')
    .requiredOption('--relay <url>', 'where the relay is: ws:// or wss://')
    .requiredOption('--code <code>', 'an invitation to the relay, or a ticket from its page')
    .option('--email <email>', 'kept by the relay, unverified')
    .action(async (options: { name: string; relay: string; code: string; email?: string }, command: Command) =>
      (await import('../commands/peer/peer.ts')).init(here(command), options),
    );
  peer
    .command('card')
    .description('print your contact card; its last line is the card as one word')
    .option('--qr', 'show it as a QR code also where the output is no terminal')
    .action(async (options: QrOption, command: Command) => (await import('../commands/peer/peer.ts')).card(here(command), options));
  peer
    .command('add')
    .argument('<card>', 'a contact card, or an address, which stays unverified')
    .description('add somebody and pin the key in their card')
    .action(async (word: string, _options: object, command: Command) =>
      (await import('../commands/peer/peer.ts')).add(here(command), word),
    );
  peer
    .command('list')
    .description('list the people you have added or heard from')
    .action(async (_options: object, command: Command) => (await import('../commands/peer/peer.ts')).list(here(command)));
  peer
    .command('verify')
    .argument('<address>', 'agent:<name>@<relay>')
    .description('show the safety number to compare with them, and decide about a key')
    .addOption(
      new Option('--accept <number>', 'this is the number that both see: trust the key, and start a stopped line again').conflicts('keep'),
    )
    .option('--qr', 'show it as a QR code also where the output is no terminal')
    .option('--keep', 'refuse a changed key, and start the line again with the one before')
    .action(async (address: string, options: VerifyOptions, command: Command) =>
      (await import('../commands/peer/peer.ts')).verify(here(command), address, options),
    );
  for (const [name, isOn, description] of [
    ['block', true, 'drop what they send from now on, here and at the relay'],
    ['unblock', false, 'take packets of theirs again'],
  ] as const)
    peer
      .command(name)
      .argument('<address>', 'agent:<name>@<relay>')
      .description(description)
      .action(async (address: string, _options: object, command: Command) =>
        (await import('../commands/peer/peer.ts')).setBlock(here(command), address, isOn),
      );
  peer
    .command('remove')
    .argument('<address>', 'agent:<name>@<relay>')
    .description('remove somebody, with what your peer remembers of them and what is open between you')
    .action(async (address: string, _options: object, command: Command) =>
      (await import('../commands/peer/peer.ts')).remove(here(command), address),
    );
  peer
    .command('report')
    .argument('<address>', 'agent:<name>@<relay>')
    .description('report somebody who wrote to you to the relay, with your signature')
    .addOption(new Option('--reason <reason>', 'why').choices(['malformed', 'spam', 'abuse']).makeOptionMandatory())
    .action(async (address: string, options: { reason: ReportReason }, command: Command) =>
      (await import('../commands/peer/peer.ts')).report(here(command), address, options),
    );
  peer
    .command('send')
    .argument('<address>', 'agent:<name>@<relay>')
    .description('send one sealed context packet; done once the relay has stored it')
    .requiredOption('--context <json>', 'the fields to share, as a JSON object; - reads it from standard input')
    .option('--new', 'start a new negotiation instead of continuing the latest')
    .action(async (address: string, options: { context: string; new?: true }, command: Command) =>
      (await import('../commands/peer/peer.ts')).send(here(command), address, options),
    );
  peer
    .command('inbox')
    .description('fetch and show the packets that came')
    .action(async (_options: object, command: Command) => (await import('../commands/peer/peer.ts')).inbox(here(command)));
  addNegotiation(peer, here);
  peer
    .command('run')
    .description('keep the line open in the foreground; stop it with Ctrl-C or SIGTERM')
    .option('--take-over', 'make this device the one that holds the identity')
    .action(async (options: { takeOver?: true }, command: Command) =>
      (await import('../commands/peer/peer-run.ts')).run(here(command), options),
    );
  peer
    .command('backup')
    .argument('<file>', 'where to write it')
    .description('write an encrypted backup: identity, peers and history, no sessions')
    .action(async (file: string, _options: object, command: Command) =>
      (await import('../commands/peer/peer-backups.ts')).backup(here(command), file),
    );
  peer
    .command('restore')
    .argument('<file>', 'a backup')
    .description('restore a backup into an empty folder; this device then takes over')
    .action(async (file: string, _options: object, command: Command) =>
      (await import('../commands/peer/peer-backups.ts')).restore(here(command), file),
    );
}

// The MCP bridge: a peer's folder as tools.

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
