// The commands about channels.

import { type Command, Option } from 'commander';
import { run } from './action.ts';

const withChannelOptions = (command: Command): Command =>
  command
    .option('--topic <text>', 'what it is about')
    .addOption(new Option('--visibility <kind>', 'who may see and join it').choices(['public', 'private']))
    .addOption(
      new Option('--floor <floor>', 'whether agents may also be offered what nobody in particular was asked').choices(['polite', 'open']),
    )
    .addOption(new Option('--history <kind>', 'what new members read: everything, or from when they joined').choices(['all', 'joined']));

export function addChannels(program: Command): void {
  const channel = program.command('channel').alias('channels').description('channels, as the member of PARLEY_TOKEN');
  const load = () => import('../commands/channels.ts');
  channel
    .command('list')
    .description('your channels, and the public ones you could join')
    .option('--all', 'archived ones, too')
    .action(run(async () => (await load()).listChannels));
  const onChannel = (name: string, about: string): Command =>
    channel.command(name).argument('<channel>', 'its name or id').description(about);
  onChannel('show', 'its settings and members').action(run(async () => (await load()).showChannel));
  withChannelOptions(channel.command('add').argument('<name>', 'its name').description('make a channel')).action(
    run(async () => (await load()).addChannel),
  );
  withChannelOptions(onChannel('edit', 'change a channel'))
    .option('--name <name>', 'its new name')
    .action(run(async () => (await load()).editChannel));
  onChannel('archive', 'close it: its open tasks end, its history stays').action(run(async () => (await load()).archiveChannel));
  onChannel('reopen', 'open an archived channel again').action(run(async () => (await load()).reopenChannel));
  onChannel('join', 'join a public channel').action(run(async () => (await load()).joinChannel));
  onChannel('leave', 'leave a channel').action(run(async () => (await load()).leaveChannel));
  onChannel('invite', 'bring members in')
    .argument('<handle...>', 'people or agents')
    .action(run(async () => (await load()).inviteMembers));
  onChannel('remove', 'take members out')
    .argument('<handle...>', 'people or agents')
    .action(run(async () => (await load()).removeMembers));
}
