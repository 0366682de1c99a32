// Timers and effects that are due, when some of them are damaged, do not go, or were somebody else's already.

import type { Store } from '@parley/hub';
import { onEveryEngine, SimClock, startTestHub } from '@parley/testkit';
import { expect, test } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { EffectOutbox } from '../../src/engine/outbox.ts';
import { Timers } from '../../src/engine/timers.ts';
import { tamper } from '../kit/backup.ts';
import { storesForEach } from '../kit/stores.ts';
import type { Clock } from '../../src/clock.ts';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const { ground, open: opened, afterwards } = storesForEach();

/** Tells the time of another clock and never comes back: it only notes for how long it was to wait. */
const countingClock = (clock: Clock, waits: number[]): Clock => ({
  now: () => clock.now(),
  mono: () => clock.mono(),
  after: (ms) => {
    waits.push(ms);
    return () => {};
  },
});

onEveryEngine('what is due', (engine) => {
  const put = async (store: Store, table: 'timers' | 'outbox', rows: Record<string, string | number | null>[]): Promise<void> => {
    const { transaction } = await store.begin([], []);
    await transaction.commit({ inserts: rows.map((row) => ({ table, row })), updates: [], deletes: [], facts: [] });
  };
  const timer = (id: string) => ({ id, kind: 'token.expire', subject: id, clock: 'wall', due_at: 0 });
  const effect = (id: string, leased = 0) => ({
    id,
    kind: 'test',
    payload: '{}',
    due_at: 0,
    attempts: 0,
    leased_until: leased,
    last_error: null,
  });

  test('[SYS-4] more damaged timers than a page holds keep none of the others from firing, and are asked for in peace', async () => {
    const on = await ground(engine);
    const store = await opened(on);
    const damaged = Array.from({ length: 120 }, (_, i) => timer(`a${i}`));
    await put(store, 'timers', [...damaged, timer('z')]);
    await tamper(on, "update timers set kind = 'other' where id like 'a%'");
    const clock = new SimClock();
    const [fired, waits, errors]: [string[], number[], unknown[]] = [[], [], []];
    const timers = new Timers({
      store,
      eventsKeptMs: 0,
      clock: countingClock(clock, waits),
      // As a database does whose clock is behind ours: it is not due yet there.
      engine: {
        submit: (command: { type: string; timerId?: string }) => {
          if (command.type === 'timer.fire') fired.push(command.timerId!);
          return Promise.resolve({ left: true });
        },
      } as unknown as Engine,
      onError: (error) => errors.push(error),
    });
    await timers.start();
    await timers.tick();
    await timers.stop();
    expect(fired).toEqual(['z', 'z']);
    expect(errors).toHaveLength(120);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(250);
  });

  test('[SYS-4] one timer that cannot be fired keeps no other from firing', async () => {
    const kit = await startTestHub(engine, { clock: new SimClock() }, { PARLEY_LOG: 'silent' });
    afterwards(() => kit.stop());
    const { store, timers, ids, clock } = kit.hub.kernel;
    await kit.owner.call('createToken', { body: { kind: 'person', label: 'broken', expiresInSeconds: 60 } });
    const [token] = await store.rows('tokens', "where label = 'broken'");
    await tamper(kit.ground, `update tokens set label = 'other' where id = '${token!.id}'`);
    const later = Array.from({ length: 150 }, () => ({ ...timer(ids.at(clock.now()).next('timer')), due_at: clock.now() + 61_000 }));
    await put(store, 'timers', later);
    (clock as SimClock).advance(62_000);
    await timers.tick();
    expect((await store.rows('timers', 'where due_at <= ?', [clock.now()])).map(({ subject }) => subject)).toEqual([token!.id]);
  });

  test('[SYS-4] a timer of a kind that this hub does not know stays, and is reported once', async () => {
    const kit = await startTestHub(engine, { clock: new SimClock() }, { PARLEY_LOG: 'silent' });
    afterwards(() => kit.stop());
    const { store, engine: real, clock } = kit.hub.kernel;
    await put(store, 'timers', [
      { ...timer('tmr_unknown'), kind: 'moon.full' },
      { ...timer('tmr_z'), due_at: 1 },
    ]);
    const errors: string[] = [];
    const timers = new Timers({ store, eventsKeptMs: 0, clock, engine: real, onError: (error) => errors.push(String(error)) });
    afterwards(() => timers.stop());
    await timers.tick();
    await timers.tick();
    expect((await store.rows('timers', 'where due_at <= ?', [clock.now()])).map(({ id }) => id)).toEqual(['tmr_unknown']);
    expect(errors).toEqual([expect.stringContaining('moon.full')]);
  });

  test('[SYS-4] a timer that another hub has fired in between is not due any more: it keeps no other from firing, and is not waited for', async () => {
    const kit = await startTestHub(engine, { clock: new SimClock() }, { PARLEY_LOG: 'silent' });
    afterwards(() => kit.stop());
    const { store, engine: real, clock } = kit.hub.kernel;
    const due = Array.from({ length: 350 }, (_, i) => ({ ...timer(`tmr_${String(i).padStart(3, '0')}`), due_at: clock.now() - 1 }));
    await put(store, 'timers', [...due, { ...timer('tmr_next'), due_at: clock.now() + 5 }]);
    const waits: number[] = [];
    const timers = new Timers({
      store,
      eventsKeptMs: 0,
      clock: countingClock(clock, waits),
      // The other one is faster with every second of them.
      engine: {
        submit: async (command: Parameters<typeof real.submit>[0]) => {
          if (command.type === 'timer.fire' && Number(command.timerId.slice(4)) % 2 === 0) await real.submit(command);
          return real.submit(command);
        },
      } as unknown as Engine,
      onError: (error) => expect.unreachable(String(error)),
    });
    await timers.start();
    await timers.stop();
    expect(await store.rows('timers', 'where due_at <= ?', [clock.now()])).toEqual([]);
    expect(waits).toEqual([5]);
  });

  test('[SYS-4] effects: those that are damaged or cannot be leased keep none of the others from being performed', async () => {
    const on = await ground(engine);
    const store = await opened(on);
    await put(store, 'outbox', [...Array.from({ length: 60 }, (_, i) => effect(`a${i}`)), effect('b'), effect('z')]);
    await tamper(on, "update outbox set kind = 'other' where id like 'a%'");
    const [performed, errors]: [string[], unknown[]] = [[], []];
    const outbox = new EffectOutbox({
      store,
      clock: new SimClock(),
      performers: {
        test: async () => {
          performed.push('z');
        },
      },
      engine: {
        submit: async (command: { type: string; id: string }) => {
          if (command.id === 'b') throw new Error('cannot be leased');
          if (command.type === 'outbox.done') await tamper(on, `delete from outbox where id = '${command.id}'`);
          return { effect: { kind: 'test', payload: '{}', attempts: 1 } };
        },
      } as unknown as Engine,
      onError: (error) => errors.push(error),
    });
    // Resolves although what is damaged stays due.
    await outbox.settled();
    await outbox.settled();
    await outbox.stop();
    expect(performed).toEqual(['z']);
    expect(errors).toHaveLength(61);
  });

  test('[SYS-4] an effect that another hub has performed in between keeps no other from being performed in the same round', async () => {
    const kit = await startTestHub(engine, { clock: new SimClock() }, { PARLEY_LOG: 'silent' });
    afterwards(() => kit.stop());
    const { store, engine: real, clock } = kit.hub.kernel;
    const ids = Array.from({ length: 175 }, (_, i) => `eff_${String(i).padStart(3, '0')}`);
    await put(
      store,
      'outbox',
      ids.map((id) => effect(id)),
    );
    let performed = 0;
    const round = Promise.withResolvers<void>();
    const outbox = new EffectOutbox({
      store,
      clock: { now: () => clock.now(), mono: () => clock.mono(), after: () => (round.resolve(), () => {}) },
      performers: { test: async () => void performed++ },
      // The other one is faster with every second of them.
      engine: {
        submit: async (command: Parameters<typeof real.submit>[0]) => {
          if (command.type === 'outbox.lease' && Number(command.id.slice(4)) % 2 === 0) {
            await real.submit(command);
            await real.submit({ ...command, type: 'outbox.done' });
          }
          return real.submit(command);
        },
      } as unknown as Engine,
      onError: (error) => expect.unreachable(String(error)),
    });
    outbox.wake();
    await round.promise;
    await outbox.stop();
    expect(performed).toBe(87);
    expect(await store.all('select id from outbox where due_at <= ?', [clock.now()])).toEqual([]);
  });

  test('[SYS-4] an effect that somebody else performs is waited for, without asking all the time', async () => {
    const store = await opened(await ground(engine));
    const clock = new SimClock();
    await put(store, 'outbox', [effect('a', clock.now() + 5000)]);
    let asked = 0;
    const all = store.all.bind(store);
    store.all = (...args) => {
      asked++;
      return all(...args) as never;
    };
    const outbox = new EffectOutbox({
      store,
      clock,
      performers: { test: () => Promise.resolve() },
      engine: {
        submit: async (command: { type: string; id: string }) => {
          if (command.type !== 'outbox.done') return { effect: { kind: 'test', payload: '{}', attempts: 1 } };
          const { transaction, loaded } = await store.begin([], [{ table: 'outbox', values: [command.id] }]);
          const was = loaded.found[0]![0]!['sum'] as string;
          await transaction.commit({ inserts: [], updates: [], deletes: [{ table: 'outbox', key: [command.id], was }], facts: [] });
          return {};
        },
      } as unknown as Engine,
      onError: (error) => expect.fail(String(error)),
    });
    const state = { settled: false };
    const waiting = outbox.settled().then(() => (state.settled = true));
    await pause(500);
    expect(state.settled).toBe(false);
    expect(asked).toBeLessThan(4);
    while (!state.settled) {
      clock.advance(1000);
      await pause(20);
    }
    await waiting;
    await outbox.stop();
    expect(await store.rows('outbox', '')).toEqual([]);
  });
});
