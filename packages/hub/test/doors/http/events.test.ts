// The doors of events: each form they come in, who may bring what, and what is refused with every reason named.

import { createHmac } from 'node:crypto';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { json as read } from 'node:stream/consumers';
import { onBothEngines, Person } from '@parley/testkit';
import type { ParleyError } from '@parley/protocol';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { defaultLimits, RateLimits } from '../../../src/doors/http/rate-limits.ts';
import { event as anyEvent, type Provoking, startProvoking, sent } from '../../kit/provoke.ts';

interface Answer {
  status: number;
  body: {
    events?: {
      type?: string;
      eventId?: string;
      triggers?: { triggerId: string; reason: string | null; filter?: object }[];
      error?: { code: string };
    }[];
    eventId?: string;
    triggers?: { reason: string | null; outcome: string }[];
    warnings?: { field: string; message: string }[];
    error?: { code: string; reason?: string; problems?: { field: string; message: string }[] };
  };
}

/** As the source `meter` sends it. */
const event: typeof anyEvent = (more) => anyEvent({ source: 'meter', ...more });

onBothEngines('events come in', (engine) => {
  let world: Provoking;
  let monitor: Person;
  const secret = 'a shared secret of 24 characters';
  beforeAll(async () => {
    // Set, and nothing in it.
    world = await startProvoking(engine, { env: { ...process.env, PARLEY_SECRET_SPACES: '  ' } });
    const { kit, put, owner, trigger } = world;
    await put('source', { id: 'meter', types: ['energy.*', 'a.thing.crossed'] });
    const made = await owner.call('createToken', { body: { kind: 'source', label: 'meter', source: 'meter' } });
    monitor = new Person(kit.url, made.secret, owner.id, 'meter');
    await owner.call('setSecret', { params: { name: 'prom' }, body: { value: secret } });
    await put('source', { id: 'prom', types: ['alertmanager.*'], webhook: { verify: 'secret', secret: 'prom' } });
    await put('source', { id: 'graf', types: ['grafana.*'], webhook: { verify: 'hmac', secret: 'prom', timestamp_header: 'X-Time' } });
    await put('source', { id: 'blank', types: ['*'], webhook: { verify: 'secret', secret: 'never_set' } });
    await put('source', { id: 'spaces', types: ['*'], webhook: { verify: 'secret', secret: 'spaces' } });
    await put('source', { id: 'plain', types: ['*'] });
    await trigger('waits', 'energy.price.exceeded');
    await trigger('fires', 'alertmanager.alert.firing');
  });
  afterAll(() => world.kit.stop());

  const send = async (path: string, body: string | Buffer, headers: Record<string, string>): Promise<Answer> => {
    const answer = await fetch(new URL(`/api/v1${path}`, world.kit.url), {
      method: 'POST',
      body: new Uint8Array(Buffer.from(body)),
      headers,
    });
    return { status: answer.status, body: (await answer.json()) as Answer['body'] };
  };
  const emit = (body: unknown, headers: Record<string, string> = {}, token = monitor.token) =>
    send('/events', typeof body === 'string' ? body : JSON.stringify(body), {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      ...headers,
    });

  test('[PRV-1] every problem is named at once, and nothing is kept', async () => {
    const before = await world.kit.hub.kernel.store.all<{ n: number }>('select count(*) as n from events');
    const { status, body } = await emit({ pap_version: '0.1', type: 'two.parts', time: 'today', data: [] });
    expect([status, body.error?.code]).toEqual([400, 'invalid_request']);
    expect(body.error?.problems?.map(({ field }) => field).toSorted()).toEqual(['data', 'id', 'pap_version', 'source', 'time', 'type']);
    for (const junk of ['null', '[]', '"x"', '{}', '1']) expect((await emit(junk)).status).toBe(400);
    expect((await emit('{"a":')).body.error?.code).toBe('malformed_json');
    expect((await emit(`{"data":${'['.repeat(70)}${']'.repeat(70)}}`)).body.error?.code).toBe('malformed_json');
    expect((await emit('{}', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await emit(JSON.stringify({ ...event({ type: 'energy.a.b' }), data: { x: 'y'.repeat(1_000_000) } }))).status).toBe(413);
    const proto = await emit(JSON.stringify(event({ type: 'energy.a.b' })).replace('"data":{}', '"data":{"a":{"__proto__":{"x":1}}}'));
    expect([proto.status, proto.body.error?.problems?.[0]?.field]).toEqual([400, 'data.a.__proto__']);
    expect(await world.kit.hub.kernel.store.all('select count(*) as n from events')).toEqual(before);
  });

  test('[PRV-3] [PRV-8] an integer above 2^53 is refused where it stands, in every form, and not rounded', async () => {
    const big = (text: string) => text.replace('"N"', '9007199254740993');
    const whole = JSON.stringify(event({ type: 'energy.a.b', data: { id: 'N', near: 9007199254740991, real: 1.25, far: 1e300 } }));
    const seed = await emit(big(whole));
    expect([seed.status, seed.body.error?.problems?.map(({ field }) => field)]).toEqual([400, ['data.id']]);
    expect((await emit(whole.replace('"N"', '"9007199254740993"'))).status).toBe(200);
    const one = { specversion: '1.0', id: 'big-1', type: 'energy.a.b', source: '/m', data: { list: [1, 'N'] } };
    const structured = await emit(big(JSON.stringify(one)), { 'content-type': 'application/cloudevents+json' });
    expect(structured.body.error?.problems?.map(({ field }) => field)).toEqual(['data.list.1']);
    const binary = { 'ce-specversion': '1.0', 'ce-id': 'big-2', 'ce-type': one.type, 'ce-source': '/m' };
    expect((await emit(big('{"n":"N"}'), binary)).body.error?.problems?.map(({ field }) => field)).toEqual(['data.n']);
    const batch = [{ ...one, id: 'big-3', data: {} }, one];
    const { events } = (await emit(big(JSON.stringify(batch)), { 'content-type': 'application/cloudevents-batch+json' })).body;
    expect(events).toMatchObject([{ eventId: 'big-3' }, { error: { problems: [{ field: 'data.list.1' }] } }]);
  });

  test('[PRV-1] what is unknown at the top is kept; a type that only says what changed is warned of', async () => {
    const one = await world.emit({ type: 'energy.price.changed', subject: 'NO1' });
    expect(one.warnings.map(({ field }) => field)).toEqual(['type']);
    expect((await world.owner.call('getEvent', { params: { eventRef: one.id } })).event).toMatchObject({ subject: 'NO1' });
  });

  test('[SYS-11] [PRV-5] a source’s token names no other source', async () => {
    const named = (source: string) => emit(event({ type: 'energy.a.b', source }));
    const refused = [{ field: 'source', message: 'must be meter: the token is that source’s' }];
    for (const source of ['plain', 'nobodys']) expect((await named(source)).body.error?.problems).toEqual(refused);
    expect((await named('meter')).status).toBe(200);
    const cloud = (source: string) =>
      emit({ specversion: '1.0', id: `c-${source}`, type: 'energy.a.b', source }, { 'content-type': 'application/cloudevents+json' });
    for (const source of ['plain', 'Plain', 'operator', 'Operator', 'system', 'agent.calm', 'AGENT.calm'])
      expect([source, (await cloud(source)).body.error?.problems]).toEqual([source, refused]);
    expect((await cloud('/rooms/1')).status).toBe(200);
  });

  test('[PRV-2] no one outside says what only the system says', async () => {
    for (const token of [monitor.token, world.owner.token, world.kit.hub.dataDir.operatorKey]) {
      const make = token === world.owner.token ? sent : event;
      const { status, body } = await emit(make({ type: 'pap.agent.invocation.completed' }), {}, token);
      expect([status, body.error?.problems?.[0]?.field]).toEqual([400, 'type']);
    }
  });

  test('[SYS-11] a source’s token emits what its source may, and does nothing else', async () => {
    expect((await emit(event({ type: 'energy.price.exceeded' }))).body.triggers).toMatchObject([{ outcome: 'run' }]);
    expect((await emit(event({ type: 'a.thing.crossed' }))).status).toBe(200);
    const other = await emit(event({ type: 'server.latency.breached' }));
    expect([other.status, other.body.error?.reason]).toEqual([403, 'event.emit:type']);
    // Near misses: `energy.*` is a domain, not a beginning of letters.
    expect((await emit(event({ type: 'energyx.price.exceeded' }))).status).toBe(403);
    expect((await monitor.ask('listConversations', { query: {} })).status).toBe(403);
    expect((await monitor.ask('listEvents', { query: {} })).status).toBe(403);
    const { owner, put } = world;
    const nobodys = await owner.call('createToken', { body: { kind: 'source', label: 'x' } });
    expect((await emit(event({ type: 'energy.a.b' }), {}, nobodys.secret)).body.error?.reason).toBe('event.emit:source');
    // Switched off, or changed: at once.
    await put('source', { id: 'meter', types: ['water.*'] });
    expect((await emit(event({ type: 'energy.price.exceeded' }))).status).toBe(403);
    await put('source', { id: 'meter', types: ['energy.*'], enabled: false });
    expect((await emit(event({ type: 'energy.price.exceeded' }))).body.error?.reason).toBe('event.emit:source');
    await put('source', { id: 'meter', types: ['energy.*'] });
  });

  test('[SYS-11] guests, bridges and strangers bring nothing', async () => {
    const { owner, kit } = world;
    const guest = await kit.person('gus', 'guest');
    const bridge = await owner.call('createToken', { body: { kind: 'bridge', label: 'x' } });
    expect((await emit(event({ type: 'energy.a.b' }), {}, guest.token)).status).toBe(403);
    expect((await emit(event({ type: 'energy.a.b' }), {}, bridge.secret)).status).toBe(403);
    expect((await emit(event({ type: 'energy.a.b' }), {}, 'px_nobody')).status).toBe(401);
    const refused = await owner.ask('createToken', { body: { kind: 'person', label: 'x', source: 'meter' } });
    expect([refused.status, refused.body.error?.problems?.[0]?.field]).toEqual([400, 'source']);
  });

  const cloud = { specversion: '1.0', id: 'c-1', type: 'energy.price.exceeded', source: '/meters/1' };

  test('[PRV-3] CloudEvents, structured: the same event, so the same key', async () => {
    const type = { 'content-type': 'application/cloudevents+json; charset=utf-8' };
    const first = await emit({ ...cloud, subject: 'NO1', data: { price: 4 } }, type);
    expect([first.status, first.body.eventId, first.body.triggers?.[0]?.reason]).toEqual([200, 'c-1', null]);
    expect((await emit({ ...cloud, data: { price: 5 } }, type)).body.triggers?.[0]?.reason).toBe('duplicate');
    // A seed event of that id is another: see `cloud-identity`.
    expect((await emit(event({ id: 'c-1', type: cloud.type }))).body.triggers?.[0]?.reason).toBe(null);
    const wrong = await emit({ ...cloud, specversion: '0.3', id: '', triggered_by: 'inv_x' }, type);
    expect(wrong.body.error?.problems?.map(({ field }) => field).toSorted()).toEqual(['id', 'specversion', 'triggered_by', 'triggered_by']);
    expect((await emit({ ...cloud, type: 'pap.agent.invocation.failed' }, type)).status).toBe(400);
    expect((await emit(cloud, { 'content-type': 'application/cloudevents+avro' })).status).toBe(415);
  });

  test('[PRV-3] binary: attributes in headers, the body is the data, and may be none', async () => {
    const headers = { 'ce-specversion': '1.0', 'ce-id': 'c-2', 'ce-type': cloud.type, 'ce-source': '/m%C3%A9ters' };
    expect((await emit({ price: 4 }, headers)).body).toMatchObject({ eventId: 'c-2' });
    const bare = await send('/events', '', { authorization: `Bearer ${monitor.token}`, ...headers, 'ce-id': 'c-3' });
    expect(bare.body).toMatchObject({ eventId: 'c-3' });
    const { events } = await world.owner.call('listEvents', { query: { type: cloud.type, limit: 2 } });
    expect(events.map(({ event: { id, source, data }, sourceId }) => [id, source, data, sourceId])).toEqual([
      ['c-3', '/méters', {}, 'meter'],
      ['c-2', '/méters', { price: 4 }, 'meter'],
    ]);
  });

  test('[PRV-3] binary: an attribute that comes twice is none, and which one is told', async () => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const headers = { 'ce-specversion': '1.0', 'ce-id': ['c-4', 'c-5'], 'ce-type': cloud.type, 'ce-source': '/m' };
    httpRequest(new URL('/api/v1/events', world.kit.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${monitor.token}`, ...headers },
    })
      .on('response', resolve)
      .on('error', reject)
      .end();
    const answer = await promise;
    const { error } = (await read(answer)) as Answer['body'];
    expect([answer.statusCode, error!.problems]).toEqual([
      400,
      expect.arrayContaining([{ field: 'ce-id', message: 'must come once' }]) as unknown,
    ]);
  });

  test('[PRV-3] batched: each has its answer, and one that does not fit stops none', async () => {
    const type = { 'content-type': 'application/cloudevents-batch+json' };
    const { status, body } = await emit(
      [
        { ...cloud, id: 'c-4' },
        { ...cloud, id: 'c-5', type: 'x' },
        { ...cloud, id: 'c-6' },
      ],
      type,
    );
    expect(status).toBe(200);
    expect(body.events?.map(({ eventId, error }) => eventId ?? error?.code)).toEqual(['c-4', 'invalid_request', 'c-6']);
    expect((await emit([], type)).body.events).toEqual([]);
    expect((await emit({}, type)).status).toBe(400);
    const none = await emit([1, { ...cloud, type: 'x' }], type);
    expect([none.status, none.body.error?.problems?.some(({ field }) => field === '1.type')]).toEqual([400, true]);
  });

  const alert = (fingerprint: string, status = 'firing') => ({
    status,
    labels: { alertname: 'HighLatency', severity: 'page' },
    annotations: { summary: 'slow' },
    startsAt: '2026-03-11T06:00:00Z',
    endsAt: '0001-01-01T00:00:00Z',
    fingerprint,
  });
  const group = (...alerts: object[]) =>
    JSON.stringify({
      version: '4',
      status: 'firing',
      receiver: 'parley',
      groupKey: '{}',
      groupLabels: {},
      externalURL: 'http://am',
      alerts,
    });
  const json = { 'content-type': 'application/json' };
  const prom = (body: string, headers: Record<string, string>) => send('/webhooks/alertmanager/prom', body, { ...json, ...headers });

  test('[PRV-18] Alertmanager’s webhook, by its secret as token or password; the same alert repeated runs once', async () => {
    const bearer = { authorization: `Bearer ${secret.replaceAll(' ', '')}` };
    expect((await prom(group(alert('f1')), bearer)).status).toBe(401);
    await world.owner.call('setSecret', { params: { name: 'prom' }, body: { value: 'hunter2hunter2' } });
    const good = { authorization: 'Bearer hunter2hunter2' };
    const first = await prom(group(alert('f1'), alert('f2')), good);
    expect(first.body.events?.map(({ type, triggers }) => [type, triggers?.[0]?.reason])).toEqual([
      ['alertmanager.alert.firing', null],
      ['alertmanager.alert.firing', null],
    ]);
    const basic = { authorization: `Basic ${Buffer.from('any:hunter2hunter2').toString('base64')}` };
    expect((await prom(group(alert('f1')), basic)).body.events?.[0]?.triggers?.[0]?.reason).toBe('duplicate');
    const { events } = await world.owner.call('listEvents', { query: { type: 'alertmanager.alert.firing', limit: 1 } });
    expect(events[0]).toMatchObject({
      via: 'webhook',
      sourceId: 'prom',
      event: { source: 'http://am', data: { labels: { severity: 'page' } } },
    });
    const wrong = await prom(group({ status: 'firing' }), good);
    expect(wrong.body.error?.problems?.map(({ field }) => field)).toContain('alerts.0.fingerprint');
  });

  test('[PRV-18] [SYS-11] a webhook learns that a trigger did not match, and nothing about the filter', async () => {
    const filter = [{ path: '$.data.labels.severity', operator: 'eq', value: 'never' }];
    await world.trigger('calm', 'alertmanager.alert.firing', { match: { type: 'alertmanager.alert.firing', filter } });
    const { body } = await prom(group(alert('f8')), { authorization: 'Bearer hunter2hunter2' });
    const calm = body.events?.[0]?.triggers?.find(({ triggerId }) => triggerId === 'calm');
    expect([calm?.reason, calm?.filter]).toEqual(['filter', undefined]);
  });

  test('[PRV-18] [PRV-8] who knows of an alert cannot say its end before its monitor does', async () => {
    await world.trigger('ends', 'alertmanager.alert.resolved');
    const { startsAt, ...ended } = alert('f3', 'resolved');
    const early = { id: `alertmanager:f3:${startsAt}:resolved`, type: 'alertmanager.alert.resolved' };
    const mal = await world.kit.person('mal');
    const refused = await emit(sent(early), {}, mal.token);
    expect([refused.status, refused.body.error?.problems?.map(({ field }) => field)]).toEqual([400, ['id']]);
    const good = { authorization: 'Bearer hunter2hunter2' };
    const { events } = (await prom(group({ ...ended, startsAt, endsAt: '2026-03-11T06:10:00Z' }), good)).body;
    expect(events).toMatchObject([{ eventId: early.id, triggers: [{ outcome: 'run', reason: null }] }]);
  });

  test('[PRV-18] a webhook without a secret that is set, or with a blank one, lets nobody in; nor does a source that has none, or is not there', async () => {
    for (const source of ['blank', 'spaces', 'plain', 'nobody', 'meter'])
      for (const headers of [{}, { authorization: 'Bearer ' }, { authorization: 'Bearer undefined' }, { authorization: 'Basic Og==' }])
        expect((await send(`/webhooks/alertmanager/${source}`, group(alert('x')), { ...json, ...headers })).status).toBe(401);
    expect((await prom(group(alert('f1')), { authorization: 'Bearer wrong' })).status).toBe(401);
    // Of the other sender's form, the types are others, and the source may not emit them.
    const other = await send('/webhooks/grafana/prom', group(alert('f9')), { ...json, authorization: 'Bearer hunter2hunter2' });
    expect([other.status, other.body.error?.reason]).toEqual([403, 'event.emit:type']);
  });

  test('[PRV-18] alarms in numbers are not taken for a stranger’s knocking; guesses are', async () => {
    const { url } = world.kit;
    const limits = new RateLimits({ ...defaultLimits, strangersPerMinute: 20 });
    const before = await limits.mayKnock(url).then(() => 'come');
    for (let i = 0; i < 2; i++) await limits.stranger(url);
    const after = await limits.mayKnock(url).catch((error: unknown) => (error as ParleyError).code);
    expect([before, after]).toEqual(['come', 'rate_limited']);
    // None of those that were let in has counted.
    const stranger = vi.spyOn(RateLimits.prototype, 'stranger');
    await prom(group(alert('f1')), { authorization: 'Bearer hunter2hunter2' });
    expect(stranger).not.toHaveBeenCalled();
    await prom(group(alert('f1')), { authorization: 'Bearer wrong' });
    expect(stranger).toHaveBeenCalledOnce();
    stranger.mockRestore();
  });

  test('[PRV-18] Grafana’s, by the signature over time and body; changed or old, it is refused', async () => {
    const body = group(alert('g1'));
    const signed = (text: string, time: string, key = 'hunter2hunter2') =>
      send('/webhooks/grafana/graf', body, {
        ...json,
        'x-time': time,
        'x-grafana-alerting-signature': createHmac('sha256', key).update(`${time}:${text}`).digest('hex'),
      });
    const now = String(Math.floor(world.clock.now() / 1000));
    const good = await signed(body, now);
    expect(good.body.events).toMatchObject([{ type: 'grafana.alert.firing' }]);
    expect((await signed(`${body} `, now)).status).toBe(401);
    expect((await signed(body, now, 'other')).status).toBe(401);
    expect((await signed(body, String(Number(now) - 301))).status).toBe(401);
    expect((await send('/webhooks/grafana/graf', body, json)).status).toBe(401);
  });
});
