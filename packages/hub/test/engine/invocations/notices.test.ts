// What people are told of what events started: a failure, to whose request it was; an alert in words that can be read; and
// who it was that spoke.

import { detailParts, provokedText } from '@parley/core';
import type { Checkpoint, Notice } from '@parley/protocol';
import { makeOnce, onBothEngines, Person, waitFor } from '@parley/testkit';
import { expect, test } from 'vitest';
import { logFailures } from '../../../src/log.ts';
import { startProvoke } from '../../kit/provoke-runs.ts';

onBothEngines('what people are told of invocations', (engine) => {
  const world = makeOnce(
    () => startProvoke(engine),
    (made) => made.stop(),
  );
  const mia = makeOnce(() => world.kit.person('mia'));

  const failures = async (who: Person): Promise<Notice[]> =>
    (await who.call('listNotices', { query: {} })).notices.filter(({ kind }) => kind === 'invocation_failed');

  const inbox = async (who: Person): Promise<Checkpoint[]> =>
    (await who.call('listCheckpoints', { query: {} })).checkpoints.filter(({ kind }) => kind === 'failed_run');

  test('[PAP-14] [PRV-14] the owner gets one notice that the invocation has failed for good, and nobody else does', async () => {
    const woken = await world.wakes(() => ({ status: 400 }), { on_failure: { retry: { max_attempts: 2, backoff_seconds: 60 } } });
    const { id, agentId } = await woken.run();
    expect(await world.invocation(id)).toMatchObject({ state: 'waiting_retry' });
    // There is another attempt.
    expect(await failures(world.owner)).toEqual([]);
    await world.pass(60_000);
    expect(await world.invocation(id)).toMatchObject({ state: 'failed', attempt: 2 });
    expect(await failures(world.owner)).toMatchObject([{ invocationId: id, agentId, conversationId: null, reason: 'failed' }]);
    const { error } = await world.invocation(id);
    expect(error).toMatch(/\w/);
    expect((await failures(world.owner))[0]!.error).toBe(error);
    expect(await failures(mia)).toEqual([]);
    // What came through, and what was denied, tells nobody of a failure.
    await (await world.wakes([{ text: 'Seen.' }])).run();
    expect(await failures(world.owner)).toHaveLength(1);
  });

  test('[PAP-14] the log has a line for each failure for good, with the reason, and none for a success', async () => {
    const { store } = world.kit.hub.kernel;
    const said: unknown[][] = [];
    const log = { warn: (...line: unknown[]) => void said.push(line), error: () => expect.unreachable() };
    logFailures({ store, log });
    await (await world.wakes([{ text: 'Seen.' }])).run();
    const woken = await world.wakes(() => ({ status: 400 }));
    const { id, error } = await woken.run();
    await waitFor(() =>
      expect(said).toEqual([
        [
          { invocation: id, trigger: woken.name, manifest: `m-${woken.name}` },
          `The invocation ${id} of m-${woken.name} has failed for good. ${error}`,
        ],
      ]),
    );
  });

  test('[PAP-14] the notice is where the result would have been, without the words of the model', async () => {
    await world.put(
      'manifest',
      {
        id: 'mias',
        risk_level: 'low',
        output: { type: 'structured', schema: { price: 'number' } },
        deliver_to: { conversation: '#general' },
      },
      mia,
    );
    await world.put('trigger', { id: 'of-mia', match: { type: 'test.mia.crossed' }, agent: 'mias' }, mia);
    await world.emit({ type: 'test.mia.crossed', data: { price: 'secret' } });
    await world.settled();
    const [notice, ...more] = await failures(mia);
    expect(more).toEqual([]);
    expect(notice).toMatchObject({ conversationId: world.general, reason: 'bad_output' });
    expect(JSON.stringify(notice)).not.toContain('secret');
    expect((await failures(world.owner)).every(({ invocationId }) => invocationId !== notice!.invocationId)).toBe(true);
  });

  test('[PAP-14] a result that could not be delivered gets a notice as well', async () => {
    const ops = await world.owner.call('createChannel', { body: { name: 'closed-soon' } });
    const woken = await world.wakes([{ text: 'Seen.' }], { deliver_to: { conversation: '#closed-soon' } });
    await world.owner.call('editConversation', { params: { conversationId: ops.id }, body: { archived: true } });
    const { id, state } = await woken.run();
    expect(state).toBe('failed');
    expect((await failures(world.owner)).at(-1)).toMatchObject({ invocationId: id, reason: 'not_delivered', conversationId: null });
  });

  test('[PAP-14] [PRV-11] an expired approval gives the owner a notice, whichever way it is noticed; a denial does not', async () => {
    const { owner } = world;
    const woken = await world.wakes(() => ({ text: 'Seen.' }), { risk_level: 'high' });
    const [left, late, denied] = [await woken.run(), await woken.run(), await woken.run()];
    const before = (await failures(owner)).length;
    const answer = async ({ checkpointId }: typeof left, choice: string) =>
      owner.call('closeCheckpoint', { params: { checkpointId: checkpointId! }, body: { choice } });
    await answer(denied, 'deny');
    expect(await failures(owner)).toHaveLength(before);
    // An approval that comes before anybody looked at the time.
    world.clock.advance(25 * 3_600_000);
    await answer(late, 'approve');
    await world.pass(0);
    // Which of the two is noticed first is the clock's and the approval's race.
    const told = (await failures(owner)).slice(before).map(({ invocationId, reason }) => `${invocationId} ${reason}`);
    expect(told.toSorted()).toEqual([left, late].map(({ id }) => `${id} expired`).toSorted());
    await world.pass(25 * 3_600_000);
    expect(await failures(owner)).toHaveLength(before + 2);
  });

  test('[PAP-14] [PRV-14] a result that the address outside will never take gives the owner a notice', async () => {
    const { id, state } = await (
      await world.wakes([{ text: 'Seen.' }], { deliver_to: { webhook: { url: 'http://169.254.169.254/latest' } } })
    ).run();
    expect(state).toBe('completed');
    expect((await failures(world.owner)).at(-1)).toMatchObject({ invocationId: id, reason: 'not_delivered', conversationId: null });
  });

  test('[PRV-18] an alert without a model has readable words, and the built-in agent names its sender', async () => {
    await world.put('manifest', { id: 'price-watcher', risk_level: 'low', deliver_to: { conversation: '#general' } });
    await world.put('trigger', { id: 'alerts', match: { type: 'alertmanager.alert.firing' }, agent: 'price-watcher' });
    const labels = { alertname: 'HighLatency', severity: 'critical', instance: 'db-1' };
    const annotations = { summary: 'p99 is over 2 s' };
    const startsAt = '2026-03-11T05:58:00Z';
    await world.emit({
      type: 'alertmanager.alert.firing',
      data: { status: 'firing', labels, annotations, startsAt, fingerprint: 'abc', groupKey: '{}' },
    });
    await world.settled();
    const said = `HighLatency is firing, severity critical\np99 is over 2 s\non db-1, since 11 March 2026, 05:58 UTC`;
    expect((await world.bodies()).at(-1)).toBe(said);
    for (const [question, answer] of [
      ['what’s going on?', /The last message here came from `\^price-watcher`\. The latest:\n> \^price-watcher: /],
      ['summary', /> \^price-watcher: /],
    ] as const) {
      await world.owner.post(world.general, `^ORAC ${question}`);
      await world.pass(10_000);
      expect((await world.bodies()).at(-1)).toMatch(answer);
      expect((await world.bodies()).at(-1)).not.toContain('someone');
    }
  });

  test('[C2A-32] [PRV-2] the sender is the holder of the token, whatever the event calls its source', async () => {
    const params = { kind: 'source', id: 'meter' } as const;
    await world.owner.call('putProvoke', { params, body: { version: 0, object: { id: 'meter', types: ['test.*'] } } });
    const { secret } = await world.owner.call('createToken', { body: { kind: 'source', label: 'meter', source: 'meter' } });
    const meter = new Person(world.kit.url, secret, world.owner.id, 'meter');
    for (const risk_level of ['low', 'high']) {
      const id = `liar-${risk_level}`;
      await world.put('manifest', { id, risk_level, deliver_to: { conversation: '#general' } });
      await world.put('trigger', { id, match: { type: `test.${risk_level}.lied` }, agent: id });
      // A CloudEvent may name the place it comes from.
      await fetch(new URL('/api/v1/events', world.kit.url), {
        method: 'POST',
        headers: { authorization: `Bearer ${meter.token}`, 'content-type': 'application/cloudevents+json' },
        body: JSON.stringify({ specversion: '1.0', id, type: `test.${risk_level}.lied`, source: 'meters.hall-3', data: {} }),
      });
    }
    await world.settled();
    const { messages } = await world.owner.call('listMessages', { params: { conversationId: world.general }, query: {} });
    const { provoked } = await world.owner.call('explainMessage', { params: { messageId: messages.at(-1)!.id }, query: {} });
    expect(provokedText(provoked!)).toMatch(/ sent by the source meter, which calls itself meters\.hall-3\. /);
    const { checkpoints } = await world.owner.call('listCheckpoints', { query: {} });
    const { lines } = detailParts(checkpoints.at(-1)!.detail!);
    expect(lines).toContain('\nSent by: the source meter, which calls itself "meters.hall-3"\nResult: posted in #general');
  });

  test('[PAP-14] [SYS-1] a failure without a conversation to say it in waits in the inbox, once for each trigger and reason', async () => {
    const { owner } = world;
    for (const { id } of await inbox(owner))
      await owner.call('closeCheckpoint', { params: { checkpointId: id }, body: { choice: 'noted' } });
    const woken = await world.wakes([{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }], { deliver_to: { conversation: '#opss' } });
    const [, last] = [await woken.run(), await woken.run()];
    const [waits, ...more] = await inbox(owner);
    expect(more).toEqual([]);
    expect(waits).toMatchObject({
      text: `The run that your trigger ${woken.name} started has failed: its result could not be delivered: “There is no such conversation, or its owner may not post there.” \`npx parley invocations show ${last.id}\` shows more.`,
      choices: [{ choice: 'noted', label: 'Noted' }],
      conversationId: null,
    });
    expect(await inbox(mia)).toEqual([]);
    // It was noted, and is so still: the next one is told again.
    await owner.call('closeCheckpoint', { params: { checkpointId: waits!.id }, body: { choice: 'noted' } });
    const { id } = await woken.run();
    expect(await inbox(owner)).toMatchObject([{ text: expect.stringContaining(id) as string }]);
    // Another reason is another thing, and what stands in a conversation waits nowhere besides.
    const late = await world.wakes(() => ({ status: 400 }), {});
    await late.run();
    expect((await inbox(owner)).map(({ text }) => text)).toEqual([
      expect.stringContaining(`trigger ${woken.name} `),
      expect.stringContaining(`trigger ${late.name} `),
    ]);
    const told = await world.wakes(() => ({ status: 400 }), { deliver_to: { conversation: '#general' } });
    await told.run();
    expect(await inbox(owner)).toHaveLength(2);
  });

  test('[PAP-14] [SYS-9] a member who takes over from another learns why a run failed if they may read it, and else only that it has', async () => {
    const { owner } = world;
    const boss = await world.kit.person('boss');
    for (const [handle, heir] of [
      ['under-boss', boss],
      ['under-none', owner],
    ] as const) {
      const leaving = await world.kit.person(handle);
      const params = { memberId: leaving.id };
      if (heir === boss) await owner.call('editMember', { params, body: { managerId: boss.id } });
      const output = { type: 'structured', schema: { price: 'number' } };
      await world.put('manifest', { id: handle, risk_level: 'low', output }, leaving);
      await world.put('trigger', { id: handle, match: { type: `test.${handle}.crossed` }, agent: handle }, leaving);
      await world.emit({ type: `test.${handle}.crossed` });
      await world.settled();
      const [whole] = await inbox(leaving);
      const { error } = (await owner.call('listInvocations', { query: { trigger: handle } })).invocations[0]!;
      expect(whole!.text).toContain(`: “${error}”. \`npx parley`);
      await owner.call('deactivateMember', { params });
      const theirs = (await inbox(heir)).find(({ id }) => id === whole!.id)!;
      const mayRead = (await heir.ask('getInvocation', { params: { invocationId: /inv_\w+/.exec(theirs.text)![0] } })).status === 200;
      expect(mayRead).toBe(heir === owner);
      expect(theirs.text).toBe(mayRead ? whole!.text : whole!.text.replace(`: “${error}”`, ''));
    }
  });
});
