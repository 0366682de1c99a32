// What was read of a person's own in a chain of tasks, and the question asked before any words of it go out (SYS-6).

import { type Hearers, egress, holdsAny, saysNoMore, type Tagged, valuesIn } from '@parley/core';
import type { ConversationRow, MemberRow, TaskRow } from '../../store/tables.ts';
import { RecordedRefusal } from '../command.ts';
import type { WorkingSet } from '../working-set.ts';
import type { FactInput } from './place.ts';

interface Read {
  field: string;
  ownerId: string;
  values: string[];
}

/** From now on what was read is held to its owner's tier, in the whole chain: what one agent of it knows the next is told. */
function tagTask(task: TaskRow, { field, ownerId, values }: Read, set: WorkingSet): void {
  const before = set.get('tags', task.id, field, ownerId);
  // What an earlier turn read was read, though it stands there no more.
  const held = JSON.stringify([...new Set([...(before ? (JSON.parse(before.held) as string[]) : []), ...values])]);
  if (before) set.update('tags', before, { held });
  else if (values.length > 0) set.insert('tags', { chain_id: task.chain_id, task_id: task.id, field, owner_id: ownerId, held });
}

/** A model is given its notes with its first turn, before anybody could ask it not to. Returns them. */
export function tagMemory(task: TaskRow, agent: MemberRow, set: WorkingSet): string {
  const row = set.get('identities', agent.id);
  if (!row) return '';
  const { memory } = JSON.parse(row.data) as { memory: string };
  if (agent.owner_id !== null) tagTask(task, { field: 'memory', ownerId: agent.owner_id, values: valuesIn(memory) }, set);
  return memory;
}

/** With the chain what it says is over; whether it is, is looked at only where something is tagged. */
export function dropTags(chainId: string, set: WorkingSet): void {
  const tags = set.find('tags', 'chain', chainId);
  if (tags.length === 0) return;
  const openTasks = set.find('tasks', 'chain', chainId, 1).length;
  const invocations = () => set.find('invocations', 'chain', chainId).map(({ open, state }) => ({ open: open === 1, state }));
  if (saysNoMore({ openTasks, invocations })) for (const tag of tags) set.remove('tags', tag);
}

/** Who would hear what is said in a conversation. */
export function audienceIn(home: ConversationRow, set: WorkingSet): Hearers {
  const ids = set.find('memberships', 'conversation', home.id).map(({ member_id }) => member_id);
  return audienceOf(ids, set, home.kind === 'channel' && home.visibility === 'public');
}

export function audienceOf(memberIds: readonly string[], set: WorkingSet, anyone = false): Hearers {
  set.need(memberIds.map((id) => ({ table: 'members', values: [id] })));
  return {
    anyone,
    recipients: memberIds.flatMap((id) => set.get('members', id) ?? []).map(({ id, kind, owner_id }) => ({ id, kind, ownerId: owner_id })),
  };
}

/** What of a person's own the text holds that these may not hear. `audience` is looked up only where there is something to hold back. */
export function withheldIn(
  text: string,
  chainId: string,
  audience: () => Hearers,
  set: WorkingSet,
  holds: typeof holdsAny = holdsAny,
): Tagged | undefined {
  const found = set
    .find('tags', 'chain', chainId)
    .filter(({ held }) => holds(text, JSON.parse(held) as string[]))
    .map(({ field, owner_id }) => ({ field, ownerId: owner_id }));
  if (found.length === 0) return undefined;
  const verdict = egress(found, audience());
  return verdict.ok ? undefined : verdict.withheld[0];
}

/** In which it was to be said: a task, or an invocation. */
type Saying = Pick<TaskRow, 'id' | 'agent_id' | 'chain_id'>;

/** That it was held back, and whose it is; never what. */
export const withheldFact = ({ id, agent_id, chain_id }: Saying, { field, ownerId }: Tagged): FactInput => ({
  type: 'egress.withheld',
  actor: { type: 'operator' },
  scope: 'record',
  member_id: agent_id,
  subject_id: id,
  chain_id,
  data: { field, owner: ownerId },
});

/** Asked by every way out, before anything is written. */
export function mustMayLeave(text: string, saying: Saying, audience: () => Hearers, set: WorkingSet, holds?: typeof holdsAny): void {
  const withheld = withheldIn(text, saying.chain_id, audience, set, holds);
  if (withheld) throw new RecordedRefusal('not_shared', withheldFact(saying, withheld), withheld.field);
}
