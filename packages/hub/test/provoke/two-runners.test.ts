// Two hubs on one database: one of them runs what is queued, and when it is gone the other does (PRV-15).

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Hub, readConfig, startHub } from '@parley/hub';
import { waitFor } from '@parley/testkit';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { operator } from '../../src/engine/command.ts';
import { logFailures } from '../../src/log.ts';
import { folderBeside } from '../kit/hub-beside.ts';
import { type ProvokeWorld, startProvoke } from '../kit/provoke-runs.ts';

let world: ProvokeWorld;
let other: Hub;
let otherDir: string;
beforeAll(async () => {
  world = await startProvoke('postgres');
  const { ground } = world.kit;
  const dataDir = (otherDir = await folderBeside(ground));
  other = await startHub(
    readConfig({ PARLEY_PORT: '0', PARLEY_DATA: dataDir, PARLEY_DATABASE_URL: ground.databaseUrl, PARLEY_LOG: 'silent' }),
    { sync: false, clock: world.clock, env: { PARLEY_SECRET_CANARY: 'a-key' } },
  );
});
afterAll(async () => {
  await other.stop();
  await world.stop();
});

const event = (type: string, id: string) => ({ pap_version: '0.2', id, type, source: 'm', time: '2026-03-11T06:00:00Z', data: {} });

test('[PRV-15] whichever hub an event comes to, it is run once', async () => {
  const woken = await world.wakes(() => ({ text: 'done' }));
  const hubs = [world.kit.hub, other];
  const accepted = await Promise.all(
    Array.from({ length: 12 }, (_, i) =>
      hubs[i % 2]!.kernel.engine.submit({ type: 'event.accept', by: operator, event: event(woken.type, `both-${i}`) }),
    ),
  );
  await world.settled();
  await other.kernel.runner.settled();
  await world.settled();
  expect(woken.asked()).toHaveLength(12);
  for (const { triggers } of accepted)
    expect(await world.invocation(triggers[0]!.invocationId!)).toMatchObject({ state: 'completed', attempt: 1 });
});

test('[PAP-14] what has failed for good stands in the log of the hub that ended it, and in no other', async () => {
  const said: object[] = [];
  const log = { warn: (about: object) => void said.push(about), error: () => expect.unreachable() };
  for (const { kernel } of [world.kit.hub, other]) logFailures({ store: kernel.store, log });
  const woken = await world.wakes(() => ({ status: 400 }));
  const { id, state } = await woken.run();
  expect(state).toBe('failed');
  await other.kernel.tail.settled();
  // By then the other, too, has heard of it; each looks up why before it speaks.
  await waitFor(() => expect(said).not.toEqual([]));
  await Promise.all([world.kit.hub, other].map(({ kernel }) => kernel.store.rows('invocations', 'where id = ?', [id])));
  expect(said).toEqual([{ invocation: id, trigger: woken.name, manifest: `m-${woken.name}` }]);
});

test('[PRV-4] files are taken up by the hub that leads: what another has in its folder adds nothing, and takes nothing away', async () => {
  const text = (id: string) => `pap_version: "0.2"\ntrigger: { id: ${id}, match: { type: a.${id}.said }, agent: nobody }\n`;
  const look = () => Promise.all([world.kit.hub, other].map(({ kernel }) => kernel.provokeFiles.scan()));
  const folders = [world.kit.ground.dataDir, otherDir].map((path) => join(path, 'triggers'));
  await mkdir(folders[1]!);
  await writeFile(join(folders[0]!, 'leads.yaml'), text('leads'));
  await writeFile(join(folders[1]!, 'follows.yaml'), text('follows'));
  const inForce = async () =>
    (await world.kit.hub.kernel.store.rows('provoke_objects', 'where file is not null and removed_at is null')).map(({ id }) => id);
  await look();
  expect(await inForce()).toEqual(['leads']);
  await writeFile(join(folders[1]!, 'leads.yaml'), text('leads').replace('nobody', 'somebody'));
  await look();
  const { object } = await world.owner.call('getProvoke', { params: { kind: 'trigger', id: 'leads' } });
  expect([await inForce(), object]).toMatchObject([['leads'], { agent: 'nobody' }]);
});

test('[PRV-15] what a runner still says that has lost it is refused, and so is a step', async () => {
  const woken = await world.wakes([{ fault: 'hang' }, { text: 'the second' }], { on_failure: { retry: { max_attempts: 2 } } });
  const before = world.models.asked.length;
  const id = await woken.emit();
  await world.models.heard(before + 1);
  // As a hub would that found it running and nobody at it.
  const { engine } = other.kernel;
  const held = { invocationId: id, lease: 1 };
  await engine.submit({
    type: 'invocation.end',
    by: operator,
    ...held,
    outcome: { ok: false, end: 'crashed', error: 'It was interrupted.' },
  });
  await world.models.heard(before + 2);
  await world.settled();
  expect(await world.invocation(id)).toMatchObject({ state: 'completed', attempt: 2, output: 'the second' });
  const late = [
    engine.submit({
      type: 'invocation.end',
      by: operator,
      ...held,
      outcome: { ok: true, output: { value: 'the first', json: '"the first"' } },
    }),
    engine.submit({ type: 'invocation.reserve', by: operator, ...held, n: 0, micros: 1_000_000 }),
    engine.submit({ type: 'invocation.done', by: operator, ...held, n: 0, result: 'null' }),
    engine.submit({ type: 'invocation.yield', by: operator, ...held }),
  ];
  for (const one of await Promise.allSettled(late)) expect(one).toMatchObject({ reason: { code: 'stale_lease' } });
});

/** Which locks this hub has asked for while it happened. */
async function locksOf(act: () => Promise<unknown>): Promise<string[]> {
  const begun = vi.spyOn(world.kit.hub.kernel.store, 'begin');
  await act();
  const keys = begun.mock.calls.flatMap(([locks]) => locks);
  begun.mockRestore();
  return keys;
}

test('[SYS-6] what an agent emits waits for what is decided about its chain on the other hub', async () => {
  const next = await world.wakes([{ text: 'done' }]);
  const speaker = await world.kit.agent('SPEAKER');
  const woken = await world.wakes([{ fault: 'hang' }], { handle: 'SPEAKER' });
  const before = world.models.asked.length;
  const id = await woken.emit();
  await world.models.heard(before + 1);
  const { chainId } = await world.invocation(id);
  expect(await locksOf(() => world.emit({ type: next.type }, speaker))).toContain(`chain:${chainId}`);
  await world.owner.call('cancelInvocation', { params: { invocationId: id } });
  await world.settled();
});

test('[SYS-6] [PRV-11] so does asking again for what has expired', async () => {
  const woken = await world.wakes([{ text: 'done' }], { risk_level: 'high' });
  const { id, chainId } = await woken.run();
  await world.pass(25 * 3_600_000);
  const again = () => world.owner.call('askInvocationAgain', { params: { invocationId: id } });
  expect(await locksOf(again)).toContain(`chain:${chainId}`);
});
