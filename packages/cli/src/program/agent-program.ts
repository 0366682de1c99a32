// The commands about the identities of agents, and the secrets they are run with.

import { type Command, Option } from 'commander';
import type { IdentityOptions } from '../commands/agents.ts';
import type { Output } from '../output.ts';
import type { Settings } from '../settings.ts';

type Context = (command: Command) => { settings: Settings; output: Output };

const several = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value];

export function addAgents(program: Command, context: Context): void {
  const agent = program.command('agent').alias('agents').description('the identities of agents');
  agent
    .command('list')
    .description('list agents, what they are doing, and the events that wake them')
    .action(async (_options: object, command: Command) => {
      const { settings, output } = context(command);
      await (await import('../commands/agents.ts')).listAgents(settings, output);
    });
  agent
    .command('show')
    .argument('<handle>', 'the agent')
    .description('its name, instructions, memory, tools, brain, mode and manager, and what wakes it')
    .action(async (handle: string, _options: object, command: Command) => {
      const { settings, output } = context(command);
      await (await import('../commands/agents.ts')).showAgent(settings, handle, output);
    });
  agent
    .command('edit')
    .argument('<handle>', 'the agent')
    .description('change the named options; everything else stays')
    .option('--name <name>', 'its name as shown')
    .option('--about <text>', 'a few words about it')
    .option('--instructions <file>', 'its instructions, from a file; - reads standard input')
    .option('--memory <file>', 'its notes, from a file; - reads standard input')
    .option('--tool <tool>', 'mcp://name; repeatable; replaces the tools it had', several)
    .option('--no-tools', 'it has none')
    .option('--brain <json>', 'its brain, such as {"kind":"model","provider":"anthropic","model":"…"}')
    .addOption(new Option('--mode <mode>', 'what it may do without approval').choices(['autonomous', 'supervised', 'strict']))
    .option('--manager <handle>', 'its manager; none for nobody')
    .action(async (handle: string, options: IdentityOptions, command: Command) => {
      const { settings, output } = context(command);
      await (await import('../commands/agents.ts')).editAgent(settings, handle, options, output);
    });
  agent
    .command('versions')
    .argument('<handle>', 'the agent')
    .description('its last 50 versions')
    .action(async (handle: string, _options: object, command: Command) => {
      const { settings, output } = context(command);
      await (await import('../commands/agents.ts')).listVersions(settings, handle, output);
    });
  agent
    .command('restore')
    .argument('<handle>', 'the agent')
    .argument('<version>', 'the version to restore; its handle stays')
    .description('make an earlier version the one in force')
    .action(async (handle: string, version: string, _options: object, command: Command) => {
      const { settings, output } = context(command);
      await (await import('../commands/agents.ts')).restoreVersion(settings, handle, version, output);
    });
  agent
    .command('block')
    .argument('<agent>', 'the agent')
    .argument('[member]', 'the member whose words never wake it; left out, lists the blocked members')
    .description('block a member for an agent, or list who is blocked')
    .action(async (handle: string, member: string | undefined, _options: object, command: Command) => {
      const { settings, output } = context(command);
      await (await import('../commands/agents.ts')).blockMember(settings, handle, member, output);
    });
  agent
    .command('unblock')
    .argument('<agent>', 'the agent')
    .argument('<member>', 'the member whose words may wake it again')
    .description('unblock a member for an agent')
    .action(async (handle: string, member: string, _options: object, command: Command) => {
      const { settings, output } = context(command);
      await (await import('../commands/agents.ts')).unblockMember(settings, handle, member, output);
    });
  agent
    .command('check')
    .description('what is wrong in the folders of agents')
    .action(async (_options: object, command: Command) => {
      const { settings, output } = context(command);
      await (await import('../commands/agents.ts')).checkFolders(settings, output);
    });
}

export function addSecrets(program: Command, context: Context): void {
  const secrets = program.command('secrets').alias('secret').description('keys of providers and secrets of webhooks');
  secrets
    .command('list')
    .description('list the names that are set, and where; never their values')
    .action(async (_options: object, command: Command) => {
      const { settings, output } = context(command);
      await (await import('../commands/secrets.ts')).listSecrets(settings, output);
    });
  secrets
    .command('set')
    .argument('<name>', 'what it is called')
    .option('--host <host...>', 'where it may be sent; left out, the first host it is used with')
    .description('keep one, sealed; its value is typed in, or read from standard input')
    .action(async (name: string, options: { host?: string[] }, command: Command) => {
      const { settings, output } = context(command);
      await (await import('../commands/secrets.ts')).setSecret(settings, name, options.host, output);
    });
  secrets
    .command('bind')
    .argument('<name>', 'what it is called')
    .argument('<host...>', 'such as api.example.com, or localhost:11434')
    .description('name the hosts it may be sent to')
    .action(async (name: string, hosts: string[], _options: object, command: Command) => {
      const { settings, output } = context(command);
      await (await import('../commands/secrets.ts')).bindSecret(settings, name, hosts, output);
    });
  secrets
    .command('remove')
    .argument('<name>', 'what it is called')
    .description('forget one that is kept here')
    .action(async (name: string, _options: object, command: Command) => {
      const { settings, output } = context(command);
      await (await import('../commands/secrets.ts')).removeSecret(settings, name, output);
    });
}
