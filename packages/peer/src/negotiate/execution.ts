// Executes the actions of a confirmed proposal. Each is written down before and after, so that after a crash it happens once (A2C-29).

import type { NegotiationInput } from '@parley/core/negotiation';
import { toOneLine, toPlainTexts } from '@parley/protocol';
import { handlerFor } from '../actions/handlers.ts';
import { type ActionHandler, ActionRefused } from '../actions/port.ts';
import { getRecord, getValue, negotiationKey } from '../packets/peer-records.ts';
import { othersIn } from './groups/group-lines.ts';
import type { RecordChange } from '../store/port.ts';
import { applyInput } from './decisions.ts';
import type { Negotiations } from './negotiations.ts';
import { type JournalRecord, journalKey, type MachineRecord, type NegotiationJob, putMachine } from './negotiation-records.ts';
import { type ActionEnd, endOf } from './background-work.ts';

type RunJob = Extract<NegotiationJob, { kind: 'run' }>;

/** The first job of the negotiation. False while an action of it runs. */
export async function runJob(engine: Negotiations, record: MachineRecord): Promise<boolean> {
  const [job, ...later] = record.jobs;
  if (job!.kind === 'undo') return undo(engine, record, job!.hash);
  const hasFailed = later.some(({ kind, hash }) => kind === 'undo' && hash === job!.hash);
  return hasFailed ? dropRun(engine, record, job as RunJob) : run(engine, record, job as RunJob);
}

/** Nobody begins an action whose proposal has failed already. One that runs ends before it is undone. */
async function dropRun(engine: Negotiations, record: MachineRecord, { hash, actions }: RunJob): Promise<boolean> {
  const ended: RecordChange[] = [];
  for (const entry of await entriesOf(engine, record, hash)) {
    if (!actions.includes(entry.place) || !engine.actions.has(nameOf(entry, 'run'))) continue;
    const end = await perform(engine, entry, 'run', true);
    if (!end) return false;
    ended.push(...endedEntry(entry, end));
  }
  await finish(engine, record, [], ended);
  return true;
}

async function run(engine: Negotiations, record: MachineRecord, { hash, scope, actions }: RunJob): Promise<boolean> {
  const begins: NegotiationInput[] = record.machine.state === 'CONFIRMED' ? [{ kind: 'begin', hash }] : [];
  let ended: RecordChange[] = [];
  for (const place of actions) {
    const { entry, isRepeated } = await intend(engine, record, { hash, place }, ended);
    ended = [];
    if (entry.state === 'done') continue;
    const end = await perform(engine, entry, 'run', isRepeated);
    if (!end) {
      await begin(engine, record, begins);
      return false;
    }
    ended = endedEntry(entry, end);
    if ('error' in end) {
      const isRefused = end.error instanceof ActionRefused;
      if (!isRefused) engine.parts.onFailure?.(end.error as Error);
      const others = (await entriesOf(engine, record, hash)).filter((one) => one.place !== place && isThere(one));
      const completed = others.length + (isRefused ? 0 : 1);
      const failed: NegotiationInput = { kind: 'failed', hash, scope, constraint: constraintOf(entry, end.error), completed };
      await finish(engine, record, [...begins, failed], ended);
      return true;
    }
  }
  await finish(engine, record, [...begins, { kind: 'done', hash, scope }], ended);
  return true;
}

/** The person reads that it is carried out while an action takes its time. */
async function begin(engine: Negotiations, record: MachineRecord, begins: readonly NegotiationInput[]): Promise<void> {
  const desk = await engine.desk(record.machine.peer);
  for (const input of begins) await applyInput(desk, record, input);
  await engine.commit(desk);
}

const nameOf = ({ hash, place, call }: JournalRecord, act: 'run' | 'undo'): string => `${journalKey(call.threadId, hash, place)}/${act}`;

/** An action that reaches another machine runs beside the peer's turn; undefined while it does. */
async function perform(
  engine: Negotiations,
  entry: JournalRecord,
  act: 'run' | 'undo',
  isRepeated: boolean,
): Promise<ActionEnd | undefined> {
  const handler = await handlerFor(engine, entry.call.action);
  const call = { ...entry.call, now: engine.now, isRepeated };
  const acting = async (): Promise<void> => {
    const handle = act === 'run' ? mustHandle(handler, entry).run : handler?.undo;
    if (!handle) throw new ActionRefused(`${entry.call.action.action} cannot be undone`);
    await handle(call);
  };
  const name = nameOf(entry, act);
  if (!engine.actions.has(name) && (!handler?.isRemote || engine.parts.actsInTurn)) return endOf(acting());
  return engine.actions.take(name, acting, () => engine.workInTurn(negotiationKey(entry.call.peer, entry.call.threadId)));
}

/** After any other error the effect may be there, so its entry stays as it is. */
function endedEntry(entry: JournalRecord, end: ActionEnd): RecordChange[] {
  if (!('error' in end)) return [putEntry({ ...entry, state: 'done' })];
  return end.error instanceof ActionRefused ? [putEntry({ ...entry, state: 'refused' })] : [];
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
  const { store } = engine;
  const { threadId, peer, role } = machine;
  const known = await getValue(store, 'journal', journalKey(threadId, hash, place));
  if (known) {
    if (earlier.length > 0) await store.commit(earlier);
    return { entry: known, isRepeated: true };
  }
  const { actions, summary, details } = proposals[hash]!;
  // Of a group, those who meet.
  const others = othersIn(machine).filter((agent) => machine.execution?.counted?.includes(agent) ?? true);
  const call = {
    key: `${hash}-${place}-${role}`,
    threadId,
    peer,
    ...(machine.group ? { others } : {}),
    action: actions[place]!,
    summary: toOneLine(summary),
    details: toPlainTexts(details),
  };
  const entry: JournalRecord = { hash, place, state: 'intended', call };
  await store.commit([...earlier, putEntry(entry)]);
  return { entry, isRepeated: false };
}

async function entriesOf(engine: Negotiations, { machine, proposals }: MachineRecord, hash: string): Promise<JournalRecord[]> {
  const places = (proposals[hash]?.actions ?? []).map((_, place) => place);
  const { store } = engine;
  const found = await Promise.all(places.map((place) => getRecord(store, 'journal', journalKey(machine.threadId, hash, place))));
  return found.flatMap((one) => (one ? [one.value] : []));
}

/** Last first. What cannot be undone, or fails to be, is listed to both people; nothing is retried silently. */
async function undo(engine: Negotiations, record: MachineRecord, hash: string): Promise<boolean> {
  const { store } = engine;
  const entries = await entriesOf(engine, record, hash);
  const irreversible = entries.filter(({ state }) => state === 'stays').map(({ place }) => place);
  let ended: RecordChange[] = [];
  for (const entry of entries.filter(isThere).toReversed()) {
    if (entry.state === 'stays') continue;
    const handler = await handlerFor(engine, entry.call.action);
    const isRepeated = entry.state === 'undoing';
    if (handler?.undo && !isRepeated) {
      await store.commit([...ended, putEntry({ ...entry, state: 'undoing' })]);
      ended = [];
    }
    const end = await perform(engine, entry, 'undo', isRepeated);
    if (!end) {
      if (ended.length > 0) await store.commit(ended);
      return false;
    }
    if ('error' in end) irreversible.push(entry.place);
    ended.push(putEntry({ ...entry, state: 'error' in end ? 'stays' : 'undone' }));
  }
  await finish(engine, record, [{ kind: 'undone', hash, irreversible: irreversible.toSorted((one, other) => one - other) }], ended);
  return true;
}
