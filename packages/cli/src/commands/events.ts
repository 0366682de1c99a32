// Which events came, and what each came to at the triggers that waited for it.

import type { RecordedEvent } from '@parley/protocol';
import { type Access, withAccess } from '../access.ts';
import { CliError } from '../exit.ts';
import { me } from '../name.ts';
import { type Output, table } from '../output.ts';
import { latestEvents } from '../provoke/pages.ts';
import { outcomeWords, resultsTable } from '../provoke/words.ts';
import type { Settings } from '../settings.ts';

export type EventAction = 'list' | 'show';
export interface EventOptions {
  unmatched?: true;
  type?: string;
  last: string;
}

export async function events(
  settings: Settings,
  action: EventAction,
  typed: string | undefined,
  options: EventOptions,
  output: Output,
): Promise<void> {
  if (action === 'list') return list(settings, options, output);
  if (typed === undefined) throw new CliError('usage', 'Which event?', { hint: `\`${me} events\` lists them.` });
  const found = await withAccess(settings, (access) => eventNamed(access, typed));
  output.result(found, words(found));
}

/** By the id under which it is kept, or by its sender's: then the latest of that id. */
async function eventNamed(access: Access, typed: string): Promise<RecordedEvent> {
  if (/^evt_[0-9A-Z]{26}$/.test(typed)) return access.call('getEvent', { params: { eventRef: typed } });
  const [found] = (await latestEvents(access, 1, { eventId: typed })).events;
  if (found) return found;
  throw new CliError('not_found', `There is no event ${typed} that you may see.`, { hint: `\`${me} events\` lists them.` });
}

const isUnmatched = ({ triggers }: RecordedEvent): boolean => triggers.every(({ step }) => step === 'match');

async function list(settings: Settings, { unmatched, type, last }: EventOptions, output: Output): Promise<void> {
  if (!/^[1-9]\d*$/.test(last)) throw new CliError('usage', `--last ${last} is not a whole number.`);
  const { events: found } = await withAccess(settings, (access) =>
    latestEvents(access, Number(last), { ...(type === undefined ? {} : { type }), ...(unmatched ? { only: isUnmatched } : {}) }),
  );
  const rows = found.map((one) => [one.id, new Date(one.acceptedAt).toISOString(), one.event.type, one.event.id, cameTo(one)]);
  output.result(
    { events: found },
    rows.length === 0 ? 'There are no such events that you may see.' : table(['EVENT', 'AT', 'TYPE', 'ID', 'WHAT IT CAME TO'], rows),
  );
}

function cameTo({ triggers }: RecordedEvent): string {
  if (triggers.length === 0) return 'no trigger waits for it';
  const [first, second, ...more] = triggers.map(({ triggerId, outcome }) => `${triggerId} ${outcomeWords(outcome)}`);
  return [first, ...(second === undefined ? [] : [second]), ...(more.length === 0 ? [] : [`${more.length} more`])].join(', ');
}

function words(one: RecordedEvent): string {
  const { event, via, sourceId, triggeredBy, triggers } = one;
  const from = triggeredBy === null ? (sourceId === null ? via : `${via}, source ${sourceId}`) : `invocation ${triggeredBy}`;
  return [
    `${one.id} came ${new Date(one.acceptedAt).toISOString()} (${from}); chain ${one.chainId}`,
    JSON.stringify(event, null, 2),
    triggers.length === 0 ? 'No trigger waits for it.' : resultsTable(triggers),
  ].join('\n');
}
