// Clocks that jump: a laptop that slept, someone who sets the clock, a hub that was down. A date stays a date; running
// time is only time in which the hub was up and awake.

import { onBothEngines, type Person, SimClock, startTestHub, type TestHub } from '@parley/testkit';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { PostgresStore } from '../../src/store/postgres/store.ts';
import { tamper } from '../kit/backup.ts';

const minute = 60_000;
const hour = 60 * minute;

onBothEngines('a clock that jumps', (engine) => {
  let clock: SimClock;
  let kit: TestHub;
  let bob: Person;
  beforeEach(async () => {
    clock = new SimClock();
    kit = await startTestHub(engine, { clock });
    bob = await kit.person('bob');
  });
  afterEach(() => kit.stop());

  /** A second passes and the hub looks at its clocks; several may look at once. */
  const look = async (): Promise<void> => {
    clock.advance(1000);
    const { timers } = kit.hub.kernel;
    await Promise.all([timers.tick(), timers.tick(), timers.tick()]);
  };
  const facts = async (type: string, subject?: string) =>
    (await kit.hub.kernel.store.rows('facts', 'where type = ? order by seq', [type])).filter(
      (fact) => !subject || fact.subject_id === subject,
    );
  const jumps = async () => (await facts('clock.jumped')).map((fact) => JSON.parse(fact.data) as { gapMs: number; why: string });
  const dndEnds = async () => (await facts('member.edited', bob.id)).filter((fact) => fact.actor_id === null && fact.data.includes('dnd'));
  const dndFor = (ms: number) => bob.call('setDnd', { body: { until: clock.now() + ms } });
  const tokenFor = async (ms: number) =>
    (await bob.call('createToken', { body: { kind: 'person', label: 'brief', expiresInSeconds: ms / 1000 } })).token;

  /** Put there by hand, for a token that does not exist: gone means fired. */
  const budget = async (ms: number) => {
    const { store } = kit.hub.kernel;
    const [shift] = await store.rows('settings', "where key = 'clock.shift'");
    const row = {
      id: `tmr_${ms}`,
      kind: 'token.expire',
      subject: 'x',
      clock: 'running',
      due_at: clock.now() - Number(shift?.value ?? 0) + ms,
    };
    const { transaction } = await store.begin([], []);
    await transaction.commit({ inserts: [{ table: 'timers', row }], updates: [], deletes: [], facts: [] });
    return { spent: async () => (await kit.hub.kernel.store.rows('timers', 'where id = ?', [row.id])).length === 0 };
  };

  test('[SYS-4] asleep for 8 h: dates that passed fire once, running time stands still, and a fact says so', async () => {
    const token = await tokenFor(hour);
    const later = await tokenFor(24 * hour);
    await dndFor(2 * hour);
    const running = await budget(hour);
    await look();
    clock.jump(8 * hour);
    await look();
    await look();
    expect(await jumps()).toEqual([{ gapMs: 8 * hour, why: 'jump' }]);
    expect(await facts('token.revoked', token.id)).toHaveLength(1);
    expect(await facts('token.revoked', later.id)).toHaveLength(0);
    expect(await dndEnds()).toHaveLength(1);
    expect((await bob.call('getMember', { params: { memberId: bob.id } })).dndUntil).toBeNull();
    expect(await running.spent()).toBe(false);
    clock.advance(50 * minute);
    await look();
    expect(await running.spent()).toBe(false);
    clock.advance(10 * minute);
    await look();
    expect(await running.spent()).toBe(true);
    clock.advance(16 * hour);
    await look();
    expect(await facts('token.revoked', later.id)).toHaveLength(1);
    expect(await jumps()).toHaveLength(1);
  });

  test('[SYS-4] the clock is set forward by an hour while running', async () => {
    const token = await tokenFor(30 * minute);
    await dndFor(90 * minute);
    const running = await budget(30 * minute);
    clock.jump(hour);
    await look();
    expect(await jumps()).toEqual([{ gapMs: hour, why: 'jump' }]);
    expect(await facts('token.revoked', token.id)).toHaveLength(1);
    expect(await dndEnds()).toHaveLength(0);
    expect(await running.spent()).toBe(false);
    clock.advance(30 * minute);
    await look();
    expect(await dndEnds()).toHaveLength(1);
    expect(await running.spent()).toBe(true);
  });

  test('[SYS-4] the clock is set back by an hour while running', async () => {
    const before = await tokenFor(minute);
    clock.advance(2 * minute);
    await look();
    expect(await facts('token.revoked', before.id)).toHaveLength(1);
    const token = await tokenFor(10 * minute);
    const running = await budget(10 * minute);
    clock.jump(-hour);
    await look();
    expect(await jumps()).toEqual([{ gapMs: -hour, why: 'jump' }]);
    // What has fired does not fire again when its date comes a second time.
    clock.advance(11 * minute);
    await look();
    expect(await facts('token.revoked', before.id)).toHaveLength(1);
    expect(await facts('token.revoked', token.id)).toHaveLength(0);
    expect(await running.spent()).toBe(true);
    clock.advance(hour);
    await look();
    expect(await facts('token.revoked', token.id)).toHaveLength(1);
  });

  test('[SYS-4] whoever looks while a jump is still being written down waits for it', async () => {
    await look();
    const { store, timers } = kit.hub.kernel;
    const all = store.all.bind(store);
    // Slower than all that another look has to ask.
    store.all = async (sql, params) => {
      if (sql.includes('schedule.due')) for (let left = 50; left > 0; left--) await all('select 1 as one');
      return all(sql, params);
    };
    clock.jump(-hour);
    void timers.tick();
    await timers.tick();
    store.all = all;
    expect(await jumps()).toEqual([{ gapMs: -hour, why: 'jump' }]);
  });

  test('[SYS-4] a clock set back in the middle of a look, and a stop before the next one: the next start sees it', async () => {
    const { store, timers } = kit.hub.kernel;
    await timers.tick();
    const all = store.all.bind(store);
    let back = false;
    store.all = (sql, params) => {
      if (!back && sql.includes('from timers where')) clock.jump(-hour);
      back ||= sql.includes('from timers where');
      return all(sql, params);
    };
    clock.advance(minute);
    await timers.stop();
    expect(back).toBe(true);
    await kit.restart();
    expect(await jumps()).toMatchObject([{ why: 'downtime' }]);
  });

  test('[SYS-4] less than a minute is no jump: clocks are set right all the time', async () => {
    const running = await budget(30 * minute);
    for (const ms of [30_000, -45_000, 59_000]) {
      clock.jump(ms);
      await look();
    }
    expect(await jumps()).toEqual([]);
    clock.advance(30 * minute);
    await look();
    expect(await running.spent()).toBe(true);
  });

  test('[SYS-4] down for 8 h: dates that passed fire once at the start, running time stands still', async () => {
    const token = await tokenFor(hour);
    await dndFor(2 * hour);
    const running = await budget(hour);
    await look();
    const stop = kit.hub.stop.bind(kit.hub);
    kit.hub.stop = async () => {
      await stop();
      clock.advance(8 * hour);
    };
    await kit.restart();
    await look();
    const [jump, ...more] = await jumps();
    expect(more).toEqual([]);
    expect(jump!.why).toBe('downtime');
    // Since it last said that it lives, which it does every 15 seconds.
    expect(jump!.gapMs).toBeGreaterThanOrEqual(8 * hour);
    expect(jump!.gapMs).toBeLessThanOrEqual(8 * hour + 20_000);
    expect(await facts('token.revoked', token.id)).toHaveLength(1);
    expect(await dndEnds()).toHaveLength(1);
    expect(await running.spent()).toBe(false);
    clock.advance(58 * minute);
    await look();
    expect(await running.spent()).toBe(false);
    clock.advance(3 * minute);
    await look();
    expect(await running.spent()).toBe(true);
  });

  test('[SYS-4] a jump that cannot be written down is not forgotten', async () => {
    const running = await budget(hour);
    const { store } = kit.hub.kernel;
    const begin = store.begin.bind(store);
    store.begin = () => Promise.reject(new Error('away'));
    clock.jump(8 * hour);
    await look();
    store.begin = begin;
    await look();
    expect((await jumps()).map(({ gapMs }) => gapMs)).toEqual([8 * hour]);
    expect(await running.spent()).toBe(false);
  });

  test.runIf(engine === 'postgres')('[SYS-4] a database whose clock is another’s makes no jump of a restart', async () => {
    // The clock of a database is its machine's; here it is told what that says.
    const now = vi.spyOn(PostgresStore.prototype as unknown as { now: () => Promise<number> }, 'now');
    onTestFinished(() => now.mockRestore());
    now.mockImplementation(() => Promise.resolve(clock.now() + 2 * minute));
    for (let left = 3; left > 0; left--) {
      await look();
      clock.advance(20_000);
      await look();
      await kit.restart();
    }
    await look();
    // What it is ahead by when it is first seen is counted as time in which the hub was not there.
    expect((await jumps()).slice(1)).toEqual([]);
  });

  test('[SYS-4] a damaged timer holds up no other', async () => {
    const { store } = kit.hub.kernel;
    const { transaction } = await store.begin([], []);
    const row = { id: 'tmr_damaged', kind: 'token.expire', subject: 'x', clock: 'wall', due_at: clock.now() };
    await transaction.commit({ inserts: [{ table: 'timers', row }], updates: [], deletes: [], facts: [] });
    await tamper(kit.ground, "update timers set subject = 'y' where id = 'tmr_damaged'");
    const token = await tokenFor(minute);
    clock.advance(2 * minute);
    await look();
    expect(await facts('token.revoked', token.id)).toHaveLength(1);
  });
});
