import { startTestHub } from '@parley/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { raw } from '../../kit/bystander.ts';

const token = 'a-token-for-prometheus';
async function hub(env: Record<string, string> = {}) {
  const kit = await startTestHub('sqlite', {}, env);
  onTestFinished(() => kit.stop());
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(new URL(path, kit.url), { headers });
    return { status: answer.status, type: answer.headers.get('content-type') ?? '', text: await answer.text() };
  };
  return { kit, get };
}

test('[SYS-7] a balancer learns whether the hub runs, and whether it reaches its database', async () => {
  const { kit, get } = await hub();
  expect(await get('/health')).toMatchObject({ status: 200, text: '{"status":"ok"}' });
  expect(await get('/ready')).toMatchObject({ status: 200, text: '{"status":"ready"}' });
  expect(await raw(kit.url, { path: '/ready', headers: { host: '10.0.0.7:7440' } })).toMatchObject({ status: 200 });
  const { store } = kit.hub.kernel;
  const head = store.head.bind(store);
  store.head = () => Promise.reject(new Error('away'));
  expect(await get('/ready')).toMatchObject({ status: 503, text: '{"status":"database_away"}' });
  store.head = head;
});

test('[SYS-7] a program that asks for a path which is not there gets 404, and no page', async () => {
  const { get } = await hub();
  for (const path of ['/healthz', '/livez', '/c/general', '/metrics']) {
    const answer = await get(path, { accept: '*/*' });
    expect(answer, path).toMatchObject({ status: 404 });
    expect(answer.type, path).toContain('json');
  }
});

test('[SYS-7] with their token Prometheus counts work, cost and what waits, and learns no name', async () => {
  const { kit, get } = await hub({ PARLEY_METRICS_TOKEN: token });
  expect(await get('/metrics')).toMatchObject({ status: 401 });
  expect(await get('/metrics', { authorization: `Bearer ${token}x` })).toMatchObject({ status: 401 });
  expect(await get('/metrics', { authorization: `Bearer ${kit.owner.token}` })).toMatchObject({ status: 401 });
  const before = await kit.general();
  await kit.owner.post(before, '^ORAC what is new?');
  await kit.hub.kernel.scheduler.settled();
  const { status, text } = await get('/metrics', { authorization: `Bearer ${token}` });
  expect(status).toBe(200);
  for (const line of [
    'parley_tasks_ended_total{state="completed"} 1',
    'parley_facts_total{type="message.posted"} 2',
    'parley_cost_dollars_total 0',
    'parley_events_total 0',
  ])
    expect(text).toContain(`\n${line}\n`);
  for (const name of ['turns_total', 'effects_total', 'waiting_tasks', 'waiting_effects', 'commit_seconds_bucket', 'read_seconds_count'])
    expect(text).toContain(`parley_${name}`);
  expect(text).not.toMatch(/ORAC|matt|general/i);
});
