// The coordinator's turn: when enough members have answered, it proposes, asks one of them, or asks its person (A2C-30).

import { type GroupLines, isOutOfPatience, isReadyToPropose, silentMembers } from '@parley/core/group';
import { consentFor, type SharingScope, visibleFor } from '@parley/core/consent';
import type { FreeFields } from '@parley/protocol/relay';
import { applyToGroup } from '../decisions.ts';
import { withNote } from '../effects.ts';
import { personalTime } from '../evaluation.ts';
import { linesOf, machinesIn } from './group-lines.ts';
import { type GroupMove, type GroupView, proposeToGroup } from './group-proposal.ts';
import { extraWindowsField, meetingKind } from '../meetings/intent-words.ts';
import { leaksOf } from '../leak-scan.ts';
import { utc } from '../meetings/local-time.ts';
import type { Negotiations } from '../negotiations.ts';
import { type MachineRecord, putMachine } from '../negotiation-records.ts';
import { usualDays } from '../limits.ts';
import { personIn, scopeFor } from '../sharing.ts';
import { busyBeside } from '../meetings/spoken-windows.ts';
import { freeWindows, travelWindows } from '../meetings/windows.ts';

/** False where nothing more is to do now. */
export async function evaluateGroup(engine: Negotiations, record: MachineRecord): Promise<boolean> {
  const { store } = engine;
  const lines = await linesOf(store, record);
  const machines = machinesIn(lines);
  const lead: MachineRecord = { ...record, isGroupDue: false };
  if (!isReadyToPropose(record.group!, machines)) {
    if (isOutOfPatience(record.group!)) return askAboutSilence(engine, lead, machines);
    await store.commit([putMachine(lead)]);
    return false;
  }
  const profile = await engine.profile();
  const scopes: { line: MachineRecord; scope: SharingScope }[] = [];
  for (const line of Object.values(lines)) scopes.push({ line, scope: scopeFor(profile, await engine.peer.peer(line.machine.peer), line) });
  const time = await personalTime(engine, profile, scopes[0]!.scope);
  // The evaluation stays due until the calendar can be read again.
  if (!time) return false;
  const isForAll = (field: string): boolean => scopes.every(({ scope }) => consentFor(field, scope) === 'share');
  const values = commonValues(personIn(profile, { ...record, given: {} }, time, engine.offeredActions).values, Object.values(lines));
  const visible: FreeFields = scopes.reduce((left, { scope }) => visibleFor(left, scope), values);
  const knowsOwnTime = isForAll('time_windows');
  const busy = knowsOwnTime ? busyBeside(record.saidFree ?? [], time) : [];
  const members = Object.values(lines).filter(({ machine }) => !machine.hasPeerDeclined && machine.state !== 'INITIATED');
  const view: GroupView = {
    own: record.machine.own,
    intent: record.intent!,
    event: meetingKind(record.intent, record.stated),
    members: members.map(({ machine, received }) => ({
      agent: machine.peer,
      received,
      wasAsked: machine.answered.peer.includes(extraWindowsField) || machine.asked.some(({ field }) => field === extraWindowsField),
    })),
    quorum: record.group!.quorum,
    participants: record.group!.participants.length,
    knowsOwnTime,
    visible,
    ownWish: record.ownWish ?? null,
    isPicked: (record.saidFree ?? []).length > 0,
    wishes: [record.ownWish, ...Object.values(lines).map(({ peerWish }) => peerWish)].filter((one) => typeof one === 'string'),
    rejected: Object.values(lines).flatMap(({ rejected }) => rejected),
    searchDays: record.searchDays ?? usualDays,
    now: engine.now,
    zone: isForAll('timezone') ? time.zone : utc,
    free: (span) => freeWindows(busy, span, time.zone),
    travel: (span) => travelWindows(busy, time.travelMs, span),
  };
  const move = proposeToGroup(view);
  const fields = await leaksIn(engine, scopes, visible, move);
  const desk = await engine.desk(record.machine.peer);
  if (fields.length === 0) await applyMove(engine, desk, { lead, lines }, move);
  else {
    const noted = withNote(lead, { at: engine.now, notice: 'leak_stopped', details: { fields } });
    const reason = 'A proposal was stopped because it carried what a participant may not get';
    await applyToGroup(desk, noted, { kind: 'escalate', details: { by: 'own', reason } });
  }
  await engine.commit(desk);
  return true;
}

/** A value that the person gave to one member is for that member: a proposal has only those that are the same for all. */
function commonValues(values: FreeFields, lines: readonly MachineRecord[]): FreeFields {
  const [first, ...others] = lines.map(({ given }): FreeFields => ({ ...values, ...given }));
  const isCommon = ([field, value]: [string, unknown]): boolean =>
    others.every((one) => JSON.stringify(one[field]) === JSON.stringify(value));
  return Object.fromEntries(Object.entries(first!).filter(isCommon));
}

/** Too few answered in time: the coordinator's person waits once more, or ends it. */
async function askAboutSilence(engine: Negotiations, lead: MachineRecord, lines: GroupLines): Promise<boolean> {
  const silent = silentMembers(lines);
  const desk = await engine.desk(lead.machine.peer);
  const details = {
    by: 'own',
    reason: `Not enough have answered: ${silent.join(', ')}`,
    suggested_prompt: 'Wait for them once more, or leave it?',
    silent,
  };
  await applyToGroup(desk, lead, { kind: 'escalate', details, isSilence: true });
  await engine.commit(desk);
  return true;
}

type MoveDesk = Awaited<ReturnType<Negotiations['desk']>>;

async function applyMove(
  engine: Negotiations,
  desk: MoveDesk,
  { lead, lines }: { lead: MachineRecord; lines: Record<string, MachineRecord> },
  move: GroupMove,
): Promise<void> {
  if (move.kind !== 'ask') return void (await applyToGroup(desk, lead, move));
  await desk.staging.commit([putMachine(lead)]);
  const line = move.agent === lead.machine.peer ? lead : lines[move.agent]!;
  const memberDesk = { ...desk, peer: await engine.peer.peer(move.agent) };
  await applyToGroup(memberDesk, line, { kind: 'send', type: 'context_request', content: { needs: [move.need] }, by: 'agent' });
}

/** The second line behind the search, which sees only what everybody may get. A time that members gave is the result, and no leak. */
async function leaksIn(
  engine: Negotiations,
  scopes: readonly { line: MachineRecord; scope: SharingScope }[],
  visible: FreeFields,
  move: GroupMove,
): Promise<string[]> {
  if (move.kind !== 'propose') return [];
  const profile = await engine.profile();
  const times = scopes.flatMap(({ line }) => [line.received['time_windows'] ?? null, line.received[extraWindowsField] ?? null]);
  const found = await Promise.all(
    scopes.map(({ line, scope }) => {
      const record = { ...line, received: { ...line.received, times } };
      return leaksOf(engine.store, { profile, record, scope, visible }, move);
    }),
  );
  return [...new Set(found.flat())];
}
