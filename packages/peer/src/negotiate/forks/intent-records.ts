// What a changed intent leaves in the record of a negotiation, and the question about a wider scope (A2C-19).

import type { NegotiationEffect } from '@parley/core/negotiation';
import { getValue, negotiationKey, sentKey } from '../../packets/peer-records.ts';
import type { PeerStore } from '../../store/port.ts';
import type { Desk } from '../effects.ts';
import { familyOf } from './families.ts';
import { audienceField, dropWords, keepAudience, wordFields } from '../meetings/intent-words.ts';
import {
  withdrawPrompt,
  type ExpansionPrompt,
  intentByOf,
  type MachineRecord,
  newPrompt,
  type PromptRecord,
  putPrompt,
} from '../negotiation-records.ts';

type IntentChange = Extract<NegotiationEffect, { kind: 'change_intent' }>;

/** Values from somebody's words apply to that person's own new words only. */
export async function withIntent(desk: Desk, record: MachineRecord, change: IntentChange): Promise<MachineRecord> {
  const { ownWish: _, ...others } = record;
  const isMine = change.by === 'own';
  const next: MachineRecord = {
    ...others,
    intent: change.intent,
    intentBy: change.by,
    stated: isMine ? record.stated : keepAudience(record.stated),
    received: isMine ? dropWords(record.received) : record.received,
    peerWish: null,
    awaitsProposal: false,
    isEvaluationDue: isMine ? false : record.isEvaluationDue,
  };
  if (isMine || !change.isExpanded) return next;
  return askAboutScope(desk, next, { before: change.before, beforeBy: intentByOf(record), isFork: false, reason: change.reason });
}

/** Nothing goes out before the person has answered. A later change takes the place of an open question, and a consent is asked again. */
export async function askAboutScope(
  { staging, now }: Desk,
  record: MachineRecord,
  { before, beforeBy, isFork, reason }: Pick<ExpansionPrompt, 'before' | 'beforeBy' | 'isFork' | 'reason'>,
): Promise<MachineRecord> {
  const { openPrompt } = record;
  const open = openPrompt === null ? undefined : await getValue(staging, 'prompt', openPrompt);
  // Nothing was shared with somebody about whom the person has not decided.
  if (open?.kind === 'stranger') return record;
  if (open) await withdrawPrompt(staging, open.id);
  const prompt: ExpansionPrompt = {
    kind: 'expansion',
    ...newPrompt(record, now),
    ...(open?.kind === 'expansion' ? { before: open.before, beforeBy: open.beforeBy } : { before, beforeBy }),
    after: record.intent!,
    isFork,
    reason,
    asked: isFork ? [] : await newNeeds(staging, record, open),
    shared: await sentFields(staging, record),
    answer: null,
  };
  await staging.commit([putPrompt(prompt)]);
  return { ...record, openPrompt: prompt.id };
}

/** What they asked for before is no further wish. The record is not stored yet: the stored one has the earlier needs. */
async function newNeeds(store: PeerStore, { machine }: MachineRecord, open: PromptRecord | undefined): Promise<string[]> {
  const stored = await getValue(store, 'machine', negotiationKey(machine.peer, machine.threadId));
  const known = (stored?.machine.openNeeds ?? []).map(({ field }) => field);
  const isNew = (field: string): boolean => !known.includes(field) || (open?.kind === 'expansion' && open.asked.includes(field));
  return machine.openNeeds.map(({ field }) => field).filter(isNew);
}

/** What the peer got, here and in the negotiation that this one was split off from. */
export async function sentFields(store: PeerStore, record: MachineRecord): Promise<string[]> {
  const fields = new Set<string>();
  for (const { machine } of [record, ...(await familyOf(store, record))]) {
    const { peer, threadId } = machine;
    const sent = (await getValue(store, 'negotiation', negotiationKey(peer, threadId)))?.sent ?? {};
    for (const [epoch, last] of Object.entries(sent))
      for (let number = 1; number <= last; number += 1) {
        const packet = (await getValue(store, 'packet', sentKey(peer, threadId, Number(epoch), number)))?.packet;
        for (const field of Object.keys({ ...packet?.context, ...packet?.context_provided })) fields.add(field);
      }
  }
  return [...fields].filter((field) => ![...wordFields, audienceField].includes(field));
}
