// The tables of agents that work together: who they are, whom they may contact, their delegations, approvals, the tool
// servers they use and the keys they need.

import type { ApprovalWhy, BehaviourMode, ContactAction, Priority } from '@parley/core';
import type { AuditKind, AuditOutcome } from '@parley/protocol';
import type { Stored } from './stored-values.ts';
import { table, words } from './table.ts';

export const agentTables = {
  /**
   * An entry of the audit log. Its fact has the same place in the stream.
   * `for_id`: whose request or trigger it was.
   * `subject_id`: a task, an invocation or a conversation.
   * `arguments`: JSON, without private values; empty once it was erased.
   */
  audit_entries: table({
    columns: `id, seq int, kind, actor_id?, for_id?, name, target_id?, subject_id?, conversation_id?, chain_id?, approver_id?, arguments,
      outcome, at int, ended_at int?`,
    words: words<{ kind: AuditKind; outcome: AuditOutcome }>(),
    key: 'id',
    lookups: { chain: 'chain_id', about: 'kind, target_id' },
  }),
  /**
   * What an agent is made of, as it is now; `data` is the identity in JSON, without what stands in its member row.
   * `source`: where it is edited: over the API, or in a folder of files.
   */
  identities: table({
    columns: 'agent_id, version int, mode, data, source, at int',
    words: words<{ mode: BehaviourMode; source: 'api' | 'folder' }>(),
    key: 'agent_id',
  }),
  identity_versions: table({
    columns: 'agent_id, version int, data, changed_by?, at int',
    key: 'agent_id, version',
    lookups: { agent: 'agent_id', author: 'changed_by' },
  }),
  /**
   * Read in a chain of tasks, of a person's own: it leaves only as its owner's tier allows (SYS-6). Gone with the chain.
   * `held`: a JSON list of texts.
   */
  tags: table({
    columns: 'chain_id, task_id, field, owner_id, held',
    key: 'task_id, field, owner_id',
    lookups: { chain: 'chain_id', owner: 'owner_id' },
  }),
  /** The access of one agent to another, or to all (`*`). */
  contact_rules: table({
    columns: 'agent_id, target, permission, requires_approval int, set_by?, at int',
    words: words<{ permission: 'allow' | 'deny' }>(),
    key: 'agent_id, target',
    lookups: { agent: 'agent_id', target: 'target' },
  }),
  /** A person approved this agent's contact with that one for good. */
  approved_pairs: table({
    columns: 'agent_id, target_id, approved_by?, at int',
    key: 'agent_id, target_id',
    lookups: { agent: 'agent_id', target: 'target_id' },
  }),
  /**
   * A sub-task that one agent gave another by `contact_agent`, or by naming it with `send_channel_message`, which is
   * `channel`.
   * `task_id`: the sub-task; or the negotiation, which is no task of an agent.
   * `parent_id`: the task in which it was given, and whose result it is.
   * `state`: `pending`; `asked`: it has a question, and `ended`: its result is there, neither of which the task above has got
   * yet; `given`: it has; `late`: nobody waits for it any more.
   * `until`: an `ask` is waited for until then, in running time.
   * `result_id`: the message for the task above; none of `channel`, where everybody has the words already.
   */
  contacts: table({
    columns: 'task_id, parent_id, action, priority, state, until int?, result_id?, at int',
    words: words<{
      action: ContactAction | 'channel' | 'negotiation';
      priority: Priority;
      state: 'pending' | 'asked' | 'ended' | 'given' | 'late';
    }>(),
    key: 'task_id',
    lookups: { parent: 'parent_id, state' },
  }),
  /** Messages that the platform posted for an agent's call. */
  message_sources: table({
    columns: 'message_id, source',
    words: words<{ source: 'agent_contact' | 'delegation_result' }>(),
    key: 'message_id',
  }),
  /**
   * A call that waits for a person's approval, or has had its answer. Its id is the checkpoint's.
   * `task_id`: or the invocation.
   * `name`: the tool.
   * `target_id`: of a contact: with whom.
   * `digest`: of its exact arguments: other arguments are another call.
   * `input`: the arguments as JSON, until the task is over.
   * `answered_lease`: of the task when it was answered: turns after that one know of it.
   * `used_in`: the turn that made the call.
   */
  approvals: table({
    columns: `id, task_id, agent_id, name, target_id?, digest, input, why, state, until int, reminded int, at int, answered_at int?,
      answered_lease int?, used_in?`,
    words: words<{ why: ApprovalWhy; state: Stored<'pending' | 'approved' | 'used' | 'denied' | 'expired'> }>(),
    key: 'id',
    lookups: { task: 'task_id, state', whole: 'task_id', agent: 'agent_id, state' },
  }),
  tool_servers: table({
    columns: 'name, kind, config, version int, set_by?, at int',
    words: words<{ kind: 'stdio' | 'http' }>(),
    key: 'name',
    lookups: { kind: 'kind' },
  }),
  /** The access that a server claimed for a tool at its first listing; only an admin widens it (SYS-13). */
  tool_pins: table({
    columns: 'server, tool, access, at int',
    words: words<{ access: 'read' | 'write' }>(),
    key: 'server, tool',
    lookups: { server: 'server' },
  }),
  /** A provider's key or a shared secret, sealed under the hub's own key: never in clear. */
  secrets: table({ columns: 'name, sealed, set_by?, at int', key: 'name', lookups: { setter: 'set_by' } }),
  /** A host that a secret may be sent to. */
  secret_hosts: table({ columns: 'name, host, at int', key: 'name, host', lookups: { name: 'name' } }),
};
