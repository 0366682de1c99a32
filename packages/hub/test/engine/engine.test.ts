import { ParleyError } from '@parley/protocol';
import { openDataDir, openStore, type Store, StorageFullError } from '@parley/hub';
import { freshGround, type Ground, onEveryEngine, Random } from '@parley/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Command, Handlers, Tx } from '../../src/engine/command.ts';
import { operator } from '../../src/engine/command.ts';
import { Engine, type EngineOptions } from '../../src/engine/engine.ts';
import { Ids } from '../../src/engine/ids.ts';
import type { WorkingSet } from '../../src/engine/working-set.ts';
import { ProvokeLoader } from '../../src/provoke/compiled-definitions.ts';
import { Matcher } from '../../src/regex/matcher.ts';

// The engine alone, with commands as small as can be, on the real stores.
type Step = (tx: Tx) => object;
interface Probe {
  type: 'probe';
  by: typeof operator;
  locks?: string[];
  step: Step;
}
const handlers = {
  probe: {
    locks: (c: Probe) => c.locks ?? [],
    needs: () => [],
    decide: (c: Probe, tx: Tx) => c.step(tx),
  },
} as unknown as Handlers;

const number = (set: WorkingSet, key: string): number => Number(set.get('settings', key)?.value ?? 0);
function write(set: WorkingSet, key: string, value: number | string): void {
  const row = set.get('settings', key);
  if (row) set.update('settings', row, { value: String(value) });
  else set.insert('settings', { key, value: String(value) });
}
const note = (tx: Tx, data: object = {}): void => {
  tx.fact({
    at: tx.now,
    type: 'demo.noted',
    actor_id: null,
    scope: 'record',
    conversation_id: null,
    member_id: null,
    subject_id: null,
    chain_id: null,
    data: JSON.stringify(data),
  });
};

onEveryEngine('[SYS-4] the engine', (kind) => {
  let ground: Ground;
  let stores: Store[];
  let groups: { commands: number; rowWrites: number }[];
  let begins: number;
  beforeEach(async () => {
    ground = await freshGround(kind);
    stores = [];
    groups = [];
    begins = 0;
  });
  afterEach(async () => {
    for (const store of stores) await store.close();
    await ground.clear();
  });

  const start = async (wrap: (store: Store) => Store = (store) => store, options: Partial<EngineOptions> = {}) => {
    const store = await openStore({ dataDir: await openDataDir(ground.dataDir), databaseUrl: ground.databaseUrl, epoch: 'test' });
    stores.push(store);
    const begin = store.begin.bind(store);
    store.begin = (...args) => {
      begins++;
      return begin(...args);
    };
    const random = new Random(7);
    const engine = new Engine({
      store: wrap(store),
      handlers,
      ids: new Ids(random.bytes),
      onGroup: ({ commands, committed }) => groups.push({ commands, rowWrites: committed?.rowWrites ?? 0 }),
      ...options,
    });
    return {
      store,
      run: (step: Step, locks: string[] = []): Promise<object> =>
        engine.submit({ type: 'probe', by: operator, locks, step } as unknown as Command),
      engine,
    };
  };
  const value = async (store: Store, key: string) => (await store.rows('settings', 'where key = ?', [key]))[0]?.value;

  test('commands that arrive together are one group and one commit, and each sees what came before it', async () => {
    const { store, run } = await start();
    const results = await Promise.all(
      Array.from({ length: 50 }, () =>
        run((tx) => {
          const n = number(tx, 'n');
          write(tx, 'n', n + 1);
          note(tx, { n });
          return { n };
        }),
      ),
    );
    expect(results.map((r) => (r as { n: number }).n)).toEqual(Array.from({ length: 50 }, (_, i) => i));
    expect(groups).toEqual([{ commands: 50, rowWrites: 51 }]);
    expect(await value(store, 'n')).toBe('50');
    const facts = await store.rows('facts', 'order by seq');
    expect(facts.map((fact) => JSON.parse(fact.data) as object)).toEqual(Array.from({ length: 50 }, (_, n) => ({ n })));
  });

  test('[PRV-6] a command that asks a regex leaves its group until it is answered: the others do not wait, and its ids stay', async () => {
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const run = async () => (await answered, { answers: [{ value: true, ms: 0 }] });
    const provoke = new ProvokeLoader(new Matcher({ answering: () => ({ run, close: () => Promise.resolve() }) }));
    const { store, run: submit, engine } = await start(undefined, { provoke });
    const ids: string[] = [];
    const order: string[] = [];
    const asks = submit((tx) => {
      ids.push(tx.ids.next('event'));
      write(tx, 'n', number(tx, 'n') + 10);
      const holds = tx.patterns.holds('x', 'xy', '');
      tx.patterns.settle();
      return { holds };
    }).then((result) => (order.push('asks'), result));
    const beside = submit((set) => (write(set, 'n', number(set, 'n') + 1), {})).then(() => order.push('beside'));
    await beside;
    await submit((set) => (write(set, 'n', number(set, 'n') + 1), {}));
    expect([order, await value(store, 'n')]).toEqual([['beside'], '2']);
    // What was taken is answered before the engine stops.
    const stopped = engine.stop().then(() => order.push('stopped'));
    answer();
    expect(await asks).toEqual({ holds: true });
    await stopped;
    expect([order, await value(store, 'n'), new Set(ids).size]).toEqual([['beside', 'asks', 'stopped'], '12', 1]);
  });

  test('[PRV-6] where regexes cannot be asked, the command is refused and the others are not', async () => {
    const run = () => Promise.reject(new Error('no thread'));
    const provoke = new ProvokeLoader(new Matcher({ answering: () => ({ run, close: () => Promise.resolve() }) }));
    const { run: submit } = await start(undefined, { provoke });
    const asks = submit((tx) => (tx.patterns.holds('x', 'xy', ''), {}));
    await Promise.all([submit((set) => (write(set, 'n', 1), {})), expect(asks).rejects.toMatchObject({ code: 'unavailable' })]);
  });

  test('a refusal leaves nothing of its own behind and disturbs no other command of its group', async () => {
    const { store, run } = await start();
    const outcomes = await Promise.allSettled([
      run((set) => (write(set, 'a', 1), {})),
      run((tx) => {
        write(tx, 'a', 99);
        write(tx, 'b', 99);
        note(tx);
        throw new ParleyError('forbidden');
      }),
      run((set) => (write(set, 'c', number(set, 'a') + 1), {})),
    ]);
    expect(outcomes.map((o) => o.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect([await value(store, 'a'), await value(store, 'b'), await value(store, 'c')]).toEqual(['1', undefined, '2']);
    expect((await store.head()).seq).toBe(0);
  });

  test('a mistake in a handler is one command’s failure, told as internal', async () => {
    const seen: unknown[] = [];
    const { store, run } = await start(undefined, { onError: (error) => seen.push(error) });
    const [bad, good] = await Promise.allSettled([
      run(() => {
        throw new TypeError('oops');
      }),
      run((set) => (write(set, 'a', 1), {})),
    ]);
    expect(bad).toMatchObject({ status: 'rejected', reason: { code: 'internal' } });
    expect(JSON.stringify(bad)).not.toContain('oops');
    expect(good.status).toBe('fulfilled');
    expect(String(seen)).toContain('oops');
    expect(await value(store, 'a')).toBe('1');
  });

  test('rows are loaded as deciding asks for them; a new id stays the same from round to round', async () => {
    const { store, run } = await start();
    await run((set) => (write(set, 'go', 'there'), write(set, 'there', 'end'), {}));
    const ids = new Set<string>();
    await run((tx) => {
      const id = tx.ids.next('message');
      ids.add(id);
      const next = tx.get('settings', 'go')!.value;
      const last = tx.get('settings', next)!.value;
      write(tx, id, last);
      return {};
    });
    expect(ids.size).toBe(1);
    expect(await value(store, [...ids][0]!)).toBe('end');
  });

  test('a handler that asks for ever is stopped with an error, and the engine goes on', async () => {
    const { run, store } = await start(undefined, { onError: () => {} });
    let n = 0;
    await expect(run((set) => ({ x: set.get('settings', `k${n++}`) }))).rejects.toMatchObject({ code: 'internal' });
    // The same for locks, where there are any.
    if (!store.holdsAll) await expect(run((tx) => (tx.lock(`k${n++}`), tx.lock(`k${n}`), {}))).rejects.toMatchObject({ code: 'internal' });
    await expect(run(() => ({}))).resolves.toEqual({});
  });

  test('a command that goes from row to row is decided, however far they lead', async () => {
    const { run } = await start();
    await run((set) => {
      for (let i = 0; i < 700; i++) set.insert('settings', { key: `row ${i}`, value: String(i + 1) });
      return {};
    });
    const follow: Step = (set) => {
      let at = 0;
      for (let row; (row = set.get('settings', `row ${at}`));) at = Number(row.value);
      return { at };
    };
    await expect(run(follow)).resolves.toEqual({ at: 700 });
  });

  test('rows that many commands need are loaded together, and locks are taken together', async () => {
    const { run, store } = await start();
    const many = Array.from({ length: 200 }, (_, i) => `many ${i}`);
    let passes = 0;
    await run((tx) => {
      passes++;
      tx.each(many, (key) => {
        const id = tx.ids.next('message');
        tx.lock(key);
        write(tx, key, number(tx, `of ${key}`) + number(tx, id));
      });
      return {};
    });
    // The locks, then three rows, one after the other.
    expect([passes, begins]).toEqual(store.holdsAll ? [4, 1] : [5, 2]);
    expect(await store.rows('settings', "where key like 'many %'")).toHaveLength(200);
  });

  test('a mistake in one of many commands is reported as such, unless an earlier one lacks a row', async () => {
    const { run } = await start();
    const step: Step = (set) => ({
      all: set.each(['first', 'second'], (key) => {
        if (key === 'second') throw new ParleyError(set.has({ table: 'settings', values: ['first'] }) ? 'forbidden' : 'internal');
        return set.get('settings', key);
      }),
    });
    await expect(run(step)).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('a command that finds it needs another lock starts over with it, unless it shuts out everyone anyway', async () => {
    const { run, store } = await start();
    await run(
      (tx) => {
        tx.lock('b');
        tx.lock('c');
        return {};
      },
      ['a'],
    );
    expect(begins).toBe(store.holdsAll ? 1 : 3);
  });

  test('two hubs that count in one place lose nothing, with the lock and without', async () => {
    const [one, two] = [await start(), await start()];
    const add =
      (locks: string[]) =>
      async (hub: typeof one): Promise<void> => {
        for (let i = 0; i < 20; i++)
          await hub.run((set) => (write(set, `n${locks.length}`, number(set, `n${locks.length}`) + 1), {}), locks);
      };
    for (const locks of [['n'], []]) {
      await one.run((set) => (write(set, `n${locks.length}`, 0), {}));
      await Promise.all([one, two].map(add(locks)));
      expect(await value(one.store, `n${locks.length}`)).toBe('40');
    }
  });

  test('a store that fails on the group gets each command alone; only the culprit is refused', async () => {
    const failing = (store: Store): Store => {
      const begin = store.begin.bind(store);
      return Object.assign(Object.create(store) as Store, {
        begin: async (...args: Parameters<Store['begin']>) => {
          const { transaction, loaded } = await begin(...args);
          const commit = transaction.commit.bind(transaction);
          transaction.commit = async (changes) => {
            if (changes.inserts.some(({ row }) => row['key'] === 'poison')) {
              await transaction.rollback();
              throw new StorageFullError('no room for poison');
            }
            return commit(changes);
          };
          return { transaction, loaded };
        },
      });
    };
    const { store, run } = await start(failing, { onError: () => {} });
    const outcomes = await Promise.allSettled(['a', 'poison', 'b'].map((key) => run((set) => (write(set, key, 1), {}))));
    expect(outcomes.map((o) => (o.status === 'rejected' ? (o.reason as ParleyError).code : 'ok'))).toEqual(['ok', 'storage_full', 'ok']);
    expect([await value(store, 'a'), await value(store, 'poison'), await value(store, 'b')]).toEqual(['1', undefined, '1']);
  });

  test('nothing is answered before it is on disk', async () => {
    let release!: () => void;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const slow = (store: Store): Store => {
      const begin = store.begin.bind(store);
      return Object.assign(Object.create(store) as Store, {
        begin: async (...args: Parameters<Store['begin']>) => {
          const { transaction, loaded } = await begin(...args);
          const commit = transaction.commit.bind(transaction);
          transaction.commit = async (changes) => (await gate, commit(changes));
          return { transaction, loaded };
        },
      });
    };
    const { store, run } = await start(slow);
    let answered = false;
    const answer = run((set) => (write(set, 'a', 1), {})).then(() => (answered = true));
    for (let i = 0; i < 20; i++) await store.head();
    expect(answered).toBe(false);
    release();
    await answer;
    expect(await value(store, 'a')).toBe('1');
  });

  test('stopping finishes what was taken and takes no more', async () => {
    const { store, run, engine } = await start();
    const taken = Array.from({ length: 300 }, (_, i) => run((set) => (write(set, `k${i}`, i), {})));
    const stopped = engine.stop();
    await expect(run(() => ({}))).rejects.toMatchObject({ code: 'unavailable' });
    await stopped;
    await Promise.all(taken);
    expect(await value(store, 'k299')).toBe('299');
    expect(groups.map((g) => g.commands)).toEqual([256, 44]);
  });
});
