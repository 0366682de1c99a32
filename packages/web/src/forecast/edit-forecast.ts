// What an edit would do to those who heard the message (C2A-25, C2A-26), in sentences. `core` decides; here are the words.

import { afterEdit, agentList, changedBy, isAnyones, isOpen } from '@parley/core';
import type { AfterEdit, Verdict } from '@parley/core';
import type { Message, Task } from '@parley/protocol';
import { pageForecast } from './page-forecast.ts';
import type { RoomKnowledge, DraftMessage } from './page-forecast.ts';

type Where = Pick<DraftMessage, 'room' | 'conversationId' | 'root' | 'rootAuthorId'>;

export interface EditForecast {
  /** Somebody is woken, or one who is at it gets the new text. */
  tone: 'wakes' | 'quiet';
  text: string;
}

export function foreseeEdit(known: RoomKnowledge, where: Where, message: Message, text: string): EditForecast {
  const asked = Object.values(known.tasks).filter((task) => task.messageId === message.id);
  const word = message.task?.kind === 'follow_up' ? known.tasks[message.task.id] : undefined;
  const partOf = word && isOpen(word.state) ? word : undefined;
  const written = { ...where, attachments: message.attachments.length, urgent: message.urgent, edited: { id: message.id, partOf } };
  const now = pageForecast(known, { ...written, text }).verdicts;
  const before = pageForecast(known, { ...written, text: message.body ?? '' }).verdicts;
  const changed = changedBy(message.body ?? '', text.trim());
  const ends = new Map<AfterEdit, string[]>();
  const sent: string[] = [];
  for (const { id, handle, kind } of where.room.members) {
    if (kind !== 'agent') continue;
    const [then, verdict] = [before.get(handle), now.get(handle)];
    if (verdict?.reason === 'asked_to_leave' && then?.reason !== 'asked_to_leave') sent.push(handle);
    const turned = asked.some((task) => task.agentId === id && task.addressedBy === 'redirect' && isOpen(task.state));
    const after = afterEdit({
      before: wasCalled(then, verdict),
      now: verdict?.task === true || turned,
      had: hadBy(id, asked, partOf, word),
      changed,
    });
    ends.set(after, [...(ends.get(after) ?? []), handle]);
  }
  const those = (after: AfterEdit): string[] => ends.get(after) ?? [];
  const [opened, again, goesOn, cancelled, out] = [those('open'), those('again'), those('correct'), those('cancel'), those('take_out')];
  const anyones = opened.filter((handle) => isAnyones(now.get(handle)!.reason));
  const named = opened.filter((handle) => !anyones.includes(handle));
  const offered = asked.some((task) => task.agentId === null && isOpen(task.state));
  const stillOffered = [...now.values()].some(({ reason, task }) => task && isAnyones(reason));
  const said = [
    sent.length > 0 && `Asks ${agentList(sent)} to leave.`,
    named.length > 0 && `Wakes ${agentList(named)}.`,
    anyones.length > 0 && `Is offered to ${agentList(anyones)}.`,
    goesOn.length > 0 && `${agentList(goesOn)} ${goesOn.length === 1 ? 'goes' : 'go'} on with the new text.`,
    again.length > 0 && `${agentList(again)} ${again.length === 1 ? 'has' : 'have'} answered and may look at it again.`,
    cancelled.length > 0 && `Cancels the request to ${agentList(cancelled)}.`,
    offered && !stillOffered && 'Withdraws the offer.',
    out.length > 0 && `Removes this text from the request to ${agentList(out)}.`,
  ].filter((sentence) => sentence !== false);
  return {
    tone: opened.length + goesOn.length + again.length > 0 ? 'wakes' : 'quiet',
    text: said.length === 0 ? 'Wakes nobody else.' : said.join(' '),
  };
}

/** Called as one of any it need not have been woken: called for itself now, it is called again. */
const wasCalled = (before: Verdict | undefined, now: Verdict | undefined): boolean =>
  before?.task === true && (!isAnyones(before.reason) || now?.reason === before.reason);

function hadBy(
  agentId: string,
  asked: readonly Task[],
  partOf: Task | undefined,
  word: Task | undefined,
): Parameters<typeof afterEdit>[0]['had'] {
  const its = asked.filter((task) => task.agentId === agentId);
  if (its.some((task) => isOpen(task.state))) return 'request';
  if (partOf?.agentId === agentId) return 'word';
  return its.some((task) => task.cause !== 'redirected') || word?.agentId === agentId ? 'over' : 'nothing';
}
