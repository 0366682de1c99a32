// The commands and their options. Their code is loaded when one of them is run: `parley --help` must not start a hub.
// Long because every command with its options is named here.

import { readFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { auditKinds } from '@parley/protocol';
import { contextOf, run, several } from './action.ts';
import { addAgents, addSecrets } from './agent-program.ts';
import { CliError } from '../exit.ts';
import { me, didYouMean } from '../hints.ts';
import { addMcp, addPeer } from './peer-program.ts';
import { addProvoke } from './provoke-program.ts';
import { addRelay } from './relay-program.ts';
import { addTokens } from './token-program.ts';
import { addChannels } from './channel-program.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };

/** `onHelp` gets what Commander would print about a mistake. */
export function buildProgram(onHelp: (text: string) => void): Command {
  const program = new Command('parley')
    .description('Where people and agents work in one conversation.')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'show what a command takes')
    .option('--json', 'answer with one JSON document')
    .option('--data <folder>', 'the data folder (PARLEY_DATA; .parley)')
    .option('--database-url <url>', 'a PostgreSQL database instead of the file in the data folder (PARLEY_DATABASE_URL)')
    .option('--url <url>', 'a hub elsewhere; needs a token (PARLEY_URL)')
    .option(
      '--token <token>',
      'act as the member of this token; better put it in PARLEY_TOKEN, where other users of the machine cannot see it',
    )
    // Arguments are in the help of each command; with them here, an 80-column terminal could not show the list.
    .configureHelp({ showGlobalOptions: true, subcommandTerm: (command) => command.name() })
    .showSuggestionAfterError(true)
    .exitOverride()
    .configureOutput({ writeErr: onHelp });

  program
    .command('up')
    .description('start the hub; stop it with Ctrl-C or SIGTERM')
    .option('--port <port>', 'where it listens (PARLEY_PORT; 7440)')
    .option('--demo', 'play the demo story for the owner, in a channel of its own')
    .option('--accept-loss', 'go on with a database that lost its last facts')
    .option('--peers-here', 'run the people’s peers here instead of at another hub of the database')
    .option('--new-secrets-key', 'seal secrets with this folder’s secrets.key, although the database has another one’s')
    .action(async (_options: object, command: Command) => {
      const { up } = await import('../commands/up.ts');
      await up(contextOf(command), command.optsWithGlobals());
    });
  addRelay(program);
  addPeer(program);
  addMcp(program, version);
  addMembers(program);
  addRoles(program);
  addAgents(program);
  addSecrets(program);
  addTokens(program);
  addTools(program);
  program
    .command('link')
    .argument('[handle]', 'a person; default: the owner')
    .description('print a one-time link that signs a person in')
    .addOption(new Option('--role <role>', 'a higher access role, which they get by opening it').choices(['owner', 'admin', 'member']))
    .action(run(async () => (await import('../commands/members.ts')).link));
  program
    .command('send')
    .argument('<to>', 'a channel, or @person or ^AGENT for a direct message')
    .argument('<text...>', 'the text; - reads it from standard input')
    .description('post a message, as the member of PARLEY_TOKEN')
    .option('--urgent', 'agents begin at once; one already at work on this request is interrupted')
    .option('--confirm-all <agents>', 'confirm the number of agents that ^ALL wakes, as shown before')
    .action(run(async () => (await import('../commands/messages.ts')).send));
  addChannels(program);
  addTasks(program);
  addOwed(program);
  addAudit(program);
  addContacts(program);
  addDigest(program);
  addProvoke(program);
  addDecisions(program);
  addBackups(program);
  listAlone(program);
  return program;
}

/** A group by itself lists what there is; any other word after it is a mistake. */
function listAlone(program: Command): void {
  for (const group of program.commands) {
    const list = group.commands.find((one) => one.name() === 'list');
    if (!list || list.registeredArguments.length > 0) continue;
    group.allowExcessArguments().action(async () => {
      const [typed] = group.args;
      if (typed === undefined) return void (await list.parseAsync([], { from: 'user' }));
      const names = group.commands.map((one) => one.name());
      const hint = didYouMean(typed, names) ?? `\`${me} ${group.name()} --help\` shows what it takes.`;
      throw new CliError('usage', `Unknown command '${typed}'.`, { hint });
    });
  }
}

function addMembers(program: Command): void {
  const member = program.command('member').alias('members').description('people and agents');
  member
    .command('add')
    .argument('<handle>', 'how they are addressed')
    .description('add a person, or an agent with --agent')
    .option('--name <name>', 'their name as shown; default: the handle')
    .option('--about <text>', 'a few words about them')
    .option('--agent', 'an agent, not a person')
    .addOption(new Option('--role <role>', 'what a person may do').choices(['owner', 'admin', 'member', 'guest']))
    .option('--owner <handle>', 'the person who answers for the agent; default: the first owner of the workspace')
    .action(run(async () => (await import('../commands/members.ts')).addMember));
  member
    .command('list')
    .description('who is here')
    .option('--all', 'those deactivated or erased, too')
    .action(run(async () => (await import('../commands/members.ts')).listMembers));
  member
    .command('deactivate')
    .argument('<handle>', 'a person or an agent')
    .description('end their sessions, tokens and access at once')
    .action(run(async () => (await import('../commands/members.ts')).deactivateMember));
  member
    .command('reactivate')
    .argument('<handle>', 'a person or an agent')
    .description('let a deactivated member in again')
    .action(run(async () => (await import('../commands/members.ts')).reactivateMember));
}

function addRoles(program: Command): void {
  const role = program.command('role').alias('roles').description('handles that several members answer to');
  role
    .command('list')
    .description('list them and their holders')
    .action(run(async () => (await import('../commands/team-roles.ts')).listRoles));
  role
    .command('add')
    .argument('<handle>', 'the handle of the role')
    .description('make a role, or give one to more members')
    .option('--holder <handle>', 'a member that holds it; repeatable', several, [])
    .option('--about <text>', 'what it is for')
    .action(run(async () => (await import('../commands/team-roles.ts')).addRole));
  role
    .command('remove')
    .argument('<handle>', 'the role')
    .description('remove a role, or take it from the named members')
    .option('--holder <handle>', 'take it from this member only; repeatable', several, [])
    .action(run(async () => (await import('../commands/team-roles.ts')).removeRole));
}

function addTools(program: Command): void {
  const tools = program.command('tools').alias('tool').description('tool servers (MCP) for agents');
  tools
    .command('list')
    .description('list them and their state')
    .action(run(async () => (await import('../commands/tools.ts')).listToolServers));
  tools
    .command('add')
    .argument('<name>', 'agents refer to it as mcp://name')
    .argument('[command...]', 'the program on the hub’s machine and its arguments; after --, so that its options are its own')
    .description('add a tool server, or change how it is reached')
    .option('--http <url>', 'one that is reached by streamable HTTP, instead of a program')
    .option('--env <name=value>', 'a variable for the program; secret:NAME as a value for secret values', several, [])
    .option('--header <name:value>', 'a header for --http; Bearer secret:NAME as a value for secret values', several, [])
    .option('--cwd <folder>', 'where the program runs')
    .option('--read <tool>', 'this tool only reads, whatever its server says', several, [])
    .option('--write <tool>', 'this tool changes something, whatever its server says', several, [])
    .option('--timeout <seconds>', 'for one call')
    .option('--max-output <characters>', 'of a result; the rest is cut off')
    .option('--owner <person>', 'its results are this person’s own data: a handle or member ID')
    .action(run(async () => (await import('../commands/tools.ts')).addToolServer));
  tools
    .command('remove')
    .argument('<name>', 'the tool server')
    .description('take a tool server away')
    .action(run(async () => (await import('../commands/tools.ts')).removeToolServer));
  tools
    .command('accept')
    .argument('<name>', 'the tool server')
    .argument('[tool]', 'one of its tools; without it, all of them')
    .description('accept that a tool only reads')
    .action(run(async () => (await import('../commands/tools.ts')).acceptTools));
  tools
    .command('test')
    .argument('<name>', 'the tool server')
    .description('connect to it now, and list its tools')
    .action(run(async () => (await import('../commands/tools.ts')).testToolServer));
}

function addTasks(program: Command): void {
  program
    .command('tasks')
    .alias('task')
    .description('list the tasks of agents and their state')
    .option('--all', 'those that have ended, too')
    .option('--watch', 'keep it current, on a terminal')
    .action(run(async () => (await import('../commands/tasks.ts')).tasks));
  program
    .command('explain')
    .argument('<message>', 'its id (msg_…), or a link to it')
    .description('who was woken by a message, who was not, and why')
    .option('--would-now', 'also show the decision that would be made now, even if it is the same')
    .action(run(async () => (await import('../commands/messages.ts')).explain));
  program
    .command('assign')
    .argument('<message>', 'its id (msg_…), or a link to it')
    .argument('<agent>', 'one that is in the conversation')
    .description('give a message to an agent as work, as the member of PARLEY_TOKEN')
    .option('--urgent', 'before the agent’s other work')
    .action(run(async () => (await import('../commands/messages.ts')).assign));
  program
    .command('stop')
    .argument('[task]', 'its id (tsk_…)')
    .description('end a task and its sub-tasks, or stop every agent')
    .option('--everything', 'every agent at once, until `release`')
    .action(run(async () => (await import('../commands/tasks.ts')).stop));
  program
    .command('release')
    .description('let agents work again after `stop --everything`')
    .action(run(async () => (await import('../commands/tasks.ts')).release));
}

function addOwed(program: Command): void {
  program
    .command('inbox')
    .argument('[choice]', 'approve, deny, always, or another of its choices')
    .argument('[checkpoint]', 'its id (chk_…)')
    .description('list what waits for your decision, or answer one item')
    .option('--all', 'also what was answered')
    .option('--seen <digest>', 'of a long call: the digest that `inbox <id>` shows below all of it')
    .option('--value <field=value...>', 'with share: a value that your peer does not know, or another one')
    .option('--turns <n>', 'with go_on: for how many turns two agents may go on')
    .option('--instruction <text>', 'with redirect: what the agent is to do instead; with different or continue: what to try instead')
    .action(run(async () => (await import('../commands/inbox.ts')).inbox));
  program
    .command('owed')
    .argument('[obligation]', 'the one that is settled (obl_…)')
    .description('list the answers you owe or await, or settle one')
    .action(run(async () => (await import('../commands/obligations.ts')).showObligations));
}

function addAudit(program: Command): void {
  program
    .command('audit')
    .description('the audit log: who did what, with which arguments, what came of it and who approved it')
    .addOption(new Option('--kind <kind>', 'only entries of this kind').choices(auditKinds))
    .option('--member <handle>', 'only entries of this person or agent')
    .option('--since <time>', 'only those of the last 7d, 12h, 30m')
    .option('--last <n>', 'how many', '20')
    .action(run(async () => (await import('../commands/audit.ts')).audit));
}

function addContacts(program: Command): void {
  const contacts = program.command('contacts').alias('contact').description('which agents may contact which');
  contacts
    .command('list')
    .argument('<agent>', 'the agent')
    .description('the contact rules of an agent')
    .action(run(async () => (await import('../commands/contacts.ts')).listContacts));
  const rule = (name: string, description: string) =>
    contacts.command(name).argument('<agent>', 'the agent').argument('<target>', 'the other, or all').description(description);
  rule('allow', 'let an agent contact another, or all')
    .option('--needs-approval', 'a person approves each time')
    .action(run(async () => (await import('../commands/contacts.ts')).allowContact));
  rule('deny', 'keep an agent from contacting another, or all').action(
    run(async () => (await import('../commands/contacts.ts')).denyContact),
  );
  rule('clear', 'remove such a rule, and a standing approval').action(
    run(async () => (await import('../commands/contacts.ts')).clearContact),
  );
  contacts
    .command('mode')
    .argument('<agent>', 'the agent')
    .argument('<mode>', 'autonomous, supervised (asks before it changes something) or strict (asks before every tool)')
    .description('what an agent may do without approval')
    .action(run(async () => (await import('../commands/contacts.ts')).setMode));
  contacts
    .command('matrix')
    .argument('[agent]', 'only what this one may do')
    .description('who may contact whom, and why')
    .action(run(async () => (await import('../commands/contacts.ts')).showMatrix));
}

function addDigest(program: Command): void {
  program
    .command('digest')
    .argument('<agent>', 'the agent')
    .argument('<channel>', 'a channel it is in, by name or id')
    .argument('<every>', 'how often: 15m, 1h, 1d, at least 5 minutes and at most 7 days; or off')
    .description('send an agent a regular digest of a channel')
    .action(run(async () => (await import('../commands/channels.ts')).digest));
}

/** Pure decisions: no hub, no data folder. */
function addDecisions(program: Command): void {
  program
    .command('address')
    .description('whom a text addresses: JSON lines in, JSON lines out')
    .action(run(async () => (await import('../commands/decisions.ts')).address));
  program
    .command('decide')
    .description('which agents a message would wake: JSON lines in, JSON lines out')
    .action(run(async () => (await import('../commands/decisions.ts')).decide));
}

function addBackups(program: Command): void {
  program
    .command('backup')
    .argument('<file>', 'the file to write')
    .description('save the whole workspace in one file, while the hub runs or not')
    .option('--force', 'replace the file when it is there')
    .action(run(async () => (await import('../commands/backups.ts')).backup));
  program
    .command('restore')
    .argument('<file>', 'a backup')
    .description('bring a backup back, into a new data folder or an empty database')
    .option('--unsigned', 'restore it although the backup.key in the folder has not signed it')
    .action(run(async () => (await import('../commands/backups.ts')).restore));
  program
    .command('verify')
    .argument('[file]', 'a backup; default: the workspace')
    .description('check every row, the chain of facts and every file')
    .action(run(async () => (await import('../commands/backups.ts')).verify));
}
