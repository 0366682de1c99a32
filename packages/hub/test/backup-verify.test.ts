import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openExisting } from '@parley/hub';
import { freshGround, onEveryEngine, startTestHub } from '@parley/testkit';
import { expect, test } from 'vitest';
import { dump, filesIn, fill, placeOf, problemsIn, tamper } from './backup-kit.ts';

onEveryEngine('verify', (engine) => {
  test('[SYS-15] a byte flipped in a stored row is found by verify, and by whoever reads it', async () => {
    const source = await startTestHub(engine);
    await fill(source);
    const general = await source.general();
    expect(await problemsIn(source.ground)).toEqual([]);
    const { id } = await source.owner.post(general, 'flip me');
    await tamper(source.ground, `update messages set body = 'flip mf' where id = '${id}'`);
    expect(await problemsIn(source.ground)).toEqual([{ where: `messages ${id}`, what: 'does not match its checksum' }]);
    expect(await source.owner.ask('getMessage', { params: { messageId: id } })).toMatchObject({
      status: 500,
      body: { error: { code: 'corrupt' } },
    });
    await tamper(source.ground, `update messages set body = 'flip me' where id = '${id}'`);
    expect(await problemsIn(source.ground)).toEqual([]);
    await source.stop();
  });

  test('[SYS-15] rows that were taken out or put in are missed', async () => {
    const source = await startTestHub(engine);
    await fill(source);
    const { ground } = source;
    const rows = await dump(ground);
    const fact = rows['facts']!.find((row) => row['type'] === 'message.edited')!;
    const posted = rows['facts']!.findLast((row) => row['type'] === 'message.posted')!;
    await source.hub.stop();
    await tamper(ground, `delete from facts where seq = ${fact['seq']}`);
    expect(await problemsIn(ground)).toEqual([
      { where: `facts ${Number(fact['seq']) + 1}`, what: `follows fact ${Number(fact['seq']) - 1}: 1 missing in between` },
    ]);
    await tamper(ground, `delete from messages where id = '${posted['subject_id']}'`);
    expect(await problemsIn(ground)).toContainEqual({ where: `message ${posted['subject_id']}`, what: 'was posted and is not there' });
    // The newest fact leaves no gap in the chain; the message it tells of gives it away.
    await tamper(ground, `delete from facts where seq >= (select min(seq) from messages)`);
    const found = await problemsIn(ground);
    expect(found.filter(({ what }) => what === 'has no fact that says it was posted')).toHaveLength(rows['messages']!.length - 1);
    await tamper(ground, 'delete from conversations');
    expect(await problemsIn(ground)).toContainEqual({
      where: expect.stringMatching(/^message msg_/),
      what: 'is in a conversation that is not there',
    });
    await ground.clear();
  });

  test('[SYS-15] a place without a workspace is said to have none, and stays that way', async () => {
    const ground = await freshGround(engine);
    await expect(openExisting(placeOf(ground))).rejects.toMatchObject({ failure: 'nothing_there' });
    expect(await filesIn(ground.dataDir)).toEqual([]);
    await ground.clear();
  });
});

test('[SYS-15] a database file damaged in its own structure is reported, not thrown', async () => {
  const source = await startTestHub('sqlite');
  await fill(source);
  await source.hub.stop();
  const file = join(source.ground.dataDir, 'parley.db');
  const bytes = await readFile(file);
  bytes.fill(0xff, 8192, 8192 + 40_960);
  await writeFile(file, bytes);
  const problems = await problemsIn(source.ground);
  expect(problems.map(({ where }) => where)).toContain('the database file');
  await source.ground.clear();
});
