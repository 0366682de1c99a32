// The account that pays for work (SYS-10): a plain member pays for everyone they invited, so that nobody gets a second
// day's budget by inviting themselves.

import type { MemberRow, TaskRow } from '../../../store/tables.ts';
import type { WorkingSet } from '../../working-set.ts';
import { isBounded } from '../triggers/triggers-in-force.ts';
import { type Amount, type BudgetKind, dayOf, noAmount } from '@parley/core';
import { type Want, wantBy, wantRow } from '../../../store/port.ts';
import type { Tx } from '../../command.ts';
import { book, exhaustedBy, memberPurse, type PurseDraw, sharePurse, workspacePurse } from './purses.ts';

/** The plain member whose invitation came first; for all others, the member. */
export function accountOf(memberId: string, set: WorkingSet): string {
  const seen = new Set<string>();
  for (let at = memberId; ;) {
    seen.add(at);
    const inviter = set.find('links', 'user', at).find(({ purpose }) => purpose === 'invite')?.created_by ?? null;
    const inviterRow: MemberRow | undefined = inviter === null ? undefined : set.get('members', inviter);
    if (!inviterRow || !isBounded(inviterRow) || seen.has(inviterRow.id)) return at;
    at = inviterRow.id;
  }
}

/** The active agents of everyone on this account. */
export const agentsOn = (accountId: string, set: WorkingSet): MemberRow[] =>
  membersOn(accountId, set).flatMap((id) => set.find('members', 'owner', id).filter(({ status }) => status === 'active'));

/** Everyone whose acts go on this account. */
export function membersOn(accountId: string, set: WorkingSet): string[] {
  const found = new Set([accountId]);
  for (const id of found)
    for (const { purpose, used_by } of set.find('links', 'creator', id)) {
      const invited = purpose === 'invite' && used_by !== null ? set.get('members', used_by) : undefined;
      if (invited && isBounded(invited)) found.add(invited.id);
    }
  return [...found];
}

// A chain that an event began holds the work of several owners' triggers, each as its owner (SYS-9). Each has the chain's
// whole budget, counted for itself: one owner's spending leaves the others' budgets untouched (SYS-10).

const agentMemberPurse = (accountId: string, agentId: string, at: number): string => `agent:${agentId}:${dayOf(at)}:${accountId}`;

/** Rows of the accounts that most members draw on: their own. */
export const memberDayWants = (memberId: string, agentId: string, at: number): Want[] => [
  wantRow('members', memberId),
  wantBy('links', 'user', memberId),
  ...[memberPurse(memberId, at), agentMemberPurse(memberId, agentId, at)].map((id) => wantRow('purses', id)),
];

/**
 * A member's day, and the member's part of the agent's day. Counted for everybody, so that the reservation and the
 * settlement are the same sum, whatever role the member has by then.
 */
export function memberDays(member: MemberRow, agentId: string, at: number, set: WorkingSet): PurseDraw[] {
  const account = accountOf(member.id, set);
  const unbounded = !isBounded(member);
  const owner = set.get('members', agentId)?.owner_id ?? null;
  const isTheirs = owner === member.id || (owner !== null && accountOf(owner, set) === account);
  return [
    { purse: 'member_day', id: memberPurse(account, at), unbounded },
    { purse: 'agent_member_day', id: agentMemberPurse(account, agentId, at), unbounded: unbounded || isTheirs },
  ];
}

/** The shares of its owner that a task draws on; none when no invocation led to the task, and the chain is one purse. */
export function sharesOf({ id, agent_id }: Pick<TaskRow, 'id' | 'agent_id'>, at: number, set: WorkingSet): PurseDraw[] {
  let root = set.get('tasks', id);
  while (root && root.parent_id !== null) root = set.get('tasks', root.parent_id);
  // A task of an invocation is the first of its tasks, and the agent of the invocation came before it.
  if (!root || root.requester_id === null || (JSON.parse(root.path) as string[]).length < 2) return [];
  const share = sharePurse(root.chain_id, root.requester_id);
  set.need([wantRow('purses', share), wantRow('members', root.requester_id)]);
  if (!set.get('purses', share)) return [];
  const owner = set.get('members', root.requester_id);
  return [{ purse: 'chain', id: share }, ...(owner ? memberDays(owner, agent_id!, at, set) : [])];
}

// A person's peer spends on the hub's models from two budgets: the person's day, as their requests to agents do, and the
// workspace's.

const modelPurses = (member: MemberRow, at: number, set: WorkingSet): PurseDraw[] => [
  { purse: 'member_day', id: memberPurse(accountOf(member.id, set), at), unbounded: !isBounded(member) },
  { purse: 'workspace_day', id: workspacePurse(at) },
];

/** The budget that has too little; then nothing is taken. */
export function reserveModel(member: MemberRow, wanted: Amount, at: number, tx: Tx): BudgetKind | undefined {
  const purses = modelPurses(member, at, tx);
  const exhausted = exhaustedBy(purses, wanted, tx);
  if (!exhausted) book(purses, noAmount, wanted, tx);
  return exhausted;
}

/** The question itself stays counted. */
export function settleModel(member: MemberRow, at: number, reserved: number, spent: number, set: WorkingSet): void {
  book(modelPurses(member, at, set), { turns: 0, micros: reserved }, { turns: 0, micros: spent }, set);
}
