// A negotiation in a list: with whom, about what, how far, and whether it waits for the person.

import type { NegotiationSummary } from '@parley/protocol';
import type { NameOf } from '../actions/agreed-texts.ts';
import { openHash } from '../negotiate/effects.ts';
import { stateOf } from '../negotiate/groups/member-status.ts';
import { readingOf } from '../negotiate/meetings/words-for-people.ts';
import { intentByOf, type MachineRecord, modelAwayText } from '../negotiate/negotiation-records.ts';
import { getValue, negotiationKey } from '../packets/peer-records.ts';
import type { OpenPeer } from './context.ts';
import { allLines, groupIn, othersNamed } from './group-progress.ts';
import { escalationOf, openPromptsOf } from './statuses.ts';

const agreeing: readonly string[] = ['PROPOSED', 'CONFIRMED', 'EXECUTING', 'COMPLETED'];

/** What it is about now: people steer a negotiation away from its first words. */
export function titleOf(record: MachineRecord): string {
  const { proposals, intent } = record;
  const proposal = proposals[openHash(record) ?? ''];
  return proposal && !proposal.isReceipt && agreeing.includes(stateOf(record)) ? proposal.summary : (intent?.summary ?? '');
}

export async function summaryOf({ store }: OpenPeer, record: MachineRecord, nameOf: NameOf): Promise<NegotiationSummary> {
  const { machine, intent, outside, createdAt = machine.quietSince } = record;
  const prompts = await openPromptsOf(store, record);
  const lines = await allLines(store, record);
  const exchanges = await Promise.all(
    lines.map((line) => getValue(store, 'negotiation', negotiationKey(line.machine.peer, machine.threadId))),
  );
  return {
    threadId: machine.threadId,
    peer: machine.peer,
    peerName: othersNamed(record, nameOf),
    role: machine.role,
    state: stateOf(record),
    intent: intent?.summary ?? '',
    intentBy: intentByOf(record),
    reading: readingOf(record),
    title: titleOf(record),
    isOutside: outside !== undefined,
    ...(await groupIn(store, record, nameOf)),
    waitsForMe: prompts.length > 0 || lines.some((line) => escalationOf(line) !== undefined),
    notice: lines.every(({ model }) => (model?.retryAt ?? null) === null) ? null : modelAwayText,
    createdAt,
    updatedAt: Math.max(
      createdAt,
      ...exchanges.map((line) => line?.at ?? 0),
      outside?.offer?.at ?? 0,
      outside?.offer?.reply?.at ?? 0,
      ...prompts.map(({ at }) => at),
    ),
  };
}
