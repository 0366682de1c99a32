// Attempts that follow others (PRV-15, SYS-12): what is stopped in the middle is given back, and whether that costs an attempt hangs
// on what it has begun outside.

import { ParleyError } from '@parley/protocol';
import { onBothEngines, type Script } from '@parley/testkit';
import { beforeAll, expect, test, vi } from 'vitest';
import { Engine } from '../../src/engine/engine.ts';
import { provokeFor } from '../kit/provoke-runs.ts';

onBothEngines('an invocation that is given back', (engine) => {
  const world = provokeFor(engine);
  beforeAll(async () => {
    // Whatever their server says of them.
    const body = { url: world.mcp.url, tools: { hang: 'write', fail: 'write' } as const };
    await world.owner.call('setToolServer', { params: { name: 'test' }, body });
  });

  const uses = (name: string) => ({ tools: [{ name, source: 'mcp://test' }], on_failure: { retry: { max_attempts: 2 } } });
  const stop = async () => {
    await world.owner.call('halt', {});
    await world.settled();
  };
  const goOn = async (id: string) => {
    await world.owner.call('release', {});
    await world.settled();
    return world.invocation(id);
  };

  test('[SYS-10] [SYS-12] loses no attempt by what it has finished: begun again, it is given what came of it', async () => {
    const write = { calls: [{ name: 'write', input: { text: 'given back' } }] };
    const woken = await world.wakes([write, { fault: 'hang' }, write, { text: 'after all' }], uses('write'));
    const before = world.models.asked.length;
    const id = await woken.emit();
    await world.models.heard(before + 2);
    await stop();
    expect(await world.invocation(id)).toMatchObject({ state: 'queued', attempt: 0, runs: [{ state: 'yielded' }] });
    expect(await goOn(id)).toMatchObject({ state: 'completed', attempt: 1, output: 'after all' });
    expect(world.mcp.tools.written.filter((text) => text === 'given back')).toHaveLength(1);
  });

  test('[SYS-12] what it began outside and did not finish is an attempt: a call that failed is made again by the next', async () => {
    const fail = { calls: [{ name: 'fail', input: {} }] };
    const woken = await world.wakes([fail, { fault: 'hang' }, { text: 'after all' }], uses('fail'));
    const before = world.models.asked.length;
    const id = await woken.emit();
    await world.models.heard(before + 2);
    await stop();
    expect(await world.invocation(id)).toMatchObject({
      state: 'queued',
      attempt: 1,
      runs: [{ state: 'crashed', error: 'It was stopped.' }],
    });
    expect(await goOn(id)).toMatchObject({ state: 'completed', attempt: 2 });
  });

  /** Stopped while this call is under way, and released. */
  const lostIn = async (script: Script, over: object = {}): Promise<string> => {
    const woken = await world.wakes(script, { ...uses('hang'), ...over });
    const id = await woken.emit();
    const { store } = world.kit.hub.kernel;
    const calls = () => store.rows('journal', "where turn_id like ? and name = 'hang'", [`${id}:%`]);
    await expect.poll(async () => (await calls()).length).toBeGreaterThan(0);
    await stop();
    await goOn(id);
    return id;
  };
  const hang = { calls: [{ name: 'hang', input: { text: 'x' } }] };
  const askedAbout = async (id: string) => {
    const { checkpointId } = await world.invocation(id);
    return world.owner.call('getCheckpoint', { params: { checkpointId: checkpointId! } });
  };
  const answer = async (id: string, choice: string, by = world.owner) => {
    const { checkpointId } = await world.invocation(id);
    const answered = await by.ask('closeCheckpoint', { params: { checkpointId: checkpointId! }, body: { choice } });
    return answered.status;
  };

  test('[SYS-12] one that nobody saw the end of may have happened: a person is asked, with one tap for each answer', async () => {
    const id = await lostIn([hang]);
    const error = 'It was stopped. It is not known whether hang happened.';
    const { agentId, ...waits } = await world.invocation(id);
    expect(waits).toMatchObject({ state: 'awaiting_approval', attempt: 1, error });
    const { handle } = await world.owner.call('getMember', { params: { memberId: agentId! } });
    expect(await askedAbout(id)).toMatchObject({
      kind: 'may_have_happened',
      memberId: world.owner.id,
      agentId,
      text: `${handle} was interrupted while it called hang. The call may have happened:`,
      detail: 'Arguments: {"text":"x"}',
      choices: [
        { choice: 'did', label: 'It did' },
        { choice: 'again', label: 'Do it again' },
        { choice: 'leave', label: 'Leave it' },
      ],
    });
    // ModelCall over a restart, and only who would approve it answers.
    await world.kit.restart();
    expect(await askedAbout(id)).toMatchObject({ open: true });
    const zoe = await world.kit.person('zoe');
    expect(await answer(id, 'again', zoe)).toBe(404);
    expect(await answer(id, 'leave')).toBe(200);
    expect(await world.invocation(id)).toMatchObject({ state: 'failed', attempt: 1, error });
    // Answered is answered.
    expect(await answer(id, 'again')).toBe(200);
    await world.settled();
    expect(await world.invocation(id)).toMatchObject({ state: 'failed', attempt: 1 });
  });

  test('[SYS-12] it did: the next attempt is given that, and does not make the call', async () => {
    const id = await lostIn([hang, hang, { text: 'after all' }]);
    expect(await answer(id, 'did')).toBe(200);
    await world.settled();
    expect(await world.invocation(id)).toMatchObject({ state: 'completed', attempt: 2, output: 'after all', toolCalls: 2 });
    const { store } = world.kit.hub.kernel;
    const facts = await store.rows('facts', "where subject_id = ? and type = 'approval.answered'", [
      (await world.invocation(id)).checkpointId!,
    ]);
    expect(facts.map(({ data }) => JSON.parse(data) as object)).toMatchObject([{ invocation: id, choice: 'did' }]);
    expect(world.models.asked.at(-1)!.told.at(-1)!.text).toContain('A person confirmed that hang happened.');
  });

  test('[SYS-12] do it again: one more attempt, even where the manifest has none left, and it may make the call', async () => {
    const id = await lostIn([hang, { text: 'done again' }], { on_failure: { retry: { max_attempts: 1 } } });
    expect(await world.invocation(id)).toMatchObject({ state: 'awaiting_approval', attempt: 1 });
    expect(await answer(id, 'again')).toBe(200);
    await world.settled();
    expect(await world.invocation(id)).toMatchObject({ state: 'completed', attempt: 2, attempts: 2, output: 'done again' });
    const { entries } = await world.owner.call('listAudit', { query: { kind: 'approval', limit: 1 } });
    expect(entries).toMatchObject([{ name: 'hang', outcome: 'approved', actorId: world.owner.id, invocationId: id }]);
  });

  test('[SYS-12] calls that were under way together are asked about one by one', async () => {
    const two = { calls: [hang.calls[0]!, { name: 'hang', input: { text: 'y' } }] };
    const id = await lostIn([two, { text: 'after all' }]);
    const first = await askedAbout(id);
    expect(await answer(id, 'did')).toBe(200);
    const second = await askedAbout(id);
    expect(new Set([first.detail, second.detail])).toEqual(new Set(['Arguments: {"text":"x"}', 'Arguments: {"text":"y"}']));
    expect(await world.invocation(id)).toMatchObject({ state: 'awaiting_approval' });
    expect(await answer(id, 'again')).toBe(200);
    await world.settled();
    expect(await world.invocation(id)).toMatchObject({ state: 'completed', attempt: 2 });
  });

  test('[SYS-12] nobody answers in time: it is left; cancelled, nobody is asked any more', async () => {
    const [late, cancelled] = [await lostIn([hang]), await lostIn([hang])];
    const asked = await askedAbout(cancelled);
    await world.owner.call('cancelInvocation', { params: { invocationId: cancelled } });
    expect(await world.owner.call('getCheckpoint', { params: { checkpointId: asked.id } })).toMatchObject({ open: false, choice: null });
    await world.pass(25 * 3_600_000);
    expect(await world.invocation(late)).toMatchObject({ state: 'failed', attempt: 1 });
    expect(await askedAbout(late)).toMatchObject({ open: false, choice: null });
  });

  test('[PRV-14] [PRV-15] whose end is refused by the database does not run for ever: it has failed, at once or after a restart', async () => {
    // oxlint-disable-next-line typescript/unbound-method -- called with the engine it was asked of
    const { submit } = Engine.prototype;
    let most: 'last' | 'none' = 'last';
    const spy = vi.spyOn(Engine.prototype, 'submit').mockImplementation(function (this: Engine, command) {
      const ends = command.type === 'invocation.end' || command.type === 'invocation.yield';
      const isLast = most === 'last' && command.type === 'invocation.end' && !command.outcome.ok && command.outcome.last;
      return ends && !isLast ? Promise.reject(new ParleyError('internal')) : submit.call(this, command);
    });
    const failed = { state: 'failed', attempt: 1, runs: [{ error: 'The hub failed.' }] };
    const over = { on_failure: { retry: { max_attempts: 2 }, emit_event: 'a.b.failed' } };
    expect(await (await world.wakes([{ text: 'done' }], over)).run()).toMatchObject(failed);
    expect(await (await world.wakes([{ status: 400 }], over)).run()).toMatchObject(failed);

    const hanging = await world.wakes([{ fault: 'hang' }, { fault: 'hang' }], over);
    const begun = async (): Promise<string> => {
      const before = world.models.asked.length;
      const id = await hanging.emit();
      await world.models.heard(before + 1);
      return id;
    };
    const interrupted = { state: 'failed', error: 'It was interrupted.' };
    const halted = await begun();
    await stop();
    expect(await goOn(halted)).toMatchObject(interrupted);
    const left = await begun();
    most = 'none';
    await stop();
    expect(await goOn(left)).toMatchObject({ state: 'running' });
    most = 'last';
    await world.kit.restart();
    await world.settled();
    expect(await world.invocation(left)).toMatchObject(interrupted);
    spy.mockRestore();
  });

  test('a manifest is compiled once for however many attempts', async () => {
    const woken = await world.wakes([{ text: 'prose' }], {
      output: { type: 'structured', schema: { ok: 'boolean' } },
      on_failure: { retry: { max_attempts: 3 } },
    });
    const library = await world.kit.hub.kernel.provoke.load();
    const compileManifest = vi.fn<typeof library.core.compileManifest>(library.core.compileManifest);
    Object.defineProperty(library, 'core', { value: { ...library.core, compileManifest } });
    expect(await woken.run()).toMatchObject({ state: 'failed', attempt: 3 });
    expect(compileManifest.mock.calls.filter(([{ id }]) => id === `m-${woken.name}`)).toHaveLength(1);
  });
});
