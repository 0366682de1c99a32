import { isOffered, isPeerPrompt, labelOn, may } from '@parley/core';
import { type Checkpoint, ParleyError } from '@parley/protocol';
import type { CheckpointRow } from '../../../store/tables.ts';
import { noCheckpoint } from '../../../engine/commands/checkpoints/checkpoints.ts';
import { answerPrompt, byChoice, withContent } from '../../../peers/prompt-answers.ts';
import { addressesIn, peerNames, withNames } from '../../../views/peer-names.ts';
import { checkpointViews } from '../../../views/checkpoints.ts';
import { undamaged } from '../../../views/row-views.ts';
import { type Caller, isBorrowed, memberOf, type RouteHandlers, type Services } from '../route-context.ts';

/** A single checkpoint is shown in full, a list shortens. */
const viewOf = async (hub: Services, row: CheckpointRow): Promise<Checkpoint> => (await checkpointViews(hub.store, [row], Infinity))[0]!;

const isPrompt = ({ kind }: Pick<CheckpointRow, 'kind'>): boolean => isPeerPrompt(kind);

/**
 * Prompts get their words from the person's own peer, for the person alone. One that the peer has withdrawn is left out: the report that
 * closes its checkpoint is on its way.
 */
async function withCards(hub: Services, rows: readonly CheckpointRow[], views: Checkpoint[]): Promise<Checkpoint[]> {
  const prompts = new Map(rows.filter((row) => isPrompt(row) && row.open === 1).map((row) => [row.id, row]));
  const [first] = prompts.values();
  if (!first) return views;
  const ids = [...prompts.values()].map((row) => row.subject_id!);
  const cards = await hub.peers.cards(first.member_id, ids);
  if (!cards) return views;
  const nameOf = await peerNames(hub.store, [...cards.values()].flatMap(addressesIn));
  return views.flatMap((view) => {
    const prompt = prompts.get(view.id);
    if (!prompt) return view;
    const card = cards.get(prompt.subject_id!);
    if (!card) return [];
    const choices = view.choices
      .filter(({ choice }) => isOffered(card, choice))
      .map((one) => ({ choice: one.choice, label: labelOn(card, one) }));
    return { ...view, choices, card: withNames(card, nameOf) };
  });
}

async function promptFor(hub: Services, caller: Caller, checkpointId: string): Promise<CheckpointRow | undefined> {
  const [row] = await hub.store.rows('checkpoints', { id: checkpointId });
  if (!row || !isPrompt(row)) return undefined;
  if (row.member_id !== caller.memberId || (await isBorrowed(hub, caller))) throw new ParleyError('not_found', noCheckpoint);
  return row;
}

export const checkpointRoutes = {
  listCheckpoints: async ({ input, caller, hub }) => {
    const { state, conversationId, limit } = input.query;
    const place = conversationId === undefined ? {} : { conversation_id: conversationId };
    const where = { member_id: memberOf(caller), ...place, ...(state === 'open' ? { open: 1 } : {}) };
    const found = await hub.store.rows('checkpoints', where, { order: 'seq desc', limit });
    const rows = found.some(isPrompt) && (await isBorrowed(hub, caller)) ? found.filter((row) => !isPrompt(row)) : found;
    const views = await undamaged(rows.reverse(), (some) => checkpointViews(hub.store, some));
    return { checkpoints: await withCards(hub, rows, views) };
  },
  getCheckpoint: async ({ input, caller, hub }) => {
    const prompt = await promptFor(hub, caller, input.params.checkpointId);
    if (prompt) {
      const view = await viewOf(hub, prompt);
      return (await withCards(hub, [prompt], [view]))[0] ?? view;
    }
    const [row] = await hub.store.rows('checkpoints', { id: input.params.checkpointId });
    // Everyone who may answer it may see it.
    if (!row || !may('checkpoint.close', caller.actor, row.member_id === caller.memberId ? ['self'] : []).allowed)
      throw new ParleyError('not_found', noCheckpoint);
    return viewOf(hub, row);
  },
  closeCheckpoint: async ({ input, caller, hub }) => {
    const prompt = await promptFor(hub, caller, input.params.checkpointId);
    const { checkpoint, already, refused } = prompt
      ? { ...(await answerPrompt(hub, caller.by, prompt.id, byChoice(hub, input.body))), refused: undefined }
      : await hub.engine.submit({ type: 'checkpoint.close', by: caller.by, ...input.params, ...input.body });
    if (refused !== undefined) throw new ParleyError('version_conflict', refused);
    return { ...(await viewOf(hub, checkpoint)), already };
  },
  answerCheckpoint: async ({ input, caller, hub }) => {
    const { checkpoint, already } = await answerPrompt(hub, caller.by, input.params.checkpointId, withContent(input.body));
    return { ...(await viewOf(hub, checkpoint)), already };
  },
} satisfies Partial<RouteHandlers>;
