// The verdicts on a message, for its fact (C2A-32): "Why?" reads them, at any later time.

import {
  assignmentVerdict,
  attend,
  exceptions,
  type VerdictFields,
  packVerdicts,
  type PackedVerdicts,
  packVerdict,
  type MessageVerdicts,
} from '@parley/core';
import { foldHandle } from '@parley/protocol';
import type { Context, Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import type { IncomingMessage, MessageReading } from '../conversations/incoming-message.ts';

/** Goes into the `data` of the fact that places or changes the message. */
export function verdictsOf(incoming: Pick<IncomingMessage, 'author' | 'home'>, reading: MessageReading, tx: Tx): PackedVerdicts {
  const { said, called, classified, others } = reading;
  const agents: [string, VerdictFields][] = called.map(({ agent, verdict }) => [agent.id, verdict]);
  // The author is never asked about its own message, but it was a member.
  if (incoming.author.kind === 'agent') agents.push([incoming.author.id, attend(said, { id: incoming.author.id, handle: '' })]);
  const to = addressed(reading, tx);
  const withheld = called.filter((one) => one.withheld).map(({ agent }) => agent.id);
  return packVerdicts({
    rules: tx.rules,
    floor: said.conversation.floor,
    words: classified,
    ...(said.urgent === true ? { urgent: true } : {}),
    ...(said.notification === true ? { notification: true } : {}),
    ...(Object.keys(to).length === 0 ? {} : { to }),
    others: packVerdict(others),
    ...exceptions(others, agents),
    ...(withheld.length === 0 ? {} : { withheld: to.all === true || to.any === true ? true : withheld }),
  });
}

function addressed({ named }: MessageReading, set: WorkingSet): NonNullable<MessageVerdicts['to']> {
  if (named.addresses.length === 0) return {};
  const calls = (kind: string): boolean => named.addresses.some((address) => address.kind === kind);
  const members = named.addresses.flatMap(({ kind, handle }) =>
    kind === 'agent' || kind === 'human' ? (named.present.get(foldHandle(handle))?.id ?? []) : [],
  );
  const roles = named.addresses.flatMap(({ kind, handle }) =>
    kind === 'role' ? set.find('roles', 'handle', foldHandle(handle)).map(({ id }) => id) : [],
  );
  return {
    ...(members.length === 0 ? {} : { members: [...new Set(members)] }),
    ...(roles.length === 0 ? {} : { roles: [...new Set(roles)] }),
    ...(calls('all_agents') ? { all: true } : {}),
    ...(calls('any_agent') ? { any: true } : {}),
    ...(calls('all_humans') ? { allPeople: true } : {}),
    ...(calls('any_human') ? { anyPerson: true } : {}),
  };
}

/** The verdict of every agent that the message does not call. */
const othersFor = (reason: 'ambient' | 'addressed_to_others'): VerdictFields => ({
  policy: 'must_not_respond',
  mode: 'tool_mailbox',
  reason,
  task: false,
});

type Place = Pick<IncomingMessage, 'home'>;

/** An agent's goodbye: whatever it holds, it calls nobody. */
export function goodbyeVerdicts(authorId: string, { home }: Place, { rules }: Context): PackedVerdicts {
  const others = othersFor('ambient');
  const agents = exceptions(others, [[authorId, { ...others, mode: 'silent', reason: 'own_message' }]]);
  return packVerdicts({ rules, floor: home.floor, words: {}, others: packVerdict(others), ...agents });
}

/** Null: nobody has taken it yet. */
function verdictsFor(agentId: string | null, meant: VerdictFields, { home }: Place, { rules }: Context): PackedVerdicts {
  const others = othersFor('addressed_to_others');
  const to = agentId === null ? {} : { to: { members: [agentId] } };
  const agents = exceptions(others, agentId === null ? [] : [[agentId, meant]]);
  return packVerdicts({ rules, floor: home.floor, words: {}, ...to, others: packVerdict(others), ...agents });
}

/** A person's word in a task, said to its agent through the page and not by an address. */
export const redirectVerdicts = (agentId: string | null, place: Place, context: Context): PackedVerdicts =>
  verdictsFor(agentId, { policy: 'must_respond', mode: 'immediate', reason: 'redirect', task: true }, place, context);

/** Words that the platform brings to an agent as work, in nobody's name. */
export const assignmentVerdicts = (agentId: string, place: Place, context: Context): PackedVerdicts =>
  verdictsFor(agentId, assignmentVerdict(false), place, context);
