// What tells one event from another (PRV-3, PRV-8): the id of a seed event, source and id of a CloudEvent, whatever its form.

import type { AcceptedEvent, AcceptedEvents } from '@parley/protocol';
import { onBothEngines } from '@parley/testkit';
import { expect, test } from 'vitest';
import { provokeFor } from '../../kit/provoke-runs.ts';

onBothEngines('CloudEvents by source and id', (engine) => {
  const world = provokeFor(engine);

  type Form = 'structured' | 'binary' | 'batched';
  /** What its trigger made of it: null where it started. */
  const send = async (form: Form, type: string, id: string, source: string): Promise<string | null> => {
    const event = { specversion: '1.0', id, source, type, time: '2026-03-11T06:00:00Z', data: { n: 1 } };
    const headers: Record<string, string> = { authorization: `Bearer ${world.kit.operator.token}` };
    if (form === 'binary') {
      const { data: _data, ...attributes } = event;
      for (const [name, value] of Object.entries(attributes)) headers[`ce-${name}`] = value;
    }
    const types = { structured: 'application/cloudevents+json', batched: 'application/cloudevents-batch+json', binary: 'application/json' };
    headers['content-type'] = types[form];
    const body = JSON.stringify(form === 'structured' ? event : form === 'batched' ? [event] : event.data);
    const response = await fetch(`${world.kit.url}/api/v1/events`, { method: 'POST', headers, body });
    const answer = (await response.json()) as AcceptedEvent | AcceptedEvents;
    const one = ('events' in answer ? answer.events[0] : answer) as AcceptedEvent;
    return one.triggers[0]!.reason;
  };
  const seed = async (type: string, id: string, source = 'monitoring.test'): Promise<string | null> => {
    const answer = (await world.emit({ type, id, source })) as AcceptedEvent;
    return answer.triggers[0]!.reason;
  };
  const forms: Form[] = ['structured', 'binary', 'batched'];

  test('[PRV-3] [PRV-8] the same id of another source is another event; the same source and id is known, in every form', async () => {
    for (const form of forms) {
      const { type } = await world.wakes(() => ({ text: 'done' }));
      expect([await send(form, type, 'x1', '/a'), await send(form, type, 'x1', '/b')]).toEqual([null, null]);
      for (const again of forms)
        expect([again, await send(again, type, 'x1', '/a'), await send(again, type, 'x1', '/b')]).toEqual([
          again,
          'duplicate',
          'duplicate',
        ]);
      // Neither part can stand for a piece of the other.
      expect([await send(form, type, '1', '/a x'), await send(form, type, 'x 1', '/a')]).toEqual([null, null]);
    }
  });

  test('[PRV-8] a seed event is known by its id alone, and neither swallows the other', async () => {
    const { type } = await world.wakes(() => ({ text: 'done' }));
    expect([await seed(type, 's1'), await seed(type, 's1', 'monitoring.other')]).toEqual([null, 'duplicate']);
    expect([await send('structured', type, 's1', '/a'), await send('structured', type, 's1', '/a')]).toEqual([null, 'duplicate']);
    expect([await send('binary', type, 's2', '/a'), await seed(type, 's2'), await seed(type, 's2')]).toEqual([null, null, 'duplicate']);
  });

  test('[PRV-8] [SYS-15] a CloudEvent that an earlier version knew by its id alone is known still, and over a restart', async () => {
    const { type, name } = await world.wakes(() => ({ text: 'done' }));
    // As it was written then.
    expect(await seed(type, 'old', '/a')).toBe(null);
    expect([await send('structured', type, 'old', '/a'), await send('structured', type, 'old', '/b')]).toEqual(['duplicate', null]);
    await world.kit.restart();
    expect([await send('batched', type, 'old', '/a'), await send('batched', type, 'old', '/b')]).toEqual(['duplicate', 'duplicate']);
    const keys = await world.kit.hub.kernel.store.rows('provoke_keys', 'where trigger_id = ? order by event_id', [name]);
    expect(keys.map(({ event_id }) => event_id)).toEqual(['ce\n/b\nold', 'old']);
  });

  test('[PRV-3] [SYS-11] the owner of a trigger finds the CloudEvents that came to it, and no other member does', async () => {
    const [ann, zoe] = [await world.kit.person('ann', 'admin'), await world.kit.person('zoe')];
    const { type } = await world.wakes(() => ({ text: 'done' }), {}, { throttle: { max_per_window: 1, window_seconds: 3600 } }, ann);
    expect([await send('structured', type, 'y1', '/a'), await send('structured', type, 'y2', '/a')]).toEqual([null, 'throttled']);
    const demoted = { params: { memberId: ann.id }, body: { role: 'member' as const } };
    await world.kit.operator.call('editMember', demoted);
    const found = async (who: typeof ann) =>
      (await who.call('listEvents', { query: { type } })).events.map(({ event, via }) => [event.id, via]);
    expect([await found(ann), await found(zoe)]).toEqual([
      [
        ['y2', 'cloudevents'],
        ['y1', 'cloudevents'],
      ],
      [],
    ]);
  });
});
