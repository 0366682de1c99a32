// Splits something off from a negotiation, in the words of its person (A2C-20).

import type { NewFork } from '@parley/core/negotiation';
import type { FreeFields } from '@parley/protocol/relay';
import { badInput } from '@parley/protocol';
import { getRecord, negotiationKey, newId } from '../../packets/peer-records.ts';
import { applyInput } from '../decisions.ts';
import { driftRefusal, mustReach, stageIntent } from './drift.ts';
import type { Desk } from '../effects.ts';
import { audienceField } from '../meetings/intent-words.ts';
import type { Negotiations } from '../negotiations.ts';
import { type MachineRecord, putMachine } from '../negotiation-records.ts';

export interface ForkWish {
  /** What is split off, each in the person's own words. */
  into: readonly string[];
  /** What is left for the parent; absent: it goes on as it is. */
  rest?: string | undefined;
}

/** The person splits it. The parent goes on with what is left. */
export const forkInto = (engine: Negotiations, id: string, { into, rest }: ForkWish): Promise<MachineRecord> =>
  engine.decide(id, async (record, desk) => {
    const { own, peer, group } = record.machine;
    mustReach(record, desk.peer);
    if (!group) mustKnowForks(desk, record);
    const read = await Promise.all(into.map((words) => engine.readRequest(words, undefined)));
    const threads = read.map(({ intent }): NewFork => ({ thread_id: newId('thr'), intent }));
    const shared = { participants: [own, peer].toSorted() };
    const { verdict, record: parent } = await applyInput(desk, record, { kind: 'fork', threads, shared });
    if (verdict !== 'accepted') throw driftRefusal(verdict, record);
    for (const [place, { thread_id: forkId }] of threads.entries()) await stateIn(desk, peer, forkId, read[place]!.stated);
    if (rest !== undefined) await stageIntent(engine, desk, parent, { words: rest });
    await engine.noteForks(desk.staging, record, parent);
  });

/** Values from the words of the person who split it. */
async function stateIn({ staging }: Desk, peer: string, threadId: string, stated: FreeFields): Promise<void> {
  const child = (await getRecord(staging, 'machine', negotiationKey(peer, threadId)))!.value;
  const { [audienceField]: _, ...own } = stated;
  await staging.commit([putMachine({ ...child, stated: { ...child.stated, ...own } })]);
}

/** Their peer has to say so in its first packet. */
function mustKnowForks({ peer }: Desk, { machine, packets }: MachineRecord): void {
  if (packets === 0) throw badInput(`${machine.threadId} has not begun: they have not heard of it. Open two negotiations instead.`);
  if (peer.capabilities?.features.includes('thread_forking')) return;
  const reason = peer.capabilities ? 'cannot split a negotiation' : 'has not answered yet';
  throw badInput(`The peer of ${peer.address} ${reason}. Open another negotiation instead.`);
}
