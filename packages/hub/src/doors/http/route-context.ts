// The context of a route handler: the caller, and the parts of the hub that the handler may use.

import { type Actor, type Relation, may } from '@parley/core';
import { ParleyError, type RouteName, type RouteOutput, type RouteParsed } from '@parley/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AgentFolders } from '../../agents/agent-folders.ts';
import type { SecretStore } from '../../agents/secrets.ts';
import type { Auth } from '../../engine/auth.ts';
import type { By, CommandOf, CommandType, Input, Results } from '../../engine/command.ts';
import { type ConversationAccess, conversationWants, accessTo } from '../../engine/steps/facts/conversation-access.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Ids } from '../../engine/ids.ts';
import type { WorkLimits } from '../../engine/limits.ts';
import { readRows } from '../../engine/decision-reads.ts';
import type { Tail } from '../../engine/tail.ts';
import type { Blobs } from '../../store/blobs.ts';
import type { Store, Want } from '../../store/port.ts';
import type { Viewer } from '../../store/reads/conversations.ts';
import { borrowedWants, lenderOf } from '../../engine/steps/departure/borrowed-access.ts';
import type { Clock } from '../../clock.ts';
import type { Story } from '../../demo/story.ts';
import type { ProvokeFiles } from '../../provoke/provoke-files.ts';
import type { ProvokeLoader } from '../../provoke/compiled-definitions.ts';
import type { Peers } from '../../peers/peers.ts';
import type { McpClients } from '../../tools/mcp-clients.ts';
import { mayReadNow, AgentReads } from '../../turns/agent-reads.ts';
import type { Live } from '../stream/live-streams.ts';

export interface Services {
  store: Store;
  engine: Engine;
  tail: Tail;
  auth: Auth;
  live: Live;
  blobs: Blobs;
  keys: SecretStore;
  folders: AgentFolders;
  ids: Ids;
  clock: Clock;
  limits: WorkLimits;
  tools: McpClients;
  peers: Peers;
  provoke: ProvokeLoader;
  story: Story;
  provokeFiles: ProvokeFiles;
  /** Into the hub's own network as well. */
  privateWebhooks: boolean;
  /** The failure of the last delivery to an agent's webhook, if this hub delivers. */
  webhookFailure: (agentId: string) => string | undefined;
  /** The version of the rules that decide. */
  rules: number;
  version: string;
  /** The address of the page; links are made with it. */
  pageUrl: () => string;
  cookieName: string;
  /** The cookie's name before it was derived from the public URL; read until the next release. */
  oldCookieName: string;
  secureCookies: boolean;
  /** The longest time that a session may be unused; null means until it expires. */
  sessionIdleMs: number | null;
}

export interface Caller {
  by: By;
  actor: Actor;
  /** Null for the operator. */
  memberId: string | null;
  tokenId: string | null;
  /** Agents: the task they read for, as the `Parley-Task` header says. */
  taskId?: string | undefined;
}

export interface RouteContext<N extends RouteName> {
  input: RouteParsed<N>;
  caller: Caller;
  /** Idempotency-Key header. */
  key: string | undefined;
  request: FastifyRequest;
  reply: FastifyReply;
  hub: Services;
  /** Counts the request against the limit for strangers, after the handler found that the caller is one. */
  stranger: () => Promise<void>;
}
export type RouteHandler<N extends RouteName> = (context: RouteContext<N>) => Promise<RouteOutput<N>>;
export type RouteHandlers = { [N in RouteName]: RouteHandler<N> };

type PartOf<N extends RouteName, K extends 'params' | 'body'> = RouteParsed<N> extends Record<K, infer P> ? P : object;
/** The commands that take what the path and the body of a route hold. */
type CommandFor<N extends RouteName> = {
  [C in CommandType]: PartOf<N, 'params'> & PartOf<N, 'body'> extends Input<C> ? C : never;
}[CommandType];

type Show<N extends RouteName, C extends CommandType> = (
  result: Results[C],
  context: RouteContext<N>,
) => RouteOutput<N> | Promise<RouteOutput<N>>;

/** A route that is one command. `show` makes the answer of its result, `fields` the command of the input where that is not one already. */
export function command<N extends RouteName, C extends CommandFor<N>>(type: C, show: Show<N, C>): RouteHandler<N>;
export function command<N extends RouteName, C extends CommandType>(
  type: C,
  show: Show<N, C>,
  fields: (input: RouteParsed<N>) => Input<C>,
): RouteHandler<N>;
export function command<N extends RouteName, C extends CommandType>(
  type: C,
  show: Show<N, C>,
  fields?: (input: RouteParsed<N>) => Input<C>,
): RouteHandler<N> {
  return async (context) => {
    const { input, caller, key, hub } = context;
    const { params, body } = input as { params?: object; body?: object };
    const commandFields = fields?.(input) ?? { ...params, ...body };
    return show(await hub.engine.submit({ type, by: caller.by, key, ...commandFields } as CommandOf<C>), context);
  };
}

/** The result is the answer. */
export const asIs = <T>(result: T): T => result;

/** The answer of routes whose success says everything. */
export const emptyAnswer = async (work: Promise<unknown>): Promise<Record<string, never>> => {
  await work;
  return {};
};

/** The session was opened by another member's sign-in link, or its token was made in such a one. */
export function isBorrowed(hub: Services, { by }: Caller): Promise<boolean> {
  const wants: Want[] = 'tokenId' in by ? [...borrowedWants(by), { table: 'tokens', values: [by.tokenId] }] : [];
  return readRows(hub.store, wants, (set) => lenderOf(by, set) !== undefined);
}

/** Routes that only make sense for a member; the operator has no conversations of their own. */
export function memberOf(caller: Caller): string {
  if (caller.memberId === null) throw new ParleyError('forbidden', 'The operator is not a member.');
  return caller.memberId;
}

/** The conversation, if the caller may read it; reading a DM of agents from outside is put on record first. */
export async function sightOf(hub: Services, caller: Caller, conversationId: string): Promise<ConversationAccess> {
  const place = await readRows(hub.store, conversationWants(conversationId), (set) => accessTo(caller.actor, conversationId, set));
  if (!may('conversation.read', caller.actor, place.relations).allowed) throw new ParleyError('not_found');
  if (isAgent(caller)) {
    const { from } = await readerFor(hub, caller).sight(conversationId);
    return { ...place, historyCutoff: Math.max(place.historyCutoff, from) };
  }
  if (onlyOverseer(place.relations)) await hub.engine.submit({ type: 'conversation.observed', by: caller.by, conversationId });
  return place;
}

export const isAgent = (caller: Caller): boolean => caller.actor.type === 'member' && caller.actor.kind === 'agent';

export const withoutTask = (): ParleyError =>
  new ParleyError('outside_task', 'An agent reads inside a task: name it in the Parley-Task header.');

/** An agent reads inside a task or not at all (SYS-9). */
export function readerFor(hub: Services, caller: Caller): AgentReads {
  if (caller.taskId === undefined) throw withoutTask();
  return new AgentReads(hub, memberOf(caller), caller.taskId);
}

/** Outside a task of its own an agent's token is for nothing but what the route table opens: what it read there would taint no task. */
export async function mustBeInTask({ store }: Services, caller: Caller, method: string): Promise<void> {
  if (!isAgent(caller)) return;
  if (caller.taskId === undefined) {
    if (method !== 'GET') throw new ParleyError('forbidden', 'Agents may not do this.', { reason: 'route:agents_may_not' });
    throw withoutTask();
  }
  const [own] = await store.rows('tasks', { id: caller.taskId, agent_id: memberOf(caller) });
  if (own?.open === 0) throw new ParleyError('task_over');
  if (!own) throw new ParleyError('outside_task', 'The Parley-Task header names no open task of this agent.');
}

/** Lets an agent read inside a task, if its mode allows the tool of that name. */
export async function mayRead(hub: Services, caller: Caller, name: string, input: object): Promise<void> {
  const { by, taskId } = caller;
  if (taskId !== undefined && isAgent(caller)) await mayReadNow(hub, { by, agentId: memberOf(caller), taskId }, name, input);
}

const onlyOverseer = (relations: Relation[]): boolean => relations.includes('overseer') && !relations.includes('joined');

/** Whose conversations a list goes through. */
export const viewerOf = (caller: Caller): Viewer => ({
  memberId: memberOf(caller),
  browses: may('workspace.browse', caller.actor).allowed,
});

/** Whose agents' DMs the caller may look into: their own; undefined: everybody's. */
export function overseerOf({ actor, memberId }: Caller): string | undefined {
  const steward = actor.type === 'member' && (actor.role === 'owner' || actor.role === 'admin');
  return steward ? undefined : (memberId ?? '');
}
