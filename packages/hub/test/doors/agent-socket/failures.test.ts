// An agent's line when something behind it fails: it is told everything or hung up on, and is never thought to be there
// when it is not.

import { StoreAwayError, tailOf } from '@parley/hub';
import { closeCodes, ParleyError } from '@parley/protocol';
import { onBothEngines, type Person, SimClock, startTestHub, type TestHub } from '@parley/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Wire } from '../../kit/agent-wire.ts';

onBothEngines('agents’ lines', (engine) => {
  let kit: TestHub;
  let bot: Person;
  let dm: string;
  const clock = new SimClock();
  const wires: Wire[] = [];

  beforeEach(async () => {
    kit = await startTestHub(engine, { agents: [], clock }, { PARLEY_LOG: 'silent' });
    bot = await kit.agent('BOT');
    dm = (await kit.owner.call('openDm', { body: { memberIds: [bot.id] } })).id;
  });
  afterEach(async () => {
    for (const wire of wires.splice(0)) if (wire.closeCode === undefined) await wire.close();
    await kit.stop();
  });
  async function hello(): Promise<Wire> {
    const wire = await Wire.hello(bot);
    wires.push(wire);
    return wire;
  }
  const online = async () => (await kit.hub.kernel.store.rows('agents', 'where member_id = ?', [bot.id]))[0]?.online;

  test('[SYS-4] one whose past cannot be read is hung up on; it comes back and is told all of it', async () => {
    const { store } = kit.hub.kernel;
    const intact = store.intact.bind(store);
    let away = true;
    store.intact = (table, ...query) =>
      away && table === 'facts' && tailOf(query).tail.includes('type in')
        ? Promise.reject(new StoreAwayError('gone'))
        : intact(table, ...query);
    await kit.owner.post(dm, 'while it was away');
    const first = await hello();
    expect(await first.closed()).toBe(1011);
    away = false;
    const second = await hello();
    const { event } = await second.event('task');
    expect(event.words.map(({ content }) => content)).toEqual(['while it was away']);
  });

  test('[PAP-17] [SYS-10] stopped while it is let in, it is answered first and notified then', async () => {
    const { store, tail } = kit.hub.kernel;
    const rows = store.rows.bind(store);
    let isHalted = false;
    store.rows = async (table, ...query) => {
      const { tail: where, params } = tailOf(query);
      if (table === 'members' && where === 'where id = ?' && params[0] === bot.id && !isHalted && (await online()) === 1) {
        isHalted = true;
        await kit.owner.call('halt', {});
        await tail.settled();
      }
      return rows(table, ...query);
    };
    const wire = await hello();
    await wire.frame(({ method }) => method === 'halt');
    expect(isHalted).toBe(true);
    expect(wire.frames.map(({ id, method }) => id ?? method)).toEqual([1, 'halt']);
    await kit.owner.call('release', {});
  });

  test('[SYS-4] a page with a damaged fact in it is not taken for the last one', async () => {
    await kit.owner.post(dm, 'do that');
    const first = await hello();
    const { event, cursor } = await first.event('task');
    await first.call('ack', { cursor });
    await first.close();
    await expect.poll(online).toBe(0);
    const { store } = kit.hub.kernel;
    for (let n = 0; n < 210; n++)
      await kit.owner.call('redirectTask', { params: { taskId: event.task.id }, body: { instruction: `more ${n}` } });
    const intact = store.intact.bind(store);
    let pages = 0;
    store.intact = async (table, ...query) => {
      const found = await intact(table, ...query);
      if (table !== 'facts' || !tailOf(query).tail.startsWith('where member_id = ? and seq >')) return found;
      pages++;
      // One row of each page is not as it was written.
      return found.rows.length === 0 ? found : { rows: found.rows.slice(1), damaged: [new Error('damaged')] };
    };
    const told = (
      await store.all<{ n: number }>("select count(*) as n from facts where member_id = ? and type = 'task.continued'", [bot.id])
    )[0]!.n;
    const second = await hello();
    await second.event('task');
    expect([told > 200, pages]).toEqual([true, 2]);
  });

  test.each(['unavailable', 'storage_full', 'internal'] as const)(
    '[PAP-17] that a line ended is written down, though not at once (%s)',
    async (code) => {
      const wire = await hello();
      const { engine: commands } = kit.hub.kernel;
      const submit = commands.submit.bind(commands);
      let away = true;
      const tried = Promise.withResolvers<void>();
      commands.submit = (command) => {
        if (!away || command.type !== 'agent.disconnect') return submit(command);
        setImmediate(() => tried.resolve());
        return Promise.reject(new ParleyError(code));
      };
      await wire.close();
      await tried.promise;
      expect(await online()).toBe(1);
      away = false;
      clock.advance(60_000);
      await expect.poll(online).toBe(0);
    },
  );

  test('[PAP-17] [SYS-12] a line that another hub has written off is hung up on, and comes back', async () => {
    const wire = await hello();
    const [agent] = await kit.hub.kernel.store.rows('agents', 'where member_id = ?', [bot.id]);
    await kit.hub.kernel.engine.submit({ type: 'agent.disconnect', by: { operator: true }, agentId: bot.id, session: agent!.session });
    expect(await wire.closed()).toBe(closeCodes.goingAway);
    await hello();
    expect(await online()).toBe(1);
  });

  test('[SYS-12] one that has another session now is nobody’s', async () => {
    const wire = await hello();
    const principal = await kit.hub.kernel.auth.principal(bot.token);
    await kit.hub.kernel.engine.submit({ type: 'agent.connect', by: principal!.by });
    expect(await wire.closed()).toBe(closeCodes.replaced);
  });
});
