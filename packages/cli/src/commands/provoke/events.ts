// Which events came, and what each came to at the triggers that waited for it.

import { timeText } from '@parley/core';
import type { RecordedEvent } from '@parley/protocol';
import { type HubAccess, withAccess } from '../../hub-access.ts';
import { CliError } from '../../exit.ts';
import { me } from '../../hints.ts';
import { wholeNumber } from '../../input.ts';
import { type Output, shownJson, table } from '../../output.ts';
import { type Besides, timesBefore } from '../../provoke/event-outcome.ts';
import { latestEvents, namesNone, thatIsSeen } from '../../provoke/hub-lists.ts';
import { resultWord, resultsTable } from '../../provoke/event-outcome.ts';
import type { CommandContext, Settings } from '../../settings.ts';
import { keyWords } from './emit.ts';

export type EventAction = 'list' | 'show';
export interface EventOptions {
  unmatched?: true;
  type?: string;
  last: string;
}

export async function events(
  { settings, output }: CommandContext,
  action: EventAction,
  typed: string | undefined,
  options: EventOptions,
): Promise<void> {
  if (action === 'list') {
    namesNone('events', typed);
    return list(settings, options, output);
  }
  if (typed === undefined) throw new CliError('usage', 'Which event?', { hint: `\`${me} events\` lists them.` });
  const { found, before, seen } = await withAccess(settings, async (access) => {
    const one = await eventNamed(access, typed);
    return {
      found: one,
      before: await timesBefore(access, { eventId: one.event.id, before: one.seq }, one.triggers),
      seen: await thatIsSeen(access),
    };
  });
  output.result(found, words(found, before, seen));
}

/** By the id under which it is kept, or by its sender's: then the latest of that id. */
async function eventNamed(access: HubAccess, typed: string): Promise<RecordedEvent> {
  if (/^evt_[0-9A-Z]{26}$/.test(typed)) return access.call('getEvent', { params: { eventRef: typed } });
  const [found] = (await latestEvents(access, 1, { eventId: typed })).events;
  if (found) return access.call('getEvent', { params: { eventRef: found.id } });
  throw new CliError('not_found', `There is no event ${typed} that you may see.`, { hint: `\`${me} events\` lists them.` });
}

const isUnmatched = ({ triggers }: RecordedEvent): boolean => triggers.every(({ step }) => step === 'match');

async function list(settings: Settings, { unmatched, type, last }: EventOptions, output: Output): Promise<void> {
  const wanted = wholeNumber('--last', last, 1);
  const asked = { ...(type === undefined ? {} : { type }), ...(unmatched ? { only: isUnmatched } : {}) };
  const { found, seen } = await withAccess(settings, async (access) => ({
    found: (await latestEvents(access, wanted, asked)).events,
    seen: await thatIsSeen(access),
  }));
  const rows = found.map((one) => [one.id, new Date(one.acceptedAt).toISOString(), one.event.type, one.event.id, cameTo(one, seen)]);
  output.result(
    { events: found },
    rows.length === 0
      ? `There are no${Object.keys(asked).length > 0 ? ' such' : ''} events${seen}.`
      : table(['EVENT', 'AT', 'TYPE', 'ID', 'WHAT IT CAME TO'], rows),
  );
}

function cameTo({ triggers }: RecordedEvent, seen: string): string {
  if (triggers.length === 0) return `no trigger${seen} waits for it`;
  const [first, second, ...more] = triggers.map((one) => `${one.triggerId} ${resultWord(one)}`);
  return [first, ...(second === undefined ? [] : [second]), ...(more.length === 0 ? [] : [`${more.length} more`])].join(', ');
}

function words(one: RecordedEvent, before: Besides['before'], seen: string): string {
  const { event, via, sourceId, triggeredBy, triggers, absences = [], heard = 0 } = one;
  const from = triggeredBy === null ? (sourceId === null ? via : `${via}, source ${sourceId}`) : `invocation ${triggeredBy}`;
  return [
    `${one.id} came ${timeText(one.acceptedAt)} (${from}); chain ${one.chainId}`,
    shownJson(event),
    triggers.length === 0 ? `No trigger${seen} waits for it.` : resultsTable(triggers, { before }),
    // Not on record: worked out from what the monitors were when it came.
    ...absences.map(
      ({ absenceId, key }) => `absence ${absenceId}${key === null ? '' : ` (${keyWords(key)})`} counted it, as it was defined then`,
    ),
    ...(heard > absences.length ? [`${heard - absences.length} more absence monitors counted it`] : []),
  ].join('\n');
}
