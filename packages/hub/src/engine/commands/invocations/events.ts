// Events come in (PRV-1, PRV-2, PRV-9): who may say what, and in whose name.

import { type Actor, idempotencyRetentionMs, textsIn } from '@parley/core';
import { invalidRequest, ParleyError, type Problem } from '@parley/protocol';
import type { InvocationRow } from '../../../store/tables.ts';
import { actorId, actorOf, type CommandOf, type Handler, mustBeSystem, require, type Tx } from '../../command.ts';
import { audienceOf, mustMayLeave } from '../../steps/conversations/egress.ts';
import { type EventResult, acceptEvent, type EventArrival, likelyWants } from '../../steps/invocations/accept-event.ts';
import { inForceNow, startLeavesAt, stampWant } from '../../steps/triggers/triggers-in-force.ts';
import { chainLock } from '../../steps/tasks/tasks.ts';

export interface EventCommands {
  /** `already`: what was wrong with it in the form it came in. */
  'event.accept': [{ event: unknown; already?: readonly Problem[]; /** It came as a CloudEvent. */ cloud?: boolean }, EventResult];
  /** What counts no more. */
  'provoke.purge': [{ keys: { eventId: string; triggerId: string }[]; starts: string[] }, Record<string, never>];
}

type From = Omit<EventArrival, 'event'> & { origin: 'outside' | 'webhook' | 'member' | 'agent'; allowed: readonly string[] };

const accept: Handler<'event.accept'> = {
  needs: (c, library) => [
    stampWant,
    ...('tokenId' in c.by ? [{ table: 'source_tokens' as const, values: [c.by.tokenId] }] : []),
    ...(library ? likelyWants(c.event, library, c.cloud ? 'cloudevents' : 'api') : []),
  ],
  decide: (c, tx) => {
    const { core } = tx.provoke;
    const actor = actorOf(c.by, tx, tx.now);
    const whom = whence(c, actor, tx);
    const from: From = c.cloud ? { ...whom, via: 'cloudevents' } : whom;
    const sent = sourced(c, actor, from, tx);
    const already = [...(c.already ?? []), ...(from.origin === 'agent' ? [] : forged(c.event)), ...sent.problems];
    const checked = core.checkEvent(sent.value, from.origin, already);
    if (!checked.ok) throw invalidRequest(checked.problems);
    if (!core.mayEmit(from.allowed, checked.event.type))
      throw new ParleyError('forbidden', 'This source may not emit events of this type.', { reason: 'event.emit:type' });
    // What it starts is of this chain, whose last invocation may be ending on another hub, and with it what is held back there.
    if (from.emitter) tx.lock(chainLock(from.emitter.chain_id));
    // Which triggers read it is anybody's guess, and so who hears of it (SYS-6).
    if (from.emitter) mustMayLeave(textsIn(checked.event).join('\n'), from.emitter, () => audienceOf([], tx, true), tx);
    const event = from.emitter ? core.stampInvocation(checked.event, from.emitter.id) : checked.event;
    const { origin: _origin, allowed: _allowed, ...rest } = from;
    const accepted = acceptEvent({ event, ...rest }, actor, tx);
    return { ...accepted, warnings: [...checked.warnings, ...accepted.warnings] };
  },
};

/** A member's event has the member as its source; a monitor, the operator and an agent at work may name one, and need not. */
function sourced(
  { event, cloud }: CommandOf<'event.accept'>,
  actor: Actor,
  { origin, emitter, sourceId }: From,
  tx: Tx,
): { value: unknown; problems: Problem[] } {
  const { core } = tx.provoke;
  if (origin === 'member') return core.sentBy(actorId(actor)!, event);
  const name = emitter ? `agent.${emitter.manifest_id}` : (sourceId ?? 'operator');
  const named: unknown = typeof event === 'object' && event !== null && 'source' in event ? event.source : undefined;
  // A CloudEvent names the place it comes from, which its sender often cannot choose; it names no other source of ours.
  const isOther = cloud ? typeof named === 'string' && isOurs(named, tx) : named !== undefined;
  if (sourceId !== undefined && origin === 'outside' && named !== sourceId && isOther)
    return {
      value: { ...(event as object), source: sourceId },
      problems: [{ field: 'source', message: `must be ${sourceId}: the token is that source’s` }],
    };
  // An event that lacks more gets all problems at once.
  const isUnnamed = typeof event === 'object' && event !== null && Object.hasOwn(event, 'id') && !Object.hasOwn(event, 'source');
  return { value: isUnnamed ? core.withSource(event, name) : event, problems: [] };
}

/** Names that the hub gives by itself. */
const ownNames = /^(?:operator|system|(?:agent|schedule)\..*)$/i;

/** Also in other capitals: a person reads them as the same. */
const isOurs = (name: string, tx: Tx): boolean => ownNames.test(name) || inForceNow(tx).hasSource(name);

/** Only the platform knows the invocation in which an event was emitted; nobody else may name one. */
const forged = (event: unknown): Problem[] =>
  typeof event === 'object' && event !== null && Object.hasOwn(event, 'triggered_by')
    ? [{ field: 'triggered_by', message: 'is set by the platform' }]
    : [];

function whence(c: CommandOf<'event.accept'>, actor: Actor, tx: Tx): From {
  require('event.emit', actor);
  if (actor.type === 'webhook') {
    const { sourceId } = actor;
    return { via: 'webhook', origin: 'webhook', sourceId, allowed: allowedTo(sourceId, tx) };
  }
  if (actor.type !== 'member') return { via: 'api', origin: 'outside', allowed: ['*'] };
  if (actor.tokenKind === 'source' && 'tokenId' in c.by) {
    const sourceId = tx.get('source_tokens', c.by.tokenId)?.source_id;
    return { via: 'api', origin: 'outside', sourceId, allowed: allowedTo(sourceId, tx) };
  }
  if (actor.kind !== 'agent') return { via: 'api', origin: 'member', byId: actor.id, allowed: ['*'] };
  return { via: 'api', origin: 'agent', byId: actor.id, allowed: ['*'], emitter: invocationOf(c.event, actor, tx) };
}

/** Without a source it may say nothing: a token is no licence by itself. */
function allowedTo(sourceId: string | undefined, tx: Tx): readonly string[] {
  const source = sourceId === undefined ? undefined : inForceNow(tx).source(sourceId);
  if (source) return source.types;
  throw new ParleyError('forbidden', 'There is no such source, or it is switched off.', { reason: 'event.emit:source' });
}

/** Of those of its own that run. It cannot make its chain shorter by what it says. */
function invocationOf(event: unknown, actor: Actor, tx: Tx): InvocationRow {
  const running = tx.find('invocations', 'agent', actorId(actor)!, 'running');
  const found = tx.provoke.core.speaksIn(running, (event as { triggered_by?: unknown } | null)?.triggered_by);
  if (!found) throw new ParleyError('agent_without_invocation');
  return found;
}

const purge: Handler<'provoke.purge'> = {
  locks: () => ['provoke.purge'],
  needs: (c) => [
    stampWant,
    ...c.keys.map(({ eventId, triggerId }) => ({ table: 'provoke_keys' as const, values: [eventId, triggerId] })),
    ...c.starts.map((id) => ({ table: 'throttle_starts' as const, values: [id] })),
  ],
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    for (const { eventId, triggerId } of c.keys) {
      const row = tx.get('provoke_keys', eventId, triggerId);
      if (row && row.at < tx.now - idempotencyRetentionMs) tx.remove('provoke_keys', row);
    }
    for (const id of c.starts) {
      const row = tx.get('throttle_starts', id);
      if (!row || row.until > tx.now) continue;
      const until = startLeavesAt(row, tx);
      // Its trigger's window is longer by now: it is looked at again when it leaves that one.
      if (until > tx.now) tx.update('throttle_starts', row, { until });
      else tx.remove('throttle_starts', row);
    }
    return {};
  },
};

export const eventHandlers = { 'event.accept': accept, 'provoke.purge': purge };
