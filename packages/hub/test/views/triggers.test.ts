// What would happen, what happened, and who may know; what goes with a person, and what a backup holds.

import type { RouteInput } from '@parley/protocol';
import { onBothEngines, type Person } from '@parley/testkit';
import { beforeAll, expect, test } from 'vitest';
import { event, provokingFor } from '../kit/provoke.ts';

onBothEngines('looking at what triggers do', (engine) => {
  let mia: Person;
  let tom: Person;
  const world = provokingFor(engine);
  beforeAll(async () => {
    const { kit, put, trigger } = world;
    mia = await kit.person('mia');
    tom = await kit.person('tom');
    await put('manifest', { id: 'mias', risk_level: 'low' }, mia);
    await put('trigger', { id: 'of-mia', match: { type: 'a.price.crossed' }, agent: 'mias' }, mia);
    await trigger('of-owner', 'a.price.crossed', {
      match: { type: 'a.price.crossed', filter: [{ path: '$.data.price', operator: 'gt', value: 3 }] },
      throttle: { max_per_window: 1, window_seconds: 60 },
    });
  });

  const dry = async (input: RouteInput<'testTriggers'>, who = world.owner) => (await who.call('testTriggers', input)).results;

  test('[PRV-16] a dry run says step by step what would happen, and nothing happens', async () => {
    const { kit, emit } = world;
    const one = event({ id: 'dry', type: 'a.price.crossed', data: { price: 4 } });
    const count = () => kit.hub.kernel.store.all('select (select count(*) from events) as e, (select count(*) from provoke_keys) as k');
    const before = await count();
    const [mias, owners] = await dry({ body: { events: [one] } });
    expect([mias!.triggerId, mias!.outcome]).toEqual(['of-mia', 'run']);
    expect(owners).toMatchObject({
      triggerId: 'of-owner',
      outcome: 'run',
      reason: null,
      filters: [{ path: '$.data.price', operator: 'gt', value: 3, found: 4, holds: true }],
    });
    expect(owners!.steps.map(({ step, state }) => [step, state])).toEqual(
      ['match', 'idempotency', 'cascade', 'throttle', 'risk', 'run'].map((step) => [step, 'passed']),
    );
    expect(await count()).toEqual(before);
    // What it says is what then happens.
    expect((await emit(one)).triggers.map(({ outcome }) => outcome)).toEqual(['run', 'run']);
    expect((await dry({ body: { events: [one] } })).map(({ reason }) => reason)).toEqual(['duplicate', 'duplicate']);
    const second = { ...one, id: 'dry-2' };
    expect((await dry({ body: { events: [second] } })).map(({ reason }) => reason)).toEqual([null, 'throttled']);
    expect((await dry({ body: { events: [{ ...second, data: {} }], triggers: ['of-owner'] } }))[0]).toMatchObject({
      reason: 'filter',
      steps: [
        { step: 'match', state: 'stopped', text: '$.data.price gt 3 does not hold.' },
        ...Array.from({ length: 5 }, () => ({ state: 'not_reached' })),
      ],
    });
  });

  test('[PRV-16] lists come a page at a time, and each page says where the next begins', async () => {
    const { put, emit, trigger, owner } = world;
    await trigger('paged', 'a.page.turned');
    await put('trigger', { id: 'paged-mia', match: { type: 'a.page.turned' }, agent: 'mias' }, mia);
    for (const n of [1, 2, 3, 4, 5]) await emit({ id: `page-${n}`, type: 'a.page.turned' });
    // Of the same id, and of another type: of nobody's trigger, and so not mia's to see.
    await emit({ id: 'page-3', type: 'a.page.torn' });
    /** What is on each page, and from where to where. */
    async function pages<C extends number | string>(
      read: (from: C | undefined) => Promise<{ ids: string[]; next: C | null }>,
    ): Promise<string[][]> {
      const all: string[][] = [];
      for (let from: C | undefined; ;) {
        const { ids, next } = await read(from);
        all.push(ids);
        if (next === null) return all;
        from = next;
      }
    }
    const events = (who: Person, type?: string) =>
      pages(async (before: number | undefined) => {
        const { events: found, next } = await who.call('listEvents', { query: { limit: 2, before, type } });
        return { ids: found.map((one) => one.event.id), next };
      });
    expect(await events(owner, 'a.page.turned')).toEqual([['page-5', 'page-4'], ['page-3', 'page-2'], ['page-1']]);
    // One of them is not hers to see: a shorter page need not be the last.
    expect(await events(mia)).toEqual([['page-5'], ['page-4', 'page-3'], ['page-2', 'page-1'], ['dry']]);
    const started = await pages(async (before: number | undefined) => {
      const { invocations, next } = await owner.call('listInvocations', { query: { limit: 3, before, trigger: 'paged' } });
      return { ids: invocations.map(({ eventId }) => eventId), next };
    });
    expect(started).toEqual([
      ['page-5', 'page-4', 'page-3'],
      ['page-2', 'page-1'],
    ]);
    const objects = (who: Person) =>
      pages(async (after: string | undefined) => {
        const { objects: found, next } = await who.call('listProvoke', { params: { kind: 'trigger' }, query: { limit: 2, after } });
        return { ids: found.map(({ id }) => id), next };
      });
    expect(await objects(owner)).toEqual([
      ['of-mia', 'of-owner'],
      ['paged', 'paged-mia'],
    ]);
    expect(await objects(mia)).toEqual([['of-mia', 'paged-mia']]);
    for (const [id, version] of [
      ['paged', 1],
      ['paged-mia', 1],
    ] as const)
      await owner.call('removeProvoke', { params: { kind: 'trigger', id }, query: { version } });
  });

  test('[PRV-16] a dry run of more than it looks at says how much it left out', async () => {
    const type = 'a.bulk.tested';
    for (let i = 0; i < 11; i++) await world.trigger(`bulk-${i}`, type);
    const events = Array.from({ length: 100 }, () => event({ type }));
    const { results, leftOut } = await world.owner.call('testTriggers', { body: { events } });
    expect([results.length, leftOut]).toEqual([1000, 100]);
    expect(await world.owner.call('testTriggers', { body: { events, triggers: ['bulk-0'] } })).toMatchObject({ leftOut: 0 });
  });

  test('[PRV-16] with a trigger that is not kept yet, and with its manifest', async () => {
    const trigger = { id: 'new', match: { type: 'a.new.thing' }, agent: 'risky' };
    const events = [event({ type: 'a.new.thing' }), event({ type: 'another.new.thing' })];
    expect((await dry({ body: { events, trigger } })).map(({ reason }) => reason)).toEqual(['no_manifest', 'type']);
    const manifest = { id: 'risky', risk_level: 'high' };
    expect((await dry({ body: { events, trigger, manifest } })).map(({ reason }) => reason)).toEqual(['needs_approval', 'type']);
    const wrong = await world.owner.ask('testTriggers', {
      body: { events: [{}], trigger: { id: 'x' }, manifest: {} },
    });
    expect(wrong.body.error?.problems?.map(({ field }) => field.split('.')[0])).toEqual(
      expect.arrayContaining(['events', 'trigger', 'manifest']),
    );
    const none = await world.owner.ask('testTriggers', { body: { events, triggers: ['nobody'] } });
    expect(none.body.error?.problems).toEqual([{ field: 'triggers.0', message: 'there is no such trigger' }]);
  });

  test('[SYS-9] each sees what came to their own triggers; owners and admins all of it', async () => {
    const { emit, owner } = world;
    const sent = await emit({ type: 'a.price.crossed', data: { price: 1 } });
    const { events } = await mia.call('listEvents', { query: {} });
    expect(events.find(({ id }) => id === sent.id)!.triggers).toMatchObject([{ triggerId: 'of-mia', outcome: 'run' }]);
    expect((await owner.call('getEvent', { params: { eventRef: sent.id } })).triggers).toHaveLength(2);
    const { invocations } = await mia.call('listInvocations', { query: { event: sent.id } });
    expect(invocations.map(({ triggerId }) => triggerId)).toEqual(['of-mia']);
    const whole = await mia.call('getInvocation', { params: { invocationId: invocations[0]!.id } });
    expect(whole).toMatchObject({ event: { id: sent.eventId }, runs: [], state: 'queued' });
    expect((await tom.call('listEvents', { query: {} })).events).toEqual([]);
    expect((await tom.call('listInvocations', { query: {} })).invocations).toEqual([]);
    expect((await tom.ask('getEvent', { params: { eventRef: sent.id } })).status).toBe(404);
    expect((await tom.ask('getInvocation', { params: { invocationId: invocations[0]!.id } })).status).toBe(404);
    const others = (await owner.call('listInvocations', { query: { trigger: 'of-owner' } })).invocations[0]!;
    expect((await mia.ask('getInvocation', { params: { invocationId: others.id } })).status).toBe(404);
    // A dry run shows nobody else's either.
    expect((await dry({ body: { events: [event({ type: 'a.price.crossed' })] } }, mia)).map(({ triggerId }) => triggerId)).toEqual([
      'of-mia',
    ]);
    expect((await mia.ask('testTriggers', { body: { events: [event({ type: 'a.b.c' })], triggers: ['of-owner'] } })).status).toBe(400);
  });

  test('[PRV-16] nor does it say that something runs whose owner may not have it run', async () => {
    const { kit, put, owner, emit } = world;
    const pia = await kit.person('pia');
    await put('trigger', { id: 'of-pia', match: { type: 'a.pia.thing' }, agent: 'calm' }, pia);
    const said = async () => (await dry({ body: { events: [event({ type: 'a.pia.thing' })] } })).map(({ reason }) => reason);
    const done = async () => (await emit({ type: 'a.pia.thing' })).triggers.map(({ reason }) => reason);
    expect([await said(), await done()]).toEqual([['no_manifest'], ['no_manifest']]);
    await owner.call('editMember', { params: { memberId: pia.id }, body: { role: 'guest' } });
    expect([await said(), await done()]).toEqual([['disabled'], ['disabled']]);
  });

  test('[SYS-9] an id that somebody has heard of opens nobody else’s event', async () => {
    const { emit } = world;
    const hidden = await emit({ id: 'guessed', type: 'a.hidden.thing', data: { secret: true } });
    await world.put('trigger', { id: 'of-mia', match: { type: 'a.price.crossed' }, accept: 'members', agent: 'mias' }, mia);
    const own = await emit({ id: 'guessed', type: 'a.price.crossed' }, tom);
    const { events } = await mia.call('listEvents', { query: {} });
    expect([events.some(({ id }) => id === own.id), events.some(({ id }) => id === hidden.id)]).toEqual([true, false]);
    expect((await mia.ask('getEvent', { params: { eventRef: hidden.id } })).status).toBe(404);
    expect((await tom.call('listEvents', { query: {} })).events.map(({ id, triggers }) => [id, triggers])).toEqual([[own.id, []]]);
  });

  test('[SYS-4] page after page, by place', async () => {
    const { owner } = world;
    const all = (await owner.call('listEvents', { query: {} })).events.map(({ id }) => id);
    const [newest] = (await owner.call('listEvents', { query: { limit: 1 } })).events;
    const rest = (await owner.call('listEvents', { query: { before: newest!.seq } })).events.map(({ id }) => id);
    expect([newest!.id, ...rest]).toEqual(all);
  });

  test('[SYS-14] with a person goes what they emitted and wrote; what ran as them is another’s, and off', async () => {
    const { owner, kit, emit } = world;
    await world.put('trigger', { id: 'of-mia', description: 'a private word', match: { type: 'a.price.crossed' }, agent: 'mias' }, mia);
    await world.put('trigger', { id: 'of-mia', match: { type: 'a.price.crossed' }, agent: 'mias' }, mia);
    const sent = await emit({ type: 'a.private.word', data: { secret: 'a private word' } }, mia);
    const whole = await mia.call('exportMember', { params: { memberId: mia.id } });
    expect([whole.provoke.map(({ id }) => id), whole.events.map(({ id }) => id)]).toEqual([['mias', 'of-mia'], [sent.id]]);
    await owner.call('eraseMember', { params: { memberId: mia.id } });
    await kit.hub.kernel.outbox.settled();
    const { store } = kit.hub.kernel;
    for (const table of ['events', 'provoke_versions', 'provoke_objects', 'facts'] as const)
      expect(JSON.stringify(await store.rows(table, '')).includes('a private word'), table).toBe(false);
    expect(await store.rows('provoke_versions', 'where changed_by = ?', [mia.id])).toEqual([]);
    expect(await owner.call('getProvoke', { params: { kind: 'trigger', id: 'of-mia' } })).toMatchObject({
      ownerId: owner.id,
      enabled: false,
    });
    expect(await owner.call('getProvoke', { params: { kind: 'manifest', id: 'mias' } })).toMatchObject({
      ownerId: owner.id,
      enabled: false,
    });
    expect((await emit({ type: 'a.price.crossed' })).triggers.find(({ triggerId }) => triggerId === 'of-mia')).toMatchObject({
      reason: 'disabled',
    });
  });
});
