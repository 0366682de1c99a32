// Purges chains that are long over, with everything they left (PRV-8 and work under way keep their events). The time of the
// last purge is stored, so that a reader knows that earlier rows are missing.

import { mayGo } from '@parley/core';
import { wantBy, wantRow } from '../../../store/port.ts';
import type { EventRow, InvocationRow } from '../../../store/tables.ts';
import { type Handler, mustBeSystem } from '../../command.ts';
import { auditChainWant, eraseAuditArguments } from '../../steps/facts/audit-entries.ts';
import { startLeavesAt, stampWant } from '../../steps/triggers/triggers-in-force.ts';
import { allSteps } from '../../steps/invocations/journal.ts';
import { putSetting, setting } from '../../steps/facts/settings.ts';
import { sharePurse } from '../../steps/budget/purses.ts';
import { chainLock } from '../../steps/tasks/tasks.ts';
import type { WorkingSet } from '../../working-set.ts';

export interface ForgetCommands {
  /** Removes the chain if nothing needs it any more. */
  'provoke.forget': [{ chainId: string }, void];
}

/** The arrival of the latest event whose retention is over. */
export const goneKey = 'provoke.gone';

const forget: Handler<'provoke.forget'> = {
  locks: (c) => ['provoke.purge', chainLock(c.chainId)],
  needs: (c) => [
    wantBy('events', 'chain', c.chainId),
    wantBy('invocations', 'chain', c.chainId),
    wantRow('chains', c.chainId),
    wantBy('tags', 'chain', c.chainId),
    auditChainWant(c.chainId),
    wantRow('settings', goneKey),
    stampWant,
  ],
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    const events = tx.find('events', 'chain', c.chainId);
    const invocations = tx.find('invocations', 'chain', c.chainId);
    tx.need(invocations.map(({ id }) => wantRow('throttle_starts', id)));
    const places = invocations.flatMap(({ id }) => tx.get('throttle_starts', id) ?? []);
    const onRecord = {
      acceptedAt: events.map(({ accepted_at }) => accepted_at),
      invocations: invocations.map(({ open, ended_at: endedAt }) => ({ open: open === 1, endedAt })),
      endedAt: tx.get('chains', c.chainId)?.ended_at,
      places: places.map((place) => startLeavesAt(place, tx)),
    };
    if (events.length === 0 || !mayGo(onRecord, tx.limits.eventsKeptMs, tx.now)) return;
    takeOut(events, invocations, tx);
    eraseAuditArguments(c.chainId, tx);
    const shares = [...new Set(invocations.map(({ owner_id }) => sharePurse(c.chainId, owner_id)))];
    tx.need(shares.map((id) => wantRow('purses', id)));
    for (const purse of shares.flatMap((id) => tx.get('purses', id) ?? [])) tx.remove('purses', purse);
    for (const tag of tx.find('tags', 'chain', c.chainId)) tx.remove('tags', tag);
    putSetting(goneKey, Math.max(setting(goneKey, tx, 0), ...onRecord.acceptedAt), tx);
  },
};

function takeOut(events: readonly EventRow[], invocations: readonly InvocationRow[], set: WorkingSet): void {
  set.need(invocations.map(({ id }) => wantBy('invocation_attempts', 'invocation', id)));
  set.each(invocations, (invocation) => {
    for (const step of allSteps(invocation, set)) set.remove('journal', step);
    for (const attempt of set.find('invocation_attempts', 'invocation', invocation.id)) set.remove('invocation_attempts', attempt);
    set.remove('invocations', invocation);
  });
  for (const event of events) set.remove('events', event);
}

export const forgetHandlers = { 'provoke.forget': forget };
