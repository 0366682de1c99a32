// What an agent is about to say is shown while it says it, and never after.

import { tailOf } from '@parley/hub';
import type { StreamEvent } from '@parley/protocol';
import { Ear, onBothEngines, type Person, startTestHub, type TestHub } from '@parley/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Wire } from '../kit/agent-wire.ts';

type Draft = Extract<StreamEvent, { type: 'draft' }>;

onBothEngines('drafts', (engine) => {
  let kit: TestHub;
  let bot: Person;
  let dm: string;
  let wire: Wire;
  let ear: Ear;
  let at: { taskId: string; lease: number };

  beforeEach(async () => {
    kit = await startTestHub(engine, { agents: [] }, { PARLEY_LOG: 'silent' });
    bot = await kit.agent('BOT');
    dm = (await kit.owner.call('openDm', { body: { memberIds: [bot.id] } })).id;
    wire = await Wire.hello(bot);
    await kit.owner.post(dm, 'go');
    const { event } = await wire.event('task');
    at = { taskId: event.task.id, lease: event.lease! };
    ear = new Ear(kit.owner);
    await ear.ready();
  });
  afterEach(async () => {
    ear.socket.close();
    await wire.close();
    await kit.stop();
  });
  const drafts = (): (string | null)[] => ear.heard.filter((event): event is Draft => event.type === 'draft').map(({ text }) => text);
  const drafting = () => ({ ...at, agentId: bot.id });
  /** Whatever is under way has been shown: a word that comes after it is heard. */
  async function shown(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    const last = await kit.owner.post((await kit.owner.call('createChannel', { body: { name: `c-${ear.heard.length}` } })).id, 'last');
    await ear.fact('message.posted', ({ data }) => data.message.id === last.id);
  }
  /** The next read that fits waits until it is let go; `reached` when it waits, so that no other read takes its place. */
  function held(fits: (text: string) => boolean): { go: () => void; reached: Promise<void> } {
    const gate = Promise.withResolvers<void>();
    const here = Promise.withResolvers<void>();
    const { store } = kit.hub.kernel;
    const rows = store.rows.bind(store);
    const all = store.all.bind(store);
    let waits = true;
    const pass = async (text: string): Promise<void> => {
      if (!waits || !fits(text)) return;
      waits = false;
      here.resolve();
      await gate.promise;
    };
    store.rows = async (table, ...query) => {
      await pass(`${table} ${tailOf(query).tail}`);
      return rows(table, ...query);
    };
    store.all = async (sql, ...rest) => {
      await pass(sql);
      return all(sql, ...rest) as never;
    };
    return { go: () => gate.resolve(), reached: here.promise };
  }

  test('[SYS-4] the end of a draft does not overtake it', async () => {
    const { drafts: showing } = kit.hub.kernel;
    const { go, reached } = held((text) => text.includes('conversations'));
    void showing.show(drafting(), 'almost');
    void showing.show(drafting(), null);
    await reached;
    await shown();
    go();
    await ear.until(() => drafts().length === 2 || drafts().at(-1) === 'almost');
    await shown();
    expect(drafts()).toEqual(['almost', null]);
  });

  test('[PAP-1] one that comes with the answer is not shown after it', async () => {
    const { drafts: showing } = kit.hub.kernel;
    const { go, reached } = held((text) => text.includes('conversations'));
    showing.show(drafting(), 'almost').catch(() => {});
    await reached;
    await wire.call('say', { ...at, kind: 'answer', body: 'done' });
    await shown();
    go();
    await shown();
    // Shown it may be for the moment that it takes to see that it is over; it does not stay.
    await ear.until(() => (drafts().at(-1) ?? null) === null);
  });

  test('[PAP-7] with the end of the turn it is taken back', async () => {
    await wire.call('draft', { ...at, text: 'almost' });
    await ear.until(() => drafts().includes('almost'));
    await wire.call('say', { ...at, kind: 'question', body: 'which?' });
    await ear.until(() => drafts().at(-1) === null);
    expect(drafts()).toEqual(['almost', null]);
  });
});
