// The contact rules that people set (IAC-12). Core decides what follows from them.

import { wantBy, wantRow } from '../../../store/port.ts';
import type { ContactRuleRow, MemberRow } from '../../../store/tables.ts';
import { actorId, agentToChange, type By, type Handler, invalidField } from '../../command.ts';
import { lineChanged } from '../../steps/approvals/approvals.ts';
import { aboutMember, append } from '../../steps/facts/append.ts';
import type { WorkingSet } from '../../working-set.ts';

export interface ContactRuleCommands {
  /** `target`: an agent, or `*` for every one that no line of its own names. */
  'contact.rule': [{ agentId: string; target: string; permission: 'allow' | 'deny'; requiresApproval: boolean }, { rule: ContactRuleRow }];
  /** Takes the rule away, and with it an approval for good. */
  'contact.clear': [{ agentId: string; target: string }, void];
}

const rulesLock = (agentId: string): string => `contacts:${agentId}`;

function targetOf(c: { agentId: string; target: string }, set: WorkingSet): MemberRow | '*' {
  if (c.target === '*') return '*';
  const target = set.get('members', c.target);
  if (target?.kind !== 'agent' || target.status === 'erased') throw invalidField('target', 'is not an agent');
  if (target.id === c.agentId) throw invalidField('target', 'is the agent itself');
  return target;
}

const wants = (c: { by: By; agentId: string; target: string }) => [
  wantRow('members', c.agentId),
  wantBy('contact_rules', 'agent', c.agentId),
  wantBy('approved_pairs', 'agent', c.agentId),
];

const put: Handler<'contact.rule'> = {
  locks: (c) => [rulesLock(c.agentId)],
  needs: wants,
  decide: (c, tx) => {
    const { actor } = agentToChange('contact.rule', c, tx);
    targetOf(c, tx);
    if (c.permission === 'deny' && c.requiresApproval) throw invalidField('requiresApproval', 'is only for `allow`');
    const before = tx.get('contact_rules', c.agentId, c.target);
    const rule: ContactRuleRow = {
      agent_id: c.agentId,
      target: c.target,
      permission: c.permission,
      requires_approval: c.requiresApproval ? 1 : 0,
      set_by: actorId(actor),
      at: tx.now,
    };
    if (before) tx.update('contact_rules', before, rule);
    else tx.insert('contact_rules', rule);
    lineChanged(c.agentId, c.target, rule, tx);
    const data = { target: c.target, permission: c.permission, requiresApproval: c.requiresApproval };
    append(tx, { type: 'contact.ruled', actor, ...aboutMember(c.agentId), data });
    return { rule };
  },
};

const clear: Handler<'contact.clear'> = {
  locks: (c) => [rulesLock(c.agentId)],
  needs: wants,
  decide: (c, tx) => {
    const { actor } = agentToChange('contact.rule', c, tx);
    const rule = tx.get('contact_rules', c.agentId, c.target);
    if (rule) tx.remove('contact_rules', rule);
    lineChanged(c.agentId, c.target, undefined, tx);
    append(tx, { type: 'contact.cleared', actor, ...aboutMember(c.agentId), data: { target: c.target } });
  },
};

export const contactRuleHandlers = { 'contact.rule': put, 'contact.clear': clear };
