// The commands of a peer, one person's end of the sealed line. They need no hub.

import { type Command, Option } from 'commander';
import { helpFor, run } from './action.ts';
import { addNegotiation } from './negotiation-program.ts';

const load = () => import('../commands/peer/peer.ts');

export function addPeer(program: Command): void {
  const peer = program
    .command('peer')
    .description('your end of the sealed line to other people’s agents; it needs no hub')
    .configureHelp(helpFor(program, 'the folder of the peer (PARLEY_PEER_DATA; .parley-peer)'))
    .addHelpText('after', '\nPARLEY_PEER_PASSPHRASE locks its folder.');
  peer
    .command('init')
    .description('make an identity and register it with a relay')
    .requiredOption('--name <name>', 'your name at the relay: agent:<name>@<relay>')
    .requiredOption('--relay <url>', 'where the relay is: ws:// or wss://')
    .requiredOption('--code <code>', 'an invitation to the relay, or a ticket from its page')
    .option('--email <email>', 'kept by the relay, unverified')
    .action(run(async () => (await load()).init));
  peer
    .command('card')
    .description('print your contact card; its last line is the card as one word')
    .option('--qr', 'show it as a QR code also where the output is no terminal')
    .action(run(async () => (await load()).card));
  peer
    .command('add')
    .argument('<card>', 'a contact card, or an address, which stays unverified')
    .description('add somebody and pin the key in their card')
    .action(run(async () => (await load()).add));
  peer
    .command('list')
    .description('list the people you have added or heard from')
    .action(run(async () => (await load()).list));
  peer
    .command('verify')
    .argument('<address>', 'agent:<name>@<relay>')
    .description('show the safety number to compare with them, and decide about a key')
    .addOption(
      new Option('--accept <number>', 'this is the number that both see: trust the key, and start a stopped line again').conflicts('keep'),
    )
    .option('--qr', 'show it as a QR code also where the output is no terminal')
    .option('--keep', 'refuse a changed key, and start the line again with the one before')
    .action(run(async () => (await load()).verify));
  peer
    .command('block')
    .argument('<address>', 'agent:<name>@<relay>')
    .description('drop what they send from now on, here and at the relay')
    .action(run(async () => (await load()).block));
  peer
    .command('unblock')
    .argument('<address>', 'agent:<name>@<relay>')
    .description('take packets of theirs again')
    .action(run(async () => (await load()).unblock));
  peer
    .command('remove')
    .argument('<address>', 'agent:<name>@<relay>')
    .description('remove somebody, with what your peer remembers of them and what is open between you')
    .action(run(async () => (await load()).remove));
  peer
    .command('report')
    .argument('<address>', 'agent:<name>@<relay>')
    .description('report somebody who wrote to you to the relay, with your signature')
    .addOption(new Option('--reason <reason>', 'why').choices(['malformed', 'spam', 'abuse']).makeOptionMandatory())
    .action(run(async () => (await load()).report));
  peer
    .command('send')
    .argument('<address>', 'agent:<name>@<relay>')
    .description('send one sealed context packet; done once the relay has stored it')
    .requiredOption('--context <json>', 'the fields to share, as a JSON object; - reads it from standard input')
    .option('--new', 'start a new negotiation instead of continuing the latest')
    .action(run(async () => (await load()).send));
  peer
    .command('inbox')
    .description('fetch and show the packets that came')
    .action(run(async () => (await load()).inbox));
  addNegotiation(peer);
  peer
    .command('run')
    .description('keep the line open in the foreground; stop it with Ctrl-C or SIGTERM')
    .option('--take-over', 'make this device the one that holds the identity')
    .action(run(async () => (await import('../commands/peer/peer-run.ts')).run));
  peer
    .command('backup')
    .argument('<file>', 'where to write it')
    .description('write an encrypted backup: identity, peers and history, no sessions')
    .action(run(async () => (await import('../commands/peer/peer-backups.ts')).backup));
  peer
    .command('restore')
    .argument('<file>', 'a backup')
    .description('restore a backup into an empty folder; this device then takes over')
    .action(run(async () => (await import('../commands/peer/peer-backups.ts')).restore));
}

export function addMcp(program: Command, version: string): void {
  program
    .command('mcp')
    .description('offer your peer as tools to an MCP client, over standard input and output')
    .configureHelp(helpFor(program, 'the folder of the peer (PARLEY_PEER_DATA; .parley-peer)'))
    .addHelpText('after', '\nPARLEY_PEER_PASSPHRASE opens a locked folder.')
    .action(
      run(async () => {
        const { serve } = await import('../commands/peer/peer-run.ts');
        return (context) => serve(context, version);
      }),
    );
}
