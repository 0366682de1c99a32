// Answers that are kept under their idempotency keys, until they are old.

import { wantRow } from '../../../store/port.ts';
import { type Handler, mustBeSystem } from '../../command.ts';

export interface IdempotencyKeyCommands {
  'requests.purge': [{ requests: { actorId: string; key: string }[] }, void];
}

/** Kept answers older than this are forgotten; a client that retries after a week starts again. */
export const requestKeptMs = 7 * 24 * 3600 * 1000;

const purge: Handler<'requests.purge'> = {
  locks: () => ['requests'],
  needs: (c) => c.requests.map((r) => wantRow('requests', r.actorId, r.key)),
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    for (const { actorId, key } of c.requests) {
      const row = tx.get('requests', actorId, key);
      if (row && row.at < tx.now - requestKeptMs) tx.remove('requests', row);
    }
  },
};

export const idempotencyKeyHandlers = { 'requests.purge': purge };
