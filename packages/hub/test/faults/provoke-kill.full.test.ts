// The hub is killed (SIGKILL) at every step of what an event sets going, under load, and started again on the same data: each
// event has run exactly one invocation or is waiting to, no two at once, and what was said is said once (PRV-8, PRV-15).

import { fileURLToPath } from 'node:url';
import {
  type ModelCall,
  ChildHub,
  freshGround,
  type Ground,
  type McpHttp,
  type ModelServer,
  onBothEngines,
  type Person,
  type Reply,
  startMcpHttp,
  startModels,
} from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inStore } from '../kit/stores.ts';

const script = fileURLToPath(new URL('../kit/children/attention.ts', import.meta.url));
const atOnce = 8;
const type = 'kill.test.crossed';

/** In the order in which an event comes by them. `during`: the kill falls where it falls, in the commit or after it. */
const points = [
  'before event.accept',
  'during event.accept',
  'after event.accept',
  'before invocation.begin',
  'during invocation.begin',
  'after invocation.begin',
  'after intend-model',
  'before done-model',
  'after intend-tool',
  'before done-tool',
  'before invocation.end',
  'during invocation.end',
  'after invocation.end',
] as const;

onBothEngines('a hub that is killed while agents are provoked', (kind) => {
  let [ground, hub, models, mcp, owner]: [Ground, ChildHub, ModelServer, McpHttp, Person] = [] as never;
  let told = Promise.withResolvers<void>();
  let stands = Promise.withResolvers<void>();
  /** Ids of events that somebody has sent, whoever heard of it. */
  const sent = new Set<string>();
  let n = 0;

  const idIn = (asked: ModelCall): string => /"id": "(evt-[\w-]+)"/.exec(asked.told[0]!.text)![1]!;
  /** Reads once, or writes where the event says so, and answers. */
  const answer = (asked: ModelCall): Reply => {
    const id = idIn(asked);
    if (asked.called > 0) return { text: `done ${id}` };
    return { calls: [{ name: id.includes('write') ? 'write' : 'echo', input: { text: id } }] };
  };

  beforeAll(async () => {
    ground = await freshGround(kind);
    [models, mcp] = [await startModels(), await startMcpHttp()];
    models.script('m', answer);
    hub = new ChildHub({
      ground,
      script,
      // A killed process loses nothing that the system has: only a killed machine does.
      sync: false,
      env: { PARLEY_SECRET_CANARY: 'key' },
      onLine: (line) => ('at' in (JSON.parse(line) as object) ? stands : told).resolve(),
    });
    await hub.start();
    owner = await hub.person('ann', 'owner');
    await owner.call('setToolServer', { params: { name: 'test' }, body: { url: mcp.url } });
    const manifest = {
      id: 'agent',
      risk_level: 'low',
      model: { provider: 'anthropic', model_id: 'm', base_url: models.baseUrl('anthropic'), key: 'canary' },
      tools: ['echo', 'write'].map((name) => ({ name, source: 'mcp://test' })),
      on_complete: { emit_event: 'kill.test.ended' },
      on_failure: { retry: { max_attempts: 10 } },
      deliver_to: { conversation: '#general' },
    };
    await owner.call('putProvoke', { params: { kind: 'manifest', id: 'agent' }, body: { version: 0, object: manifest } });
    const trigger = { id: 'on-crossed', match: { type }, agent: 'agent' };
    await owner.call('putProvoke', { params: { kind: 'trigger', id: 'on-crossed' }, body: { version: 0, object: trigger } });
  });
  afterAll(async () => {
    await hub.end();
    await Promise.all([models.stop(), mcp.stop()]);
    await ground.clear();
  });

  const emit = async (id: string): Promise<void> => {
    sent.add(id);
    const { url } = await hub.up();
    const body = JSON.stringify({ pap_version: '0.2', id, type, time: '2026-03-11T06:00:00Z', data: {} });
    const headers = { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' };
    await (await fetch(`${url}/api/v1/events`, { method: 'POST', headers, body })).text();
  };

  /** Sends some at once, kills the hub where it stands, has another, and sends again what nobody knows of. */
  async function killAt(point: string, tag = 'read'): Promise<string[]> {
    const ids = Array.from({ length: atOnce }, () => `evt-${tag}-${++n}`);
    told = Promise.withResolvers<void>();
    stands = Promise.withResolvers<void>();
    hub.tell(`stand ${point}`);
    await told.promise;
    const acked = new Set<string>();
    const sending = Promise.all(
      ids.map((id) =>
        emit(id)
          .then(() => acked.add(id))
          .catch(() => {}),
      ),
    );
    await stands.promise;
    await hub.kill();
    await sending;
    await hub.start();
    // A monitor that had no answer says it again.
    await Promise.all(ids.filter((id) => !acked.has(id)).map(emit));
    return ids;
  }

  /** Until nothing is open any more; the hub itself says so. */
  async function finished(): Promise<void> {
    for (;;) {
      const { url } = await hub.up();
      const answered = await fetch(`${url}/api/v1/invocations?state=open`, { headers: { authorization: `Bearer ${owner.token}` } });
      const { invocations } = (await answered.json()) as { invocations: { state: string }[] };
      // One that may have happened waits for a person.
      if (invocations.every(({ state }) => state === 'awaiting_approval')) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  test(
    '[PRV-15] [PRV-8] at every step: each event ran exactly one invocation, whose word is there once',
    { timeout: 240_000 },
    async () => {
      for (const [i, point] of points.entries()) {
        await killAt(point);
        // One that is hit every time would run out of attempts, as it should.
        if (i % 7 === 6) await finished();
      }
      await finished();
      await inStore(ground, async (store) => {
        const rows = await store.rows('invocations', '');
        const byEvent = Map.groupBy(rows, (row) => row.event_id);
        expect([...byEvent.keys()].toSorted()).toEqual([...sent].toSorted());
        expect([...byEvent.values()].filter((found) => found.length !== 1)).toEqual([]);
        expect(rows.filter(({ state }) => state !== 'completed').map(({ id, state, error }) => [id, state, error])).toEqual([]);
        const attempts = await store.rows('invocation_attempts', 'order by invocation_id, n');
        for (const row of rows) {
          const own = attempts.filter(({ invocation_id }) => invocation_id === row.id);
          expect(own.map((one) => one.n)).toEqual(own.map((_, i) => i + 1));
          expect(own.map(({ state }) => state)).toEqual([...own.slice(1).map(() => 'crashed'), 'succeeded']);
          // Never two at once: the next began when the one before it was over.
          own.slice(1).forEach((one, i) => expect(one.started_at).toBeGreaterThanOrEqual(own[i]!.ended_at!));
        }
        // At least one was in the middle of it when its hub went.
        expect(attempts.some(({ state }) => state === 'crashed')).toBe(true);
        const { rows: messages } = await store.intact('messages', "where body like 'done evt-%'");
        expect(messages.map(({ body }) => body ?? '').toSorted()).toEqual([...sent].map((id) => `done ${id}`).toSorted());
        const told = await store.rows('events', "where type = 'kill.test.ended'");
        expect(told.map(({ event_id }) => event_id).toSorted()).toEqual(rows.map(({ id }) => `${id}:completed`).toSorted());
      });
    },
  );

  test('[SYS-12] a call that writes and that nobody saw the end of is not made a second time', { timeout: 60_000 }, async () => {
    const ids = await killAt('before done-tool', 'write');
    await finished();
    await inStore(ground, async (store) => {
      const rows = (await store.rows('invocations', '')).filter(({ event_id }) => ids.includes(event_id));
      const asked = rows.filter(({ state }) => state === 'awaiting_approval');
      expect(asked.length).toBeGreaterThan(0);
      for (const { error } of asked) expect(error).toContain('It is not known whether write happened');
      expect(rows.filter(({ state }) => state !== 'completed' && state !== 'awaiting_approval')).toEqual([]);
      for (const { event_id } of asked) expect(mcp.tools.written.filter((one) => one === event_id).length).toBeLessThanOrEqual(1);
    });
  });

  test('[SYS-12] [PRV-15] a call that writes and came to its end is not made again by the next attempt', { timeout: 60_000 }, async () => {
    const ids = await killAt('before invocation.end', 'write');
    await finished();
    await inStore(ground, async (store) => {
      const rows = (await store.rows('invocations', '')).filter(({ event_id, state }) => ids.includes(event_id) && state === 'completed');
      expect(rows.some(({ attempt }) => attempt > 1)).toBe(true);
      expect(mcp.tools.written.filter((one) => rows.some(({ event_id }) => event_id === one)).toSorted()).toEqual(
        rows.map(({ event_id }) => event_id).toSorted(),
      );
    });
  });
});
