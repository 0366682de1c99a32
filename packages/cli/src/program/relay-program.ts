// The commands of a relay: it runs without a hub.

import type { Command } from 'commander';
import { helpFor, run } from './action.ts';

const load = () => import('../commands/relay.ts');

export function addRelay(program: Command): void {
  const relay = program
    .command('relay')
    .description('start a relay for sealed packets between people’s agents; stop it with Ctrl-C or SIGTERM')
    .configureHelp(helpFor(program, 'the folder of the relay (PARLEY_RELAY_DATA; .parley-relay)'))
    .option('--port <port>', 'where it listens (PARLEY_RELAY_PORT; 7450)')
    .option('--name <name>', 'its name in addresses: agent:ann@<name> (PARLEY_RELAY_NAME; localhost)')
    .action(run(async () => (await load()).serve));
  relay
    .command('invite')
    .description('print a code that registers one name within a week')
    .addHelpText('after', '\nThe relay of a hub (`parley up`) is in its data folder: --data, PARLEY_DATA or .parley.')
    .action(run(async () => (await load()).invite));
  relay
    .command('others')
    .description('list the other relays that this one has met, and the keys they are trusted with')
    .action(run(async () => (await load()).listRelays));
  relay
    .command('accept')
    .description('trust another relay with the new key that it shows')
    .argument('<name>', 'its domain')
    .argument('<key>', 'the key, as `relay others` prints it and as its operator confirmed it')
    .action(run(async () => (await load()).acceptRelay));
}
