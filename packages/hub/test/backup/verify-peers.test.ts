import { onEveryEngine, startTestHub } from '@parley/testkit';
import { expect, test } from 'vitest';
import type { AnyRow } from '../../src/store/tables.ts';
import { dump, problemsIn, tamper } from '../kit/backup.ts';
import { PeerServiceKit } from '../kit/peers.ts';

onEveryEngine('verify with peers', (engine) => {
  test('[SYS-15] peers, negotiations, chains and budgets are held against facts, tasks and turns', async () => {
    const service = new PeerServiceKit();
    const source = await startTestHub(engine, { peers: service });
    const { ground } = source;
    const [ann, bob] = [await source.person('ann'), await source.person('bob')];
    const open = () => ann.call('openNegotiation', { body: { with: 'bob', intent: 'lunch' } });
    const { threadId } = await open();
    const untouched = await open();
    await ann.post(await source.general(), '^ORAC help');
    await source.hub.kernel.scheduler.settled();
    const before = await dump(ground);
    await service.report(ann.id, { threadId, state: 'COMPLETED', isEnded: true });
    await service.hub!.events.sharing(ann.id, { base: { dietary: 'ask_first' }, overrides: {} });
    await source.hub.stop();
    expect(await problemsIn(ground)).toEqual([]);
    const told = async () => new Set((await problemsIn(ground)).map(({ where, what }) => `${where.split(' ')[0]} ${what}`));
    const put = async (table: string, row: AnyRow) => {
      const values = Object.values(row).map((value) => (value === null ? 'null' : typeof value === 'number' ? value : `'${value}'`));
      await tamper(ground, `insert into ${table} (${Object.keys(row).join(', ')}) values (${values.join(', ')})`);
    };
    // A row of before, as from an older copy of the file: its checksum is right.
    await tamper(ground, `delete from negotiations where thread_id = '${threadId}'`);
    expect(await told()).toEqual(new Set(['negotiation was opened and is not there']));
    await put(
      'negotiations',
      before['negotiations']!.find((row) => row['thread_id'] === threadId)!,
    );
    expect(await told()).toEqual(new Set(['negotiation has another state than the facts say']));
    await tamper(ground, `update negotiations set state = 'FAILED', open = 0 where thread_id = '${untouched.threadId}'`);
    await tamper(ground, `update negotiations set thread_id = 'thr_put_in' where thread_id = '${threadId}'`);
    const found = await problemsIn(ground);
    const unknown = 'is in no fact, or was opened and never changed and has another state';
    for (const id of ['thr_put_in', untouched.threadId]) expect(found).toContainEqual({ where: `negotiation ${id}`, what: unknown });
    await tamper(ground, `update peers set member_id = 'mem_nobody' where member_id = '${bob.id}'`);
    expect(await told()).toContain('peer is in no fact, or of an erased member');
    for (const table of ['negotiations', 'peers', 'sharing_rules', 'chains', 'purses']) await tamper(ground, `delete from ${table}`);
    expect(await told()).toEqual(
      new Set([
        'negotiation was opened and is not there',
        'peer was made and is not there',
        'sharing are missing or of another version than the facts say',
        'task belongs to a chain that is not there',
        'agent has fewer budgets than days with turns',
      ]),
    );
    await ground.clear();
  });
});
