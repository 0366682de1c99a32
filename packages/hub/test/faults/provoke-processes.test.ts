// Two hubs that are processes of their own, on one database: a monitor that is careful tells both. What it tells starts
// each trigger once, and both have answered the truth (PRV-8, PRV-10).

import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { ChildHub, freshGround, type Ground, Person } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedKeys } from '../kit/hub-beside.ts';

let [ground, first, second, beside]: [Ground, ChildHub, ChildHub, string] = [] as never;
/** The same person, at each of them. */
let owners: Person[] = [];

beforeAll(async () => {
  ground = await freshGround('postgres', { tables: true });
  beside = await mkdtemp(`${ground.dataDir}-beside-`);
  first = new ChildHub({ ground });
  // It loads its code while the first one starts.
  second = new ChildHub({ ground: { dataDir: beside, databaseUrl: ground.databaseUrl } });
  await first.start();
  for (const key of sharedKeys) await cp(`${ground.dataDir}/${key}`, `${beside}/${key}`);
  const { url } = await second.start();
  const ann = await first.person('ann', 'owner');
  owners = [ann, new Person(url, ann.token, ann.id, 'ann')];
  // What is started stays as it was started.
  await ann.call('halt', {});
  await put('manifest', { id: 'calm', risk_level: 'read_only' });
});
afterAll(async () => {
  await Promise.all([first.end(), second.end()]);
  await rm(beside, { recursive: true, force: true });
  await ground.clear();
});

const put = (kind: 'manifest' | 'trigger', object: { id: string } & Record<string, unknown>) =>
  owners[0]!.call('putProvoke', { params: { kind, id: object.id }, body: { version: 0, object } });

const event = (type: string, id: string) => ({
  pap_version: '0.2' as const,
  id,
  type,
  time: '2026-03-11T06:00:00Z',
  data: { region: 'NO1' },
});

/** What was answered at each trigger, all of them sent at once. */
async function told(sent: readonly { to: Person; type: string; id: string }[]) {
  const answers = await Promise.all(sent.map(({ to, type, id }) => to.call('emitEvent', { body: event(type, id) })));
  return answers.flatMap((answer) => ('triggers' in answer ? answer.triggers.map((one) => ({ id: answer.eventId, ...one })) : []));
}

const started = async (trigger: string) =>
  (await owners[1]!.call('listInvocations', { query: { trigger, state: 'all', limit: 100 } })).invocations;

test('[PRV-4] only the first of them is given folders for files: an empty one beside it would say that the files are gone', () => {
  expect([ground.dataDir, beside].map((path) => existsSync(`${path}/triggers`))).toEqual([true, false]);
});

const ids = Array.from({ length: 30 }, (_, i) => `same-${i}`);

test('[PRV-8] the same events at two processes at once start each of their triggers once', async () => {
  const type = 'both.hubs.told';
  await put('trigger', { id: 'left', match: { type }, agent: 'calm' });
  await put('trigger', { id: 'right', match: { type }, agent: 'calm' });
  const answers = await told(ids.flatMap((id) => owners.map((to) => ({ to, type, id }))));
  for (const trigger of ['left', 'right']) {
    const rows = await started(trigger);
    expect(rows.map(({ eventId }) => eventId).toSorted()).toEqual(ids.toSorted());
    const here = answers.filter(({ triggerId }) => triggerId === trigger);
    // One said which it started, the other that it is known.
    expect(new Map(here.flatMap(({ id, invocationId }) => (invocationId === null ? [] : [[id, invocationId]])))).toEqual(
      new Map(rows.map(({ eventId, id }) => [eventId, id])),
    );
    expect(here.map(({ reason }) => reason ?? 'run').toSorted()).toEqual([...ids.map(() => 'duplicate'), ...ids.map(() => 'run')]);
  }
});

test('[PRV-10] what may begin in a window may begin over both of them together', async () => {
  for (let round = 0; round < 4; round++) {
    const [id, type] = [`seldom-${round}`, `both.hubs.often_${round}`];
    const throttle = { max_per_window: 7, window_key: '$.data.region', window_seconds: 3600 };
    await put('trigger', { id, match: { type }, agent: 'calm', throttle });
    // Each hears of others: nothing but the places in the window holds them back.
    const answers = await told(ids.slice(0, 10).flatMap((name) => owners.map((to, i) => ({ to, type, id: `${name} at ${i}` }))));
    expect(await started(id)).toHaveLength(7);
    expect(answers.filter(({ outcome }) => outcome === 'run')).toHaveLength(7);
    expect(answers.filter(({ reason }) => reason === 'throttled')).toHaveLength(13);
  }
});
