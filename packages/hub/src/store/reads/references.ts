// Conditions between rows. Each is a read of the IDs that break it.

import type { FactType } from '../fact-data.ts';
import type { TableName } from '../tables.ts';

export interface Reference {
  kind: string;
  /** The problem of a row that the read finds. */
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
const missingTarget = (kind: string, what: string, type: FactType, table: TableName, { key = 'id', only = 'f.seq > 0' } = {}): Check => [
  kind,
  what,
  `facts f left join ${table} t on t.${key} = f.subject_id where f.type = '${type}' and t.${key} is null and ${only}`,
  'f.subject_id',
];
/** Chains that are long over are removed with all of their events, and this setting says up to when. */
const sincePurge = { only: "f.at > coalesce((select cast(s.value as bigint) from settings s where s.key = 'provoke.gone'), 0)" };

/** The sums of tables tell that rows are gone or were put back (table-sums.ts); these tell which, where something refers to them. */
const checks: readonly Check[] = [
  orphan('message', 'is in a conversation that is not there', ['messages', 'conversation_id', 'id'], 'conversations'),
  [
    'message',
    'has no fact that says it was posted',
    "messages m left join facts f on f.seq = m.seq and f.type = 'message.posted' and f.subject_id = m.id where f.seq is null",
    'm.id',
  ],
  missingTarget('message', 'was posted and is not there', 'message.posted', 'messages'),
  missingTarget('member', 'was added and is not there', 'member.added', 'members'),
  missingTarget('conversation', 'was created and is not there', 'conversation.created', 'conversations'),
  orphan('thread', 'hangs in a conversation that is not there', ['conversations', 'parent_id', 'id'], 'conversations'),
  [
    'membership',
    'is of a conversation or member that is not there',
    'memberships s left join conversations c on c.id = s.conversation_id left join members m on m.id = s.member_id where c.id is null or m.id is null',
    "s.conversation_id || '/' || s.member_id",
  ],
  [
    'membership',
    'was added and is not there',
    `facts f left join memberships s on s.conversation_id = f.conversation_id and s.member_id = f.member_id
     where f.type = 'membership.added' and s.member_id is null and not exists (select 1 from facts l
       where l.type = 'membership.removed' and l.conversation_id = f.conversation_id and l.member_id = f.member_id and l.seq > f.seq)`,
    "f.conversation_id || '/' || f.member_id",
  ],
  orphan('version', 'is of a message that is not there', ['message_versions', 'message_id', 'message_id'], 'messages'),
  orphan('reaction', 'is to a message that is not there', ['reactions', 'message_id', 'message_id'], 'messages'),
  orphan('attachment', 'is of a message that is not there', ['attachments', 'message_id', 'id'], 'messages'),
  orphan('token', 'is of a member that is not there', ['tokens', 'member_id', 'id'], 'members'),
  orphan('task', 'belongs to a chain that is not there', ['tasks', 'chain_id', 'id'], 'chains'),
  missingTarget('attachment', 'was added and is not there', 'attachment.added', 'attachments'),
  missingTarget('token', 'was created and is not there', 'token.created', 'tokens'),
  missingTarget('link', 'was created and is not there', 'link.created', 'links'),
  missingTarget('agent', 'was edited and is not there', 'agent.edited', 'agents', { key: 'member_id' }),
  missingTarget('task', 'was opened and is not there', 'task.opened', 'tasks'),
  missingTarget('approval', 'was asked for and is not there', 'approval.asked', 'approvals'),
  missingTarget('checkpoint', 'was opened and is not there', 'checkpoint.opened', 'checkpoints'),
  missingTarget('event', 'was accepted and is not there', 'event.accepted', 'events', sincePurge),
  missingTarget('invocation', 'was started and is not there', 'invocation.started', 'invocations', sincePurge),
];

export const references: readonly Reference[] = checks.map(([kind, what, from, id]) => ({
  kind,
  what,
  sql: `select ${id} as id from ${from} order by 1 limit 10000`,
}));
