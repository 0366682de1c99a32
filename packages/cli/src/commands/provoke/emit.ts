// `parley emit`: sends an event as a monitor would, and prints what each trigger did with it.

import { type AcceptedEvent, invalidRequest, type PapEvent, ParleyError, type ProvokeFile, type Trigger } from '@parley/protocol';
import { z } from 'zod';
import { type HubAccess, withAccess } from '../../hub-access.ts';
import { CliError } from '../../exit.ts';
import { answerLines } from '../../json-lines.ts';
import { me, didYouMean } from '../../hints.ts';
import { count, type Output } from '../../output.ts';
import { absenceKeyText, outcomeDetails, type OutcomeDetails, resultsTable } from '../../provoke/event-outcome.ts';
import { filledIn, json, typedEvent, type TypedEvent } from '../../provoke/typed-event.ts';
import { everyObject, visibleFiles } from '../../provoke/hub-lists.ts';
import type { CommandContext } from '../../settings.ts';
import { fileText } from '../../input.ts';

interface EmitOptions extends TypedEvent {
  file?: string;
  lines?: true;
}

export async function emit({ settings, output }: CommandContext, type: string | undefined, options: EmitOptions): Promise<void> {
  const sourceCount = [type, options.file, options.lines].filter((source) => source !== undefined).length;
  if (sourceCount !== 1)
    throw new CliError('usage', sourceCount === 0 ? 'Which event?' : 'The event comes from one place: a type, --file or --lines.', {
      hint: `\`${me} emit <type> --payload <json>\`, \`${me} emit --file <file>\`, or \`${me} emit --lines\` for many on standard input.`,
    });
  if (options.lines) return withAccess(settings, (access) => emitLines(access, output));
  const event = type === undefined ? await eventIn(options.file!) : typedEvent(type, options);
  const { accepted, similarType, details, queuedBecause, files } = await withAccess(settings, async (access) => {
    const answer = await sendEvent(access, event);
    return {
      accepted: answer,
      similarType: answer.awaited > 0 || output.json ? undefined : await similarAwaitedType(access, answer.type).catch(ifUnavailable),
      details: output.json ? undefined : await outcomeDetails(access, answer).catch(ifUnavailable),
      queuedBecause: await whyQueued(access),
      files: (await visibleFiles(access).catch(ifUnavailable)) ?? [],
    };
  });
  output.result(accepted, acceptedText(accepted, similarType, details, queuedBecause));
  for (const { field, message } of accepted.warnings) output.note(`${field} ${message}.`);
  for (const [id, warnings] of details?.warnings ?? []) for (const warning of warnings) output.note(`${id}: ${warning}`);
  for (const line of notInForce(files)) output.note(line);
}

/** The event is accepted even if this additional information cannot be read. */
const ifUnavailable = (): undefined => undefined;

/** Why accepted invocations have not started. A source's token may not read this; then the reason is omitted. */
async function whyQueued(access: HubAccess): Promise<string | undefined> {
  if (!access.hubIsUp) return 'no hub is running';
  const { halted } = await access.call('getHalt').catch(() => ({ halted: false }));
  return halted ? 'everything is stopped' : undefined;
}

/** The missing trigger may be in a file with a mistake. */
function notInForce(files: readonly ProvokeFile[]): string[] {
  const folders = files.filter(({ problems }) => problems.length > 0).map(({ file }) => file.slice(0, file.indexOf('/') + 1));
  return [...new Set(folders)].map((folder) => {
    const n = folders.filter((one) => one === folder).length;
    return `${count(n, 'file')} in ${folder} ${n === 1 ? 'is' : 'are'} not in force: \`${me} triggers\` says why.`;
  });
}

/** The awaited type that the sender may have misspelt, among the triggers that the sender can see. */
async function similarAwaitedType(access: HubAccess, type: string): Promise<string | undefined> {
  const kinds = await Promise.all((['trigger', 'absence'] as const).map((kind) => everyObject(access, kind)));
  const types = new Set(kinds.flat().map(({ object }) => (object as Trigger).match.type));
  return types.has(type) ? undefined : didYouMean(type, [...types]);
}

/** The hub reports wrong fields; only invalid JSON is reported here. */
async function eventIn(file: string): Promise<unknown> {
  const text = await fileText(file, 'Type the event as JSON; end with Ctrl-D on an empty line.');
  return json(text, file === '-' ? 'What came in' : file);
}

/** Sends events one after the other: throttles and absence monitors depend on their order. */
const emitLines = (access: HubAccess, output: Output): Promise<void> =>
  answerLines(
    z.looseObject({}, 'must be an event'),
    (event) => {
      // Filled in once, so that a retry sends the same event.
      const whole = filledIn(event);
      return retryWhenRateLimited(() => sendEvent(access, whole));
    },
    output,
  );

const retryAfterMs = 6_000;
const mostTries = 10;

/** Waits and retries when the hub limits the rate. A repeated event has the same ID, so it starts nothing twice. */
async function retryWhenRateLimited<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ParleyError) || error.code !== 'rate_limited' || tries === mostTries) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, retryAfterMs));
  }
}

/** Sends any JSON: the hub decides whether it is an event. */
async function sendEvent(access: HubAccess, event: unknown): Promise<AcceptedEvent> {
  const answer = await access.call('emitEvent', { body: event as PapEvent }).catch((error: unknown) => {
    // JSON.stringify ran out of stack, so nothing was sent.
    if (error instanceof RangeError) throw invalidRequest([{ field: '(body)', message: 'is nested too deep' }]);
    throw error;
  });
  if (!('triggers' in answer)) throw new CliError('failed', 'The hub answered with several events.');
  return answer;
}

function acceptedText(
  accepted: AcceptedEvent,
  similarType: string | undefined,
  details: OutcomeDetails | undefined,
  queuedBecause: string | undefined,
): string {
  const { id, eventId, type, triggers, awaited, absences, heard } = accepted;
  return [
    `${eventId} (${type}) was taken as ${id}.`,
    ...(triggers.length === 0 ? [] : [resultsTable(triggers, details, queuedBecause)]),
    ...absences.map(({ absenceId, key }) => `absence ${absenceId} took note${key === null ? '' : ` (${absenceKeyText(key)})`}`),
    ...(heard > absences.length ? [`${heard - absences.length} more absence monitors counted it`] : []),
    ...(awaited > 0 && triggers.length === 0
      ? [`${count(awaited, 'trigger waits', 'triggers wait')} for its type, and none let it through: \`${me} trigger test\` says why.`]
      : []),
    ...(awaited + absences.length === 0 ? [`No trigger waits for it.${similarType === undefined ? '' : ` ${similarType}`}`] : []),
  ].join('\n');
}
