// The commands of a relay: it runs without a hub.

import type { Command } from 'commander';
import { helpFor } from '../folder-help.ts';
import type { GlobalOptions, Settings } from '../settings.ts';
import type { Output } from '../output.ts';

type Context = (command: Command) => { settings: Settings; output: Output };

export function addRelay(program: Command, context: Context): void {
  const relay = program
    .command('relay')
    .description('start a relay for sealed packets between people’s agents; stop it with Ctrl-C or SIGTERM')
    .configureHelp(helpFor(program, 'the folder of the relay (PARLEY_RELAY_DATA; .parley-relay)'))
    .option('--port <port>', 'where it listens (PARLEY_RELAY_PORT; 7450)')
    .option('--name <name>', 'its name in addresses: agent:ann@<name> (PARLEY_RELAY_NAME; localhost)')
    .action(async (options: { port?: string; name?: string }, command: Command) => {
      const { settings, output } = context(command);
      const { data } = command.optsWithGlobals<GlobalOptions>();
      await (await import('../commands/relay.ts')).serve(settings, { ...options, data }, output);
    });
  relay
    .command('invite')
    .description('print a code that registers one name within a week')
    .addHelpText('after', '\nThe relay of a hub (`parley up`) is in its data folder: --data, PARLEY_DATA or .parley.')
    .action(async (_options: object, command: Command) => {
      const { settings, output } = context(command);
      const { data } = command.optsWithGlobals<GlobalOptions>();
      await (await import('../commands/relay.ts')).invite(settings, { data }, output);
    });
  relay
    .command('others')
    .description('list the other relays that this one has met, and the keys they are trusted with')
    .action(async (_options: object, command: Command) => {
      const { settings, output } = context(command);
      const { data } = command.optsWithGlobals<GlobalOptions>();
      await (await import('../commands/relay.ts')).listRelays(settings, { data }, output);
    });
  relay
    .command('accept')
    .description('trust another relay with the new key that it shows')
    .argument('<name>', 'its domain')
    .argument('<key>', 'the key, as `relay others` prints it and as its operator confirmed it')
    .action(async (name: string, key: string, _options: object, command: Command) => {
      const { settings, output } = context(command);
      const { data } = command.optsWithGlobals<GlobalOptions>();
      await (await import('../commands/relay.ts')).acceptRelay(settings, name, key, { data }, output);
    });
}
