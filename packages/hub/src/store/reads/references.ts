// What must be true between rows, each as a read of the ids for which it is not.

import type { FactType } from '../fact-data.ts';
import type { TableName } from '../tables.ts';

export interface Reference {
  kind: string;
  /** What is wrong with the one that is found. */
  what: string;
  sql: string;
}

type Check = [kind: string, what: string, from: string, id: string];

/** A row names another that is not there. */
const orphan = (kind: string, what: string, [table, column, id]: readonly [TableName, string, string], parent: TableName): Check => [
  kind,
  what,
  `${table} t left join ${parent} p on p.id = t.${column} where t.${column} is not null and p.id is null`,
  `t.${id}`,
];
/** A fact says that a row was made. `only`: which of them. */
const gone = (kind: string, what: string, type: FactType, table: TableName, { key = 'id', only = 'f.seq > 0' } = {}): Check => [
  kind,
  what,
  `facts f left join ${table} t on t.${key} = f.subject_id where f.type = '${type}' and t.${key} is null and ${only}`,
  'f.subject_id',
];
/** A fact says that a row changed for good. */
const undone = (kind: string, what: string, types: readonly FactType[], table: TableName, isUndone: string): Check => [
  kind,
  what,
  `facts f join ${table} t on t.id = f.subject_id where f.type in ('${types.join("', '")}') and t.${isUndone}`,
  'f.subject_id',
];

const serverFact = (fact: string, change: 'set' | 'removed'): string =>
  `${fact}.type = 'tool_server.changed' and ${fact}.data like '%"change":"${change}"%'`;
const pinFact = (fact: string, key: 'pinned' | 'accepted'): string =>
  `${fact}.type = 'tool_server.changed' and ${fact}.data like '{"${key}":%'`;
/** The secret's name ends before the last two characters of such a fact. */
const unbinds = (fact: string): string =>
  `(${fact}.type = 'secret.removed' or (${fact}.type in ('secret.set', 'secret.bound') and ${fact}.data like '%"hosts":[]}'))`;

/** Chains that are long over are removed with all of their events, and this setting says up to when. */
const kept = { only: "f.at > coalesce((select cast(s.value as bigint) from settings s where s.key = 'provoke.gone'), 0)" };

/** Checksums cannot see a row that is gone; what refers to it can. */
const checks: readonly Check[] = [
  orphan('message', 'is in a conversation that is not there', ['messages', 'conversation_id', 'id'], 'conversations'),
  [
    'message',
    'has no fact that says it was posted',
    "messages m left join facts f on f.seq = m.seq and f.type = 'message.posted' and f.subject_id = m.id where f.seq is null",
    'm.id',
  ],
  gone('message', 'was posted and is not there', 'message.posted', 'messages'),
  gone('member', 'was added and is not there', 'member.added', 'members'),
  gone('conversation', 'was created and is not there', 'conversation.created', 'conversations'),
  orphan('thread', 'hangs in a conversation that is not there', ['conversations', 'parent_id', 'id'], 'conversations'),
  [
    'membership',
    'is of a conversation or member that is not there',
    'memberships s left join conversations c on c.id = s.conversation_id left join members m on m.id = s.member_id where c.id is null or m.id is null',
    "s.conversation_id || '/' || s.member_id",
  ],
  orphan('version', 'is of a message that is not there', ['message_versions', 'message_id', 'message_id'], 'messages'),
  orphan('reaction', 'is to a message that is not there', ['reactions', 'message_id', 'message_id'], 'messages'),
  orphan('attachment', 'is of a message that is not there', ['attachments', 'message_id', 'id'], 'messages'),
  [
    'membership',
    'was added and is not there',
    `facts f left join memberships s on s.conversation_id = f.conversation_id and s.member_id = f.member_id
     where f.type = 'membership.added' and s.member_id is null and not exists (select 1 from facts l
       where l.type = 'membership.removed' and l.conversation_id = f.conversation_id and l.member_id = f.member_id and l.seq > f.seq)`,
    "f.conversation_id || '/' || f.member_id",
  ],
  [
    'membership',
    'was removed and is there again',
    `memberships s join facts f on f.type = 'membership.removed' and f.conversation_id = s.conversation_id and f.member_id = s.member_id
     where f.seq > s.joined_seq`,
    "s.conversation_id || '/' || s.member_id",
  ],
  [
    'task',
    'was tainted and is not any more',
    `facts f where f.type = 'task.tainted' and not exists (select 1 from taints t where t.task_id = f.subject_id
       and f.data like '%"by":"' || t.kind || '"%')`,
    'f.subject_id',
  ],
  gone('approval', 'was asked for and is not there', 'approval.asked', 'approvals'),
  undone('approval', 'was answered and is pending again', ['approval.answered'], 'approvals', "state = 'pending'"),
  [
    'audit entry',
    'was recorded and is not there',
    `facts f left join audit_entries a on a.seq = f.seq where f.data like '%"audited":true%' and a.seq is null`,
    'f.seq',
  ],
  [
    'audit entry',
    'has no fact that says it was recorded',
    `audit_entries a left join facts f on f.seq = a.seq and f.data like '%"audited":true%' where f.seq is null`,
    'a.id',
  ],
  gone('token', 'was created and is not there', 'token.created', 'tokens'),
  undone('token', 'was revoked and is valid again', ['token.revoked'], 'tokens', 'revoked_at is null'),
  undone('message', 'was deleted and has its text again', ['message.deleted'], 'messages', 'body is not null'),
  [
    'message',
    'is an earlier version than the facts say',
    `messages m join (select subject_id, count(*) as edits from facts where type = 'message.edited' group by subject_id) e
     on e.subject_id = m.id where m.body is not null and m.version < e.edits + 1`,
    'm.id',
  ],
  [
    'member',
    'has another status than the facts say',
    `members m join facts f on f.seq = (select max(l.seq) from facts l where l.subject_id = m.id and l.type = 'member.edited'
       and l.data like '%"status":"%') where f.data not like '%"status":"' || m.status || '"%'`,
    'm.id',
  ],
  [
    'member',
    'has another role than the facts say',
    // A change of long ago says that there was one, and not to which role.
    `members m join facts f on f.seq = (select max(l.seq) from facts l where l.subject_id = m.id
       and l.type in ('member.added', 'member.edited') and l.data like '%"role"%')
     where f.data like '%"role":"%' and f.data not like '%"role":"' || m.role || '"%'`,
    'm.id',
  ],
  gone('link', 'was created and is not there', 'link.created', 'links'),
  undone('link', 'was used or revoked and is open again', ['link.used', 'link.revoked'], 'links', 'used_at is null'),
  [
    'agent',
    'has another version of its identity than the facts say',
    `members m join facts f on f.seq = (select max(l.seq) from facts l where l.subject_id = m.id and l.type = 'identity.changed')
       left join identities i on i.agent_id = m.id
     where m.status <> 'erased' and (i.agent_id is null or f.data not like '%"version":' || i.version || ',%')`,
    'm.id',
  ],
  [
    'contact rule',
    'was set and is not there',
    `facts f where f.type = 'contact.ruled'
       and not exists (select 1 from contact_rules r where r.agent_id = f.subject_id and f.data like '{"target":"' || r.target || '",%')
       and not exists (select 1 from facts l where l.type = 'contact.cleared' and l.subject_id = f.subject_id and l.seq > f.seq
         and substr(f.data, 1, length(l.data) - 1) = substr(l.data, 1, length(l.data) - 1))`,
    'f.subject_id',
  ],
  [
    'contact rule',
    'is another than the facts say',
    `contact_rules r join facts f on f.seq = (select max(l.seq) from facts l where l.subject_id = r.agent_id and l.type = 'contact.ruled'
       and l.data like '{"target":"' || r.target || '",%')
     where f.data not like '%"permission":"' || r.permission || '"%'
       or f.data not like '%"requiresApproval":' || case r.requires_approval when 1 then 'true' else 'false' end || '%'`,
    "r.agent_id || '/' || r.target",
  ],
  [
    '',
    'was written and is not there',
    `facts f left join provoke_objects o on f.subject_id = o.kind || ':' || o.id where f.type = 'provoke.changed' and o.id is null`,
    'f.subject_id',
  ],
  [
    '',
    'is another version than the facts say',
    `provoke_objects o join facts f on f.seq = (select max(l.seq) from facts l where l.subject_id = o.kind || ':' || o.id
       and l.type = 'provoke.changed') where f.data not like '%"version":' || o.version || ',%'`,
    "o.kind || ':' || o.id",
  ],
  gone('task', 'was opened and is not there', 'task.opened', 'tasks'),
  [
    'negotiation',
    'was opened and is not there',
    `facts f join members m on m.id = f.member_id and m.status <> 'erased'
     left join negotiations n on n.member_id = f.member_id and n.thread_id = f.subject_id
     where f.type = 'negotiation.opened' and n.thread_id is null`,
    'f.subject_id',
  ],
  [
    'negotiation',
    'has another state than the facts say',
    `negotiations n join facts f on f.seq = (select max(l.seq) from facts l where l.type = 'negotiation.changed'
       and l.subject_id = n.thread_id and l.member_id = n.member_id)
     where f.data <> '{"state":"' || n.state || '","open":' || case n.open when 1 then 'true' else 'false' end || '}'`,
    'n.thread_id',
  ],
  [
    'negotiation',
    'is in no fact, or was opened and never changed and has another state',
    `negotiations n left join facts f on f.type = 'negotiation.opened' and f.subject_id = n.thread_id and f.member_id = n.member_id
     where f.seq is null or ((n.state <> 'OPENING' or n.open <> 1) and not exists (select 1 from facts l
       where l.type = 'negotiation.changed' and l.subject_id = n.thread_id and l.member_id = n.member_id))`,
    'n.thread_id',
  ],
  [
    'peer',
    'is in no fact, or of an erased member',
    `peers p left join facts f on f.type = 'peer.made' and f.subject_id = p.member_id left join members m on m.id = p.member_id
     where f.seq is null or m.id is null or m.status = 'erased'`,
    'p.member_id',
  ],
  orphan('task', 'belongs to a chain that is not there', ['tasks', 'chain_id', 'id'], 'chains'),
  [
    'agent',
    'has fewer budgets than days with turns',
    // Without its row a day's budget would be whole again. The days are counted, because the two engines write a date differently.
    `(select agent_id, count(distinct started_at / 86400000) as days from turns group by agent_id) t
     where t.days > (select count(*) from purses p where p.id like 'agent:' || t.agent_id || ':%')`,
    't.agent_id',
  ],
  [
    'peer',
    'was made and is not there',
    `facts f join members m on m.id = f.subject_id and m.status <> 'erased' left join peers p on p.member_id = m.id
     where f.type = 'peer.made' and p.member_id is null`,
    'f.subject_id',
  ],
  gone('checkpoint', 'was opened and is not there', 'checkpoint.opened', 'checkpoints'),
  gone('attachment', 'was added and is not there', 'attachment.added', 'attachments'),
  [
    'message',
    'lacks an earlier version',
    'messages m where m.body is not null and m.version > 1 + (select count(*) from message_versions v where v.message_id = m.id)',
    'm.id',
  ],
  gone('team role', 'was added and is not there', 'role.added', 'roles', {
    only: "not exists (select 1 from facts l where l.type = 'role.removed' and l.subject_id = f.subject_id)",
  }),
  [
    'tool server',
    'was set and is not there',
    `facts f left join tool_servers t on t.name = f.subject_id where ${serverFact('f', 'set')} and t.name is null
       and not exists (select 1 from facts l where ${serverFact('l', 'removed')} and l.subject_id = f.subject_id and l.seq > f.seq)`,
    'f.subject_id',
  ],
  [
    'tool server',
    'is an earlier version than the facts say',
    `tool_servers t left join facts f on f.seq = (select max(l.seq) from facts l where ${serverFact('l', 'removed')} and l.subject_id = t.name)
     where t.version < (select count(*) from facts l where ${serverFact('l', 'set')} and l.subject_id = t.name and l.seq > coalesce(f.seq, 0))
       or (f.seq is not null and not exists (select 1 from facts l where ${serverFact('l', 'set')} and l.subject_id = t.name and l.seq > f.seq))`,
    't.name',
  ],
  [
    'pinned',
    'are fewer than the facts say',
    // Each tool that such a fact names has one `":"` in it.
    `(select distinct subject_id as name from facts f where ${pinFact('f', 'pinned')}) s
     where (select count(*) from tool_pins p where p.server = s.name) <
       (select coalesce(sum((length(f.data) - length(replace(f.data, '":"', ''))) / 3), 0) from facts f
        where ${pinFact('f', 'pinned')} and f.subject_id = s.name
          and f.seq > coalesce((select max(l.seq) from facts l where ${serverFact('l', 'removed')} and l.subject_id = s.name), 0))`,
    "'tools of ' || s.name",
  ],
  [
    'pinned',
    'has another access than the facts say',
    `tool_pins p join facts f on f.seq = (select max(l.seq) from facts l where (${pinFact('l', 'pinned')} or ${pinFact('l', 'accepted')})
       and l.subject_id = p.server and replace(l.data, '"' || p.tool || '":"', '') <> l.data)
     where replace(f.data, '"' || p.tool || '":"' || p.access || '"', '') = f.data`,
    "'tool ' || p.server || '/' || p.tool",
  ],
  [
    'block',
    'was made and is not there',
    `facts f where f.type = 'agent.blocked'
       and not exists (select 1 from agent_blocks b where b.agent_id = f.subject_id and f.data = '{"member":"' || b.member_id || '"}')
       and not exists (select 1 from facts l where l.type = 'agent.unblocked' and l.subject_id = f.subject_id and l.data = f.data and l.seq > f.seq)
       and not exists (select 1 from members m where m.status = 'erased' and (m.id = f.subject_id or f.data = '{"member":"' || m.id || '"}'))`,
    'f.subject_id',
  ],
  [
    'block',
    'was lifted and is there again',
    `agent_blocks b join facts f on f.seq = (select max(l.seq) from facts l where l.type in ('agent.blocked', 'agent.unblocked')
       and l.subject_id = b.agent_id and l.data = '{"member":"' || b.member_id || '"}') where f.type = 'agent.unblocked'`,
    "b.agent_id || '/' || b.member_id",
  ],
  [
    'sharing rules',
    'are missing or of another version than the facts say',
    // Without them the defaults would hold, or tiers that the person has changed since.
    `members m join facts f on f.seq = (select max(l.seq) from facts l where l.type = 'sharing.changed' and l.subject_id = m.id)
     left join sharing_rules s on s.member_id = m.id
     where m.status <> 'erased' and (s.member_id is null or f.data <> '{"version":' || s.version || '}')`,
    'm.id',
  ],
  [
    'secret',
    'is bound to another host than the facts say',
    `secret_hosts h left join facts f on f.seq = (select max(l.seq) from facts l
       where l.type in ('secret.set', 'secret.bound', 'secret.removed') and substr(l.data, 1, length(h.name) + 10) = '{"name":"' || h.name || '"')
     where f.seq is null or f.data not like '%"' || h.host || '"%'`,
    'h.name',
  ],
  [
    'secret',
    'was bound to hosts and is bound to none',
    `facts f where f.type in ('secret.set', 'secret.bound') and f.data like '%"hosts":["%'
       and not exists (select 1 from secret_hosts h where substr(f.data, 1, length(h.name) + 10) = '{"name":"' || h.name || '"')
       and not exists (select 1 from facts l where l.seq > f.seq and ${unbinds('l')}
         and substr(f.data, 1, length(l.data) - 2) = substr(l.data, 1, length(l.data) - 2))`,
    'f.data',
  ],
  [
    'team role',
    'has other holders than the facts say',
    `roles r join facts f on f.seq = (select max(l.seq) from facts l where l.subject_id = r.id and l.type in ('role.added', 'role.edited')
       and l.data like '%"holders":%')
     where f.data not like '%"holders":' || (select count(*) from role_holders h where h.role_id = r.id) || '}'`,
    'r.id',
  ],
  gone('agent', 'was edited and is not there', 'agent.edited', 'agents', { key: 'member_id' }),
  [
    'agent',
    'lacks an earlier version of its identity',
    // So many are kept.
    `identities i where (select count(*) from identity_versions v where v.agent_id = i.agent_id)
       < case when i.version < 100 then i.version else 100 end`,
    'i.agent_id',
  ],
  [
    'handover',
    'was offered and is not there',
    `checkpoints c left join agent_handovers h on h.checkpoint_id = c.id
     where c.kind = 'agent_handover' and c.open = 1 and h.agent_id is null`,
    'c.id',
  ],
  gone('token', 'was made for a source and speaks for none', 'token.created', 'source_tokens', {
    key: 'token_id',
    only: `f.data like '%"source":true}'`,
  }),
  gone('borrowed access', 'was recorded and is not there', 'access.borrowed', 'borrowed_access', {
    key: 'subject_id',
    only: `f.data = '{"borrowed":true}'
       and not exists (select 1 from facts l where l.type = 'access.borrowed' and l.subject_id = f.subject_id and l.seq > f.seq)`,
  }),
  gone('event', 'was accepted and is not there', 'event.accepted', 'events', kept),
  gone('invocation', 'was started and is not there', 'invocation.started', 'invocations', kept),
  [
    'setting',
    'is not what the facts say',
    `facts f left join settings s on s.key = 'halted' and s.value <> 'null'
     where f.seq = (select max(l.seq) from facts l where l.type = 'workspace.halted')
       and (f.data like '%"halted":true%') <> (s.key is not null)`,
    "'halted'",
  ],
  orphan('token', 'is of a member that is not there', ['tokens', 'member_id', 'id'], 'members'),
];

export const references: readonly Reference[] = checks.map(([kind, what, from, id]) => ({
  kind,
  what,
  sql: `select ${id} as id from ${from} order by 1 limit 10000`,
}));
