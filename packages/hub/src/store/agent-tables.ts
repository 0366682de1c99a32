// The tables of agents that work together: who they are, whom they may contact, their delegations, approvals, the tool
// servers they use and the keys they need.

import type { ApprovalWhy, BehaviourMode, ContactAction, Priority } from '@parley/core';
import type { AuditKind, AuditOutcome } from '@parley/protocol';
import type { Stored } from './stored-values.ts';
import { oneOf, table } from './table.ts';

export const agentTables = {
  /** An entry of the audit log. Its fact has the same place in the stream. */
  audit_entries: table({
    columns: {
      id: 'text',
      seq: 'int',
      kind: oneOf<AuditKind>(),
      actor_id: 'text?',
      /** Whose request or trigger it was. */
      for_id: 'text?',
      name: 'text',
      target_id: 'text?',
      /** A task, an invocation or a conversation. */
      subject_id: 'text?',
      conversation_id: 'text?',
      chain_id: 'text?',
      approver_id: 'text?',
      /** JSON, without private values; empty once it was erased. */
      arguments: 'text',
      outcome: oneOf<AuditOutcome>(),
      at: 'int',
      ended_at: 'int?',
    },
    key: ['id'],
    lookups: { chain: { columns: ['chain_id'] }, about: { columns: ['kind', 'target_id'] } },
  }),
  /** What an agent is made of, as it is now; `data` is the identity in JSON, without what stands in its member row. */
  identities: table({
    columns: {
      agent_id: 'text',
      version: 'int',
      mode: oneOf<BehaviourMode>(),
      data: 'text',
      /** Where it is edited: over the API, or in a folder of files. */
      source: oneOf<'api' | 'folder'>(),
      at: 'int',
    },
    key: ['agent_id'],
  }),
  identity_versions: table({
    columns: { agent_id: 'text', version: 'int', data: 'text', changed_by: 'text?', at: 'int' },
    key: ['agent_id', 'version'],
    lookups: { agent: { columns: ['agent_id'] }, author: { columns: ['changed_by'] } },
  }),
  /** Read in a chain of tasks, of a person's own: it leaves only as its owner's tier allows (SYS-6). Gone with the chain. */
  tags: table({
    columns: {
      chain_id: 'text',
      task_id: 'text',
      field: 'text',
      owner_id: 'text',
      /** A JSON list of texts. */
      held: 'text',
    },
    key: ['task_id', 'field', 'owner_id'],
    lookups: { chain: { columns: ['chain_id'] }, owner: { columns: ['owner_id'] } },
  }),
  /** What an agent may do with one other, or with all (`*`). */
  contact_rules: table({
    columns: {
      agent_id: 'text',
      target: 'text',
      permission: oneOf<'allow' | 'deny'>(),
      requires_approval: 'int',
      set_by: 'text?',
      at: 'int',
    },
    key: ['agent_id', 'target'],
    lookups: { agent: { columns: ['agent_id'] }, target: { columns: ['target'] } },
  }),
  /** A person approved this agent's contact with that one for good. */
  approved_pairs: table({
    columns: { agent_id: 'text', target_id: 'text', approved_by: 'text?', at: 'int' },
    key: ['agent_id', 'target_id'],
    lookups: { agent: { columns: ['agent_id'] }, target: { columns: ['target_id'] } },
  }),
  /** A sub-task that one agent gave another by `contact_agent`, or by naming it with `send_channel_message`, which is `channel`. */
  contacts: table({
    columns: {
      /** The sub-task; or the negotiation, which is no task of an agent. */
      task_id: 'text',
      /** The task in which it was given, and whose result it is. */
      parent_id: 'text',
      action: oneOf<ContactAction | 'channel' | 'negotiation'>(),
      priority: oneOf<Priority>(),
      /**
       * `pending`; `asked`: it has a question, and `ended`: its result is there, neither of which the task above has got yet;
       * `given`: it has; `late`: nobody waits for it any more.
       */
      state: oneOf<'pending' | 'asked' | 'ended' | 'given' | 'late'>(),
      /** An `ask` is waited for until then, in running time. */
      until: 'int?',
      /** The message for the task above; none of `channel`, where everybody has the words already. */
      result_id: 'text?',
      at: 'int',
    },
    key: ['task_id'],
    lookups: { parent: { columns: ['parent_id', 'state'] } },
  }),
  /** Messages that the platform posted for an agent's call. */
  message_sources: table({
    columns: { message_id: 'text', source: oneOf<'agent_contact' | 'delegation_result'>() },
    key: ['message_id'],
  }),
  /** A call that waits for a person's approval, or has had its answer. Its id is the checkpoint's. */
  approvals: table({
    columns: {
      id: 'text',
      /** Or the invocation. */
      task_id: 'text',
      agent_id: 'text',
      /** The tool. */
      name: 'text',
      /** Of a contact: with whom. */
      target_id: 'text?',
      /** Of its exact arguments: other arguments are another call. */
      digest: 'text',
      /** The arguments as JSON, until the task is over. */
      input: 'text',
      why: oneOf<ApprovalWhy>(),
      state: oneOf<Stored<'pending' | 'approved' | 'used' | 'denied' | 'expired'>>(),
      until: 'int',
      reminded: 'int',
      at: 'int',
      answered_at: 'int?',
      /** Of the task when it was answered: turns after that one know of it. */
      answered_lease: 'int?',
      /** The turn that made the call. */
      used_in: 'text?',
    },
    key: ['id'],
    lookups: { task: { columns: ['task_id', 'state'] }, whole: { columns: ['task_id'] }, agent: { columns: ['agent_id', 'state'] } },
  }),
  tool_servers: table({
    columns: { name: 'text', kind: oneOf<'stdio' | 'http'>(), config: 'text', version: 'int', set_by: 'text?', at: 'int' },
    key: ['name'],
    lookups: { kind: { columns: ['kind'] } },
  }),
  /** What a server said of a tool when it first listed it; only an admin widens it (SYS-13). */
  tool_pins: table({
    columns: { server: 'text', tool: 'text', access: oneOf<'read' | 'write'>(), at: 'int' },
    key: ['server', 'tool'],
    lookups: { server: { columns: ['server'] } },
  }),
  /** A provider's key or a shared secret, sealed under the hub's own key: never in clear. */
  secrets: table({
    columns: { name: 'text', sealed: 'text', set_by: 'text?', at: 'int' },
    key: ['name'],
    lookups: { setter: { columns: ['set_by'] } },
  }),
  /** A host that a secret may be sent to. */
  secret_hosts: table({
    columns: { name: 'text', host: 'text', at: 'int' },
    key: ['name', 'host'],
    lookups: { name: { columns: ['name'] } },
  }),
};
