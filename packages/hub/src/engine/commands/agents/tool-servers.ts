// Tool servers: who may name one, and that it is known when one comes or goes.

import { ParleyError, type ToolAccess, type ToolServerConfig } from '@parley/protocol';
import { wantBy, wantRow } from '../../../store/port.ts';
import type { FactData } from '../../../store/fact-data.ts';
import type { ToolServerRow } from '../../../store/tables.ts';
import { actorId, actorOf, type By, type Handler, invalidField, mustBeSystem, require, type Tx } from '../../command.ts';
import { append } from '../../steps/facts/append.ts';
import { memberNow, pinMember, toolsPlace } from '../../steps/people/meant-members.ts';

export interface ToolServerCommands {
  'tool_server.set': [{ name: string; config: ToolServerConfig }, { server: ToolServerRow }];
  /** The platform stores the ID of the owner whom the configuration names by handle. */
  'tool_server.pin_owner': [{ name: string; owner: string }, void];
  'tool_server.remove': [{ name: string }, void];
  /** The platform reports that the server died or is back. */
  'tool_server.report': [{ name: string; state: 'up' | 'down' }, void];
  /** The platform pins the tools that the server listed for the first time. */
  'tool_server.pin': [{ name: string; tools: Listed }, void];
  /** An admin accepts the access that the server claims for these tools. */
  'tool_server.accept': [{ name: string; tools: Listed }, void];
}

/** Names of tools with what their server says of them. */
type Listed = Record<string, ToolAccess>;

export const mostServers = 50;
const lock = 'tool_servers';
const kinds = ['stdio', 'http'] as const;

const recordChange = (name: string, data: FactData['tool_server.changed'], by: By, tx: Tx): void => {
  // The platform reports the state and the tools of a server, so these are not accesses by anybody.
  const access = 'change' in data || 'accepted' in data ? { server: name, ...data } : undefined;
  append(tx, { type: 'tool_server.changed', actor: actorOf(by, tx, tx.now), subject_id: name, data, access });
};

const put: Handler<'tool_server.set'> = {
  locks: () => [lock],
  needs: (c) => [wantRow('tool_servers', c.name), ...kinds.map((kind) => wantBy('tool_servers', 'kind', kind))],
  decide: (c, tx) => {
    const actor = actorOf(c.by, tx, tx.now);
    require('tool.manage', actor);
    const kind = c.config.command === undefined ? 'http' : 'stdio';
    if (kind === 'stdio') require('tool.run_program', actor);
    const before = tx.get('tool_servers', c.name);
    if (!before && kinds.flatMap((one) => tx.find('tool_servers', 'kind', one)).length >= mostServers)
      throw invalidField('name', `there are ${mostServers} tool servers already`);
    const owner = c.config.owner === undefined ? undefined : memberNow(c.config.owner, tx);
    if (c.config.owner !== undefined && owner?.kind !== 'human') throw invalidField('owner', 'is not a person here');
    const config = JSON.stringify({ ...c.config, owner: owner?.id });
    const next = { kind, config, set_by: actorId(actor), at: tx.now } as const;
    const server: ToolServerRow = before
      ? tx.update('tool_servers', before, { ...next, version: before.version + 1 })
      : { name: c.name, ...next, version: 1 };
    if (!before) tx.insert('tool_servers', server);
    recordChange(c.name, { change: 'set' }, c.by, tx);
    return { server };
  },
};

const pinOwner: Handler<'tool_server.pin_owner'> = {
  locks: () => [lock],
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    pinMember(toolsPlace(c.name), c.owner, '@', tx);
  },
};

const remove: Handler<'tool_server.remove'> = {
  locks: () => [lock],
  decide: (c, tx) => {
    require('tool.manage', actorOf(c.by, tx, tx.now));
    const server = tx.get('tool_servers', c.name);
    if (!server) throw new ParleyError('not_found', 'There is no such tool server.');
    tx.remove('tool_servers', server);
    // Added again, it is vouched for again.
    for (const pin of tx.find('tool_pins', 'server', c.name)) tx.remove('tool_pins', pin);
    recordChange(c.name, { change: 'removed' }, c.by, tx);
  },
};

const report: Handler<'tool_server.report'> = {
  decide: (c, tx) => {
    recordChange(c.name, { state: c.state }, c.by, tx);
  },
};

/**
 * At its first listing a server is believed, as the one who added it vouches for it. A tool that comes later writes until an
 * admin accepts it.
 */
const pin: Handler<'tool_server.pin'> = {
  locks: () => [lock],
  decide: (c, tx) => {
    const pins = tx.find('tool_pins', 'server', c.name);
    const added = Object.entries(c.tools)
      .filter(([tool]) => !pins.some((row) => row.tool === tool))
      .map(([tool, says]) => [tool, pins.length === 0 ? says : 'write'] as const);
    for (const [tool, access] of added) tx.insert('tool_pins', { server: c.name, tool, access, at: tx.now });
    if (added.length > 0) recordChange(c.name, { pinned: Object.fromEntries(added) }, c.by, tx);
  },
};

const accept: Handler<'tool_server.accept'> = {
  locks: () => [lock],
  decide: (c, tx) => {
    require('tool.manage', actorOf(c.by, tx, tx.now));
    const pins = tx.find('tool_pins', 'server', c.name);
    for (const [tool, access] of Object.entries(c.tools)) {
      const row = pins.find((one) => one.tool === tool);
      if (row) tx.update('tool_pins', row, { access, at: tx.now });
      else tx.insert('tool_pins', { server: c.name, tool, access, at: tx.now });
    }
    recordChange(c.name, { accepted: c.tools }, c.by, tx);
  },
};

export const toolServerHandlers = {
  'tool_server.set': put,
  'tool_server.pin_owner': pinOwner,
  'tool_server.remove': remove,
  'tool_server.report': report,
  'tool_server.pin': pin,
  'tool_server.accept': accept,
};
