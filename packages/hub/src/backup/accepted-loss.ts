// Goes on with a database that lost facts, and does what a restore does: ways in that were closed stay closed, and a new epoch
// begins, since clients know the numbers that are given out again.

import { operator } from '../engine/command.ts';
import type { Engine } from '../engine/engine.ts';
import type { Ids } from '../engine/ids.ts';
import type { Store } from '../store/port.ts';
import { headOf } from '../store/reads/schema.ts';
import { readColumns } from '../store/where.ts';
import type { Clock } from '../clock.ts';
import type { DataDir } from '../data-dir.ts';
import { closeHeads, type Loss, revokedIn } from './chain-heads.ts';

interface Parts {
  store: Store;
  engine: Engine;
  ids: Ids;
  clock: Clock;
  dataDir: DataDir;
}

export async function settleLoss(loss: Loss, { store, engine, ids, clock, dataDir }: Parts): Promise<void> {
  const revoked = await revokedIn(dataDir.path);
  const valid = await readColumns(store, 'tokens', ['id'], { revoked_at: null });
  const open = await readColumns(store, 'links', ['id'], { used_at: null, expires_at: { '>': clock.now() } });
  const tokens = valid.map(({ id }) => id).filter((id) => revoked.has(id));
  await engine.submit({ type: 'loss.accept', by: operator, ...loss, tokens, links: open.map(({ id }) => id) });
  await closeHeads(dataDir.path, (await headOf(store)).epoch);
  // Last: cut off before it, the next start finds the loss again.
  await store.newEpoch(ids.epoch());
}
