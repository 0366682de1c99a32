// What the options and the environment say. An option wins over the variable of the same meaning.

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
  /** What the address was given by, to complain about it by that name. */
  urlFrom: '--url' | 'PARLEY_URL';
  /** Refused when asked for, if it is empty: a caller who meant to act as a member must not act as operator instead. */
  readonly token: string | undefined;
  /** Checked when asked for: a bad port does not matter to who talks to a hub elsewhere. */
  config(): Promise<Config>;
}

/** Where a command acts, and where its answer goes. */
export interface CommandContext {
  settings: Settings;
  env: Settings['env'];
  /** Of --data. */
  data: string | undefined;
  output: Output;
}

const given = (...values: (string | undefined)[]): string | undefined => values.find((value) => value !== undefined && value !== '');

export function settingsFrom(options: GlobalOptions, environment: Record<string, string | undefined>): Settings {
  const env = {
    ...environment,
    PARLEY_DATA: given(options.data, environment['PARLEY_DATA']),
    PARLEY_DATABASE_URL: given(options.databaseUrl, environment['PARLEY_DATABASE_URL']),
  };
  return {
    env,
    url: given(options.url, environment['PARLEY_URL']),
    urlFrom: given(options.url) === undefined ? 'PARLEY_URL' : '--url',
    get token() {
      return tokenOf(options.token, environment['PARLEY_TOKEN']);
    },
    config: async () => {
      const { readConfig } = await import('@parley/hub/config');
      try {
        return readConfig(env);
      } catch (error) {
        throw inTerms(options, error as Error);
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

/** What came from an option is complained about by the name of that option. */
export function inTerms(options: { [name in keyof typeof variables]?: string }, error: Error): Error {
  const message = (Object.keys(variables) as (keyof typeof variables)[])
    .filter((name) => options[name] !== undefined)
    .reduce((text, name) => text.replace(new RegExp(`${variables[name]}\\b`), optionNames[name]), error.message);
  return error.constructor.name === 'ConfigError' ? new CliError('usage', message) : error;
}
