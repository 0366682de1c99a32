// Incoming events (PRV-1, PRV-2, PRV-9): which types an actor may emit, and under which source.

import { wantRow } from '../../../store/port.ts';
import { type Actor, idempotencyRetentionMs, textsIn } from '@parley/core';
import { invalidRequest, ParleyError, type Problem } from '@parley/protocol';
import type { InvocationRow } from '../../../store/tables.ts';
import { actorId, actorOf, type CommandOf, type Handler, mustBeSystem, require, type Tx } from '../../command.ts';
import { audienceOf, mustMayLeave } from '../../steps/conversations/egress.ts';
import { type EventResult, acceptEvent, type EventArrival, likelyWants } from '../../steps/invocations/accept-event.ts';
import { inForceNow, startLeavesAt, stampWant } from '../../steps/triggers/triggers-in-force.ts';
import { chainLock } from '../../steps/tasks/tasks.ts';

export interface EventCommands {
  /** `already`: problems that the door found in the event's original form. `cloud`: it was a CloudEvent. */
  'event.accept': [{ event: unknown; already?: readonly Problem[]; cloud?: boolean }, EventResult];
  /** Removes expired idempotency keys, and starts that left their throttle window. */
  'provoke.purge': [{ keys: { eventId: string; triggerId: string }[]; starts: string[] }, void];
}

type EventSender = Omit<EventArrival, 'event'> & { origin: 'outside' | 'webhook' | 'member' | 'agent'; allowed: readonly string[] };

const accept: Handler<'event.accept'> = {
  needs: (c, library) => [
    stampWant,
    ...('tokenId' in c.by ? [wantRow('source_tokens', c.by.tokenId)] : []),
    ...(library ? likelyWants(c.event, library, c.cloud ? 'cloudevents' : 'api') : []),
  ],
  decide: (c, tx) => {
    const { core } = tx.provoke;
    const actor = actorOf(c.by, tx, tx.now);
    const sender = senderOf(c, actor, tx);
    const { origin, allowed, ...arrival } = sender;
    const sourced = withSource(c, actor, sender, tx);
    const already = [...(c.already ?? []), ...(origin === 'agent' ? [] : forgedInvocation(c.event)), ...sourced.problems];
    const checked = core.checkEvent(sourced.value, origin, already);
    if (!checked.ok) throw invalidRequest(checked.problems);
    if (!core.mayEmit(allowed, checked.event.type))
      throw new ParleyError('forbidden', 'This source may not emit events of this type.', { reason: 'event.emit:type' });
    const { emitter } = arrival;
    // The invocations that the event starts belong to the emitter's chain, which may be ending on another hub.
    if (emitter) tx.lock(chainLock(emitter.chain_id));
    // Any trigger may read the event, so its audience is everyone (SYS-6).
    if (emitter) mustMayLeave(textsIn(checked.event).join('\n'), emitter, () => audienceOf([], tx, true), tx);
    const event = emitter ? core.stampInvocation(checked.event, emitter.id) : checked.event;
    const accepted = acceptEvent({ event, ...arrival }, actor, tx);
    return { ...accepted, warnings: [...checked.warnings, ...accepted.warnings] };
  },
};

/**
 * The event with its source. A member's event has the member as its source. For the operator, a source's token or webhook, and
 * an agent at work, the platform fills in a missing source.
 */
function withSource(
  { event, cloud }: CommandOf<'event.accept'>,
  actor: Actor,
  { origin, emitter, sourceId }: EventSender,
  tx: Tx,
): { value: unknown; problems: Problem[] } {
  const { core } = tx.provoke;
  if (origin === 'member') return core.sentBy(actorId(actor)!, event);
  const ownSource = emitter ? `agent.${emitter.manifest_id}` : (sourceId ?? 'operator');
  const namedSource: unknown = typeof event === 'object' && event !== null && 'source' in event ? event.source : undefined;
  // The sender of a CloudEvent often cannot choose its source, so only the name of another source of this hub is refused.
  const isRefused = cloud ? typeof namedSource === 'string' && isKnownSource(namedSource, tx) : namedSource !== undefined;
  if (sourceId !== undefined && origin === 'outside' && namedSource !== sourceId && isRefused)
    return {
      value: { ...(event as object), source: sourceId },
      problems: [{ field: 'source', message: `must be ${sourceId}: the token is that source’s` }],
    };
  // Without an ID as well, the event stays as it is, so that the sender gets all problems at once.
  const isUnnamed = typeof event === 'object' && event !== null && Object.hasOwn(event, 'id') && !Object.hasOwn(event, 'source');
  return { value: isUnnamed ? core.withSource(event, ownSource) : event, problems: [] };
}

/** Sources that the hub itself names. */
const hubSources = /^(?:operator|system|(?:agent|schedule)\..*)$/i;

/** Capitals make no other name: a person reads both as the same. */
const isKnownSource = (name: string, tx: Tx): boolean => hubSources.test(name) || inForceNow(tx).hasSource(name);

/** Only the platform knows the invocation in which an event was emitted; nobody else may name one. */
const forgedInvocation = (event: unknown): Problem[] =>
  typeof event === 'object' && event !== null && Object.hasOwn(event, 'triggered_by')
    ? [{ field: 'triggered_by', message: 'is set by the platform' }]
    : [];

function senderOf(c: CommandOf<'event.accept'>, actor: Actor, tx: Tx): EventSender {
  require('event.emit', actor);
  const via = c.cloud ? 'cloudevents' : 'api';
  if (actor.type === 'webhook') {
    const { sourceId } = actor;
    return { via: c.cloud ? via : 'webhook', origin: 'webhook', sourceId, allowed: typesOf(sourceId, tx) };
  }
  if (actor.type !== 'member') return { via, origin: 'outside', allowed: ['*'] };
  if (actor.tokenKind === 'source' && 'tokenId' in c.by) {
    const sourceId = tx.get('source_tokens', c.by.tokenId)?.source_id;
    return { via, origin: 'outside', sourceId, allowed: typesOf(sourceId, tx) };
  }
  if (actor.kind !== 'agent') return { via, origin: 'member', byId: actor.id, allowed: ['*'] };
  return { via, origin: 'agent', byId: actor.id, allowed: ['*'], emitter: invocationOf(c.event, actor, tx) };
}

/** The types that a source may emit. A token whose source is gone may emit nothing. */
function typesOf(sourceId: string | undefined, tx: Tx): readonly string[] {
  const source = sourceId === undefined ? undefined : inForceNow(tx).source(sourceId);
  if (source) return source.types;
  throw new ParleyError('forbidden', 'There is no such source, or it is switched off.', { reason: 'event.emit:source' });
}

/** The running invocation in which the agent emits the event. The agent may name the chain, and not how deep it is in it. */
function invocationOf(event: unknown, actor: Actor, tx: Tx): InvocationRow {
  const running = tx.find('invocations', 'agent', actorId(actor)!, 'running');
  const emitter = tx.provoke.core.speaksIn(running, (event as { triggered_by?: unknown } | null)?.triggered_by);
  if (!emitter) throw new ParleyError('agent_without_invocation');
  return emitter;
}

const purge: Handler<'provoke.purge'> = {
  locks: () => ['provoke.purge'],
  needs: (c) => [
    stampWant,
    ...c.keys.map(({ eventId, triggerId }) => wantRow('provoke_keys', eventId, triggerId)),
    ...c.starts.map((id) => wantRow('throttle_starts', id)),
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
      // The trigger's throttle window is longer by now: the start counts until it leaves the new window.
      if (until > tx.now) tx.update('throttle_starts', row, { until });
      else tx.remove('throttle_starts', row);
    }
  },
};

export const eventHandlers = { 'event.accept': accept, 'provoke.purge': purge };
