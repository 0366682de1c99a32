// A negotiation with its parent and forks. What was answered or declined in one of them is never asked again in another (A2C-17, A2C-20).

import { agreedStates, type Negotiation, type NegotiationInput } from '@parley/core/negotiation';
import type { FreeFields, PacketContents } from '@parley/protocol/relay';
import { getRecord, getValue, negotiationKey } from '../../packets/peer-records.ts';
import type { PeerStore } from '../../store/port.ts';
import type { SiblingView, BrainView } from '../peer-brain.ts';
import type { Desk } from '../effects.ts';
import { audienceField, dropWords, eventsIn, readIntentWords } from '../meetings/intent-words.ts';
import type { MachineRecord } from '../negotiation-records.ts';
import { timesIn, withoutLength } from '@parley/core';
import type { TimeWindow } from '../meetings/local-time.ts';
import { meetingWindows } from '../meetings/meeting-proposal.ts';

/** Eight forks, with eight each. */
const mostRelatives = 73;

/** All others that came from one negotiation, with the same peer: the first one first. */
export async function familyOf(store: PeerStore, { machine }: MachineRecord): Promise<MachineRecord[]> {
  if (!machine.fork && !machine.forks) return [];
  const find = (id: string): Promise<MachineRecord | undefined> => getValue(store, 'machine', negotiationKey(machine.peer, id));
  let root: Negotiation = machine;
  for (let up = 0; root.fork && up < 3; up += 1) root = (await find(root.fork.parent))?.machine ?? { ...root, fork: undefined as never };
  const ids = [root.threadId];
  const found: MachineRecord[] = [];
  for (let at = 0; at < ids.length && at < mostRelatives; at += 1) {
    const one = await find(ids[at]!);
    if (!one) continue;
    ids.push(...(one.machine.forks ?? []).filter((id) => !ids.includes(id)));
    if (ids[at] !== machine.threadId) found.push(one);
  }
  return found;
}

export const withFamily = async (store: PeerStore, record: MachineRecord): Promise<MachineRecord> =>
  mergeFamily(record, await familyOf(store, record));

const union = (lists: readonly (readonly string[])[]): string[] => [...new Set(lists.flat())];

/** Values that speak about one negotiation only. */
const ownMatters = ['conflict', 'proposed_alternatives', audienceField];

export function mergeFamily(record: MachineRecord, family: readonly MachineRecord[]): MachineRecord {
  if (family.length === 0) return record;
  const { machine } = record;
  const answered = {
    own: union([machine.answered.own, ...family.map((one) => one.machine.answered.own)]),
    peer: union([machine.answered.peer, ...family.map((one) => one.machine.answered.peer)]),
  };
  const known: FreeFields = Object.fromEntries(
    family.flatMap(({ received }) => Object.entries(dropWords(received)).filter(([field]) => !ownMatters.includes(field))),
  );
  return {
    ...record,
    received: { ...known, ...record.received },
    unavailable: union([record.unavailable, ...family.map(({ unavailable }) => unavailable)]),
    machine: {
      ...machine,
      answered,
      openNeeds: machine.openNeeds.filter(({ field }) => !answered.own.includes(field)),
      asked: machine.asked.filter(({ field }) => !answered.peer.includes(field)),
    },
  };
}

/** The proposals of the other negotiations in the family. The peers of both people know them. */
export const siblingsOf = (own: Negotiation, family: readonly MachineRecord[]): SiblingView[] =>
  family.flatMap((record): SiblingView[] => {
    const { machine, intent, proposals } = record;
    const proposal = proposals[machine.proposal?.hash ?? ''];
    const isOpen = machine.state === 'PROPOSED' || agreedStates.has(machine.state);
    if (machine.state === 'DECLINED' || machine.state === 'EXPIRED') return [];
    const [from, to] = [proposal?.details['start'], proposal?.details['end']].map((time) =>
      typeof time === 'string' ? Date.parse(time) : NaN,
    );
    return [
      {
        intent: intent?.summary ?? '',
        isAgreed: agreedStates.has(machine.state),
        summary: (isOpen ? proposal?.summary : undefined) ?? intent?.summary ?? '',
        event: typeof proposal?.details['event_type'] === 'string' ? proposal.details['event_type'] : null,
        isParent: own.fork?.parent === machine.threadId,
        window: isOpen && from! < to! ? { from: from!, to: to! } : null,
      },
    ];
  });

/** IDs that this input, or a packet that waits, would give to forks, and that other negotiations have. */
export async function takenIdsIn({ staging, find }: Desk, { machine }: MachineRecord, input: NegotiationInput): Promise<string[]> {
  const packets = [...machine.waiting, ...(input.kind === 'packet' ? [input.packet] : [])];
  const named = packets.flatMap(({ as, packet }) => (as === 'thread_fork' ? (packet as PacketContents<'thread_fork'>).new_threads : []));
  const ids = [...named, ...(input.kind === 'fork' ? input.threads : [])].map(({ thread_id: id }) => id);
  const isTaken = await Promise.all(
    ids.map(async (id) => (await getRecord(staging, 'negotiation', negotiationKey(machine.peer, id))) ?? (await find?.(id))),
  );
  return ids.filter((_, place) => isTaken[place] !== undefined);
}

// After a split, nothing is proposed for one part yet: its words say when it will probably be, so that the other part leaves room (A2C-20).

export const withExpectedTimes = (view: BrainView): BrainView => ({
  ...view,
  siblings: view.siblings.map((one) => (one.window || !isBefore(one, view) ? one : { ...one, window: expectedTime(view, one.intent) })),
});

/** By the clock: an evening leaves room. */
const isTimed = (words: string): boolean => timesIn(withoutLength(words)).some(({ from, to }) => to - from <= 120);

/** A named time comes first; else the negotiation from which this one was split off, where it is about something else. */
function isBefore({ intent, isParent }: SiblingView, view: BrainView): boolean {
  const own = view.intent.summary;
  if (isTimed(intent) !== isTimed(own)) return isTimed(intent);
  const events = eventsIn(own);
  return isParent && !eventsIn(intent).some((event) => events.includes(event));
}

/** By the same calendars, as if it were proposed now. */
function expectedTime(view: BrainView, summary: string): TimeWindow | null {
  const { event } = readIntentWords(summary, view.now, view.zone);
  if (event === undefined) return null;
  const { visible, received, intent } = view;
  const alone = { siblings: [], rejected: [], peerWish: null, ownWish: null, lastStart: null };
  const its = { ...view, ...alone, visible: dropWords(visible), received: dropWords(received), intent: { ...intent, summary } };
  const [best] = meetingWindows(its, event).windows;
  return best ? { from: best.from, to: best.to } : null;
}
