// What is not as it should be on the agents' socket: told what is wrong, or hung up on, and nobody else notices.

import assert from 'node:assert/strict';
import { closeCodes, rpcCodes } from '@parley/protocol';
import { onBothEngines, type Person, startTestHub, type TestHub } from '@parley/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { Wire } from '../../kit/agent-wire.ts';

onBothEngines('frames on the agents’ socket', (engine) => {
  let kit: TestHub;
  let orac: Person;
  let stef: Person;
  let wire: Wire;
  let other: Wire;

  beforeAll(async () => {
    kit = await startTestHub(engine, { agents: [] });
    [orac, stef] = [await kit.agent('ORAC'), await kit.agent('STEF')];
    other = await Wire.hello(stef);
  });
  afterAll(async () => {
    await other.close();
    await kit.stop();
  });
  beforeEach(async () => {
    wire = await Wire.hello(orac);
  });
  afterEach(async () => {
    if (wire.closeCode === undefined) await wire.close();
    // Whatever it sent: the other one's line, and the hub, are as they were.
    assert.deepEqual(await other.call('read.tasks', {}), { tasks: [] });
    assert.equal(other.closeCode, undefined);
  });

  const works = async () => expect(await wire.call('read.tasks', {})).toEqual({ tasks: [] });
  const answered = async (text: string) => {
    const before = wire.frames.length;
    wire.send(text);
    return (await wire.frame((frame) => wire.frames.indexOf(frame) >= before)) as {
      id: unknown;
      error: { code: number; message: string; data?: object };
    };
  };

  test.each(['', 'hello', '{"jsonrpc":"2.0"', '\u0000', '{"a":}'])('[PAP-16] what is not JSON is told so: %j', async (text) => {
    expect(await answered(text)).toMatchObject({ id: null, error: { code: rpcCodes.parse } });
    await works();
  });

  test.each([
    ['another version', { jsonrpc: '1.0', id: 'a', method: 'read.tasks' }, 'a', ['jsonrpc']],
    ['no version', { id: 'b', method: 'read.tasks' }, 'b', ['jsonrpc']],
    ['no id: nothing is done that is not answered', { jsonrpc: '2.0', method: 'read.tasks' }, null, ['id']],
    ['an id that is none', { jsonrpc: '2.0', id: { a: 1 }, method: 'read.tasks' }, null, ['id']],
    ['no method, and more than there is', { jsonrpc: '2.0', id: 7, extra: 1 }, 7, ['method', 'extra']],
    ['several at once', [{ jsonrpc: '2.0', id: 8, method: 'read.tasks' }], null, ['(body)']],
    ['nothing', null, null, ['(body)']],
  ])('[PAP-16] what is not a request is told what is wrong with it: %s', async (_, frame, id, fields) => {
    const { error, ...rest } = await answered(JSON.stringify(frame));
    expect(rest).toMatchObject({ id });
    expect(error).toMatchObject({ code: rpcCodes.invalidRequest, data: { problems: fields.map((field) => ({ field })) } });
    await works();
  });

  test.each(['post', 'deliver', '__proto__', 'constructor', 'toString', ''])('[PAP-16] there is no method %j', async (method) => {
    expect(await wire.ask(method, {})).toMatchObject({ error: { code: rpcCodes.noMethod } });
    await works();
  });

  test('[PAP-16] parameters that do not fit are named one by one', async () => {
    const { error } = await wire.ask('say', { taskId: 'nope', lease: -1, kind: 'shout', body: ' ', key: 'ä', as: 'matt' });
    expect(error?.code).toBe(rpcCodes.invalidParams);
    expect(error?.data?.problems?.map(({ field }) => field).toSorted()).toEqual(
      ['params.as', 'params.body', 'params.key', 'params.kind', 'params.lease', 'params.taskId'].toSorted(),
    );
    expect((await wire.ask('ack', 'all')).error).toMatchObject({ code: rpcCodes.invalidParams, data: { problems: [{ field: 'params' }] } });
    await works();
  });

  test('[PAP-16] it says who it is before anything else, and once', async () => {
    await wire.close();
    wire = new Wire(orac);
    await wire.opened();
    expect((await wire.ask('read.tasks', {})).error?.data).toMatchObject({ code: 'unauthenticated' });
    await wire.call('initialize', {});
    expect((await wire.ask('initialize', {})).error?.data).toMatchObject({ code: 'invalid_request' });
    await works();
  });

  test.each([
    ['a binary frame', Buffer.from([1, 2, 3]), closeCodes.badCommand],
    ['10 MB', 'x'.repeat(10_000_000), 1009],
  ])('[PAP-16] %s is hung up on', async (_, data, code) => {
    wire.send(data);
    expect(await wire.closed()).toBe(code);
  });

  test('[PAP-16] text that is not UTF-8 is hung up on', async () => {
    wire.sendText(Buffer.from([0x22, 0xff, 0xfe, 0x22]));
    expect(await wire.closed()).toBe(1007);
  });

  test('[PAP-16] JSON that is nested beyond reason is refused, not run into', async () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    wire.send(`{"jsonrpc":"2.0","id":1,"method":"ack","params":${deep}}`);
    await wire.frame(({ error }) => error !== undefined);
    await works();
  });
});
