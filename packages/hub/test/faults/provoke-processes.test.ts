// Two hubs that are processes of their own, on one database: a monitor that is careful tells both. What it tells starts
// each trigger once, and both have answered the truth (PRV-8, PRV-10).

import { cp, mkdtemp, rm } from 'node:fs/promises';
import { ChildHub, freshGround, type Ground, Person } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

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
  await cp(`${ground.dataDir}/checksum.key`, `${beside}/checksum.key`);
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

/** What each of them answered to each of these, sent to both at once and all together. */
async function atBoth(type: string, ids: readonly string[]) {
  const event = (id: string) => ({
    pap_version: '0.2' as const,
    id,
    type,
    source: 'm',
    time: '2026-03-11T06:00:00Z',
    data: { region: 'NO1' },
  });
  const answers = await Promise.all(ids.flatMap((id) => owners.map((owner) => owner.call('emitEvent', { body: event(id) }))));
  return answers.flatMap((answer) => ('triggers' in answer ? answer.triggers.map((told) => ({ id: answer.eventId, ...told })) : []));
}

const started = async (trigger: string) =>
  (await owners[1]!.call('listInvocations', { query: { trigger, state: 'all', limit: 100 } })).invocations;

const ids = Array.from({ length: 30 }, (_, i) => `same-${i}`);

test('[PRV-8] the same events at two processes at once start each of their triggers once', async () => {
  await put('trigger', { id: 'left', match: { type: 'both.hubs.told' }, agent: 'calm' });
  await put('trigger', { id: 'right', match: { type: 'both.hubs.told' }, agent: 'calm' });
  const told = await atBoth('both.hubs.told', ids);
  for (const trigger of ['left', 'right']) {
    const rows = await started(trigger);
    expect(rows.map(({ eventId }) => eventId).toSorted()).toEqual(ids.toSorted());
    const here = told.filter(({ triggerId }) => triggerId === trigger);
    // One said which it started, the other that it is known.
    expect(new Map(here.flatMap(({ id, invocationId }) => (invocationId === null ? [] : [[id, invocationId]])))).toEqual(
      new Map(rows.map(({ eventId, id }) => [eventId, id])),
    );
    expect(here.map(({ reason }) => reason ?? 'run').toSorted()).toEqual([...ids.map(() => 'duplicate'), ...ids.map(() => 'run')]);
  }
});

test('[PRV-10] what may begin in a window may begin over both of them together', async () => {
  const throttle = { max_per_window: 7, window_key: '$.data.region', window_seconds: 3600 };
  await put('trigger', { id: 'seldom', match: { type: 'both.hubs.often' }, agent: 'calm', throttle });
  const told = await atBoth('both.hubs.often', ids);
  expect(await started('seldom')).toHaveLength(7);
  expect(told.filter(({ outcome }) => outcome === 'run')).toHaveLength(7);
  expect(told.filter(({ reason }) => reason === 'throttled')).toHaveLength(23);
  expect(told.filter(({ reason }) => reason === 'duplicate')).toHaveLength(30);
});
