// A real Alertmanager, the one of Debian’s package, tells of an alert, and an agent is at work on it.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@parley/testkit/free-port';
import { advice, findAlertmanager, isRequired } from '@parley/testkit/programs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ProvokeWorld, startProvoke } from '../kit/provoke-runs.ts';

const alertmanager = findAlertmanager();

let world: ProvokeWorld;
let folder: string;
let running: ChildProcess | undefined;

beforeAll(async () => {
  if (!alertmanager) return;
  world = await startProvoke('sqlite');
  folder = await mkdtemp(join(tmpdir(), 'parley-alertmanager-'));
});
afterAll(async () => {
  if (running && running.exitCode === null) {
    running.kill('SIGKILL');
    await once(running, 'exit');
  }
  if (!alertmanager) return;
  await world.stop();
  await rm(folder, { recursive: true });
});

/** Outside of it only real time passes. */
async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (const end = Date.now() + 30_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const found = await look().catch(() => undefined);
    if (found !== undefined) return found;
  }
  throw new Error(`It did not come to this: ${what}`);
}

async function startAlertmanager(): Promise<string> {
  const config = `
route: { receiver: parley, group_wait: 0s, group_interval: 1s, repeat_interval: 1h }
receivers:
  - name: parley
    webhook_configs:
      - url: ${world.kit.url}/api/v1/webhooks/alertmanager/prom
        http_config: { authorization: { credentials: shared } }
`;
  await writeFile(join(folder, 'alertmanager.yml'), config);
  const port = await freePort();
  running = spawn(
    alertmanager!.path,
    [
      `--config.file=${join(folder, 'alertmanager.yml')}`,
      `--storage.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--cluster.listen-address=',
    ],
    { stdio: 'ignore' },
  );
  const url = `http://127.0.0.1:${port}`;
  await until('Alertmanager is ready', async () => ((await fetch(`${url}/-/ready`)).ok ? true : undefined));
  return url;
}

test(
  '[PRV-18] [PRV-12] a real Alertmanager provokes an agent, which says what it found in a channel',
  { timeout: 60_000 },
  async ({ skip }) => {
    skip(!alertmanager && !isRequired('alertmanager'), advice.alertmanager);
    expect(alertmanager, advice.alertmanager).toBeDefined();
    const { owner } = world;
    await owner.call('putProvoke', {
      params: { kind: 'source', id: 'prom' },
      body: { version: 0, object: { id: 'prom', types: ['alertmanager.*'], webhook: { verify: 'secret', secret: 'hook' } } },
    });
    const words = 'The last deployment dropped an index: look at orders-db.';
    const filter = [
      { path: '$.data.labels.severity', operator: 'eq', value: 'critical' },
      { path: '$.data.labels.alertname', operator: 'eq', value: 'HighLatency' },
    ];
    const woken = await world.wakes(
      [{ calls: [{ name: 'echo', input: { text: 'deployments' } }] }, { text: words }],
      { tools: [{ name: 'echo', source: 'mcp://test' }], deliver_to: { conversation: '#general' } },
      { match: { type: 'alertmanager.alert.firing', filter } },
    );
    const url = await startAlertmanager();
    const alert = (alertname: string) => ({
      labels: { alertname, severity: 'critical', endpoint: '/api/v2/orders' },
      annotations: { summary: 'p99 is 4800 ms' },
    });
    const sent = await fetch(`${url}/api/v2/alerts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([alert('HighLatency'), alert('DiskFull')]),
    });
    expect(sent.status).toBe(200);
    const [started] = await until('an invocation ended', async () => {
      const { invocations } = await owner.call('listInvocations', { query: { trigger: woken.name, state: 'completed' } });
      return invocations.length > 0 ? invocations : undefined;
    });
    await world.settled();
    const { event, output } = await world.invocation(started!.id);
    expect(output).toBe(words);
    expect(event).toMatchObject({
      type: 'alertmanager.alert.firing',
      data: {
        status: 'firing',
        labels: { alertname: 'HighLatency', endpoint: '/api/v2/orders' },
        annotations: { summary: 'p99 is 4800 ms' },
      },
    });
    expect(
      woken
        .asked()[0]!
        .told.map(({ text }) => text)
        .join('\n'),
    ).toContain('p99 is 4800 ms');
    expect((await world.bodies()).at(-1)).toBe(words);
    // Both alerts are on record with what became of them. They may come one after the other, and then the first comes again
    // with the second: that is known.
    const reasons = await until('both alerts are on record', async () => {
      const { events } = await owner.call('listEvents', { query: { type: 'alertmanager.alert.firing' } });
      const found = events.map((one) => one.triggers.find(({ triggerId }) => triggerId === woken.name)?.reason);
      return found.includes('filter') ? found : undefined;
    });
    expect(new Set(reasons.filter((reason) => reason !== 'duplicate'))).toEqual(new Set(['filter', null]));
    expect(reasons.filter((reason) => reason === null)).toHaveLength(1);
    expect((await owner.call('listInvocations', { query: { trigger: woken.name } })).invocations).toHaveLength(1);
  },
);
