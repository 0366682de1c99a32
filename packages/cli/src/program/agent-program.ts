// The commands about the identities of agents, and the secrets they are run with.

import { type Command, Option } from 'commander';
import { run, several } from './action.ts';

export function addAgents(program: Command): void {
  const agent = program.command('agent').alias('agents').description('the identities of agents');
  agent
    .command('list')
    .description('list agents, what they are doing, and the events that wake them')
    .action(run(async () => (await import('../commands/agents.ts')).listAgents));
  agent
    .command('show')
    .argument('<handle>', 'the agent')
    .description('its name, instructions, memory, tools, brain, mode and manager, and what wakes it')
    .action(run(async () => (await import('../commands/agents.ts')).showAgent));
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
    .action(run(async () => (await import('../commands/agents.ts')).editAgent));
  agent
    .command('versions')
    .argument('<handle>', 'the agent')
    .description('its last 50 versions')
    .action(run(async () => (await import('../commands/agents.ts')).listVersions));
  agent
    .command('restore')
    .argument('<handle>', 'the agent')
    .argument('<version>', 'the version to restore; its handle stays')
    .description('make an earlier version the one in force')
    .action(run(async () => (await import('../commands/agents.ts')).restoreVersion));
  agent
    .command('block')
    .argument('<agent>', 'the agent')
    .argument('[member]', 'the member whose words never wake it; left out, lists the blocked members')
    .description('block a member for an agent, or list who is blocked')
    .action(run(async () => (await import('../commands/agents.ts')).blockMember));
  agent
    .command('unblock')
    .argument('<agent>', 'the agent')
    .argument('<member>', 'the member whose words may wake it again')
    .description('unblock a member for an agent')
    .action(run(async () => (await import('../commands/agents.ts')).unblockMember));
  agent
    .command('check')
    .description('what is wrong in the folders of agents')
    .action(run(async () => (await import('../commands/agents.ts')).checkFolders));
}

export function addSecrets(program: Command): void {
  const secrets = program.command('secrets').alias('secret').description('keys of providers and secrets of webhooks');
  secrets
    .command('list')
    .description('list the names that are set, and where; never their values')
    .action(run(async () => (await import('../commands/secrets.ts')).listSecrets));
  secrets
    .command('set')
    .argument('<name>', 'what it is called')
    .option('--host <host...>', 'where it may be sent; left out, the first host it is used with')
    .description('keep one, sealed; its value is typed in, or read from standard input')
    .action(run(async () => (await import('../commands/secrets.ts')).setSecret));
  secrets
    .command('bind')
    .argument('<name>', 'what it is called')
    .argument('<host...>', 'such as api.example.com, or localhost:11434')
    .description('name the hosts it may be sent to')
    .action(run(async () => (await import('../commands/secrets.ts')).bindSecret));
  secrets
    .command('remove')
    .argument('<name>', 'what it is called')
    .description('forget one that is kept here')
    .action(run(async () => (await import('../commands/secrets.ts')).removeSecret));
}
