// The stored contact rules and what follows for every pair, by the same decision that every door asks.

import { type BehaviourMode, contactLines, mayContact } from '@parley/core';
import type { ContactMatrix, ContactPair, Contacts } from '@parley/protocol';
import type { Reader } from '../store/port.ts';
import type { ContactRuleRow, MemberRow } from '../store/tables.ts';

interface Written {
  mode: (agentId: string) => BehaviourMode;
  rules: ContactRuleRow[];
  always: { agent_id: string; target_id: string; approved_by: string | null; at: number }[];
}

async function writtenOf(reader: Reader, agentIds: string[]): Promise<Written> {
  const [identities, rules, always] = await Promise.all([
    reader.rows('identities', { agent_id: agentIds }),
    reader.rows('contact_rules', { agent_id: agentIds }, { order: ['agent_id', 'target'] }),
    reader.rows('approved_pairs', { agent_id: agentIds }, { order: ['agent_id', 'target_id'] }),
  ]);
  const modes = new Map(identities.map((row) => [row.agent_id, row.mode]));
  return { mode: (id) => modes.get(id) ?? 'autonomous', rules, always };
}

const ruleView = (row: ContactRuleRow) => ({
  agentId: row.agent_id,
  target: row.target,
  permission: row.permission,
  requiresApproval: row.requires_approval === 1,
});

/** `sees`: agents that the caller may see; of others there is not a word. */
export async function contactsOf(reader: Reader, agentId: string, sees: (id: string) => boolean): Promise<Contacts> {
  const { mode, rules, always } = await writtenOf(reader, [agentId]);
  return {
    agentId,
    mode: mode(agentId),
    rules: rules.filter(({ target }) => target === '*' || sees(target)).map(ruleView),
    always: always
      .filter((pair) => sees(pair.target_id))
      .map((pair) => ({ targetId: pair.target_id, approvedBy: pair.approved_by, at: pair.at })),
  };
}

const lines = new Map(contactLines.map(({ reason, when }) => [reason, when]));

/** Every ordered pair of these; `from`: only of this one. */
export async function matrixOf(reader: Reader, agents: readonly MemberRow[], from?: string): Promise<Omit<ContactMatrix, 'more'>> {
  const { mode, rules, always } = await writtenOf(
    reader,
    agents.map(({ id }) => id),
  );
  const rulesOf = Map.groupBy(rules.map(ruleView), ({ agentId }) => agentId);
  const forGood = new Set(always.map((pair) => `${pair.agent_id} ${pair.target_id}`));
  const facts = ({ id, manager_id: managerId }: MemberRow) => ({ id, managerId });
  const agentPairs = agents
    .filter(({ id }) => from === undefined || id === from)
    .flatMap((caller) =>
      agents
        .filter(({ id }) => id !== caller.id)
        .map((target): ContactPair => {
          const alwaysApproved = forGood.has(`${caller.id} ${target.id}`);
          const { allowed, reason, approval } = mayContact({
            caller: { ...facts(caller), mode: mode(caller.id) },
            target: facts(target),
            rules: rulesOf.get(caller.id) ?? [],
            alwaysApproved,
          });
          // The taint of a turn is known only in the turn.
          const approvalReason = approval === 'taint' || approval === 'private' ? null : approval;
          return {
            from: caller.id,
            to: target.id,
            allowed,
            reason,
            why: lines.get(reason)!,
            approval: approvalReason,
            always: alwaysApproved,
          };
        }),
    );
  return { agents: agents.map(({ id, handle }) => ({ id, handle, mode: mode(id) })), pairs: agentPairs };
}
