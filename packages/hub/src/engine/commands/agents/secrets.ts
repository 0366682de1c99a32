// Providers' keys and shared secrets that are kept here. They come sealed: what they are is nothing a decision needs.

import { secretUse } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import { wantBy } from '../../../store/port.ts';
import type { SecretRow } from '../../../store/tables.ts';
import { actorId, actorOf, type Handler, require, type Tx } from '../../command.ts';
import { append } from '../../steps/facts/append.ts';

export interface SecretCommands {
  'secret.set': [{ name: string; sealed: string; hosts: readonly string[] }, { secret: SecretRow }];
  'secret.remove': [{ name: string }, void];
  /** `external`: the value comes from the environment or a file, and not from the store. */
  'secret.bind': [{ name: string; hosts: readonly string[]; external: boolean }, void];
  /** At the first use, the platform binds the secret to these hosts. */
  'secret.use': [{ name: string; host: string; external: boolean }, { hosts: string[] }];
}

const lockOf = (name: string): string => `secret:${name}`;

/**
 * Hosts belong to a value, and a name can have two: who stores one of their own must not move the one that the environment or a
 * file gives and that wins over it.
 */
export const boundAs = (name: string, external: boolean): string => (external ? `given:${name}` : name);

function bindTo(name: string, hosts: readonly string[], tx: Tx): void {
  for (const row of tx.find('secret_hosts', 'name', name)) tx.remove('secret_hosts', row);
  for (const host of new Set(hosts)) tx.insert('secret_hosts', { name, host, at: tx.now });
}

const put: Handler<'secret.set'> = {
  locks: (c) => [lockOf(c.name)],
  decide: (c, tx) => {
    const actor = actorOf(c.by, tx, tx.now);
    require('secret.manage', actor);
    const secret: SecretRow = { name: c.name, sealed: c.sealed, set_by: actorId(actor), at: tx.now };
    const before = tx.get('secrets', c.name);
    if (before) tx.update('secrets', before, secret);
    else tx.insert('secrets', secret);
    // A member who knows the value may say where it goes.
    bindTo(c.name, c.hosts, tx);
    const data = { name: c.name, hosts: c.hosts };
    append(tx, { type: 'secret.set', actor, data, access: data });
    return { secret };
  },
};

const remove: Handler<'secret.remove'> = {
  locks: (c) => [lockOf(c.name)],
  decide: (c, tx) => {
    const actor = actorOf(c.by, tx, tx.now);
    require('secret.manage', actor);
    const secret = tx.get('secrets', c.name);
    if (!secret) throw new ParleyError('not_found', 'No such secret is kept here.');
    tx.remove('secrets', secret);
    bindTo(c.name, [], tx);
    append(tx, { type: 'secret.removed', actor, data: { name: c.name }, access: { name: c.name } });
  },
};

const bind: Handler<'secret.bind'> = {
  locks: (c) => [lockOf(c.name)],
  decide: (c, tx) => {
    const actor = actorOf(c.by, tx, tx.now);
    require('secret.bind', actor);
    bindTo(boundAs(c.name, c.external), c.hosts, tx);
    const data = { name: boundAs(c.name, c.external), hosts: c.hosts };
    append(tx, { type: 'secret.bound', actor, data, access: data });
  },
};

const use: Handler<'secret.use'> = {
  locks: (c) => [lockOf(c.name)],
  needs: (c) => [wantBy('secret_hosts', 'name', boundAs(c.name, c.external))],
  decide: (c, tx) => {
    const hosts = tx.find('secret_hosts', 'name', boundAs(c.name, c.external)).map(({ host }) => host);
    const verdict = secretUse(c.name, c.host, hosts);
    if (!verdict.allowed || !verdict.bind) return { hosts };
    bindTo(boundAs(c.name, c.external), [c.host], tx);
    const actor = actorOf(c.by, tx, tx.now);
    append(tx, { type: 'secret.bound', actor, data: { name: boundAs(c.name, c.external), hosts: [c.host] } });
    return { hosts: [c.host] };
  },
};

export const secretHandlers = { 'secret.set': put, 'secret.remove': remove, 'secret.bind': bind, 'secret.use': use };
