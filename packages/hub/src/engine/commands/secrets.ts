// Providers' keys and shared secrets that are kept here. They come sealed: what they are is nothing a decision needs.

import { ParleyError } from '@parley/protocol';
import type { SecretRow } from '../../store/tables.ts';
import { actorId, actorOf, byWants, type Handler, require } from '../command.ts';
import { append } from '../steps/place.ts';

export interface SecretCommands {
  'secret.set': [{ name: string; sealed: string }, { secret: SecretRow }];
  'secret.remove': [{ name: string }, Record<string, never>];
}

const lockOf = (name: string): string => `secret:${name}`;

const put: Handler<'secret.set'> = {
  locks: (c) => [lockOf(c.name)],
  needs: (c) => [...byWants(c.by), { table: 'secrets', values: [c.name] }],
  decide: (c, set, context) => {
    const actor = actorOf(c.by, set, context.now);
    require('secret.manage', actor);
    const secret: SecretRow = { name: c.name, sealed: c.sealed, set_by: actorId(actor), at: context.now };
    const before = set.get('secrets', c.name);
    if (before) set.update('secrets', before, secret);
    else set.insert('secrets', secret);
    append(set, context, { type: 'secret.set', actor, scope: 'record', data: { name: c.name } });
    return { secret };
  },
};

const remove: Handler<'secret.remove'> = {
  locks: (c) => [lockOf(c.name)],
  needs: (c) => [...byWants(c.by), { table: 'secrets', values: [c.name] }],
  decide: (c, set, context) => {
    const actor = actorOf(c.by, set, context.now);
    require('secret.manage', actor);
    const secret = set.get('secrets', c.name);
    if (!secret) throw new ParleyError('not_found', 'No such secret is kept here.');
    set.remove('secrets', secret);
    append(set, context, { type: 'secret.removed', actor, scope: 'record', data: { name: c.name } });
    return {};
  },
};

export const secretHandlers = { 'secret.set': put, 'secret.remove': remove };
