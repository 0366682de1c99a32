// A person's own data that a chain of tasks has read, and the question asked before any words of the chain go out (SYS-6).

import { handsOut, type Hearers, holdsAny, isAgentDm, saysNoMore, type TaggedValue, textsIn } from '@parley/core';
import { wantRow } from '../../../store/port.ts';
import type { ConversationRow, TaskRow } from '../../../store/tables.ts';
import { wordOf, workRef } from '../../../store/stored-values.ts';
import { RecordedRefusal } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { aboutTask, type FactInput } from '../facts/append.ts';
import { liesBefore } from '../facts/conversation-access.ts';
import { egressIn, fieldOf, valueOf, withheldNotes } from '../facts/tagged-values.ts';

interface Read {
  field: string;
  ownerId: string;
  values: string[];
}

/** From now on the value is held to its owner's tier, in the whole chain: agents of a chain pass on what they know. */
export function tagTask(task: TaskRow, { field, ownerId, values }: Read, set: WorkingSet): void {
  const before = set.get('tags', task.id, field, ownerId);
  // Values that an earlier turn read still count, though they no longer stand in the source.
  const heldJson = JSON.stringify([...new Set([...(before ? (JSON.parse(before.held) as string[]) : []), ...values])]);
  set.put('tags', { chain_id: task.chain_id, task_id: task.id, field, owner_id: ownerId, held: heldJson });
}

/** Private values were given to a brain of this chain, and these may not hear them: whatever is handed to them needs approval. */
export function holdsPrivate(chainId: string, audience: () => Hearers, set: WorkingSet): boolean {
  const tags = set.find('tags', 'chain', chainId).filter(({ field }) => field !== withheldNotes);
  return tags.length > 0 && !egressIn(tags.map(valueOf), audience(), set).ok;
}

/** With the chain what it says is over; whether it is, is looked at only where something is tagged. */
export function dropTags(chainId: string, set: WorkingSet): void {
  const tags = set.find('tags', 'chain', chainId);
  if (tags.length === 0) return;
  const openTasks = set.find('tasks', 'chain', chainId, 1).length;
  const invocations = () =>
    set.find('invocations', 'chain', chainId).map(({ open, state }) => ({ open: open === 1, state: wordOf(state) }));
  if (saysNoMore({ openTasks, invocations })) for (const tag of tags) set.remove('tags', tag);
}

/** The hearers of a conversation. */
export function audienceIn(home: ConversationRow, set: WorkingSet): Hearers {
  const ids = set.find('memberships', 'conversation', home.id).map(({ member_id }) => member_id);
  const hearers = audienceOf(ids, set, home.kind === 'channel' && home.visibility === 'public');
  return home.kind === 'dm' && isAgentDm(hearers.recipients) ? withOverseers(hearers, set) : hearers;
}

/** The owners and managers of two agents also read what the two say to each other. Admins can read the notes themselves. */
export function withOverseers({ recipients, anyone }: Hearers, set: WorkingSet): Hearers {
  const rows = recipients.map(({ id }) => set.get('members', id)!);
  const ids = rows.flatMap(({ owner_id, manager_id }) => [owner_id, manager_id]).flatMap((id) => id ?? []);
  return { anyone, recipients: [...recipients, ...audienceOf([...new Set(ids)], set).recipients] };
}

export function audienceOf(memberIds: readonly string[], set: WorkingSet, anyone = false): Hearers {
  set.need(memberIds.map((id) => wantRow('members', id)));
  return {
    anyone,
    recipients: memberIds.flatMap((id) => set.get('members', id) ?? []).map(({ id, kind, owner_id }) => ({ id, kind, ownerId: owner_id })),
  };
}

/**
 * The person's own values in the text that these hearers may not read. Most chains hold nothing back: text and audience are
 * looked up only where one does.
 */
export function withheldIn(
  textOf: () => string,
  chainId: string,
  audience: () => Hearers,
  set: WorkingSet,
  { holds = holdsAny, said = () => [] }: { holds?: typeof holdsAny; said?: () => string[] } = {},
): TaggedValue | undefined {
  const tags = set.find('tags', 'chain', chainId);
  if (tags.length === 0) return undefined;
  const verdict = egressIn(tags.map(valueOf), audience(), set);
  if (verdict.ok) return undefined;
  const before = said();
  const text = textOf();
  return verdict.withheld.find(({ field, ownerId }) => {
    const values = tags
      .filter((tag) => fieldOf(tag.field) === field && tag.owner_id === ownerId)
      .flatMap(({ held }) => JSON.parse(held) as string[]);
    // A value may be said in fragments, and the last of them is the one too many. Words to permitted hearers hold nothing
    // back.
    return holds(text, values) || before.some((earlier) => holds(`${earlier}\n${text}`, values) && !holds(earlier, values));
  });
}

const ownWords: ReadonlySet<string> = new Set(['progress', 'question', 'answer', 'decline']);

/** All words of the agent in a task, and the arguments of its calls except the call in hand: each in its order, as one text. */
export function saidBefore(taskId: string, set: WorkingSet, inHand?: string): string[] {
  const children = [1, 0].flatMap((open) => set.find('tasks', 'parent', taskId, open));
  const ids = [
    ...set
      .find('task_words', 'task', taskId)
      .filter(({ kind }) => ownWords.has(kind))
      .map(({ message_id }) => message_id),
    ...children.map(({ message_id }) => message_id),
  ];
  set.need(ids.map((id) => wantRow('messages', id)));
  const messages = ids.flatMap((id) => set.get('messages', id) ?? []).toSorted((a, b) => (liesBefore(a.seq, b.seq) ? -1 : 1));
  const calls = set
    .find('turns', 'task', taskId, 'running')
    .flatMap(({ id }) => set.find('journal', 'turn', id))
    .filter((step) => step.kind === 'tool' && (handsOut(step) || step.name === 'contact_agent'))
    .toSorted((a, b) => a.n - b.n);
  return [
    messages.flatMap(({ body }) => body ?? []),
    calls
      .map(({ input }) => textsIn(JSON.parse(input)))
      .filter((texts) => inHand === undefined || !texts.includes(inHand))
      .flat(),
  ]
    .filter((texts) => texts.length > 0)
    .map((texts) => texts.join('\n'));
}

/** The task or invocation in which the text would be posted. */
type Saying = Pick<TaskRow, 'id' | 'agent_id' | 'chain_id'>;

/** The fact names the withheld field and its owner, and never the value. */
export const withheldFact = (saying: Saying, { field, ownerId }: TaggedValue): FactInput => ({
  type: 'egress.withheld',
  actor: { type: 'platform' },
  ...aboutTask(saying),
  data: { field, owner: ownerId },
});

/** Every way out of the hub asks this before anything is written. */
export function mustMayLeave(text: string, saying: Saying, audience: () => Hearers, set: WorkingSet, holds?: typeof holdsAny): void {
  const earlierTexts = (): string[] => ('task' in workRef(saying.id) ? saidBefore(saying.id, set) : []);
  const withheld = withheldIn(() => text, saying.chain_id, audience, set, { said: earlierTexts, ...(holds ? { holds } : {}) });
  if (withheld) throw new RecordedRefusal('not_shared', withheldFact(saying, withheld), withheld.field);
}
