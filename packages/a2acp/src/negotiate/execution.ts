// Executes the actions of a confirmed proposal. Each is written down before and after, so that after a crash it happens once (A2C-29).

import type { NegotiationInput } from '@parley/core/negotiation';
import { handlerFor } from '../actions/handlers.ts';
import { type ActionHandler, ActionRefused } from '../actions/port.ts';
import { getRecord } from '../peer/records.ts';
import type { RecordChange } from '../store/port.ts';
import { applyInput } from './decisions.ts';
import type { Negotiations } from './negotiations.ts';
import { type JournalRecord, journalKey, type MachineRecord, type NegotiationJob, putMachine } from './records.ts';

type RunJob = Extract<NegotiationJob, { kind: 'run' }>;

/** The first job of the negotiation. */
export async function runJob(engine: Negotiations, record: MachineRecord): Promise<boolean> {
  const [job, ...later] = record.jobs;
  if (job!.kind === 'undo') await undo(engine, record, job!.hash);
  // Nobody begins an action whose proposal has failed already.
  else if (later.some(({ kind, hash }) => kind === 'undo' && hash === job!.hash)) await finish(engine, record, [], []);
  else await run(engine, record, job as RunJob);
  return true;
}

async function run(engine: Negotiations, record: MachineRecord, { hash, scope, actions }: RunJob): Promise<void> {
  const begins: NegotiationInput[] = record.machine.state === 'CONFIRMED' ? [{ kind: 'begin', hash }] : [];
  let ended: RecordChange[] = [];
  for (const place of actions) {
    const { entry, isRepeated } = await intend(engine, record, { hash, place }, ended);
    ended = [];
    if (entry.state === 'done') continue;
    try {
      await mustHandle(await handlerFor(engine, entry.call.action), entry).run({ ...entry.call, now: engine.now, isRepeated });
      ended = [putEntry({ ...entry, state: 'done' })];
    } catch (error) {
      const isRefused = error instanceof ActionRefused;
      if (isRefused) ended = [putEntry({ ...entry, state: 'refused' })];
      else engine.parts.onFailure?.(error as Error);
      const others = (await entriesOf(engine, record, hash)).filter((one) => one.place !== place && isThere(one));
      const completed = others.length + (isRefused ? 0 : 1);
      const failed: NegotiationInput = { kind: 'failed', hash, scope, constraint: constraintOf(entry, error), completed };
      return finish(engine, record, [...begins, failed], ended);
    }
  }
  return finish(engine, record, [...begins, { kind: 'done', hash, scope }], ended);
}

/** The peer reads it too, so the words of an error that nobody wrote for it stay here. */
const constraintOf = ({ call: { action } }: JournalRecord, error: unknown): string =>
  error instanceof ActionRefused ? error.message.slice(0, 500) : `${action.action} failed`;

function mustHandle(handler: ActionHandler | undefined, { call: { action } }: JournalRecord): ActionHandler {
  if (!handler) throw new ActionRefused(`${action.action} is not possible here`);
  return handler;
}

/** The effect exists, or may exist. */
const isThere = ({ state }: JournalRecord): boolean => state !== 'undone' && state !== 'refused';

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
  if (inputs.length === 0) await desk.staging.commit([putMachine(next)]);
  for (const input of inputs) ({ record: next } = await applyInput(desk, next, input));
  await engine.commit(desk);
}

const putEntry = (entry: JournalRecord): RecordChange => ({
  put: 'journal',
  key: journalKey(entry.call.threadId, entry.hash, entry.place),
  value: entry,
});

interface ActionPlace {
  hash: string;
  place: number;
}

/** On disk before the action begins; `earlier` is stored with it. */
async function intend(
  engine: Negotiations,
  { machine, proposals }: MachineRecord,
  { hash, place }: ActionPlace,
  earlier: readonly RecordChange[],
): Promise<{ entry: JournalRecord; isRepeated: boolean }> {
  const { store } = engine.peer.parts;
  const { threadId, peer, role } = machine;
  const known = (await getRecord(store, 'journal', journalKey(threadId, hash, place)))?.value;
  if (known) {
    if (earlier.length > 0) await store.commit(earlier);
    return { entry: known, isRepeated: true };
  }
  const { actions, summary, details } = proposals[hash]!;
  const call = { key: `${hash}-${place}-${role}`, threadId, peer, action: actions[place]!, summary, details };
  const entry: JournalRecord = { hash, place, state: 'intended', call };
  await store.commit([...earlier, putEntry(entry)]);
  return { entry, isRepeated: false };
}

async function entriesOf(engine: Negotiations, { machine, proposals }: MachineRecord, hash: string): Promise<JournalRecord[]> {
  const places = (proposals[hash]?.actions ?? []).map((_, place) => place);
  const { store } = engine.peer.parts;
  const found = await Promise.all(places.map((place) => getRecord(store, 'journal', journalKey(machine.threadId, hash, place))));
  return found.flatMap((one) => (one ? [one.value] : []));
}

/** Last first. What cannot be undone, or fails to be, is listed to both people; nothing is retried silently. */
async function undo(engine: Negotiations, record: MachineRecord, hash: string): Promise<void> {
  const { store } = engine.peer.parts;
  const irreversible: number[] = [];
  let ended: RecordChange[] = [];
  for (const entry of (await entriesOf(engine, record, hash)).filter(isThere).toReversed()) {
    const handler = await handlerFor(engine, entry.call.action);
    const isRepeated = entry.state === 'undoing';
    if (handler?.undo && !isRepeated) {
      await store.commit([...ended, putEntry({ ...entry, state: 'undoing' })]);
      ended = [];
    }
    try {
      if (!handler?.undo) throw new ActionRefused();
      await handler.undo({ ...entry.call, now: engine.now, isRepeated });
      ended.push(putEntry({ ...entry, state: 'undone' }));
    } catch {
      irreversible.unshift(entry.place);
    }
  }
  await finish(engine, record, [{ kind: 'undone', hash, irreversible }], ended);
}
