// `parley events`: the accepted events, and what each trigger did with them.

import { timeText } from '@parley/core';
import type { RecordedEvent } from '@parley/protocol';
import { type HubAccess, withAccess } from '../../hub-access.ts';
import { CliError } from '../../exit.ts';
import { me } from '../../hints.ts';
import { wholeNumber } from '../../input.ts';
import { type Output, shownJson, table } from '../../output.ts';
import { absenceKeyText, earlierResults, type OutcomeDetails, resultsTable, resultWord } from '../../provoke/event-outcome.ts';
import { latestEvents, refuseId, visibleScope } from '../../provoke/hub-lists.ts';
import type { CommandContext, Settings } from '../../settings.ts';

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
    refuseId('events', typed);
    return list(settings, options, output);
  }
  if (typed === undefined) throw new CliError('usage', 'Which event?', { hint: `\`${me} events\` lists them.` });
  const { found, earlier, scope } = await withAccess(settings, async (access) => {
    const one = await eventNamed(access, typed);
    return {
      found: one,
      earlier: await earlierResults(access, { eventId: one.event.id, before: one.seq }, one.triggers),
      scope: await visibleScope(access),
    };
  });
  output.result(found, recordText(found, earlier, scope));
}

/** Finds an event by the hub's ID, or the latest one with the sender's ID. */
async function eventNamed(access: HubAccess, typed: string): Promise<RecordedEvent> {
  if (/^evt_[0-9A-Z]{26}$/.test(typed)) return access.call('getEvent', { params: { eventRef: typed } });
  const [found] = (await latestEvents(access, 1, { eventId: typed })).events;
  if (found) return access.call('getEvent', { params: { eventRef: found.id } });
  throw new CliError('not_found', `There is no event ${typed} that you may see.`, { hint: `\`${me} events\` lists them.` });
}

const isUnmatched = ({ triggers }: RecordedEvent): boolean => triggers.every(({ step }) => step === 'match');

async function list(settings: Settings, { unmatched, type, last }: EventOptions, output: Output): Promise<void> {
  const wanted = wholeNumber('--last', last, 1);
  const query = { ...(type === undefined ? {} : { type }), ...(unmatched ? { only: isUnmatched } : {}) };
  const { found, scope } = await withAccess(settings, async (access) => ({
    found: (await latestEvents(access, wanted, query)).events,
    scope: await visibleScope(access),
  }));
  const rows = found.map((one) => [one.id, new Date(one.acceptedAt).toISOString(), one.event.type, one.event.id, resultsText(one, scope)]);
  output.result(
    { events: found },
    rows.length === 0
      ? `There are no${Object.keys(query).length > 0 ? ' such' : ''} events${scope}.`
      : table(['EVENT', 'AT', 'TYPE', 'ID', 'WHAT IT CAME TO'], rows),
  );
}

function resultsText({ triggers }: RecordedEvent, scope: string): string {
  if (triggers.length === 0) return `no trigger${scope} waits for it`;
  const [first, second, ...rest] = triggers.map((one) => `${one.triggerId} ${resultWord(one)}`);
  return [first, ...(second === undefined ? [] : [second]), ...(rest.length === 0 ? [] : [`${rest.length} more`])].join(', ');
}

function recordText(one: RecordedEvent, earlier: OutcomeDetails['earlier'], scope: string): string {
  const { event, via, sourceId, triggeredBy, triggers, absences = [], heard = 0 } = one;
  const from = triggeredBy === null ? (sourceId === null ? via : `${via}, source ${sourceId}`) : `invocation ${triggeredBy}`;
  return [
    `${one.id} came ${timeText(one.acceptedAt)} (${from}); chain ${one.chainId}`,
    shownJson(event),
    triggers.length === 0 ? `No trigger${scope} waits for it.` : resultsTable(triggers, { earlier }),
    // The hub records no counts: it works them out from the monitors as they were then.
    ...absences.map(
      ({ absenceId, key }) => `absence ${absenceId}${key === null ? '' : ` (${absenceKeyText(key)})`} counted it, as it was defined then`,
    ),
    ...(heard > absences.length ? [`${heard - absences.length} more absence monitors counted it`] : []),
  ].join('\n');
}
