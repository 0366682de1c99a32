// What a tool answered is its turn's: nobody else has it read out under the key it was called by.

import { onBothEngines } from '@parley/testkit';
import { expect, test } from 'vitest';
import { floorFor } from '../../kit/floor.ts';
import { atWork } from '../../kit/tools.ts';

onBothEngines('calls of tools are held to their task', (engine) => {
  const { floor } = floorFor(engine);

  test('[SYS-12] a repeated call is answered to who holds the task, under its lease, and to nobody else', async () => {
    const mine = await atWork(floor);
    const other = await atWork(floor);
    const input = { action: 'list_channels' };
    const { text } = await mine.call('query_workspace', input, 'same');
    expect((await mine.call('query_workspace', input, 'same')).text).toBe(text);
    const repeat = { taskId: mine.task.id, lease: mine.task.lease, name: 'query_workspace', input, key: 'same' };
    await expect(other.line.call('tool', repeat)).rejects.toThrow('task_of_another');
    await expect(mine.line.call('tool', { ...repeat, lease: repeat.lease + 1 })).rejects.toThrow('stale_lease');
    await mine.line.close();
    await other.line.close();
  });
});
