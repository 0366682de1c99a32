// Says that a threshold was crossed, as a monitor does, and prints what each trigger made of it.

import { type AcceptedEvent, invalidRequest, type PapEvent, ParleyError, type ProvokeFile, type Trigger } from '@parley/protocol';
import { z } from 'zod';
import { type HubAccess, withAccess } from '../../hub-access.ts';
import { CliError } from '../../exit.ts';
import { answerLines } from '../../json-lines.ts';
import { me, didYouMean } from '../../hints.ts';
import { count, type Output, printable } from '../../output.ts';
import { type Besides, otherProblems } from '../../provoke/event-outcome.ts';
import { filledIn, json, typedEvent, type TypedEvent } from '../../provoke/typed-event.ts';
import { everyObject, filesSeen } from '../../provoke/hub-lists.ts';
import { resultsTable } from '../../provoke/event-outcome.ts';
import type { CommandContext } from '../../settings.ts';
import { fileText } from '../../input.ts';

interface EmitOptions extends TypedEvent {
  file?: string;
  lines?: true;
}

export async function emit({ settings, output }: CommandContext, type: string | undefined, options: EmitOptions): Promise<void> {
  const ways = [type, options.file, options.lines].filter((way) => way !== undefined).length;
  if (ways !== 1)
    throw new CliError('usage', ways === 0 ? 'Which event?' : 'The event comes from one place: a type, --file or --lines.', {
      hint: `\`${me} emit <type> --payload <json>\`, \`${me} emit --file <file>\`, or \`${me} emit --lines\` for many on standard input.`,
    });
  if (options.lines) return withAccess(settings, (access) => emitLines(access, output));
  const event = type === undefined ? await eventIn(options.file!) : typedEvent(type, options);
  const { accepted, near, more, waitsFor, files } = await withAccess(settings, async (access) => {
    const taken = await hand(access, event);
    return {
      accepted: taken,
      near: taken.awaited > 0 || output.json ? undefined : await awaitedNear(access, taken.type).catch(leftOut),
      more: output.json ? undefined : await otherProblems(access, taken).catch(leftOut),
      waitsFor: await whyQueued(access),
      files: (await filesSeen(access).catch(leftOut)) ?? [],
    };
  });
  output.result(accepted, words(accepted, near, more, waitsFor));
  for (const { field, message } of accepted.warnings) output.note(`${field} ${message}.`);
  for (const [id, warnings] of more?.warnings ?? []) for (const warning of warnings) output.note(`${id}: ${warning}`);
  for (const line of notInForce(files)) output.note(line);
}

/** The event is taken, whatever comes of what is only asked for besides. */
const leftOut = (): undefined => undefined;

/** Why what nothing stopped does not run yet. A source's token may not ask: then it is not said. */
async function whyQueued(access: HubAccess): Promise<string | undefined> {
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

/** A type that somebody waits for, and that this one may have been meant to be; of those whose triggers one may see. */
async function awaitedNear(access: HubAccess, type: string): Promise<string | undefined> {
  const kinds = await Promise.all((['trigger', 'absence'] as const).map((kind) => everyObject(access, kind)));
  const types = new Set(kinds.flat().map(({ object }) => (object as Trigger).match.type));
  return types.has(type) ? undefined : didYouMean(type, [...types]);
}

/** The hub names whatever is wrong in it; what is no JSON never gets there. */
async function eventIn(file: string): Promise<unknown> {
  const text = await fileText(file, 'Type the event as JSON; end with Ctrl-D on an empty line.');
  return json(text, file === '-' ? 'What came in' : file);
}

/** One after the other: throttles and monitors of absence go by the order in which events come. */
const emitLines = (access: HubAccess, output: Output): Promise<void> =>
  answerLines(
    z.looseObject({}, 'must be an event'),
    (event) => {
      // Once: sent again, it is the same event.
      const whole = filledIn(event);
      return patiently(() => hand(access, whole));
    },
    output,
  );

const windowMs = 6_000;
const tries = 10;

/**
 * The hub lets a member do so much in a time. A caller with a thousand events can wait for the next; the same one again starts
 * nothing twice.
 */
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
async function hand(access: HubAccess, event: unknown): Promise<AcceptedEvent> {
  const answer = await access.call('emitEvent', { body: event as PapEvent }).catch((error: unknown) => {
    // It never got there: what is nested so deep cannot even be written down.
    if (error instanceof RangeError) throw invalidRequest([{ field: '(body)', message: 'is nested too deep' }]);
    throw error;
  });
  if (!('triggers' in answer)) throw new CliError('failed', 'The hub answered with several events.');
  return answer;
}

function words(accepted: AcceptedEvent, near: string | undefined, more: Besides | undefined, waitsFor: string | undefined): string {
  const { id, eventId, type, triggers, awaited, absences, heard } = accepted;
  return [
    `${eventId} (${type}) was taken as ${id}.`,
    ...(triggers.length === 0 ? [] : [resultsTable(triggers, more, waitsFor)]),
    ...absences.map(({ absenceId, key }) => `absence ${absenceId} took note${key === null ? '' : ` (${keyWords(key)})`}`),
    ...(heard > absences.length ? [`${heard - absences.length} more absence monitors counted it`] : []),
    ...(awaited > 0 && triggers.length === 0
      ? [`${count(awaited, 'trigger waits', 'triggers wait')} for its type, and none let it through: \`${me} trigger test\` says why.`]
      : []),
    ...(awaited + absences.length === 0 ? [`No trigger waits for it.${near === undefined ? '' : ` ${near}`}`] : []),
  ].join('\n');
}

export const keyWords = (key: unknown): string => printable(typeof key === 'string' ? key : JSON.stringify(key));
