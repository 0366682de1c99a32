// Attempts that follow others (PRV-15, SYS-12): what is stopped in the middle is given back, and whether that costs an attempt hangs
// on what it has begun outside.

import { ParleyError } from '@parley/protocol';
import { onBothEngines } from '@parley/testkit';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Engine } from '../../src/engine/group.ts';
import { type ProvokeWorld, startProvoke } from './run-kit.ts';

onBothEngines('an invocation that is given back', (engine) => {
  let world: ProvokeWorld;
  beforeAll(async () => {
    world = await startProvoke(engine);
    // Whatever their server says of them.
    const body = { url: world.mcp.url, tools: { hang: 'write', fail: 'write' } as const };
    await world.owner.call('setToolServer', { params: { name: 'test' }, body });
  });
  afterAll(() => world.stop());

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

  test('[SYS-10] [SYS-12] loses no attempt by what it has finished: begun anew, it is given what came of it', async () => {
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

  test('[SYS-12] one that nobody saw the end of may have happened, and there is no other attempt', async () => {
    const woken = await world.wakes([{ calls: [{ name: 'hang', input: {} }] }], uses('hang'));
    const id = await woken.emit();
    const { store } = world.kit.hub.kernel;
    await expect.poll(async () => (await store.rows('journal', "where turn_id like ? and name = 'hang'", [`${id}:%`])).length).toBe(1);
    await stop();
    const error = 'It was stopped. It is not known whether hang happened, so it is not tried again.';
    expect(await goOn(id)).toMatchObject({ state: 'failed', attempt: 1, error });
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
