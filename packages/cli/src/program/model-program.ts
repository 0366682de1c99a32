// The commands of a peer around its model.

import { type Command, Option } from 'commander';
import type { ModelOptions } from '../commands/peer/models.ts';
import type { PeerCommandContext } from '../commands/peer/peer-access.ts';

const load = () => import('../commands/peer/models.ts');

export function addModel(peer: Command, here: (command: Command) => PeerCommandContext): void {
  const model = peer.command('model').description('the model that your peer thinks with; without one it goes by rules');
  model
    .command('set')
    .description('let a model negotiate for you; its provider reads what the other person’s peer may get, and their words')
    .addOption(
      new Option('--provider <name>', 'who runs the model').choices(['anthropic', 'openai', 'openai_compatible']).makeOptionMandatory(),
    )
    .option('--small <model>', 'for first packets and routine')
    .option('--medium <model>', 'for finding out what is missing; default: the large one')
    .option('--large <model>', 'for proposals, and where a smaller one is not sure')
    .option('--base-url <url>', 'of a server of your own')
    .option('--key-env <variable>', 'read the key from this variable each time; default: PARLEY_MODEL_KEY or a prompt, stored sealed')
    .option('--second', 'ask this one when the first one fails')
    .action(async (options: ModelOptions, command: Command) => (await load()).setModel(here(command), options));
  model
    .command('show')
    .description('show the model, without its key')
    .action(async (_options: object, command: Command) => (await load()).showModel(here(command)));
  model
    .command('off')
    .description('negotiate without a model, and forget its key')
    .option('--second', 'only the second one')
    .action(async (options: { second?: true }, command: Command) => (await load()).removeModel(here(command), options));
}
