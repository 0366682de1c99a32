import type { ObligationRow } from '../../../store/tables.ts';
import { obligationsOf, obligationView } from '../../../views/obligations.ts';
import { type Caller, isAgent, memberOf, type RouteHandlers } from '../route-context.ts';

const shown = (caller: Caller, row: ObligationRow) =>
  obligationView(row, !isAgent(caller) && [row.author_id, row.delegate_id, row.recipient_id].includes(caller.memberId));

export const obligationRoutes = {
  listObligations: async ({ input, caller, hub }) => {
    const { owe, blocking } = input.query;
    const side = owe ? 'owe' : blocking ? 'blocking' : 'waiting';
    return { obligations: await obligationsOf(hub.store, memberOf(caller), side, isAgent(caller) ? 'agent' : 'human') };
  },
  signalObligation: async ({ input, caller, hub }) =>
    shown(caller, (await hub.engine.submit({ type: 'obligation.signal', by: caller.by, ...input.params, ...input.body })).obligation),
  dischargeObligation: async ({ input, caller, hub }) =>
    shown(caller, (await hub.engine.submit({ type: 'obligation.discharge', by: caller.by, ...input.params })).obligation),
} satisfies Partial<RouteHandlers>;
