// Executes the actions of a confirmed proposal. Each is written down before and after, so that after a crash it happens once (A2C-29).

import { getRecord } from '../peer/records.ts';
import { applyInput } from './effects.ts';
import type { Negotiations } from './negotiations.ts';
import { type JournalRecord, journalKey, type MachineRecord, type NegotiationJob } from './records.ts';
import type { NegotiationInput } from '@parley/core/negotiation';
import type { RecordChange } from '../store/port.ts';

type RunJob = Extract<NegotiationJob, { kind: 'run' }>;

/** The first job of the negotiation. */
export async function runJob(engine: Negotiations, record: MachineRecord): Promise<boolean> {
  const [job] = record.jobs;
  if (job!.kind === 'undo') await undo(engine, record, job!.hash);
  else await run(engine, record, job as RunJob);
  return true;
}

async function run(engine: Negotiations, record: MachineRecord, { hash, scope, actions }: RunJob): Promise<void> {
  const begins: NegotiationInput[] = record.machine.state === 'CONFIRMED' ? [{ kind: 'begin', hash }] : [];
  const done: RecordChange[] = [];
  for (const place of actions) {
    const entry = await intend(engine, record, hash, place);
    try {
      if (typeof entry === 'string') throw new Error(entry);
      if (entry.state === 'intended') await engine.parts.calendar.add(entry.event, engine.now);
      done.push(putEntry({ ...entry, state: 'done' }));
    } catch (error) {
      const constraint = (error as Error).message.slice(0, 500);
      const failed: NegotiationInput = { kind: 'failed', hash, scope, constraint, completed: done.length };
      return finish(engine, record, [...begins, failed], done);
    }
  }
  return finish(engine, record, [...begins, { kind: 'done', hash, scope }], done);
}

/** The job ends together with what the machine makes of it. */
async function finish(
  engine: Negotiations,
  record: MachineRecord,
  inputs: readonly NegotiationInput[],
  changes: RecordChange[],
): Promise<void> {
  const desk = await engine.desk(record.machine.peer);
  await desk.staging.commit(changes);
  let next: MachineRecord = { ...record, jobs: record.jobs.slice(1) };
  for (const input of inputs) ({ record: next } = await applyInput(desk, next, input));
  await engine.commit(desk);
}

const putEntry = (entry: JournalRecord): RecordChange => ({
  put: 'journal',
  key: journalKey(entry.threadId, entry.hash, entry.place),
  value: entry,
});

/** The entry on disk, or why the action is not possible. */
async function intend(
  engine: Negotiations,
  { machine, proposals }: MachineRecord,
  hash: string,
  place: number,
): Promise<JournalRecord | string> {
  const { store } = engine.peer.parts;
  const known = (await getRecord(store, 'journal', journalKey(machine.threadId, hash, place)))?.value;
  if (known) return known;
  const proposal = proposals[hash];
  const action = proposal?.actions[place]?.action ?? 'An action';
  if (action !== 'add_calendar_event') return `${action} is not possible here`;
  const { start, end, location } = proposal!.details;
  const [from, to] = [start, end].map((time) => (typeof time === 'string' ? Date.parse(time) : NaN)) as [number, number];
  if (!(to > from)) return 'The proposal names no start and end';
  const event = { uid: `${hash}-${place}`, from, to, summary: proposal!.summary, place: typeof location === 'string' ? location : null };
  const entry: JournalRecord = { peer: machine.peer, threadId: machine.threadId, hash, place, state: 'intended', event };
  await store.commit([putEntry(entry)]);
  return entry;
}

/** Last first. */
async function undo(engine: Negotiations, record: MachineRecord, hash: string): Promise<void> {
  const { store } = engine.peer.parts;
  const undone: RecordChange[] = [];
  const places = (record.proposals[hash]?.actions ?? []).map((_, place) => place).toReversed();
  for (const place of places) {
    const entry = (await getRecord(store, 'journal', journalKey(record.machine.threadId, hash, place)))?.value;
    if (!entry || entry.state === 'undone') continue;
    await store.commit([putEntry({ ...entry, state: 'undoing' })]);
    await engine.parts.calendar.remove(entry.event.uid, engine.now);
    undone.push(putEntry({ ...entry, state: 'undone' }));
  }
  await finish(engine, record, [{ kind: 'undone', hash, irreversible: [] }], undone);
}
