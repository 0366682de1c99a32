import { makeOnce, onBothEngines, type Person } from '@parley/testkit';
import { expect, test } from 'vitest';
import { startProvoking } from '../../kit/provoke.ts';

onBothEngines('who took note of an event', (engine) => {
  const world = makeOnce(
    () => startProvoking(engine),
    (made) => made.kit.stop(),
  );
  const mia = makeOnce(() => world.kit.person('mia'));

  test('[PRV-16] one event says which monitors of absence took note of it, as they were when it came', async () => {
    const { clock, put, emit, owner } = world;
    const hosts = {
      id: 'hosts',
      match: { type: 'a.heart.beat' },
      key: '$.data.host',
      within_seconds: 60,
      emit: { type: 'a.heart.missing' },
    };
    const loud = [{ path: '$.data.loud', operator: 'eq', value: true }];
    await put('absence', hosts);
    await put('absence', { ...hosts, id: 'of-mia-too', key: undefined }, mia);
    await put('absence', { ...hosts, id: 'loud', match: { ...hosts.match, filter: loud } });
    await put('absence', { ...hosts, id: 'off', enabled: false });
    clock.advance(1);
    const { id: eventRef, absences } = await emit({ type: 'a.heart.beat', data: { host: 'db' } });
    const heard = [
      { absenceId: 'hosts', key: 'db' },
      { absenceId: 'of-mia-too', key: null },
    ];
    expect(absences).toEqual(heard);
    const shown = async (who: Person) => (await who.call('getEvent', { params: { eventRef } })).absences;
    expect(await shown(owner)).toEqual(heard);
    // Changed, switched on or off, removed or made since: none of it was so when it came.
    clock.advance(1);
    await put('absence', { ...hosts, match: { type: 'a.other.beat' } });
    await put('absence', { ...hosts, id: 'off', enabled: true });
    await put('absence', { ...hosts, id: 'later' });
    await owner.call('removeProvoke', { params: { kind: 'absence', id: 'of-mia-too' }, query: { version: 1 } });
    expect(await shown(owner)).toEqual(heard);
    // Others see their own of an event that they may see.
    clock.advance(1);
    await put('absence', { ...hosts, id: 'of-mia-still', key: undefined }, mia);
    clock.advance(1);
    const { id: mias } = await emit({ type: 'a.heart.beat', data: { host: 'db' } }, mia);
    expect((await mia.call('getEvent', { params: { eventRef: mias } })).absences).toEqual([{ absenceId: 'of-mia-still', key: null }]);
  });

  test('[PRV-16] an event without the value that a monitor of absence tells them apart by says so to those who may see the monitor', async () => {
    const { put, emit } = world;
    const beat = { match: { type: 'a.pulse.felt' }, key: '$.data.host', within_seconds: 60, emit: { type: 'a.pulse.gone' } };
    await put('absence', { id: 'pulse', ...beat });
    const message = 'is not in this event, or too long: pulse does not count it';
    expect(await emit({ type: 'a.pulse.felt', data: { hots: 'db' } })).toMatchObject({
      absences: [],
      warnings: [{ field: '$.data.host', message }],
    });
    expect((await emit({ type: 'a.pulse.felt', data: { host: 'db' } })).warnings).toEqual([]);
    expect((await emit({ type: 'a.pulse.felt', data: {} }, mia)).warnings).toEqual([]);
  });

  test('[PRV-10] an event without the value that a throttle counts by is taken, and its answer says so to those who may see the trigger', async () => {
    const { put, emit } = world;
    const throttle = { max_per_window: 2, window_key: '$.data.room', window_seconds: 60 };
    await put('manifest', { id: 'airer', risk_level: 'low' });
    await put('trigger', { id: 'stuffy', match: { type: 'a.air.stuffy' }, throttle, agent: 'airer' });
    const message = 'is not in this event, or too long: stuffy counts it together with all that have none';
    expect((await emit({ type: 'a.air.stuffy', data: {} })).warnings).toEqual([{ field: '$.data.room', message }]);
    expect((await emit({ type: 'a.air.stuffy', data: { room: 'attic' } })).warnings).toEqual([]);
    expect(await emit({ type: 'a.air.stuffy', data: {} }, mia)).toMatchObject({ warnings: [], triggers: [] });
  });

  test('an event without the value that a monitor tells them apart by ends no silence and begins none', async () => {
    const { put, emit, owner } = world;
    const doors = {
      id: 'doors',
      match: { type: 'a.door.closed' },
      key: '$.data.door',
      within_seconds: 60,
      emit: { type: 'a.door.open_long' },
    };
    await put('absence', doors);
    expect((await emit({ type: 'a.door.closed', data: {} })).absences).toEqual([]);
    const { absence } = await owner.call('getProvoke', { params: { kind: 'absence', id: 'doors' } });
    expect(absence).toMatchObject({ watched: 0, silent: 0, keys: [] });
    expect((await emit({ type: 'a.door.closed', data: { door: 'front' } })).absences).toEqual([{ absenceId: 'doors', key: 'front' }]);
  });
});
