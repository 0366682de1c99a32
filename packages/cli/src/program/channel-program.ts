// The commands about channels.

import { type Command, Option } from 'commander';
import type { ChannelOptions } from '../commands/channels.ts';
import type { Output } from '../output.ts';
import type { Settings } from '../settings.ts';

type Context = (command: Command) => { settings: Settings; output: Output };

const withChannelOptions = (command: Command): Command =>
  command
    .option('--topic <text>', 'what it is about')
    .addOption(new Option('--visibility <kind>', 'who may see and join it').choices(['public', 'private']))
    .addOption(
      new Option('--floor <floor>', 'whether agents may also be offered what nobody in particular was asked').choices(['polite', 'open']),
    )
    .addOption(new Option('--history <kind>', 'what new members read: everything, or from when they joined').choices(['all', 'joined']));

export function addChannels(program: Command, context: Context): void {
  const channel = program.command('channel').alias('channels').description('channels, as the member of PARLEY_TOKEN');
  const load = () => import('../commands/channels.ts');
  channel
    .command('list')
    .description('your channels, and the public ones you could join')
    .option('--all', 'archived ones, too')
    .action(async (options: { all?: true }, command: Command) => {
      const { settings, output } = context(command);
      await (await load()).listChannels(settings, options, output);
    });
  channel
    .command('show')
    .argument('<channel>', 'its name or id')
    .description('its settings and members')
    .action(async (name: string, _options: object, command: Command) => {
      const { settings, output } = context(command);
      await (await load()).showChannel(settings, name, output);
    });
  withChannelOptions(channel.command('add').argument('<name>', 'its name').description('make a channel')).action(
    async (name: string, options: ChannelOptions, command: Command) => {
      const { settings, output } = context(command);
      await (await load()).addChannel(settings, name, options, output);
    },
  );
  withChannelOptions(channel.command('edit').argument('<channel>', 'its name or id').description('change a channel'))
    .option('--name <name>', 'its new name')
    .action(async (name: string, options: ChannelOptions, command: Command) => {
      const { settings, output } = context(command);
      await (await load()).editChannel(settings, name, options, output);
    });
  for (const [name, archived, about] of [
    ['archive', true, 'close it: its open tasks end, its history stays'],
    ['reopen', false, 'open an archived channel again'],
  ] as const)
    channel
      .command(name)
      .argument('<channel>', 'its name or id')
      .description(about)
      .action(async (typed: string, _options: object, command: Command) => {
        const { settings, output } = context(command);
        await (await load()).archiveChannel(settings, typed, archived, output);
      });
  for (const [name, joins, about] of [
    ['join', true, 'join a public channel'],
    ['leave', false, 'leave a channel'],
  ] as const)
    channel
      .command(name)
      .argument('<channel>', 'its name or id')
      .description(about)
      .action(async (typed: string, _options: object, command: Command) => {
        const { settings, output } = context(command);
        await (await load()).joinChannel(settings, typed, joins, output);
      });
  for (const [name, joins, about] of [
    ['invite', true, 'bring members in'],
    ['remove', false, 'take members out'],
  ] as const)
    channel
      .command(name)
      .argument('<channel>', 'its name or id')
      .argument('<handle...>', 'people or agents')
      .description(about)
      .action(async (typed: string, handles: string[], _options: object, command: Command) => {
        const { settings, output } = context(command);
        await (await load()).changeMembers(settings, typed, handles, joins, output);
      });
}
