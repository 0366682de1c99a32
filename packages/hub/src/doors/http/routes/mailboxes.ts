import { ParleyError } from '@parley/protocol';
import { readMailbox } from '../../../turns/mailbox.ts';
import { digestSetting } from '../../../views/row-views.ts';
import { isAgent, memberOf, type RouteHandlers, sightOf } from '../route-context.ts';

export const mailboxRoutes = {
  readMailbox: async ({ input, caller, hub }) => {
    if (!isAgent(caller)) throw new ParleyError('forbidden', 'Only agents have a mailbox.', { reason: 'mailbox:not_an_agent' });
    if (caller.taskId === undefined)
      throw new ParleyError('outside_task', 'An agent reads inside a task: name it in the Parley-Task header.');
    return readMailbox(hub, memberOf(caller), caller.taskId, { ...input.params, ...input.query });
  },
  seeMailbox: async ({ input, caller, hub }) => {
    const { seq: lastSeq } = await hub.store.head();
    const { mailbox } = await hub.engine.submit({ type: 'mailbox.seen', by: caller.by, ...input.params, ...input.body, lastSeq });
    return { conversationId: mailbox.conversation_id, seen: mailbox.seq };
  },
  listDigests: async ({ input, caller, hub }) => {
    const { home } = await sightOf(hub, caller, input.params.conversationId);
    const rows = await hub.store.rows('mailboxes', { conversation_id: home.id, digest_ms: { '<>': null } }, { order: 'member_id' });
    return { digests: rows.map(digestSetting) };
  },
  setDigest: async ({ input, caller, hub }) =>
    digestSetting((await hub.engine.submit({ type: 'digest.set', by: caller.by, ...input.params, ...input.body })).mailbox),
} satisfies Partial<RouteHandlers>;
