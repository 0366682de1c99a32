import { hashSecret } from '../../../engine/auth.ts';
import { tokensOf } from '../../../store/reads/tokens.ts';
import { tokenView } from '../../../views/row-views.ts';
import { lendersOf } from '../../../views/borrowed-access.ts';
import { type Caller, memberOf, type RouteHandlers, type Services } from '../route-context.ts';
import type { TokenRow } from '../../../store/tables.ts';
import type { Token } from '@parley/protocol';

const prefixes = { person: 'pp', agent: 'pa', source: 'px', bridge: 'pb' } as const;

async function views({ store }: Services, rows: readonly TokenRow[], { tokenId }: Caller): Promise<Token[]> {
  const lenders = await lendersOf(store, rows);
  return rows.map((row) => tokenView(row, lenders.get(row.id) ?? null, tokenId));
}

export const tokenRoutes = {
  listTokens: async ({ caller, hub }) => {
    // The operator looks after all of them: a lost id is found here.
    if (caller.actor.type === 'operator') {
      const all = await hub.store.rows('tokens', { revoked_at: null }, { order: 'created_at', limit: 5000 });
      return { tokens: await views(hub, all, caller) };
    }
    return { tokens: await views(hub, await tokensOf(hub.store, memberOf(caller)), caller) };
  },
  createToken: async ({ input, caller, hub }) => {
    const secret = hub.ids.secret(prefixes[input.body.kind]);
    const { token } = await hub.engine.submit({ type: 'token.create', by: caller.by, hash: hashSecret(secret), ...input.body });
    return { token: (await views(hub, [token], caller))[0]!, secret };
  },
  revokeToken: async ({ input, caller, hub }) => hub.engine.submit({ type: 'token.revoke', by: caller.by, tokenId: input.params.tokenId }),
} satisfies Partial<RouteHandlers>;
