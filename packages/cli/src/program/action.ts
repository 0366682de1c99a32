// The way from the program to a command: its code is loaded only when it is run, and gets the context, the arguments and the options.

import { type Command, type HelpConfiguration, Option } from 'commander';
import { outputTo } from '../output.ts';
import { type CommandContext, type GlobalOptions, settingsFrom } from '../settings.ts';

/** The settings and the way out, from the options given anywhere on the line. */
export function contextOf(command: Command): CommandContext {
  const options = command.optsWithGlobals<GlobalOptions>();
  const settings = settingsFrom(options, process.env);
  return { settings, env: settings.env, data: options.data, output: outputTo(options.json === true) };
}

/** The action of a command: the function that `load` gives, with the context, the arguments and the options. */
export const run =
  <A extends unknown[]>(load: () => Promise<(context: CommandContext, ...typed: A) => Promise<void> | void>) =>
  async (...typed: unknown[]): Promise<void> => {
    const command = typed.at(-1) as Command;
    const act = await load();
    await act(contextOf(command), ...(typed.slice(0, -1) as A));
  };

/** Of an option that can be given more than once. */
export const several = (value: string, before: string[] = []): string[] => [...before, value];

/** The help of a group that needs no hub: its own folder, and none of the options that reach a hub. */
export const helpFor = (program: Command, folder: string): HelpConfiguration => ({
  ...program.configureHelp(),
  visibleGlobalOptions: () => [...program.options.filter(({ long }) => long === '--json'), new Option('--data <folder>', folder)],
});
