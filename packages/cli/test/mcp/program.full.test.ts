// `parley mcp` as the program of an MCP client: alone, beside a running peer, and killed.

import { watch } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ask } from '../in-process.ts';
import { running } from '../kit.ts';
import { startRelay } from '../peer/relay-kit.ts';
import { type Agent, agentWithProgram, lookAll, type Shown } from './mcp-kit.ts';

/** Ann and Bob have each other's card; what a dinner needs goes out by itself, except Ann's cuisine and transport. */
async function twoFolders(): Promise<{ cwd: string; ann: string; bob: string }> {
  const relay = await startRelay();
  const cwd = await mkdtemp(join(tmpdir(), 'parley-mcp-'));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  const peer = <T>(who: string, ...args: string[]): Promise<T> => ask<T>(['peer', '--data', who, ...args], { cwd });
  for (const name of ['ann', 'bob']) {
    await peer(name, 'init', '--name', name, '--relay', relay.served.url, '--code', await relay.invite());
    await peer(name, 'profile', 'set', 'timezone', 'UTC');
    await peer(name, 'profile', 'set', 'dietary', 'vegetarian');
    await peer(name, 'profile', 'set', 'location_preference', 'central Reading');
    for (const field of ['time_windows', 'dietary', 'location_preference']) await peer(name, 'tiers', 'set', field, 'always');
  }
  await peer('ann', 'add', (await peer<{ card: string }>('bob', 'card')).card);
  await peer('bob', 'add', (await peer<{ card: string }>('ann', 'card')).card);
  await peer('ann', 'profile', 'set', 'cuisine_preference', 'Italian');
  await peer('ann', 'profile', 'set', 'transport_mode', 'train');
  return { cwd, ann: join(cwd, 'ann'), bob: join(cwd, 'bob') };
}

const show = (agent: Agent, id: string): Promise<Shown> => agent.call('show_negotiation', { id });

async function reaches(agent: Agent, id: string, isReached: (shown: Shown) => boolean): Promise<Shown> {
  let shown = await show(agent, id);
  while (!isReached(shown)) shown = await show(agent, id);
  return shown;
}

const eventsIn = async (folder: string): Promise<number> =>
  (await readFile(join(folder, 'calendar.ics'), 'utf8').catch(() => '')).match(/BEGIN:VEVENT/g)?.length ?? 0;

test('[A2C-40] one agent opens its folder itself, the other works beside a running peer', async () => {
  const { cwd, ann, bob } = await twoFolders();
  const peer = await running(['peer', '--data', 'bob', 'run'], { cwd });
  onTestFinished(async () => void (await peer.stop()));
  const [hers, his] = [await agentWithProgram(ann), await agentWithProgram(bob)];
  const { id } = await hers.call<Shown>('negotiate', { address: 'agent:bob@localhost', intent: 'Dinner on Friday' });
  const asked = await reaches(hers, id, ({ waits_for_your_person: waits }) => waits.length > 0);
  expect(asked.waits_for_your_person).toMatchObject([{ kind: 'consent', call: 'answer_consent' }]);
  await hers.call('answer_consent', { id, share: ['cuisine_preference'] });
  await reaches(hers, id, ({ state }) => state === 'PROPOSED');
  // Two agents of one person at once: each waits for the other's command.
  const other = await agentWithProgram(ann);
  const answers = await Promise.all([show(hers, id), show(other, id), other.call('list_people'), hers.call('show_tiers')]);
  expect(answers[0].state).toBe(answers[1].state);
  await his.call('answer_proposal', { id, answer: 'confirm' });
  await hers.call('answer_proposal', { id, answer: 'confirm' });
  for (const agent of [hers, his]) await reaches(agent, id, ({ state }) => state === 'COMPLETED');
  expect([await eventsIn(ann), await eventsIn(bob)]).toEqual([1, 1]);
});

/** Kills the program of the agent at the given write to its folder; without so many writes the call ends by itself. */
async function killAtWrite(folder: string, at: number, act: (agent: Agent) => Promise<unknown>): Promise<boolean> {
  const agent = await agentWithProgram(folder);
  let [writes, isKilled] = [0, false];
  const watcher = watch(folder, () => {
    if (++writes !== at) return;
    isKilled = true;
    process.kill(agent.pid, 'SIGKILL');
  });
  await act(agent).catch((error: Error) => {
    if (!isKilled) throw error;
  });
  watcher.close();
  return isKilled;
}

test.each([2, 4, 7, 11])('[A2C-40] [A2C-34] a bridge that is killed at write %i loses no answer and gives none twice', async (at) => {
  const { ann, bob } = await twoFolders();
  const his = await agentWithProgram(bob);
  let kills = 0;
  /** Killed in the middle of `act`; the next process repeats what is not done. */
  const killed = async (act: (agent: Agent) => Promise<unknown>, isDone: (agent: Agent) => Promise<boolean>): Promise<Agent> => {
    kills += Number(await killAtWrite(ann, at, act));
    const next = await agentWithProgram(ann);
    if (!(await isDone(next))) await act(next);
    await lookAll(next, his);
    return next;
  };
  const list = async (agent: Agent): Promise<Shown[]> => (await agent.call<{ negotiations: Shown[] }>('list_negotiations')).negotiations;
  const opened = await killed(
    (agent) => agent.call('negotiate', { address: 'agent:bob@localhost', intent: 'Dinner on Friday' }),
    async (agent) => (await list(agent)).length > 0,
  );
  const [{ id } = { id: '' }, ...others] = await list(opened);
  expect(others).toEqual([]);
  const waitsFor = async (agent: Agent, kind: string): Promise<boolean> =>
    (await show(agent, id)).waits_for_your_person.some((one) => one.kind === kind);
  await killed(
    (agent) => agent.call('answer_consent', { id, share: ['cuisine_preference'] }),
    async (agent) => !(await waitsFor(agent, 'consent')),
  );
  await his.call('answer_proposal', { id, answer: 'confirm' });
  const hers = await killed(
    (agent) => agent.call('answer_proposal', { id, answer: 'confirm' }),
    async (agent) => !(await waitsFor(agent, 'proposal')),
  );
  expect([(await show(hers, id)).state, (await show(his, id)).state]).toEqual(['COMPLETED', 'COMPLETED']);
  expect([await eventsIn(ann), await eventsIn(bob)]).toEqual([1, 1]);
  expect(kills).toBeGreaterThan(0);
});
