// One run of the `parley` command: parse, do, and end with one of the exit codes of exit.ts, whatever happens.

import { type Command, CommanderError } from 'commander';
import { CliError, exitCodes, failureOf } from './exit.ts';
import { me } from './hints.ts';
import { writeFailure } from './output.ts';
import { buildProgram } from './program/program.ts';

export async function runCommandLine(args: string[]): Promise<void> {
  let help = '';
  const program = buildProgram((text) => (help += text));
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError && error.exitCode === 0)) end(error, { program, args, help });
  }
}

interface Line {
  program: Command;
  args: string[];
  /** The text that Commander would have printed. */
  help: string;
}

function end(thrown: unknown, { program, args, help }: Line): void {
  // Read without the parser: a line that cannot be parsed gets its error in JSON, too.
  const json = args.includes('--json');
  process.exitCode = exitCodes.usage.status;
  // A command that only groups others, or none at all: the list of them is the answer.
  if (thrown instanceof CommanderError && thrown.code === 'commander.help' && !json) return void process.stderr.write(help);
  const failure = failureOf(thrown instanceof CommanderError ? usage(thrown, [me, ...subcommands(program, args)].join(' ')) : thrown);
  writeFailure(failure, json);
  if (process.env['PARLEY_DEBUG'] === '1') process.stderr.write(`${thrown instanceof Error ? thrown.stack : String(thrown)}\n`);
  process.exitCode = exitCodes[failure.exit].status;
}

function usage(error: CommanderError, command: string): CliError {
  if (error.code === 'commander.help') return new CliError('usage', 'Which command?', { hint: `\`${me} --help\` lists them.` });
  const [message = '', suggestion] = error.message.replace(/^error: /, '').split('\n');
  const hint = suggestion?.replace(/^\((.*)\)$/, '$1') ?? `\`${command} --help\` shows what it takes.`;
  return new CliError('usage', `${message[0]?.toUpperCase()}${message.slice(1).replace(/\.$/, '')}.`, { hint });
}

/** As far as the line names a command. */
function subcommands(command: Command, words: string[]): string[] {
  const called = (word: string | undefined) =>
    command.commands.find((one) => word !== undefined && [one.name(), ...one.aliases()].includes(word));
  const at = words.findIndex((word) => called(word) !== undefined);
  const sub = called(words[at]);
  return sub === undefined ? [] : [sub.name(), ...subcommands(sub, words.slice(at + 1))];
}
