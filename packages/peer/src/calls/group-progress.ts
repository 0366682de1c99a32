// A group as one of its people reads it: who takes part, who has answered, and how many have confirmed (A2C-27, A2C-30).

import { nameList } from '@parley/core';
import type { GroupProgress } from '@parley/protocol';
import type { NameOf } from '../actions/agreed-texts.ts';
import { linesOf, othersIn } from '../negotiate/groups/group-lines.ts';
import { answerDeadline, memberStatus } from '../negotiate/groups/member-status.ts';
import { extraWindowsField } from '../negotiate/meetings/intent-words.ts';
import type { MachineRecord } from '../negotiate/negotiation-records.ts';
import type { PeerStore } from '../store/port.ts';

/** The lines of a group that this side coordinates; else the one line that there is. */
export const allLines = async (store: PeerStore, record: MachineRecord): Promise<MachineRecord[]> =>
  record.group ? Object.values(await linesOf(store, record)) : [record];

/** Everybody else, by name. */
export const othersNamed = ({ machine }: MachineRecord, nameOf: NameOf): string => nameList(othersIn(machine).map(nameOf));

/** Absent between two. */
export async function groupIn(store: PeerStore, record: MachineRecord, nameOf: NameOf): Promise<{ group?: GroupProgress }> {
  const group = await groupProgress(store, record, nameOf);
  return group ? { group } : {};
}

async function groupProgress(store: PeerStore, record: MachineRecord, nameOf: NameOf): Promise<GroupProgress | undefined> {
  const { machine, group } = record;
  if (!machine.group) return undefined;
  const lines = await allLines(store, record);
  const coordinator = machine.role === 'initiator' ? machine.own : machine.peer;
  const members = [machine.own, ...othersIn(machine)].map((address) => ({
    address,
    name: nameOf(address),
    isMe: address === machine.own,
    status: memberStatus(record, lines, address),
  }));
  const terms = group ?? machine.proposal?.terms;
  return {
    coordinator,
    coordinatorName: nameOf(coordinator),
    coordinates: coordinator === machine.own,
    quorum: terms?.quorum ?? null,
    confirmed: group?.proposal ? members.filter(({ status }) => status === 'confirmed').length : null,
    order: terms?.order ?? [],
    members,
    answersBy: group ? answerDeadline(group) : null,
    offeredTo: group?.offer?.to ?? null,
    binding: group ? bindingOf(lines, nameOf) : null,
  };
}

/** The member whose flexibility matters, while their answer is open. Nobody but the coordinator's person reads it. */
function bindingOf(lines: readonly MachineRecord[], nameOf: NameOf): string | null {
  for (const { machine } of lines) {
    const need = machine.asked.find(({ field }) => field === extraWindowsField);
    if (need) return `Only the times of ${nameOf(machine.peer)} stand against a common one. Your peer asked them: “${need.reason}”`;
  }
  return null;
}

/** Addresses in words of the platform, as people call those behind them. */
export function namedWords({ machine, group }: MachineRecord, text: string | null, nameOf: NameOf): string | null {
  if (!group || text === null) return text;
  const named = [machine.own, ...othersIn(machine)].toSorted((one, other) => other.length - one.length);
  return named
    .reduce((words, address) => words.replaceAll(address, nameOf(address)), text)
    .replaceAll(`${nameOf(machine.own)}’s `, 'your ');
}
