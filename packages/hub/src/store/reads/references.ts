// What must be true between rows, each as a read of the ids for which it is not.

export interface Reference {
  kind: string;
  /** What is wrong with the one that is found. */
  what: string;
  sql: string;
}

/** Checksums cannot see a row that is gone; what refers to it can. */
export const references: readonly Reference[] = [
  [
    'message',
    'is in a conversation that is not there',
    'messages m left join conversations c on c.id = m.conversation_id where c.id is null',
    'm.id',
  ],
  [
    'message',
    'has no fact that says it was posted',
    "messages m left join facts f on f.seq = m.seq and f.type = 'message.posted' and f.subject_id = m.id where f.seq is null",
    'm.id',
  ],
  [
    'message',
    'was posted and is not there',
    "facts f left join messages m on m.id = f.subject_id where f.type = 'message.posted' and m.id is null",
    'f.subject_id',
  ],
  [
    'member',
    'was added and is not there',
    "facts f left join members m on m.id = f.subject_id where f.type = 'member.added' and m.id is null",
    'f.subject_id',
  ],
  [
    'conversation',
    'was created and is not there',
    "facts f left join conversations c on c.id = f.subject_id where f.type = 'conversation.created' and c.id is null",
    'f.subject_id',
  ],
  [
    'thread',
    'hangs in a conversation that is not there',
    'conversations t left join conversations c on c.id = t.parent_id where t.parent_id is not null and c.id is null',
    't.id',
  ],
  [
    'membership',
    'is of a conversation or member that is not there',
    'memberships s left join conversations c on c.id = s.conversation_id left join members m on m.id = s.member_id where c.id is null or m.id is null',
    "s.conversation_id || '/' || s.member_id",
  ],
  [
    'version',
    'is of a message that is not there',
    'message_versions v left join messages m on m.id = v.message_id where m.id is null',
    'v.message_id',
  ],
  [
    'reaction',
    'is to a message that is not there',
    'reactions r left join messages m on m.id = r.message_id where m.id is null',
    'r.message_id',
  ],
  [
    'attachment',
    'is of a message that is not there',
    'attachments a left join messages m on m.id = a.message_id where a.message_id is not null and m.id is null',
    'a.id',
  ],
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
  [
    'approval',
    'was asked for and is not there',
    "facts f left join approvals a on a.id = f.subject_id where f.type = 'approval.asked' and a.id is null",
    'f.subject_id',
  ],
  [
    'approval',
    'was answered and is pending again',
    "facts f join approvals a on a.id = f.subject_id where f.type = 'approval.answered' and a.state = 'pending'",
    'f.subject_id',
  ],
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
  [
    'token',
    'was created and is not there',
    "facts f left join tokens t on t.id = f.subject_id where f.type = 'token.created' and t.id is null",
    'f.subject_id',
  ],
  [
    'token',
    'was revoked and is valid again',
    "facts f join tokens t on t.id = f.subject_id where f.type = 'token.revoked' and t.revoked_at is null",
    'f.subject_id',
  ],
  [
    'message',
    'was deleted and has its text again',
    "facts f join messages m on m.id = f.subject_id where f.type = 'message.deleted' and m.body is not null",
    'f.subject_id',
  ],
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
    `members m join facts f on f.seq = (select max(l.seq) from facts l where l.subject_id = m.id and l.type = 'member.edited'
       and l.data like '%"role":"%') where f.data not like '%"role":"' || m.role || '"%'`,
    'm.id',
  ],
  [
    'link',
    'was created and is not there',
    "facts f left join links k on k.id = f.subject_id where f.type = 'link.created' and k.id is null",
    'f.subject_id',
  ],
  [
    'link',
    'was used or revoked and is open again',
    "facts f join links k on k.id = f.subject_id where f.type in ('link.used', 'link.revoked') and k.used_at is null",
    'f.subject_id',
  ],
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
  ['token', 'is of a member that is not there', 'tokens t left join members m on m.id = t.member_id where m.id is null', 't.id'],
].map(([kind, what, from, id]) => ({ kind: kind!, what: what!, sql: `select ${id} as id from ${from} order by 1 limit 10000` }));
