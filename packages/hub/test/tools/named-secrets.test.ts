// A tool server's configuration names its secrets; they are those that are set.

import { type McpHttp, onBothEngines, startMcpHttp } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Floor, floorOn } from '../kit/floor.ts';

onBothEngines('secrets of tool servers', (engine) => {
  let floor: Floor;
  let http: McpHttp;
  beforeAll(async () => {
    floor = await floorOn(engine);
    http = await startMcpHttp();
  });
  afterAll(async () => {
    await floor.kit.stop();
    await http.stop();
  });

  test('a secret is found as it is written in the docs, in capitals as in the environment, and as it is called', async () => {
    const { owner } = floor.kit;
    await owner.call('setSecret', { params: { name: 'tickets' }, body: { value: 'sesame' } });
    for (const name of ['TICKETS', 'tickets']) {
      const server = { params: { name: name.toLowerCase() } };
      await owner.call('setToolServer', { ...server, body: { url: http.url, headers: { authorization: `Bearer secret:${name}` } } });
      expect(await owner.call('testToolServer', server)).toMatchObject({ state: 'up' });
      expect(http.headers.at(-1)!.authorization).toBe('Bearer sesame');
    }
  });
});
