import { type Command, type HelpConfiguration, Option } from 'commander';

/** The help of a group that needs no hub: its own folder, and none of the options that reach a hub. */
export const helpFor = (program: Command, folder: string): HelpConfiguration => ({
  ...program.configureHelp(),
  visibleGlobalOptions: () => [...program.options.filter(({ long }) => long === '--json'), new Option('--data <folder>', folder)],
});
