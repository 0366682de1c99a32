// Splitting something off (A2C-20). A fork inherits the answers, declines and exchanges of its parent, and goes its own way from there.

import type { Packet, PacketContents } from '@parley/protocol/relay';
import { type NegotiationDraft, notify, talkOn } from './draft.ts';
import type { DecisionTools } from './group-line.ts';
import type { ForkRefusal, InputOf, NegotiationVerdict, NewFork } from './inputs.ts';
import { type Negotiation, negotiationLimits } from './negotiation.ts';
import { countPacket } from './talk.ts';

/** A fork of a negotiation that is named by its parent, itself or another one would never end. */
export function forkRefusal(value: Negotiation, threads: readonly NewFork[], { takenIds = [] }: DecisionTools): ForkRefusal | undefined {
  const ids = threads.map(({ thread_id: id }) => id);
  const known = value.forks ?? [];
  const added = ids.filter((id) => !known.includes(id));
  const taken = [value.threadId, ...(value.fork ? [value.fork.parent] : []), ...takenIds];
  if (new Set(ids).size !== ids.length || added.some((id) => taken.includes(id))) return 'thread_id_in_use';
  if ((value.fork?.depth ?? 0) >= negotiationLimits.forkDepth) return 'too_deep_fork';
  return known.length + added.length > negotiationLimits.forks ? 'too_many_forks' : undefined;
}

export function fork(draft: NegotiationDraft, { threads, shared = {} }: InputOf<'fork'>, tools: DecisionTools): NegotiationVerdict {
  const { value } = draft;
  if (value.isEscalated || value.packets >= negotiationLimits.packets) return 'exchange_limit';
  const refusal = forkRefusal(value, threads, tools);
  if (refusal) return refusal;
  talkOn(draft, 'own');
  const content = { parent_thread_id: value.threadId, new_threads: threads, shared_context: shared };
  draft.effects.push({ kind: 'send', type: 'thread_fork', content });
  countPacket(draft);
  split(draft, 'own', threads, shared);
  return 'accepted';
}

/** The count is what the fork inherits, so it comes first. */
function split(draft: NegotiationDraft, by: 'own' | 'peer', threads: readonly NewFork[], shared: InputOf<'fork'>['shared'] = {}): void {
  const { value } = draft;
  const added = threads.filter(({ thread_id: id }) => !value.forks?.includes(id));
  value.forks = [...(value.forks ?? []), ...added.map(({ thread_id: id }) => id)];
  if (added.length === 0) return;
  draft.effects.push({ kind: 'fork', by, threads: added, shared });
  notify(draft, 'forked', { by, threads: added.map(({ thread_id: id, intent }) => ({ id, intent: intent.summary })) });
}

export function receiveFork(
  draft: NegotiationDraft,
  packet: Packet & PacketContents<'thread_fork'>,
  tools: DecisionTools,
): NegotiationVerdict {
  const { value } = draft;
  const { parent_thread_id: parent, new_threads: threads, shared_context: shared } = packet;
  const refusal = parent === value.threadId ? forkRefusal(value, threads, tools) : 'wrong_parent';
  if (refusal) return refusal;
  talkOn(draft, 'peer');
  countPacket(draft);
  split(draft, 'peer', threads, shared);
  return 'accepted';
}
