// From a call that needs approval to what comes of each answer: an agent on its socket, a real tool server, a real inbox.

import { contactResults } from '@parley/core';
import { type McpHttp, onBothEngines, type Person, startMcpHttp } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Floor, floorOn } from '../../kit/floor.ts';
import { type AtWork, atWork } from '../../kit/tools.ts';

onBothEngines('a tool that needs approval, on a socket', (engine) => {
  let floor: Floor;
  let http: McpHttp;
  let agent: Person;
  beforeAll(async () => {
    http = await startMcpHttp();
    floor = await floorOn(engine, {}, { PARLEY_LOG: 'silent' });
    await floor.kit.owner.call('setToolServer', { params: { name: 'files' }, body: { url: http.url } });
    agent = await floor.agent('SUPERVISED', { online: false });
    const params = { memberId: agent.id };
    const { version, identity } = await floor.ann.call('getIdentity', { params });
    await floor.kit.owner.call('putIdentity', { params, body: { ...identity, mode: 'supervised', tools: ['mcp://files'], version } });
  });
  afterAll(async () => {
    await floor.kit.stop();
    await http.stop();
  });

  const waiting = { text: contactResults.waiting(), isError: true };
  const asked = async () => (await floor.ann.call('listCheckpoints', { query: {} })).checkpoints.filter(({ kind }) => kind === 'approval');
  const answer = (id: string, choice: string) => floor.ann.ask('closeCheckpoint', { params: { checkpointId: id }, body: { choice } });
  const write = ({ call }: AtWork, text: string) => call('files__write', { text });

  test('[IAC-12] [IAC-14] [SYS-1] an approval is for one call with its arguments; a no stays one; answered twice, the first counts', async () => {
    const work = await atWork(floor, { agent });
    expect(await write(work, 'one')).toEqual(waiting);
    expect(await write(work, 'one')).toEqual(waiting);
    expect(await write(work, 'two')).toEqual(waiting);
    const all = await asked();
    expect(all.length).toBe(2);
    const [one, two] = [all.find(({ detail }) => detail?.includes('one'))!, all.find(({ detail }) => detail?.includes('two'))!];
    const both = await Promise.all([answer(one.id, 'approve'), answer(one.id, 'deny')]);
    // Whoever comes second is told what it was.
    const [said, again] = both.map(({ body }) => body as { choice: string });
    expect([both.map(({ status }) => status), again!.choice]).toEqual([[200, 200], said!.choice]);
    await answer(two.id, 'deny');
    // What was approved is made with exactly that, once; what was not is told as refused.
    const made = await write(work, 'one');
    expect(made.isError === true).toBe(said!.choice === 'deny');
    expect((await write(work, 'two')).text).toMatch(/^Approval denied/);
    expect(await write(work, 'three')).toEqual(waiting);
    expect(http.tools.written).toEqual(said!.choice === 'approve' ? ['one'] : []);
    await work.line.close();
  });
});
