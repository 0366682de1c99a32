// Settings from options and environment variables. An option wins over its variable.

import type { Config } from '@parley/hub/config';
import { CliError } from './exit.ts';
import type { Output } from './output.ts';

export interface GlobalOptions {
  json?: true;
  data?: string;
  databaseUrl?: string;
  url?: string;
  token?: string;
}

export interface Settings {
  env: Record<string, string | undefined>;
  url: string | undefined;
  /** Names the source of `url` in error messages. */
  urlFrom: '--url' | 'PARLEY_URL';
  /** Throws if it is empty: a caller who meant to act as a member must not act as operator. */
  readonly token: string | undefined;
  /** Throws on a bad value only when it is needed: commands against a remote hub need no port. */
  config(): Promise<Config>;
}

/** Where a command acts, and where its answer goes. */
export interface CommandContext {
  settings: Settings;
  env: Settings['env'];
  /** The value of `--data`. */
  data: string | undefined;
  output: Output;
}

const firstNonEmpty = (...values: (string | undefined)[]): string | undefined =>
  values.find((value) => value !== undefined && value !== '');

export function settingsFrom(options: GlobalOptions, environment: Record<string, string | undefined>): Settings {
  const env = {
    ...environment,
    PARLEY_DATA: firstNonEmpty(options.data, environment['PARLEY_DATA']),
    PARLEY_DATABASE_URL: firstNonEmpty(options.databaseUrl, environment['PARLEY_DATABASE_URL']),
  };
  return {
    env,
    url: firstNonEmpty(options.url, environment['PARLEY_URL']),
    urlFrom: firstNonEmpty(options.url) === undefined ? 'PARLEY_URL' : '--url',
    get token() {
      return tokenOf(options.token, environment['PARLEY_TOKEN']);
    },
    config: async () => {
      const { readConfig } = await import('@parley/hub/config');
      try {
        return readConfig(env);
      } catch (error) {
        throw settingError(options, error as Error);
      }
    },
  };
}

function tokenOf(option: string | undefined, variable: string | undefined): string | undefined {
  const token = option ?? variable;
  if (token !== '') return token;
  const name = option === undefined ? 'PARLEY_TOKEN' : '--token';
  throw new CliError('usage', `${name} is set, but empty, so it names no member.`, {
    code: 'no_token',
    hint: `Perhaps the command that makes the token failed. To act as operator: ${option === undefined ? 'unset PARLEY_TOKEN' : 'leave --token out'}.`,
  });
}

const variables = { data: 'PARLEY_DATA', databaseUrl: 'PARLEY_DATABASE_URL', port: 'PARLEY_PORT' } as const;
const optionNames = { data: '--data', databaseUrl: '--database-url', port: '--port' } as const;

/** A config error of the hub, with the names of the options that the caller gave. */
export function settingError(options: { [name in keyof typeof variables]?: string }, error: Error): Error {
  // By name: importing the class would load the hub.
  if (error.constructor.name !== 'ConfigError') return error;
  const names = (Object.keys(variables) as (keyof typeof variables)[]).filter((name) => options[name] !== undefined);
  return withOptionNames(Object.fromEntries(names.map((name) => [variables[name], optionNames[name]])), error);
}

/** The message of a config error names variables; a caller who gave an option knows that one. `flags`: the options by variable. */
export const withOptionNames = (flags: Readonly<Record<string, string>>, error: Error): CliError => {
  const replace = (text: string, [variable, flag]: [string, string]) => text.replaceAll(new RegExp(`${variable}\\b`, 'g'), flag);
  return new CliError('usage', Object.entries(flags).reduce(replace, error.message), { cause: error });
};
