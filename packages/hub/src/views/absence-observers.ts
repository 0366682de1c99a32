// Which monitors of absence took note of an event. It is written down nowhere: a heartbeat would else cost a row more than it
// has to. It is worked out from the definitions that were in force when the event came, by what decided then.

import type { Patterns } from '@parley/core/provoke';
import type { Absence, AcceptedEvent, RecordedEvent } from '@parley/protocol';
import { notedBy, listNoted } from '../engine/steps/invocations/absences.ts';
import type { RegexRecord } from '../store/fact-data.ts';
import type { ProvokeCore } from '../provoke/compiled-definitions.ts';
import type { Reader } from '../store/port.ts';
import { absencesBefore } from '../store/reads/provoke.ts';

/** `record`: what regexes said then. `sees`: whether monitors of this owner are shown. `asking`: asks regexes, for events of before they were kept. */
export async function heardBy(
  store: Reader,
  core: ProvokeCore,
  { event, acceptedAt, senderId: sender }: Pick<RecordedEvent, 'event' | 'acceptedAt' | 'senderId'>,
  { monitors }: RegexRecord,
  sees: (ownerId: string) => boolean,
  asking: <T>(run: (patterns: Patterns) => T) => Promise<T>,
): Promise<Pick<AcceptedEvent, 'absences' | 'heard'>> {
  const rows = await absencesBefore(store, acceptedAt);
  const known = rows.flatMap(({ body, enabled, removed, owner_id }) => {
    const absence = JSON.parse(body) as Partial<Absence>;
    // A monitor erased with its author no longer says what it waited for.
    if (enabled === 0 || removed === 1 || !sees(owner_id) || absence.match?.type !== event.type) return [];
    const compiled = core.compileAbsence(absence as Absence, core.uncheckedPatterns, undefined, owner_id);
    return compiled.ok ? [compiled.value] : [];
  });
  const heard = await asking((patterns) =>
    known.filter((one) =>
      one.searches && monitors ? monitors.heard.includes(one.absence.id) : one.hears(event, sender, patterns) === 'heard',
    ),
  );
  return listNoted(heard.map((one) => notedBy(one, event, core)));
}
