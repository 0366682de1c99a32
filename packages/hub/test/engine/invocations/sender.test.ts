// Who may say that an event happened: a member only to triggers of their own, and to those that take members' events.

import { onBothEngines, makeOnce } from '@parley/testkit';
import { beforeAll, expect, test } from 'vitest';
import { event, monitorOf, provokingFor } from '../../kit/provoke.ts';

onBothEngines('who may say that an event happened', (engine) => {
  const world = provokingFor(engine);
  const mal = makeOnce(() => world.kit.person('mal'));
  beforeAll(async () => {
    await world.put('manifest', { id: 'mals', risk_level: 'read_only' }, mal);
  });

  const begun = async () =>
    (await world.owner.call('listInvocations', { query: { limit: 200 } })).invocations.map(({ triggerId }) => triggerId);

  test('[PRV-5] a member’s event has the member as its source, and naming another is refused', async () => {
    const type = 'who.said.it';
    const { id } = await world.emit({ type }, mal);
    const member = mal.id;
    const kept = await world.owner.call('getEvent', { params: { eventRef: id } });
    expect(kept).toMatchObject({ event: { source: `member:${member}` }, byId: member, senderId: member });
    expect((await mal.ask('emitEvent', { body: event({ type, source: `member:${member}` }) })).status).toBe(200);
    const owner = world.owner.id;
    for (const source of ['host-monitor', `member:${owner}`, 'operator', 'mal'])
      expect((await mal.ask('emitEvent', { body: event({ type, source }) })).body.error).toMatchObject({
        code: 'invalid_request',
        problems: [{ field: 'source' }],
      });
    // Nor may a monitor, or a schedule, speak as a member.
    const monitor = await monitorOf(world, 'forger');
    const forged = await monitor.ask('emitEvent', { body: event({ type, source: `member:${owner}` }) });
    expect(forged.body.error).toMatchObject({ code: 'invalid_request', problems: [{ field: 'source' }] });
    const schedule = { id: 'forger', cron: '@hourly', emit: { type, source: `member:${owner}` } };
    const put = await mal.ask('putProvoke', { params: { kind: 'schedule', id: 'forger' }, body: { version: 0, object: schedule } });
    expect(put.body.error).toMatchObject({ problems: [{ field: 'object.emit.source' }] });
  });

  test('[PRV-5] [PRV-7] another member’s trigger takes it only where it says so, and the answer names none that they cannot see', async () => {
    const type = 'prod.disk.full';
    await world.trigger('admins', type);
    await world.trigger('open', type, { accept: 'members' });
    await world.put('trigger', { id: 'own', agent: 'mals', match: { type } }, mal);
    const answer = await world.emit({ type, id: 'guessed' }, mal);
    expect(answer).toMatchObject({ awaited: 1, triggers: [{ triggerId: 'own', outcome: 'run' }] });
    expect(answer.triggers).toHaveLength(1);
    expect((await begun()).toSorted()).toEqual(['open', 'own']);
    // Whoever may see the trigger finds out why.
    const { triggers } = await world.owner.call('getEvent', { params: { eventRef: answer.id } });
    expect(triggers.find(({ triggerId }) => triggerId === 'admins')).toMatchObject({
      outcome: 'rejected',
      step: 'match',
      reason: 'sender',
    });
    const { results } = await world.owner.call('testTriggers', {
      body: { events: [event({ type, source: `member:${mal.id}` })], triggers: ['admins'] },
    });
    expect(results).toMatchObject([{ outcome: 'rejected', reason: 'sender' }]);
    // A guessed id does not make the monitor's own event a duplicate.
    const monitor = await monitorOf(world, 'disks');
    expect(await world.emit({ type, id: 'guessed', source: 'disks' }, monitor)).toMatchObject({
      triggers: expect.arrayContaining([expect.objectContaining({ triggerId: 'admins', outcome: 'run' })]),
    });
    // Admins as well: each trigger is its owner's.
    const ada = await world.kit.person('ada', 'admin');
    const byAda = await world.emit({ type }, ada);
    expect(byAda.triggers.find(({ triggerId }) => triggerId === 'admins')).toMatchObject({ reason: 'sender' });
    expect((await world.emit({ type }, world.owner)).triggers.find(({ triggerId }) => triggerId === 'admins')).toMatchObject({
      outcome: 'run',
    });
  });

  test('[PRV-16] a dry run of a trigger that is not stored takes its author’s own event, and no other member’s', async () => {
    const type = 'disk.usage.crossed';
    const [zoe, yan] = [await world.kit.person('zoe'), await world.kit.person('yan')];
    const trigger = { id: 'draft', match: { type }, agent: 'zoes' };
    await world.put('manifest', { id: 'zoes', risk_level: 'read_only' }, zoe);
    const outcomes = async (source: string) => {
      const { results } = await zoe.call('testTriggers', { body: { events: [event({ type, source })], trigger } });
      return results.map(({ outcome, reason }) => [outcome, reason]);
    };
    expect([await outcomes(`member:${zoe.id}`), await outcomes(`member:${yan.id}`)]).toEqual([[['run', null]], [['rejected', 'sender']]]);
  });

  test('[PRV-5] a monitor of absence takes note of its owner’s events, and of other members’ only where it says so', async () => {
    const beat = { match: { type: 'host.heart.beat' }, within_seconds: 60, emit: { type: 'host.heart.missing' } };
    await world.put('absence', { id: 'closed', ...beat });
    await world.put('absence', { id: 'opened', accept: 'members', ...beat });
    world.clock.advance(1000);
    const mals = await world.emit({ type: 'host.heart.beat' }, mal);
    expect([mals.absences, mals.heard]).toEqual([[], 0]);
    const seen = async (id: string) =>
      (await world.owner.call('getProvoke', { params: { kind: 'absence', id } })).absence!.keys[0]!.heardAt;
    expect(await seen('opened')).toBeGreaterThan(await seen('closed'));
    const { heard, absences } = await world.owner.call('getEvent', { params: { eventRef: mals.id } });
    expect([heard, absences]).toEqual([1, [{ absenceId: 'opened', key: null }]]);
    expect((await world.emit({ type: 'host.heart.beat' }, world.owner)).heard).toBe(2);
  });

  test('[PRV-5] a schedule or monitor of a member reaches no further than the member does', async () => {
    const type = 'prod.deploy.asked';
    await world.trigger('deploy', type);
    await world.put('schedule', { id: 'sly', cron: '0 * * * *', emit: { type, source: 'ci' } }, mal);
    await world.put('absence', { id: 'sly', match: { type: 'never.was.said' }, within_seconds: 60, emit: { type, source: 'ci' } }, mal);
    world.clock.advance(3_600_000);
    await world.kit.hub.kernel.timers.tick();
    expect(await begun()).not.toContain('deploy');
    const { events } = await world.owner.call('listEvents', { query: { type } });
    expect(events.map(({ via }) => via).toSorted()).toEqual(['absence', 'schedule']);
    expect(events.flatMap(({ triggers }) => triggers.map(({ reason }) => reason))).toEqual(['sender', 'sender']);
    await world.put('schedule', { id: 'fair', cron: '0 * * * *', emit: { type } });
    world.clock.advance(3_600_000);
    await world.kit.hub.kernel.timers.tick();
    expect(await begun()).toContain('deploy');
  });
});
