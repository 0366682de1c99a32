// The commands about tokens.

import { type Command, Option } from 'commander';
import { run } from './action.ts';

export function addTokens(program: Command): void {
  const token = program.command('token').alias('tokens').description('keys for programs');
  token
    .command('create')
    .description('make a token and print it; it is shown only once')
    .option('--member <handle>', 'the member it acts as; for a source or bridge, the one who answers for it')
    .addOption(
      new Option('--kind <kind>', 'its kind; default: person or agent, as the member is').choices(['person', 'agent', 'source', 'bridge']),
    )
    .option('--source <id>', 'of a source token: the source it speaks for, which says what it may emit')
    .requiredOption('--label <text>', 'a label, to recognise it later')
    .option('--expires-in <time>', 'when it expires: 90d, 12h, 30m')
    .action(run(async () => (await import('../commands/tokens.ts')).createToken));
  token
    .command('list')
    .description('your tokens and those of your agents; without a token, all')
    .action(run(async () => (await import('../commands/tokens.ts')).listTokens));
  token
    .command('revoke')
    .argument('[id]', 'its id (tok_…), or its label')
    .option('--others', 'every other session, token and sign-in link of yours')
    .description('end a token or session; whatever is connected with it is cut off')
    .action(run(async () => (await import('../commands/tokens.ts')).revokeToken));
}
