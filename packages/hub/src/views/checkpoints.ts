// Checkpoints as they are shown: ids get their names here, for the one who is asked.

import {
  approvalDetail,
  approvalReasons,
  approvalText,
  type ApprovalQuestion,
  type CheckpointNames,
  checkpointText,
  longestDetail,
  may,
  relationsToConversation,
  riskReason,
} from '@parley/core';
import type { Checkpoint } from '@parley/protocol';
import { choicesFor, dataOf, type OfferedAgent } from '../engine/steps/facts/checkpoints.ts';
import { asksToRun } from '../engine/steps/invocations/invocation-approvals.ts';
import type { ApprovalRow, CheckpointRow, ConversationRow, MemberRow } from '../store/tables.ts';
import type { Reader } from '../store/port.ts';
import { approvalEffects } from './approval-effect.ts';
import { recordedSenders } from './events.ts';
import { showColumns } from './row-views.ts';
import { wordOf } from '../store/stored-values.ts';

const mentionOf = ({ kind, handle }: Pick<MemberRow, 'kind' | 'handle'>): string => `${kind === 'agent' ? '^' : '@'}${handle}`;

/** The owner of the inbox, as its reader. */
const actorOf = ({ id, role }: MemberRow) => ({ type: 'member', id, kind: 'human', role, active: true, tokenKind: 'person' }) as const;

/** `most`: the length of the shown part of what an agent would do. */
export async function checkpointViews(reader: Reader, rows: readonly CheckpointRow[], most = longestDetail): Promise<Checkpoint[]> {
  if (rows.length === 0) return [];
  const approvals = await approvalsOf(reader, rows);
  const notRun = await notRunOf(reader, rows, [...approvals.values()]);
  const wouldNotRun = await approvalEffects(reader, [...approvals.values()]);
  const obligations = await reader.rows('obligations', { id: rows.flatMap((row) => dataOf(row).obligations ?? []) }, { order: 'seq' });
  const memberIds = rows.flatMap((row) => {
    const { agents = [], pair = [], from = [], offered } = dataOf(row);
    return [row.member_id, ...agents, pair, from, offered?.manager ?? []].flat();
  });
  const named = await reader.rows('members', { id: [...obligations.map((one) => one.author_id), ...memberIds] });
  const members = new Map(named.map((row) => [row.id, row]));
  const failures = await failuresOf(reader, rows, members);
  const lastMessages = await reader.rows('messages', { id: rows.flatMap((row) => dataOf(row).last ?? []) });
  const readable = await readables(
    reader,
    rows,
    [...obligations, ...lastMessages].map((one) => one.conversation_id),
    members,
  );
  return rows.map((row) => {
    const { obligations: ids = [], agents, from, turns, idle, offered } = dataOf(row);
    const ownObligations = obligations.filter((one) => ids.includes(one.id));
    const about = [...new Set(agents ?? (from === undefined ? undefined : [from]) ?? ownObligations.map((one) => one.author_id))]
      .flatMap((id) => members.get(id) ?? [])
      .map(mentionOf);
    const names = { about, count: turns ?? ids.length, idle, failed: failures.get(row.id), offered: namedOffer(offered, members) };
    const sees = (id: string | null): id is string => id !== null && readable.has(`${row.member_id} ${id}`);
    const messages = [
      { conversationId: row.conversation_id, messageId: row.message_id },
      ...ownObligations.map((one) => ({ conversationId: one.conversation_id, messageId: one.message_id })),
      ...lastMessages
        .filter((one) => one.id === dataOf(row).last)
        .map((one) => ({ conversationId: one.conversation_id, messageId: one.id })),
    ];
    const links = new Map(
      messages.flatMap(({ conversationId, messageId }) =>
        messageId !== null && sees(conversationId) ? [[messageId, { conversationId, messageId }] as const] : [],
      ),
    );
    return {
      ...showColumns(row, 'id, seq, kind, member_id, chain_id, created_at, closed_at, closed_by, choice'),
      agentId: approvals.get(row.id)?.agent_id ?? null,
      ...askedFor(row, approvals.get(row.id), members, most, checkpointText(row.kind, names)),
      wouldNotRun: row.open === 1 ? (wouldNotRun.get(row.id) ?? null) : null,
      choices: Object.entries(choicesFor(row)).map(([choice, label]) => ({ choice, label })),
      conversationId: sees(row.conversation_id) ? row.conversation_id : null,
      messageId: sees(row.conversation_id) ? row.message_id : null,
      obligationIds: ids,
      links: [...links.values()],
      open: row.open === 1,
      notRun: notRun.get(row.id) ?? null,
      card: null,
    };
  });
}

function namedOffer(offered: OfferedAgent | undefined, members: ReadonlyMap<string, MemberRow>): CheckpointNames['offered'] {
  if (!offered) return undefined;
  const manager = offered.manager === undefined ? undefined : members.get(offered.manager);
  return { version: offered.version, tokens: offered.tokens, manager: manager && mentionOf(manager) };
}

type Failures = ReadonlyMap<string, CheckpointNames['failed']>;

/** The reason of a failure is for those who may read the invocation: its owner's heir may not always. */
async function failuresOf(reader: Reader, rows: readonly CheckpointRow[], members: ReadonlyMap<string, MemberRow>): Promise<Failures> {
  const failed = rows.flatMap((row) => (dataOf(row).failed ? [{ ...dataOf(row).failed!, row }] : []));
  const found = await reader.rows('invocations', { id: failed.map(({ invocation }) => invocation) });
  const invocations = new Map(found.map((one) => [one.id, one]));
  return new Map(
    failed.map(({ row, ...one }) => {
      const [member, of] = [members.get(row.member_id), invocations.get(one.invocation)];
      const sees = member && of && may('trigger.see', actorOf(member), of.owner_id === member.id ? ['owner'] : []).allowed;
      return [row.id, { ...one, error: sees ? of.error : null }];
    }),
  );
}

async function approvalsOf(reader: Reader, rows: readonly CheckpointRow[]): Promise<Map<string, ApprovalRow>> {
  const ids = rows.filter(({ kind }) => kind === 'approval' || kind === 'may_have_happened').map(({ id }) => id);
  const found = await reader.rows('approvals', { id: ids });
  return new Map((await withEvents(reader, found)).map((row) => [row.id, row]));
}

/** Approved invocations that did not run. Asked for again, another checkpoint has the reason. */
async function notRunOf(
  reader: Reader,
  rows: readonly CheckpointRow[],
  approvals: readonly ApprovalRow[],
): Promise<Map<string, Checkpoint['notRun']>> {
  const yes = new Set(rows.filter(({ choice }) => choice === 'approve').map(({ id }) => id));
  const notRun = approvals.filter((row) => asksToRun(row) && wordOf(row.state) === 'expired' && yes.has(row.id));
  const found = new Map((await reader.rows('invocations', { id: notRun.map(({ task_id }) => task_id) })).map((one) => [one.id, one]));
  return new Map(
    notRun.flatMap(({ id, task_id }) => {
      const invocation = found.get(task_id);
      if (!invocation) return [];
      const { state, error, checkpoint_id } = invocation;
      if (checkpoint_id !== id)
        return [[id, { invocationId: task_id, why: 'It was asked for again since.', expired: true, again: false }] as const];
      const expired = wordOf(state) === 'expired';
      return [[id, { invocationId: task_id, why: error ?? '', expired, again: expired }] as const];
    }),
  );
}

/** The event is shown with an approval, as it is kept now; of an answered one only its id and type. */
async function withEvents(reader: Reader, rows: readonly ApprovalRow[]): Promise<ApprovalRow[]> {
  const inputs = new Map(rows.filter(asksToRun).map((row) => [row.id, JSON.parse(row.input) as { eventRef: string } | null]));
  if (inputs.size === 0) return [...rows];
  const over = rows.flatMap((row) => (inputs.get(row.id) === null ? row.task_id : []));
  const invocations = new Map((await reader.rows('invocations', { id: over })).map((one) => [one.id, one]));
  const events = await reader.rows('events', {
    id: [...[...inputs.values()].flatMap((input) => input?.eventRef ?? []), ...[...invocations.values()].map(({ event_ref }) => event_ref)],
  });
  const senders = await recordedSenders(reader, events);
  const bodies = new Map(
    events.map((row) => [row.id, { event: JSON.parse(row.body) as { id: string; type: string } | null, sender: senders(row) }]),
  );
  return rows.map((row) => {
    const input = inputs.get(row.id);
    if (input) return { ...row, input: JSON.stringify({ ...input, ...bodies.get(input.eventRef) }) };
    const invocation = input === null ? invocations.get(row.task_id) : undefined;
    if (!invocation) return row;
    const { id, type } = bodies.get(invocation.event_ref)?.event ?? {};
    return { ...row, input: JSON.stringify({ over: true, trigger: invocation.trigger_id, event: { id, type } }) };
  });
}

/**
 * Who wants to do what, and why somebody is asked. An answered request can be read for as long as it is kept; an unanswered one
 * is nobody's any more.
 */
function askedFor(
  row: CheckpointRow,
  approval: ApprovalRow | undefined,
  members: ReadonlyMap<string, MemberRow>,
  most: number,
  sentence: string,
): Pick<Checkpoint, 'text' | 'detail' | 'cut' | 'digest' | 'reason' | 'until'> {
  if (!approval) return { text: sentence, detail: null, cut: false, digest: null, reason: null, until: null };
  const question: ApprovalQuestion = {
    agent: members.get(approval.agent_id)?.handle ?? '?',
    target: approval.target_id === null ? undefined : (members.get(approval.target_id)?.handle ?? '?'),
    name: approval.name,
    ...(asksToRun(approval) ? { woken: true as const } : {}),
    ...(approval.why === 'unknown' ? { unknown: true as const } : {}),
  };
  const open = row.open === 1;
  const isKept = open || (row.choice !== null && approval.input !== 'null');
  const input: unknown = JSON.parse(approval.input);
  const view = isKept ? approvalDetail(question, input, most) : { detail: null, cut: false };
  const reason = question.woken && approval.why === 'risk' ? riskReason(isKept ? input : null) : approvalReasons[approval.why];
  const digest = open && !view.cut ? approval.digest : null;
  const until = open && !question.unknown ? approval.until : null;
  return { text: approvalText(question), ...view, digest, reason, until };
}

/** Pairs of a member and a conversation that they may read. */
async function readables(
  reader: Reader,
  rows: readonly CheckpointRow[],
  more: readonly string[],
  members: ReadonlyMap<string, MemberRow>,
): Promise<Set<string>> {
  const conversations = await reader.rows('conversations', {
    id: [...new Set([...rows.flatMap((row) => row.conversation_id ?? []), ...more])],
  });
  const homeIds = [...new Set(conversations.map((one) => one.parent_id ?? one.id))];
  const homes = new Map<string, ConversationRow>((await reader.rows('conversations', { id: homeIds })).map((one) => [one.id, one]));
  const joined = await reader.rows('memberships', { conversation_id: homeIds, member_id: [...new Set(rows.map((row) => row.member_id))] });
  const found = new Set<string>();
  for (const { member_id } of rows) {
    const member = members.get(member_id);
    if (!member) continue;
    const actor = actorOf(member);
    for (const { id, parent_id } of conversations) {
      const home = homes.get(parent_id ?? id);
      const membership = joined.find((one) => one.conversation_id === home?.id && one.member_id === member_id);
      if (home && may('conversation.read', actor, relationsToConversation(actor, home, membership)).allowed)
        found.add(`${member_id} ${id}`);
    }
  }
  return found;
}
