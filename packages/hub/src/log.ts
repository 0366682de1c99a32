// The hub's log: one line of JSON per entry for programs, or words for a person at a terminal.

import { type ParleyError, toLines } from '@parley/protocol';
import { type DestinationStream, type Logger, pino } from 'pino';
import { FolderProblems } from './watched-files/watched-files.ts';
import { BrainError } from './brains/brain.ts';
import type { Config } from './config.ts';
import type { Store } from './store/port.ts';

const standardError = 2;

export function openLog({ logLevel }: Pick<Config, 'logLevel'>, onTerminal = process.stderr.isTTY): Logger {
  const raw = pino.destination({ dest: standardError, sync: true });
  const options = { level: logLevel, redact: ['req.headers.authorization', 'req.headers.cookie'] };
  return pino(options, onTerminal ? inWords((text) => raw.write(text), logLevel === 'debug') : raw);
}

/** `known`: what the caller gets for `error`. */
export function logFailedRequest(
  logger: Pick<Logger, 'error' | 'info'>,
  request: { reqId: string; route: string | undefined },
  known: ParleyError,
  error: unknown,
): void {
  // The service of the peers logs its own faults, and a page asks again every few seconds.
  if (known.code === 'peer_unavailable') logger.info(request, known.message);
  else if (known.status >= 500) logger.error({ ...request, err: error }, 'request failed');
}

/** What went wrong inside; what is wrong in somebody's files: a line for each, with its place there; and a model's failure, which is no fault of the hub. */
export function logFault(logger: Pick<Logger, 'error'>, error: unknown): void {
  if (error instanceof FolderProblems) for (const line of error.lines) logger.error(line);
  else if (error instanceof BrainError)
    logger.error(`A turn failed: ${error.reason}${error.failure === 'no_key' ? ', or with `npx parley secrets set`' : ''}.`);
  else logger.error({ err: error }, 'engine');
}

interface FailureLog {
  store: Pick<Store, 'rows' | 'onCommit'>;
  log: Pick<Logger, 'warn' | 'error'>;
}

/**
 * A final failure is in the hub's log as well: its operator may have no page open, and no conversation for a notice. Of several hubs on
 * one database, only the hub that ended an invocation logs its failure.
 */
export function logFailures({ store, log }: FailureLog): void {
  const logFailed = async (ids: string[]): Promise<void> => {
    for (const { id, trigger_id: trigger, manifest_id: manifest, error } of await store.rows('invocations', { id: ids }, { order: 'seq' }))
      log.warn({ invocation: id, trigger, manifest }, `The invocation ${id} of ${manifest} has failed for good. ${error ?? ''}`);
  };
  store.onCommit((own = []) => {
    const failed = own.flatMap(({ type, subject_id }) => (type === 'invocation.failed' && subject_id !== null ? subject_id : []));
    if (failed.length > 0) logFailed(failed).catch((error: unknown) => log.error({ err: error }, 'failed invocations'));
  });
}

interface Entry {
  level: number;
  time: number;
  msg?: string;
  err?: { message?: string; stack?: string };
  req?: { method?: string; url?: string };
  res?: { statusCode?: number };
  responseTime?: number;
}

/** `stacks`: where in the program it was, too. */
export const inWords = (write: (text: string) => void, stacks: boolean): DestinationStream => ({
  write: (line) => write(`${wordsOf(line, stacks)}\n`),
});

function wordsOf(line: string, stacks: boolean): string {
  let entry: Entry;
  try {
    entry = JSON.parse(line) as Entry;
  } catch {
    return printable(line.trimEnd());
  }
  const { level, time, msg = '', err, req, res, responseTime } = entry;
  const errorText = err ? ((stacks ? err.stack : undefined) ?? err.message ?? '') : '';
  const what = [
    [msg, errorText].filter((part) => part !== '').join(': '),
    req ? `${req.method} ${req.url}` : '',
    res ? String(res.statusCode) : '',
    responseTime === undefined ? '' : `${Math.round(responseTime)} ms`,
  ];
  const label = pino.levels.labels[level] ?? String(level);
  const text = printable(what.filter((part) => part !== '').join(' ')).replaceAll('\n', '\n  ');
  return `${timeOf(time)} ${label.padEnd(5)} ${text}`;
}

const timeOf = (time: number): string => {
  const at = new Date(time);
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
};

/** Text of others, such as an address, must not move the cursor. */
const printable = toLines;
