// All exit codes and their causes. docs/reference/cli.md lists the same ones (a test compares them).

import type { BackupFailure } from '@parley/hub';
import type { ErrorCode, Problem } from '@parley/protocol';

export const exitCodes = {
  ok: { status: 0, text: 'Done.' },
  failed: { status: 1, text: 'Refused by the hub, or failed for a reason that has no code of its own.' },
  usage: { status: 2, text: 'The command, an option, a value or an environment variable is not valid.' },
  not_found: {
    status: 3,
    text: 'There is no such member, channel, message, task, token, file or workspace; `trigger test`: nothing would run.',
  },
  unavailable: { status: 69, text: 'The hub or its database does not answer, or something needed to start is missing or taken.' },
  data: { status: 74, text: 'A file cannot be read or written, or what is stored is damaged; `verify` found problems.' },
  canceled: { status: 130, text: 'Ctrl-C ended the command, and it took back what it had begun.' },
} as const;
export type Exit = keyof typeof exitCodes;

/** Values of `error.code` beside the hub's own codes (docs/reference/errors.md). */
export const cliErrors = {
  usage: 'A command, option, value or environment variable is not valid.',
  no_token: 'The command acts as a member and was given no token.',
  not_found: 'There is no such member, channel, file or folder.',
  no_workspace: 'Nothing was begun in the data folder or the database.',
  unavailable: 'The hub or the database does not answer.',
  in_use: 'Another hub or command has the data folder.',
  port_taken: 'Another program listens on the port.',
  data: 'A file cannot be read or written, or the disk is full.',
  damaged: 'A backup or a stored row is not as it was written.',
  not_a_backup: 'The file is something else.',
  newer: 'A newer version of Parley wrote it.',
  older: 'An older version of Parley wrote the database, and nothing has upgraded it yet.',
  occupied: 'There is something where the backup or the restore would go.',
  nothing_there: 'There is no such file or folder to read from or write to.',
  canceled: 'Ctrl-C ended the command.',
  failed: 'Anything else; `message` says what.',
} as const;
type CliCode = keyof typeof cliErrors;

/** An end that this program foresaw, in words for its user. */
export class CliError extends Error {
  readonly exit: Exclude<Exit, 'ok'>;
  readonly code: CliCode | ErrorCode;
  /** The remedy. */
  readonly hint: string | undefined;

  constructor(
    exit: Exclude<Exit, 'ok'>,
    message: string,
    options: { code?: CliCode | ErrorCode; hint?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'CliError';
    this.exit = exit;
    this.code = options.code ?? exit;
    this.hint = options.hint;
  }
}

export interface Failure {
  exit: Exclude<Exit, 'ok'>;
  code: CliCode | ErrorCode;
  message: string;
  hint?: string | undefined;
  problems?: Problem[] | undefined;
}

/** The exit for each error code of the hub; the others are refusals. */
const exitOfHubCode: { readonly [C in ErrorCode]?: Failure['exit'] } = {
  invalid_request: 'usage',
  malformed_json: 'usage',
  too_large: 'usage',
  not_found: 'not_found',
  rate_limited: 'unavailable',
  unavailable: 'unavailable',
  corrupt: 'data',
  storage_full: 'data',
};

const exitOfBackupFailure: Record<BackupFailure, Failure['exit']> = {
  not_a_backup: 'data',
  damaged: 'data',
  newer: 'failed',
  older: 'failed',
  occupied: 'failed',
  nothing_there: 'not_found',
};

/** Errors of the operating system and PostgreSQL, by code. */
const systemErrors: Readonly<Record<string, { exit: Failure['exit']; text?: string }>> = {
  ENOENT: { exit: 'not_found', text: 'there is no such file or folder' },
  ENOSPC: { exit: 'data', text: 'the disk is full' },
  EACCES: { exit: 'data', text: 'permission denied' },
  EPERM: { exit: 'data', text: 'permission denied' },
  EROFS: { exit: 'data', text: 'the disk cannot be written to' },
  ENOTDIR: { exit: 'data', text: 'it is not a folder' },
  EISDIR: { exit: 'data', text: 'it is a folder' },
  EEXIST: { exit: 'data', text: 'there is a file where a folder should be' },
  EIO: { exit: 'data', text: 'the disk has failed' },
  ECONNREFUSED: { exit: 'unavailable' },
  ECONNRESET: { exit: 'unavailable' },
  ENOTFOUND: { exit: 'unavailable' },
  EAI_AGAIN: { exit: 'unavailable' },
  ETIMEDOUT: { exit: 'unavailable' },
  EHOSTUNREACH: { exit: 'unavailable' },
};

interface CodedError extends Error {
  code?: string;
  path?: string;
  port?: number;
  failure?: BackupFailure;
  hint?: string;
  problems?: Problem[];
}

/** The name of its class identifies an error, so that the modules that define them are not loaded only to ask. */
export function failureOf(thrown: unknown): Failure {
  const error = (thrown instanceof AggregateError && thrown.errors.length > 0 ? thrown.errors[0] : thrown) as CodedError;
  if (error instanceof CliError) return { exit: error.exit, code: error.code, message: error.message, hint: error.hint };
  const { message, code } = error;
  switch (error.constructor.name) {
    case 'ParleyError':
      return { exit: exitOfHubCode[code as ErrorCode] ?? 'failed', code: code as ErrorCode, message, problems: error.problems };
    case 'BackupError':
      return { exit: exitOfBackupFailure[error.failure!], code: error.failure!, message };
    case 'ConnectionError':
    case 'StoreAwayError':
    case 'OutcomeUnknownError':
      return { exit: 'unavailable', code: 'unavailable', message };
    case 'ConfigError':
      return { exit: 'usage', code: 'usage', message };
    case 'DataDirInUse':
      return { exit: 'unavailable', code: 'in_use', message };
    case 'LostFactsError':
      return { exit: 'data', code: 'damaged', message };
    case 'DatabaseFileError':
    case 'DataDirUnusable':
    case 'StorageFullError':
    case 'CorruptRowError':
      return { exit: 'data', code: 'data', message };
    default:
      return fromSystem(error);
  }
}

function fromSystem({ message, code, path, port }: CodedError): Failure {
  if (code === 'EADDRINUSE') {
    return {
      exit: 'unavailable',
      code: 'port_taken',
      message: `Port ${port} is taken by another program.`,
      hint: 'Choose another with --port or PARLEY_PORT; after npm start, with: npm start -- --port 7441',
    };
  }
  const entry = code === undefined ? undefined : systemErrors[code];
  if (entry?.exit === 'unavailable' || isRefusedByDatabase(code)) {
    return {
      exit: 'unavailable',
      code: 'unavailable',
      message: `The database cannot be reached: ${message}`,
      hint: 'It is the one in PARLEY_DATABASE_URL or --database-url.',
    };
  }
  if (entry)
    return { exit: entry.exit, code: entry.exit, message: path === undefined ? `${message} (${entry.text})` : `${path}: ${entry.text}.` };
  return { exit: 'failed', code: 'failed', message };
}

/** SQLSTATE classes: connection, authorisation, no such database, shutting down. */
const isRefusedByDatabase = (code: string | undefined): boolean => code !== undefined && /^(?:08|28|3D|57)[0-9A-Z]{3}$/.test(code);
