// With a person go the words they wrote for agents, and what agents of theirs had noted; with an agent all it was made of.

import { wantBy, wantRow } from '../../../store/port.ts';
import { storedState } from '../../../store/stored-values.ts';
import type { IdentityVersionRow, MemberRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { forgetInput } from '../approvals/approvals.ts';
import { forgetCalls, scrubLater } from './erase-message.ts';
import { madeOf, wholeOf } from '../membership/agent-identities.ts';
import { aboutMember, append } from '../facts/append.ts';

export function forgetIdentities(member: MemberRow, tx: Tx): void {
  tx.need([
    wantBy('identity_versions', 'author', member.id),
    wantBy('members', 'owner', member.id),
    wantBy('tags', 'owner', member.id),
    wantBy('secrets', 'setter', member.id),
    wantRow('sharing_rules', member.id),
  ]);
  const tags = tx.find('tags', 'owner', member.id);
  // Their values may stand in calls, which only the tags would keep from being repeated.
  const tasks = tx.each(new Set(tags.map(({ chain_id }) => chain_id)), (id) => tx.find('tasks', 'chain', id, 1)).flat();
  forgetCalls(tasks, tx);
  for (const tag of tags) tx.remove('tags', tag);
  const rules = tx.get('sharing_rules', member.id);
  if (rules) tx.remove('sharing_rules', rules);
  for (const row of blocksOf(member.id, tx)) tx.remove('agent_blocks', row);
  for (const secret of tx.find('secrets', 'setter', member.id)) tx.update('secrets', secret, { set_by: null });
  if (member.kind === 'agent') return forgetAgent(member.id, tx);
  const owned = new Set(tx.find('members', 'owner', member.id).map(({ id }) => id));
  const agentIds = tx.find('identity_versions', 'author', member.id).map(({ agent_id }) => agent_id);
  const agents = [...new Set([...owned, ...agentIds])];
  tx.need(agents.flatMap((id) => [wantRow('identities', id), wantBy('identity_versions', 'agent', id)]));
  for (const id of agents) forgetWords(id, member.id, owned.has(id), tx);
}

/** Blocks of the member as an agent, and blocks of the member by an agent's owner. */
function blocksOf(memberId: string, set: WorkingSet) {
  const lookups = ['agent', 'member'] as const;
  set.need(lookups.map((lookup) => ({ table: 'agent_blocks', lookup, values: [memberId] })));
  return lookups.flatMap((lookup) => set.find('agent_blocks', lookup, memberId));
}

function forgetAgent(agentId: string, tx: Tx): void {
  const answeredStates = ['used', 'denied', storedState('expired')];
  tx.need(answeredStates.map((state) => wantBy('approvals', 'agent', agentId, state)));
  for (const { id } of answeredStates.flatMap((state) => tx.find('approvals', 'agent', agentId, state))) forgetInput(id, tx);
  const row = tx.get('identities', agentId);
  if (!row) return;
  tx.remove('identities', row);
  for (const version of tx.find('identity_versions', 'agent', agentId)) tx.remove('identity_versions', version);
  scrubLater(tx);
}

const texts = ['instructions', 'memory'] as const;

/**
 * A text belongs to the author of the version it first appeared in; later versions only carried it on. An agent's notes are its
 * owner's, no matter who wrote them.
 */
function forgetWords(agentId: string, personId: string, owned: boolean, tx: Tx): void {
  const versions = tx.find('identity_versions', 'agent', agentId).toSorted((a, b) => a.version - b.version);
  const ownTexts = new Set(texts.flatMap((field) => writtenBy(personId, versions, field)));
  const goes = (field: (typeof texts)[number], text: string): boolean => (owned && field === 'memory') || ownTexts.has(text);
  const without = <T extends { instructions: string; memory: string }>(data: T): T => ({
    ...data,
    instructions: goes('instructions', data.instructions) ? '' : data.instructions,
    memory: goes('memory', data.memory) ? '' : data.memory,
  });
  for (const version of versions)
    tx.update('identity_versions', version, {
      data: JSON.stringify(without(wholeOf(version))),
      changed_by: version.changed_by === personId ? null : version.changed_by,
    });
  const row = tx.get('identities', agentId);
  if (!row) return;
  tx.update('identities', row, { data: JSON.stringify(without(madeOf(row))) });
  scrubLater(tx);
  append(tx, { type: 'identity.changed', ...aboutMember(agentId), data: { version: row.version, why: 'erased' } });
}

function writtenBy(personId: string, versions: readonly IdentityVersionRow[], field: (typeof texts)[number]): string[] {
  const seen = new Set<string>();
  return versions.flatMap((version) => {
    const text = wholeOf(version)[field];
    if (text === '' || seen.has(text)) return [];
    seen.add(text);
    return version.changed_by === personId ? [text] : [];
  });
}
