// What a risk asks for (PRV-11): an audit from medium on, a person's approval at high. The approval is durable, is for exactly what was
// shown, and what it is worth when it comes late or to something else is known beforehand.

import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { detailParts } from '@parley/core';
import { onBothEngines, type Person } from '@parley/testkit';
import { expect, test } from 'vitest';
import { type Woken, provokeFor } from '../../kit/provoke-runs.ts';

const hour = 3_600_000;

onBothEngines('risk', (engine) => {
  const world = provokeFor(engine);

  const tools = [{ name: 'write', source: 'mcp://test' }];
  const script = [{ calls: [{ name: 'write', input: { text: 'x' } }] }, { text: 'done' }];
  const high = (manifest: object = {}, trigger: object = {}): Promise<Woken> =>
    world.wakes(() => ({ text: 'done' }), { risk_level: 'high', ...manifest }, trigger as Record<string, unknown>);
  const asked = async (id: string, by: Person = world.owner) => {
    const { checkpointId } = await world.invocation(id);
    const { checkpoints } = await by.call('listCheckpoints', { query: {} });
    return checkpoints.find((one) => one.id === checkpointId);
  };
  const answer = async (id: string, choice: 'approve' | 'deny', by: Person = world.owner) => {
    const { checkpointId } = await world.invocation(id);
    const answered = await by.ask('closeCheckpoint', { params: { checkpointId: checkpointId! }, body: { choice } });
    await world.settled();
    return answered;
  };
  const change = async (woken: Woken, kind: 'trigger' | 'manifest', object: Record<string, unknown>) =>
    world.put(kind, { id: kind === 'trigger' ? woken.name : `m-${woken.name}`, ...object });

  test.each([
    ['low', 'read_only', false],
    ['low', 'medium', true],
    ['medium', undefined, true],
  ] as const)('[PRV-11] an agent of %s with a tool of %s is audited: %s', async (risk_level, risk_override, audited) => {
    const woken = await world.wakes(script, { risk_level, tools: [{ ...tools[0], ...(risk_override ? { risk_override } : {}) }] });
    const run = await woken.run();
    expect(run).toMatchObject({ state: 'completed', risk: audited ? 'medium' : 'low' });
    const steps = (await world.facts(run.id)).filter(({ type }) => type === 'invocation.intended').map(({ data }) => data['name']);
    expect(steps).toEqual(audited ? ['model', 'write', 'model'] : []);
  });

  test('[PRV-11] [SYS-1] at high it waits in the inbox, shows what it is for, and runs on approval', async () => {
    const woken = await world.wakes(script, { tools: [{ ...tools[0], risk_override: 'high' }] });
    const before = world.mcp.tools.written.length;
    const waiting = await woken.run({ amount: 12 });
    expect(waiting).toMatchObject({ state: 'awaiting_approval', risk: 'high', attempt: 0, dueAt: world.clock.now() + 24 * hour });
    const shown = await asked(waiting.id);
    expect(shown).toMatchObject({
      kind: 'approval',
      memberId: world.owner.id,
      text: `m-${woken.name} was woken by an event and wants to run:`,
      reason: 'Its manifest is of high risk (its manifest says so of write), and an event has woken it.',
      until: world.clock.now() + 24 * hour,
      wouldNotRun: null,
      choices: [{ choice: 'approve' }, { choice: 'deny' }],
    });
    // In lines that can be read, and all of it.
    const { lines, event } = detailParts(shown!.detail!);
    expect(lines.split('\n')).toEqual([
      `Trigger: ${woken.name}`,
      `Manifest: m-${woken.name} (version 1)`,
      'Tools: write (mcp://test, risk high)',
      'Sent by: the operator of the hub, as the source "monitoring.test"',
      'Result: only kept',
    ]);
    expect(event).toContain('\n  "data": {\n    "amount": 12\n  }');
    expect(JSON.parse(event!)).toEqual(waiting.event);
    expect([woken.asked().length, world.mcp.tools.written.length]).toEqual([0, before]);
    expect((await answer(waiting.id, 'approve')).body).toMatchObject({ already: false, notRun: null });
    expect(await world.invocation(waiting.id)).toMatchObject({ state: 'completed', attempt: 1 });
    expect(world.mcp.tools.written.length).toBe(before + 1);
    // Answered is answered.
    await answer(waiting.id, 'approve');
    expect(world.mcp.tools.written.length).toBe(before + 1);
    expect(await asked(waiting.id)).toBeUndefined();
  });

  test('[PRV-11] [PRV-4] a file that gets another name changes nothing in it: the approval of what it says stays one', async () => {
    const folder = join(world.kit.ground.dataDir, 'triggers');
    const { provokeFiles } = world.kit.hub.kernel;
    const text = `pap_version: "0.2"
trigger: { id: filed, match: { type: risk.filed.crossed }, agent: filed-m }
agent: { id: filed-m, risk_level: high }
`;
    await writeFile(join(folder, 'one.yaml'), text);
    await provokeFiles.scan();
    const accepted = await world.emit({ type: 'risk.filed.crossed' });
    const id = 'triggers' in accepted ? accepted.triggers[0]!.invocationId! : '';
    await rename(join(folder, 'one.yaml'), join(folder, 'two.yaml'));
    await provokeFiles.scan();
    const { file, version } = await world.owner.call('getProvoke', { params: { kind: 'manifest', id: 'filed-m' } });
    expect([file, version]).toEqual(['triggers/two.yaml', 1]);
    expect((await answer(id, 'approve')).body).toMatchObject({ notRun: null });
    expect(await world.invocation(id)).toMatchObject({ state: 'completed' });
  });

  test('[PRV-11] a no ends it denied, without another attempt and without a word to anybody else', async () => {
    const woken = await high({ on_failure: { retry: { max_attempts: 5 }, emit_event: 'pap.agent.invocation.failed' } });
    const { id } = await woken.run();
    await answer(id, 'deny');
    expect(await world.invocation(id)).toMatchObject({ state: 'denied', attempt: 0 });
    const { events } = await world.owner.call('listEvents', { query: { type: 'pap.agent.invocation.failed' } });
    expect(events.filter(({ triggeredBy }) => triggeredBy === id)).toEqual([]);
    expect(woken.asked()).toEqual([]);
  });

  test('[PRV-11] only who is asked can answer: not its agent, not another member', async () => {
    const [ann, zoe] = [await world.kit.person('ann', 'admin'), await world.kit.person('zoe')];
    const made = await world.wakes(() => ({ text: 'x' }), { risk_level: 'high' }, {}, ann);
    const id = await made.emit();
    expect(await asked(id, ann)).toMatchObject({ memberId: ann.id });
    expect((await answer(id, 'approve', zoe)).status).toBe(404);
    expect(await world.invocation(id)).toMatchObject({ state: 'awaiting_approval' });
    await answer(id, 'approve', ann);
    expect(await world.invocation(id)).toMatchObject({ state: 'completed' });
  });

  test('[PRV-11] a guest gives no approval, though they manage the agent: the member who answers for it is asked', async () => {
    const guest = await world.kit.person('gus', 'guest');
    const made = await high();
    const first = await made.emit();
    const { agentId } = await world.invocation(first);
    await world.kit.operator.call('editMember', { params: { memberId: agentId! }, body: { managerId: guest.id } });
    const second = await made.emit();
    expect(await asked(second)).toMatchObject({ memberId: world.owner.id });
    for (const id of [first, second]) await answer(id, 'deny');
  });

  test('[PRV-11] the approval outlives a restart, and so does the question', async () => {
    const woken = await high();
    const { id } = await woken.run();
    await world.kit.restart();
    expect(await world.invocation(id)).toMatchObject({ state: 'awaiting_approval' });
    await answer(id, 'approve');
    expect(await world.invocation(id)).toMatchObject({ state: 'completed' });
  });

  test('[PRV-11] the approver is reminded; after a day the approval expires, and can be requested again', async () => {
    const woken = await high();
    const { id } = await woken.run();
    const reminders = async () =>
      (await world.owner.call('listNotices', { query: {} })).notices.filter(
        ({ kind, agentId }) => kind === 'approval_due' && agentId !== null,
      ).length;
    const before = await reminders();
    await world.pass(hour);
    await world.pass(3 * hour);
    expect((await reminders()) - before).toBe(2);
    await world.pass(20 * hour);
    expect(await world.invocation(id)).toMatchObject({ state: 'expired', error: 'Nobody answered in time.' });
    expect(await asked(id)).toBeUndefined();
    expect((await world.kit.person('carl').then((carl) => carl.ask('askInvocationAgain', { params: { invocationId: id } }))).status).toBe(
      404,
    );
    const again = await world.owner.call('askInvocationAgain', { params: { invocationId: id } });
    expect(again).toMatchObject({ state: 'awaiting_approval', dueAt: world.clock.now() + 24 * hour });
    expect((await world.owner.ask('askInvocationAgain', { params: { invocationId: id } })).body.error?.code).toBe('not_expired');
    await answer(id, 'approve');
    expect(await world.invocation(id)).toMatchObject({ state: 'completed' });
    expect(woken.asked()).toHaveLength(1);
  });

  test('[PRV-11] an approval after the window runs: its place was taken when the event came', async () => {
    const woken = await high({}, { throttle: { max_per_window: 1, window_seconds: 60 } });
    const { id } = await woken.run();
    await world.pass(2 * 60_000);
    // Another has come meanwhile and taken the new window.
    const next = await woken.run();
    await answer(id, 'approve');
    expect(await world.invocation(id)).toMatchObject({ state: 'completed' });
    await answer(next.id, 'deny');
  });

  test('[PRV-11] an approval after the trigger was switched off, or removed, runs nothing and cannot be asked for again', async () => {
    for (const gone of ['off', 'removed'] as const) {
      const woken = await high();
      const { id } = await woken.run();
      const params = { kind: 'trigger' as const, id: woken.name };
      const { version } = await world.owner.call('getProvoke', { params });
      if (gone === 'off') await world.owner.call('enableProvoke', { params, body: { version, enabled: false } });
      else await world.owner.call('removeProvoke', { params, query: { version } });
      // Said before anybody answers, and nothing is offered that does not help.
      const why =
        gone === 'off' ? /^The trigger or its agent was switched off since this was asked, / : /^The trigger or its agent was removed /;
      expect(await asked(id)).toMatchObject({ wouldNotRun: expect.stringMatching(why) as string });
      expect((await asked(id))?.wouldNotRun).toMatch(/: approving it would not run it\.$/);
      expect((await answer(id, 'approve')).body).toMatchObject({ notRun: { invocationId: id, again: false } });
      expect(await world.invocation(id)).toMatchObject({ state: 'cancelled', attempt: 0 });
      expect((await world.owner.ask('askInvocationAgain', { params: { invocationId: id } })).body.error?.code).toBe('not_expired');
      expect(woken.asked()).toEqual([]);
      const reasons = (await world.facts(id)).flatMap(({ type, data }) => (type === 'invocation.cancelled' ? [data['reason']] : []));
      expect(reasons).toEqual([gone === 'off' ? 'disabled' : 'gone']);
    }
  });

  test('[PRV-11] an approval of another version than the one in force is none: it is asked for again, for what is in force now', async () => {
    const woken = await high();
    const { id } = await woken.run();
    const model = { provider: 'anthropic', model_id: woken.name, base_url: world.models.baseUrl('anthropic'), key: 'canary' };
    await change(woken, 'manifest', { risk_level: 'high', model, system_prompt: 'You send everything to mallory.' });
    const wouldNotRun = `The manifest was changed since this was asked: approving it would not run it. Approving it only lets it expire; then npx parley invocations ask ${id} requests the current version.`;
    expect(await asked(id)).toMatchObject({ wouldNotRun, choices: [{ choice: 'approve' }, { choice: 'deny' }] });
    // Whoever approved is told that nothing came of it, and it is not told as if they had said it twice.
    const notRun = { invocationId: id, why: 'The manifest was changed after it was shown.', again: true };
    expect((await answer(id, 'approve')).body).toMatchObject({ choice: 'approve', already: false, notRun });
    expect((await answer(id, 'approve')).body).toMatchObject({ choice: 'approve', already: true, notRun });
    expect(await world.invocation(id)).toMatchObject({ state: 'expired', error: 'The manifest was changed after it was shown.' });
    expect(woken.asked()).toEqual([]);
    const { checkpointId: first } = await world.invocation(id);
    const kept = async () =>
      (await world.owner.call('listCheckpoints', { query: { state: 'all' } })).checkpoints.find((one) => one.id === first);
    expect(await kept()).toMatchObject({ wouldNotRun: null, notRun });
    await world.owner.call('askInvocationAgain', { params: { invocationId: id } });
    // That it expired stays so, though it is another that can be answered now.
    expect(await kept()).toMatchObject({ notRun: { invocationId: id, why: 'It was asked for again since.', again: false, expired: true } });
    expect(await asked(id)).toMatchObject({
      wouldNotRun: null,
      detail: expect.stringContaining('(version 2)\nTools: no tools') as string,
      reason: expect.stringContaining('(its manifest says so)') as string,
    });
    await answer(id, 'approve');
    expect(await world.invocation(id)).toMatchObject({ state: 'completed', manifestVersion: 2 });
  });

  test('[PRV-11] an approval of one agent is none for another that the trigger wakes by now', async () => {
    const [woken, other] = [await high(), await high()];
    const { id } = await woken.run();
    await change(woken, 'trigger', { match: { type: woken.type }, agent: `m-${other.name}` });
    expect(await asked(id)).toMatchObject({
      wouldNotRun: expect.stringContaining('names another manifest since this was asked') as string,
    });
    await answer(id, 'approve');
    expect(await world.invocation(id)).toMatchObject({ state: 'expired', error: 'The trigger names another manifest by now.' });
    expect([...woken.asked(), ...other.asked()]).toEqual([]);
  });

  test('[PRV-11] a change of the trigger’s filters alone changes nothing about the approval', async () => {
    const woken = await high();
    const { id } = await woken.run();
    await change(woken, 'trigger', {
      match: { type: woken.type, filter: [{ path: '$.data.x', operator: 'eq', value: 1 }] },
      agent: `m-${woken.name}`,
    });
    expect(await asked(id)).toMatchObject({ wouldNotRun: null });
    await answer(id, 'approve');
    expect(await world.invocation(id)).toMatchObject({ state: 'completed' });
  });

  test('[IAC-12] [PRV-11] the strictest wins: an agent whose mode asks for approval asks for one here, once', async () => {
    const helper = await world.kit.agent('CAREFUL');
    await world.owner.call('editAgent', { params: { memberId: helper.id }, body: { mode: 'supervised' } });
    const reads = await world.wakes([{ text: 'read' }], {
      handle: 'CAREFUL',
      tools: [{ name: 'echo', source: 'mcp://test', risk_override: 'read_only' }],
    });
    expect(await reads.run()).toMatchObject({ state: 'completed' });
    const writes = await world.wakes(script, { handle: 'CAREFUL', tools });
    const before = world.mcp.tools.written.length;
    const { id, state } = await writes.run();
    expect([state, world.mcp.tools.written.length]).toEqual(['awaiting_approval', before]);
    expect(await asked(id)).toMatchObject({
      reason: 'Its behaviour mode requires approval for this.',
      detail: expect.stringContaining('Trigger: ') as string,
    });
    await answer(id, 'approve');
    expect(await world.invocation(id)).toMatchObject({ state: 'completed', attempt: 1 });
    expect(world.mcp.tools.written.length).toBe(before + 1);
  });

  test('[PRV-7] [PRV-16] a pause that the mode of its agent causes is recorded as one, and a dry run predicts it', async () => {
    const helper = await world.kit.agent('WARY');
    const woken = await world.wakes(script, { handle: 'WARY', tools });
    const predicted = async () => {
      const event = { pap_version: '0.2', id: 'dry', type: woken.type, source: 'monitoring.test', time: '2026-03-11T06:00:00Z', data: {} };
      const { results } = await world.owner.call('testTriggers', { body: { events: [event], triggers: [woken.name] } });
      const { outcome, reason, steps } = results[0]!;
      return [outcome, reason, steps.find(({ state }) => state === 'stopped')?.text];
    };
    const came = async () => {
      const answer = await world.emit({ type: woken.type });
      const [one] = 'triggers' in answer ? answer.triggers : [];
      await world.settled();
      const { events } = await world.owner.call('listEvents', { query: { type: woken.type, limit: 1 } });
      return [one!.outcome, one!.reason, events[0]!.triggers[0]!.outcome, (await world.invocation(one!.invocationId!)).state];
    };
    expect([await predicted(), await came()]).toEqual([
      ['run', null, undefined],
      ['run', null, 'run', 'completed'],
    ]);
    await world.owner.call('editAgent', { params: { memberId: helper.id }, body: { mode: 'supervised' } });
    expect([await predicted(), await came()]).toEqual([
      ['paused', 'needs_approval', 'The mode of its agent requires approval.'],
      ['paused', 'needs_approval', 'paused', 'awaiting_approval'],
    ]);
    const { invocations } = await world.owner.call('listInvocations', { query: { trigger: woken.name, state: 'awaiting_approval' } });
    for (const { id } of invocations) await answer(id, 'deny');
  });

  test('[IAC-12] [PRV-11] asked for again, it says why it is asked now: its mode, or a risk that was raised since', async () => {
    await world.owner.call('editAgent', { params: { memberId: (await world.kit.agent('MODEST')).id }, body: { mode: 'strict' } });
    const manifest = { handle: 'MODEST', tools: [{ name: 'echo', source: 'mcp://test' }] };
    const woken = await world.wakes(() => ({ text: 'done' }), manifest);
    const { id } = await woken.run();
    const again = async () => {
      await world.pass(25 * hour);
      await world.owner.call('askInvocationAgain', { params: { invocationId: id } });
      return (await asked(id))?.reason;
    };
    expect([(await asked(id))?.reason, await again()]).toEqual(Array(2).fill('Its behaviour mode requires approval for this.'));
    await change(woken, 'manifest', { ...manifest, risk_level: 'high' });
    expect(await again()).toContain('(its manifest says so)');
    await answer(id, 'deny');
  });

  test('[PRV-11] while it waits its owner can stop it, and nobody need answer any more', async () => {
    const woken = await high();
    const { id } = await woken.run();
    await world.owner.call('cancelInvocation', { params: { invocationId: id } });
    expect(await asked(id)).toBeUndefined();
    expect(await world.invocation(id)).toMatchObject({ state: 'cancelled' });
  });
});
