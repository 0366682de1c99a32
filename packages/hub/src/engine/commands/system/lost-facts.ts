// The operator goes on with a database that lost facts (SYS-15): as after a restore, nothing that was closed opens again.

import { type Handler, mustBeSystem } from '../../command.ts';
import { spend } from '../../steps/departure/borrowed-access.ts';
import { append } from '../../steps/facts/append.ts';
import { revoke } from '../../steps/people/tokens.ts';

export interface LostFactsCommands {
  /** `tokens` were revoked in the lost facts; `links` may have been used in them. */
  'loss.accept': [{ ends: number; known: number; tokens: string[]; links: string[] }, Record<string, never>];
}

const accept: Handler<'loss.accept'> = {
  locks: (c) => [...c.tokens.map((id) => `token:${id}`), ...c.links.map((id) => `link:${id}`)],
  needs: (c) => [
    ...c.tokens.map((id) => ({ table: 'tokens' as const, values: [id] })),
    ...c.links.map((id) => ({ table: 'links' as const, values: [id] })),
  ],
  decide: (c, tx) => {
    const actor = mustBeSystem(c.by, tx);
    append(tx, { type: 'workspace.loss_accepted', actor, data: { ends: c.ends, known: c.known } });
    for (const id of c.tokens) {
      const token = tx.get('tokens', id);
      if (token) revoke(token, actor, tx);
    }
    for (const id of c.links) {
      const link = tx.get('links', id);
      if (link) spend(link, actor, tx);
    }
    return {};
  },
};

export const lostFactsHandlers = { 'loss.accept': accept };
