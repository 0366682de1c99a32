import { may } from '@parley/core';
import { type Checkpoint, ParleyError } from '@parley/protocol';
import type { CheckpointRow } from '../../../store/tables.ts';
import { noCheckpoint } from '../../../engine/commands/checkpoints/checkpoints.ts';
import { checkpointViews } from '../../../views/checkpoints.ts';
import { undamaged } from '../../../views/undamaged-views.ts';
import { memberOf, type RouteHandlers, type Services } from '../route-context.ts';

/** One alone is shown whole. */
const shown = async (hub: Services, row: CheckpointRow): Promise<Checkpoint> => (await checkpointViews(hub.store, [row], Infinity))[0]!;

export const checkpointRoutes = {
  listCheckpoints: async ({ input, caller, hub }) => {
    const { state, conversationId, limit } = input.query;
    const place = conversationId === undefined ? {} : { conversation_id: conversationId };
    const where = { member_id: memberOf(caller), ...place, ...(state === 'open' ? { open: 1 } : {}) };
    const rows = await hub.store.rows('checkpoints', where, { order: 'seq desc', limit });
    return { checkpoints: await undamaged(rows.reverse(), (some) => checkpointViews(hub.store, some)) };
  },
  getCheckpoint: async ({ input, caller, hub }) => {
    const [row] = await hub.store.rows('checkpoints', { id: input.params.checkpointId });
    // Everyone who may answer it may see it.
    if (!row || !may('checkpoint.close', caller.actor, row.member_id === caller.memberId ? ['self'] : []).allowed)
      throw new ParleyError('not_found', noCheckpoint);
    return shown(hub, row);
  },
  closeCheckpoint: async ({ input, caller, hub }) => {
    const { checkpoint, already } = await hub.engine.submit({ type: 'checkpoint.close', by: caller.by, ...input.params, ...input.body });
    return { ...(await shown(hub, checkpoint)), already };
  },
  answerCheckpoint: async () => {
    throw new ParleyError('not_found', noCheckpoint);
  },
} satisfies Partial<RouteHandlers>;
