// The tables of agents that work together: who they are, whom they may contact, what they gave each other, what a person
// must say yes to, the tool servers they use and the keys they need.

import type { ApprovalWhy, BehaviourMode, ContactAction, Priority } from '@parley/core';
import type { AuditKind, AuditOutcome } from '@parley/protocol';
import type { Stored } from './stored-words.ts';
import type { TableSpec } from './tables.ts';

/** What an agent is made of, as it is now; `data` is the identity in JSON, without what stands in its member row. */
export interface IdentityRow {
  agent_id: string;
  version: number;
  mode: BehaviourMode;
  data: string;
  /** Where it is edited: over the API, or in a folder of files. */
  source: 'api' | 'folder';
  at: number;
}

export interface IdentityVersionRow {
  agent_id: string;
  version: number;
  data: string;
  changed_by: string | null;
  at: number;
}

/** Read in a chain of tasks, of a person's own: it leaves only as its owner's tier allows (SYS-6). Gone with the chain. */
export interface TagRow {
  chain_id: string;
  task_id: string;
  field: string;
  owner_id: string;
  /** A JSON list of texts. */
  held: string;
}

/** What an agent may do with one other, or with all (`*`). */
export interface ContactRuleRow {
  agent_id: string;
  target: string;
  permission: 'allow' | 'deny';
  requires_approval: number;
  set_by: string | null;
  at: number;
}

/** A person said yes for good: this agent may contact that one. */
export interface ApprovedPairRow {
  agent_id: string;
  target_id: string;
  approved_by: string | null;
  at: number;
}

/** A sub-task that one agent gave another by `contact_agent`, or by naming it with `send_channel_message`, which is `channel`. */
export interface ContactRow {
  /** The sub-task. */
  task_id: string;
  /** The task in which it was given, and whose result it is. */
  parent_id: string;
  action: ContactAction | 'channel';
  priority: Priority;
  /**
   * `pending`; `asked`: it has a question, and `ended`: its result is there, of which the one above is still to be told;
   * `given`: it was; `late`: nobody waits for it any more.
   */
  state: 'pending' | 'asked' | 'ended' | 'given' | 'late';
  /** An `ask` is waited for until then, in running time. */
  until: number | null;
  /** The message with what the one above is told; none of `channel`, where the words themselves stand before everybody. */
  result_id: string | null;
  at: number;
}

/** Messages that the platform posted for an agent's call. */
export interface MessageSourceRow {
  message_id: string;
  source: 'agent_contact' | 'delegation_result';
}

/** A call that waits for a person's yes, or has had its answer. Its id is the checkpoint's. */
export interface ApprovalRow {
  id: string;
  /** Or the invocation. */
  task_id: string;
  agent_id: string;
  /** The tool. */
  name: string;
  /** Of a contact: with whom. */
  target_id: string | null;
  /** Of its exact arguments: other arguments are another call. */
  digest: string;
  /** The arguments as JSON, until the task is over. */
  input: string;
  why: ApprovalWhy;
  state: Stored<'pending' | 'approved' | 'used' | 'denied' | 'expired'>;
  until: number;
  reminded: number;
  at: number;
  answered_at: number | null;
  /** Of the task when it was answered: turns after that one know of it. */
  answered_lease: number | null;
  /** The turn that made the call. */
  used_in: string | null;
}

export interface ToolServerRow {
  name: string;
  kind: 'stdio' | 'http';
  config: string;
  version: number;
  set_by: string | null;
  at: number;
}

/** What a server said of a tool when it first listed it; only an admin widens it (SYS-13). */
export interface ToolPinRow {
  server: string;
  tool: string;
  access: 'read' | 'write';
  at: number;
}

/** A provider's key or a shared secret, sealed under the hub's own key: never in clear. */
export interface SecretRow {
  name: string;
  sealed: string;
  set_by: string | null;
  at: number;
}

/** A host that a secret may be sent to. */
export interface SecretHostRow {
  name: string;
  host: string;
  at: number;
}

/** An entry of the audit log. Its fact has the same place in the stream. */
export interface AuditRow {
  id: string;
  seq: number;
  kind: AuditKind;
  actor_id: string | null;
  /** Whose request or trigger it was. */
  for_id: string | null;
  name: string;
  target_id: string | null;
  /** A task, an invocation or a conversation. */
  subject_id: string | null;
  conversation_id: string | null;
  chain_id: string | null;
  approver_id: string | null;
  /** JSON, without private values; empty once it was erased. */
  arguments: string;
  outcome: AuditOutcome;
  at: number;
  ended_at: number | null;
}

export interface AgentRows {
  audit_entries: AuditRow;
  identities: IdentityRow;
  identity_versions: IdentityVersionRow;
  tags: TagRow;
  contact_rules: ContactRuleRow;
  approved_pairs: ApprovedPairRow;
  contacts: ContactRow;
  message_sources: MessageSourceRow;
  approvals: ApprovalRow;
  tool_servers: ToolServerRow;
  tool_pins: ToolPinRow;
  secrets: SecretRow;
  secret_hosts: SecretHostRow;
}

export const agentTables = {
  audit_entries: {
    columns: {
      id: 'text',
      seq: 'int',
      kind: 'text',
      actor_id: 'text?',
      for_id: 'text?',
      name: 'text',
      target_id: 'text?',
      subject_id: 'text?',
      conversation_id: 'text?',
      chain_id: 'text?',
      approver_id: 'text?',
      arguments: 'text',
      outcome: 'text',
      at: 'int',
      ended_at: 'int?',
    },
    key: ['id'],
    lookups: { chain: { columns: ['chain_id'] } },
  },
  identities: {
    columns: { agent_id: 'text', version: 'int', mode: 'text', data: 'text', source: 'text', at: 'int' },
    key: ['agent_id'],
    lookups: {},
  },
  identity_versions: {
    columns: { agent_id: 'text', version: 'int', data: 'text', changed_by: 'text?', at: 'int' },
    key: ['agent_id', 'version'],
    lookups: { agent: { columns: ['agent_id'] }, author: { columns: ['changed_by'] } },
  },
  tags: {
    columns: { chain_id: 'text', task_id: 'text', field: 'text', owner_id: 'text', held: 'text' },
    key: ['task_id', 'field', 'owner_id'],
    lookups: { chain: { columns: ['chain_id'] }, owner: { columns: ['owner_id'] } },
  },
  contact_rules: {
    columns: { agent_id: 'text', target: 'text', permission: 'text', requires_approval: 'int', set_by: 'text?', at: 'int' },
    key: ['agent_id', 'target'],
    lookups: { agent: { columns: ['agent_id'] }, target: { columns: ['target'] } },
  },
  approved_pairs: {
    columns: { agent_id: 'text', target_id: 'text', approved_by: 'text?', at: 'int' },
    key: ['agent_id', 'target_id'],
    lookups: { agent: { columns: ['agent_id'] }, target: { columns: ['target_id'] } },
  },
  contacts: {
    columns: {
      task_id: 'text',
      parent_id: 'text',
      action: 'text',
      priority: 'text',
      state: 'text',
      until: 'int?',
      result_id: 'text?',
      at: 'int',
    },
    key: ['task_id'],
    lookups: { parent: { columns: ['parent_id', 'state'] } },
  },
  message_sources: {
    columns: { message_id: 'text', source: 'text' },
    key: ['message_id'],
    lookups: {},
  },
  approvals: {
    columns: {
      id: 'text',
      task_id: 'text',
      agent_id: 'text',
      name: 'text',
      target_id: 'text?',
      digest: 'text',
      input: 'text',
      why: 'text',
      state: 'text',
      until: 'int',
      reminded: 'int',
      at: 'int',
      answered_at: 'int?',
      answered_lease: 'int?',
      used_in: 'text?',
    },
    key: ['id'],
    lookups: { task: { columns: ['task_id', 'state'] }, whole: { columns: ['task_id'] }, agent: { columns: ['agent_id', 'state'] } },
  },
  tool_servers: {
    columns: { name: 'text', kind: 'text', config: 'text', version: 'int', set_by: 'text?', at: 'int' },
    key: ['name'],
    lookups: { kind: { columns: ['kind'] } },
  },
  tool_pins: {
    columns: { server: 'text', tool: 'text', access: 'text', at: 'int' },
    key: ['server', 'tool'],
    lookups: { server: { columns: ['server'] } },
  },
  secrets: {
    columns: { name: 'text', sealed: 'text', set_by: 'text?', at: 'int' },
    key: ['name'],
    lookups: { setter: { columns: ['set_by'] } },
  },
  secret_hosts: {
    columns: { name: 'text', host: 'text', at: 'int' },
    key: ['name', 'host'],
    lookups: { name: { columns: ['name'] } },
  },
} as const satisfies { readonly [T in keyof AgentRows]: TableSpec<AgentRows[T]> };
