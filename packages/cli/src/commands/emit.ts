// Says that a threshold was crossed, as a monitor does, and prints what each trigger made of it.

import { randomUUID } from 'node:crypto';
import { type AcceptedEvent, type PapEvent, papVersion, ParleyError, type ProvokeFile } from '@parley/protocol';
import { z } from 'zod';
import { type Access, withAccess } from '../access.ts';
import { CliError } from '../exit.ts';
import { answerLines } from '../lines.ts';
import { me } from '../name.ts';
import { count, type Output, table } from '../output.ts';
import { refused } from '../provoke/files.ts';
import { filesAt } from '../provoke/pages.ts';
import { outcomeWords, whyWords } from '../provoke/words.ts';
import type { Settings } from '../settings.ts';
import { textIn } from '../text-in.ts';

export interface EmitOptions {
  payload?: string;
  source?: string;
  id?: string;
  time?: string;
  file?: string;
  lines?: true;
}

export async function emit(settings: Settings, type: string | undefined, options: EmitOptions, output: Output): Promise<void> {
  const ways = [type, options.file, options.lines].filter((way) => way !== undefined).length;
  if (ways !== 1)
    throw new CliError('usage', ways === 0 ? 'Which event?' : 'The event comes from one place: a type, --file or --lines.', {
      hint: `\`${me} emit <type> --payload <json>\`, \`${me} emit --file <file>\`, or \`${me} emit --lines\` for many on standard input.`,
    });
  if (options.lines) return withAccess(settings, (access) => emitLines(access, output));
  const event = type === undefined ? await eventIn(options.file!) : fromOptions(type, options);
  const { accepted, waitsFor, files } = await withAccess(settings, async (access) => ({
    accepted: await hand(access, event),
    waitsFor: await whyQueued(access),
    files: await filesAt(access),
  }));
  output.result(accepted, words(accepted, waitsFor));
  for (const { field, message } of accepted.warnings) output.note(`${field} ${message}.`);
  for (const line of notInForce(files)) output.note(line);
}

/** Why what nothing stopped does not run yet. A source's token may not ask: then it is not said. */
async function whyQueued(access: Access): Promise<string | undefined> {
  if (!access.hubIsUp) return 'no hub is running';
  const { halted } = await access.call('getHalt').catch(() => ({ halted: false }));
  return halted ? 'everything is stopped' : undefined;
}

/** Somebody who wonders why nothing happens may have put it into one of them. */
function notInForce(files: readonly ProvokeFile[]): string[] {
  const wrong = files.filter(({ problems }) => problems.length > 0).map(({ file }) => file.slice(0, file.indexOf('/') + 1));
  return [...new Set(wrong)].map((folder) => {
    const n = wrong.filter((one) => one === folder).length;
    return `${count(n, 'file')} in ${folder} ${n === 1 ? 'is' : 'are'} not in force: \`${me} triggers\` says why.`;
  });
}

/** The hub names whatever is wrong in it; what is no JSON never gets there. */
async function eventIn(file: string): Promise<unknown> {
  const text = await textIn(file, 'Type the event as JSON; end with Ctrl-D on an empty line.');
  return json(text, file === '-' ? 'What came in' : file);
}

function json(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CliError('usage', `${what} is not JSON: ${(error as Error).message}.`);
  }
}

function fromOptions(type: string, { payload = '{}', source = 'parley.cli', id, time }: EmitOptions): object {
  return {
    pap_version: papVersion,
    id: id ?? `evt_${randomUUID()}`,
    type,
    source,
    time: time ?? new Date().toISOString(),
    data: json(payload, '--payload'),
  };
}

/** One after the other: throttles and monitors of absence go by the order in which events come. */
const emitLines = (access: Access, output: Output): Promise<void> =>
  answerLines(z.looseObject({}, 'must be an event'), (event) => patiently(() => hand(access, event)), output);

const windowMs = 6_000;
const tries = 10;

/** The hub lets a member do so much in a time. Who hands in a thousand events can wait for the next; the same one again starts nothing twice. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ParleyError) || error.code !== 'rate_limited' || tried === tries) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, windowMs));
  }
}

/** Whatever it is: what makes it an event, the hub decides. */
async function hand(access: Access, event: unknown): Promise<AcceptedEvent> {
  const answer = await access.call('emitEvent', { body: event as PapEvent }).catch((error: unknown) => {
    // It never got there: what is nested so deep cannot even be written down.
    if (error instanceof RangeError) throw refused([{ field: '(body)', message: 'is nested too deep' }]);
    throw error;
  });
  if (!('triggers' in answer)) throw new CliError('failed', 'The hub answered with several events.');
  return answer;
}

function words({ id, eventId, type, triggers, absences }: AcceptedEvent, waitsFor: string | undefined): string {
  const rows = triggers.map((one) => {
    const became = one.outcome === 'run' && waitsFor !== undefined ? ['queued', waitsFor] : [outcomeWords(one.outcome), whyWords(one)];
    return [one.triggerId, became[0]!, one.invocationId ?? '', became[1]!];
  });
  return [
    `${eventId} (${type}) was taken as ${id}.`,
    ...(rows.length === 0 ? [] : [table(['TRIGGER', '', 'INVOCATION', 'WHY'], rows)]),
    ...absences.map(({ absenceId, key }) => `absence ${absenceId} took note${key === null ? '' : ` (${keyWords(key)})`}`),
    ...(rows.length + absences.length === 0 ? ['No trigger waits for it.'] : []),
  ].join('\n');
}

const keyWords = (key: unknown): string => (typeof key === 'string' ? key.replaceAll(/[\p{Cc}\p{Cf}]/gu, '') : JSON.stringify(key));
