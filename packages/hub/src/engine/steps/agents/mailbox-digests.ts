// Mailboxes as rows: one per agent and conversation, made when there is something to say in it. The content is not stored:
// it is read from the verdicts on the messages.

import { seqOfFact, wantRow } from '../../../store/port.ts';
import type { MailboxRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { aboutMember, agentLock, append } from '../facts/append.ts';
import { haltNow } from '../facts/settings.ts';
import { agentOf, isHere, runsInHub } from '../tasks/tasks.ts';
import { runningTime, runningWants, setTimer } from '../facts/timers.ts';

type Whose = Pick<MailboxRow, 'conversation_id' | 'member_id'>;

const digestTimer = 'digest.due';
const subjectOf = ({ conversation_id, member_id }: Whose): string => `${conversation_id} ${member_id}`;

const newMailbox = (whose: Whose): MailboxRow => ({ ...whose, seq: 0, digest_ms: null, digest_seq: 0 });

/** A row that says nothing is none. */
export function putMailbox(whose: Whose, change: Partial<MailboxRow>, set: WorkingSet): MailboxRow {
  const row = set.get('mailboxes', whose.conversation_id, whose.member_id);
  const before = row ?? newMailbox(whose);
  const next = { ...before, ...change };
  if (next.seq === before.seq && next.digest_ms === before.digest_ms && next.digest_seq === before.digest_seq) return before;
  const says = next.seq > 0 || next.digest_ms !== null;
  if (says) set.put('mailboxes', next);
  else if (row) set.remove('mailboxes', row);
  return next;
}

export function setDigestTimer(row: MailboxRow, tx: Tx): void {
  // The old timer is removed first, because it may count the other clock.
  setTimer(digestTimer, subjectOf(row), 'wall', null, tx);
  if (row.digest_ms !== null) setTimer(digestTimer, subjectOf(row), 'wall', tx.now + row.digest_ms, tx);
}

/** Sends one roll-up of everything since the last digest, however long that is. The content is read when it is sent. */
export function sendDigest(subject: string, tx: Tx): void {
  const [conversation_id = '', member_id = ''] = subject.split(' ');
  tx.lock(agentLock(member_id));
  tx.need([...runningWants, wantRow('mailboxes', conversation_id, member_id), wantRow('agents', member_id)]);
  const row = tx.get('mailboxes', conversation_id, member_id);
  if (!row || row.digest_ms === null) return;
  // Running time stands while everything is stopped: it comes when that goes on.
  if (haltNow(tx)) return setTimer(digestTimer, subject, 'running', runningTime(tx) + 1, tx);
  const agent = agentOf(member_id, tx);
  // An agent that is away gets its digest when it is back.
  if (!isHere(agent)) return;
  setDigestTimer(row, tx);
  // Agents in the hub take a turn when they are asked, and for nothing else.
  if (runsInHub(agent)) return;
  const fact = append(tx, { type: 'mailbox.digest', conversation_id, ...aboutMember(member_id), data: { after: row.digest_seq } });
  tx.update('mailboxes', row, { digest_seq: seqOfFact(fact) });
}

/** The agent is there again: digests that came due while it was away are sent now, as one. */
export function resumeDigests(memberId: string, tx: Tx): void {
  const rows = tx.find('mailboxes', 'member', memberId).filter((row) => row.digest_ms !== null);
  tx.each(rows.map(subjectOf), (subject) => {
    if (tx.find('timers', 'subject', digestTimer, subject).length === 0) setTimer(digestTimer, subject, 'wall', tx.now, tx, true);
  });
}

/** The agent is no longer in the conversation, or in no conversation when `conversationId` is left out. */
export function forgetMailboxes(memberId: string, conversationId: string | undefined, tx: Tx): void {
  tx.lock(agentLock(memberId));
  const rows = tx.find('mailboxes', 'member', memberId).filter((row) => (conversationId ?? row.conversation_id) === row.conversation_id);
  tx.each(rows, (row) => {
    setTimer(digestTimer, subjectOf(row), 'wall', null, tx);
    tx.remove('mailboxes', row);
  });
}
