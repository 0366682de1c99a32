import { onEveryEngine, startTestHub } from '@parley/testkit';
import { expect, test } from 'vitest';
import type { AnyRow } from '../../src/store/tables.ts';
import { dump, problemsIn, tamper } from '../kit/backup.ts';
import { PeerServiceKit } from '../kit/peers.ts';

onEveryEngine('verify with peers', (engine) => {
  test('[SYS-15] removed peers, sharing rules and budgets are found, and a negotiation of before', async () => {
    const service = new PeerServiceKit();
    const source = await startTestHub(engine, { peers: service });
    const { ground } = source;
    const ann = await source.person('ann');
    await source.person('bob');
    const open = () => ann.call('openNegotiation', { body: { with: 'bob', intent: 'lunch' } });
    const { threadId } = await open();
    await open();
    await ann.post(await source.general(), '^ORAC help');
    await source.hub.kernel.scheduler.settled();
    const before = await dump(ground);
    await service.report(ann.id, { threadId, state: 'COMPLETED', isEnded: true });
    await service.hub!.events.sharing(ann.id, { base: { dietary: 'ask_first' }, overrides: {} });
    await source.hub.stop();
    expect(await problemsIn(ground)).toEqual([]);
    const told = async () => (await problemsIn(ground)).map(({ where }) => where);
    const put = async (table: string, row: AnyRow) => {
      const values = Object.values(row).map((value) => (value === null ? 'null' : typeof value === 'number' ? value : `'${value}'`));
      await tamper(ground, `insert into ${table} (${Object.keys(row).join(', ')}) values (${values.join(', ')})`);
    };
    // A row of before, as from an older copy of the file: its checksum is right.
    await tamper(ground, `delete from negotiations where thread_id = '${threadId}'`);
    await put(
      'negotiations',
      before['negotiations']!.find((row) => row['thread_id'] === threadId)!,
    );
    expect(await told()).toEqual(['negotiations']);
    const emptied = ['negotiations', 'peers', 'sharing_rules', 'purses'];
    for (const table of emptied) await tamper(ground, `delete from ${table}`);
    expect((await told()).toSorted()).toEqual(emptied.toSorted());
    await ground.clear();
  });
});
