// The stored verdicts about a message, for the agents that were members then. Memberships are read as of that time: from the
// sequence number where each began, and from the facts of those that ended since.

import { verdictFor, decidedForOthers, type MessageVerdicts, wasWithheld, unpackVerdicts } from '@parley/core';
import type { RecordedVerdict } from '@parley/protocol';
import { factData, storedVerdicts } from '../store/fact-data.ts';
import type { PlacedFact, Reader } from '../store/port.ts';
import { agentMoves } from '../store/reads/facts.ts';
import { agentsJoinedBy } from '../store/reads/members.ts';
import type { MessageRow } from '../store/tables.ts';
import { readColumns } from '../store/where.ts';

/** So many agents are listed one by one; of the rest it is enough to know that they are as the others. */
export const maxListed = 50;

/** The decision in a fact of a message; undefined: none was kept. */
export function verdictsIn(fact: PlacedFact): MessageVerdicts | undefined {
  const stored = storedVerdicts(fact);
  return stored && unpackVerdicts(stored);
}

/** The latest, and its place: an edit that is heeded is decided again. Undefined: nothing was kept. */
export async function verdictsOn(reader: Reader, message: MessageRow): Promise<{ verdicts: MessageVerdicts; seq: number } | undefined> {
  const facts = await reader.rows(
    'facts',
    { subject_id: message.id, seq: { '>=': message.seq }, type: ['message.posted', 'message.edited'] },
    { order: 'seq desc' },
  );
  for (const fact of facts) {
    const verdicts = verdictsIn(fact);
    if (verdicts) return { verdicts, seq: fact.seq };
  }
  return undefined;
}

/** Ids of the agents that were in a conversation at a place in the stream and could be woken there, in order. */
export async function agentsThen(reader: Reader, homeId: string, seq: number): Promise<string[]> {
  const [stayed, since] = await Promise.all([agentsJoinedBy(reader, homeId, seq), agentMoves(reader, homeId, seq)]);
  const first = new Map<string, string>();
  for (const { id, type } of since) if (!first.has(id)) first.set(id, type);
  // A member who was taken out later had been there, whether or not they came back.
  const formerIds = [...first].filter(([, type]) => type === 'membership.removed').map(([id]) => id);
  const ids = [...new Set([...stayed.map(({ id }) => id), ...formerIds])].sort();
  const away = await inactiveThen(reader, ids, seq);
  return ids.filter((id) => !away.has(id));
}

async function inactiveThen(reader: Reader, ids: string[], seq: number): Promise<Set<string>> {
  const [today, changes] = await Promise.all([
    readColumns(reader, 'members', ['id'], { status: { '<>': 'active' }, id: ids }),
    reader.rows('facts', { subject_id: ids, seq: { '>': seq }, type: 'member.edited' }, { order: 'seq' }),
  ]);
  const next = new Map<string, string>();
  for (const fact of changes) {
    const status = factData(fact, 'member.edited')?.status;
    if (status !== undefined && !next.has(fact.subject_id!)) next.set(fact.subject_id!, status);
  }
  // The first change after it says what it was before: only one that was inactive is brought back, or erased.
  const inactive = ids.filter((id) => next.has(id) && next.get(id) !== 'deactivated');
  return new Set([...inactive, ...today.map(({ id }) => id).filter((id) => !next.has(id))]);
}

/** Nothing in it depends on how things are today. */
export function recordedView(verdicts: MessageVerdicts, agentIds: readonly string[]): RecordedVerdict {
  const own = agentIds.filter((id) => verdicts.except?.[id] !== undefined);
  const otherIds = agentIds.filter((id) => verdicts.except?.[id] === undefined);
  const listedIds = [...own, ...otherIds.slice(0, Math.max(0, maxListed - own.length))];
  const { policy, mode, reason } = decidedForOthers(verdicts);
  return {
    rules: verdicts.rules,
    floor: verdicts.floor,
    words: verdicts.words,
    urgent: verdicts.urgent === true,
    notification: verdicts.notification === true,
    to: {
      members: verdicts.to?.members ?? [],
      roles: verdicts.to?.roles ?? [],
      allAgents: verdicts.to?.all === true,
      anyAgent: verdicts.to?.any === true,
      allPeople: verdicts.to?.allPeople === true,
      anyPerson: verdicts.to?.anyPerson === true,
    },
    others: { policy, mode, reason },
    agents: listedIds.map((agentId) => ({ agentId, ...verdictFor(verdicts, agentId), withheld: wasWithheld(verdicts, agentId) })),
    more: agentIds.length - listedIds.length,
  };
}
