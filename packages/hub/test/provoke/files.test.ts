// Whose it is what stands in a file, and what of it stays off: by what the files say, not by who had the id before.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onBothEngines, type Person } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Provoking, startProvoking } from './kit.ts';

onBothEngines('what stands in files', (engine) => {
  let world: Provoking;
  let mia: Person;
  beforeAll(async () => {
    world = await startProvoking(engine);
    mia = await world.kit.person('mia');
  });
  afterAll(() => world.kit.stop());

  const path = (name: string) => join(world.kit.ground.dataDir, 'triggers', `${name}.yaml`);
  const scan = () => world.kit.hub.kernel.provokeFiles.scan();
  const write = async (name: string, text: string) => {
    await writeFile(path(name), text);
    await scan();
  };

  test('[SYS-9] [PRV-4] is the first owner’s without a word about it, whoever had the id before', async () => {
    const params = { kind: 'manifest', id: 'deployer' } as const;
    await world.put('manifest', { id: 'deployer', risk_level: 'low' }, mia);
    await mia.call('removeProvoke', { params, query: { version: 1 } });
    await write(
      'deployer',
      `pap_version: "0.2"
agent: { id: deployer, risk_level: low, tools: [{ name: x, source: "mcp://x" }] }
`,
    );
    expect((await world.owner.call('getProvoke', { params })).ownerId).toBe(world.owner.id);
    // With its tools, which are not for her to give.
    await world.put('trigger', { id: 'hers', match: { type: 'a.hers.crossed' }, agent: 'deployer' }, mia);
    expect((await world.emit({ type: 'a.hers.crossed' })).triggers).toMatchObject([{ outcome: 'rejected', reason: 'no_manifest' }]);
  });
});
