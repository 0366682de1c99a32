// Tool servers on the page: what each lists, and an access that its server has widened.

import type { ToolServer } from '@parley/protocol';
import { onBothEngines, makeOnce } from '@parley/testkit';
import { type OwnTool, startOwnTools } from '@parley/testkit/mcp-tools';
import { beforeAll, expect, test } from 'vitest';
import type { Person } from './person.ts';
import { browserFor, hubProcessFor, peopleFor } from './stage.ts';

const browser = browserFor();

onBothEngines('tool servers on the page', (engine) => {
  const hub = hubProcessFor(engine);
  const [ada, ben] = peopleFor(browser, hub, 'Ada', 'Ben');
  const own: Record<string, OwnTool> = {
    look: { about: 'looks', does: () => 'seen' },
    pay: { about: 'pays', changes: true, does: () => 'paid' },
  };

  const bank = makeOnce(
    () => startOwnTools('bank', own),
    (made) => made.stop(),
  );
  beforeAll(async () => {
    await ada.call('PUT', '/tools/servers/bank', { url: bank.url });
    await ada.call('POST', '/tools/servers/bank/test');
  });

  const open = async (person: Person) => {
    await person.page.getByRole('button', { name: new RegExp(`@${person === ada ? 'ada' : 'ben'}`) }).click();
    await person.page.getByRole('menuitem', { name: 'Tool servers' }).click();
    return person.page.getByRole('dialog', { name: 'Tool servers' });
  };

  test('[SYS-13] an admin sees which tool was widened from what to what, and accepts it; others see it without a button', async () => {
    const shown = await open(ada);
    await shown.getByText('2 tools').waitFor();
    expect(await shown.getByRole('button', { name: /^Accept/ }).count()).toBe(0);
    delete own['pay']!.changes;
    await shown.getByRole('button', { name: 'Check bank now' }).click();
    const widened = shown.getByRole('listitem').filter({ hasText: 'pay' });
    await widened.getByText('Counts as write. Its server now says read.').waitFor();
    await widened.getByText('Until an admin accepts this, agents ask for approval wherever a write needs it.').waitFor();

    const seen = await open(ben);
    await seen.getByText('Counts as write. Its server now says read.').waitFor();
    expect(await seen.getByRole('button', { name: /^(Accept|Check)/ }).count()).toBe(0);

    await widened.getByRole('button', { name: 'Accept pay' }).click();
    await shown.getByText('Its server now says read.').waitFor({ state: 'detached' });
    const { servers } = await ada.call<{ servers: ToolServer[] }>('GET', '/tools/servers');
    expect(servers[0]!.tools.map(({ name, access }) => [name, access])).toEqual([
      ['look', 'read'],
      ['pay', 'read'],
    ]);
    expect([...ada.faults, ...ben.faults]).toEqual([]);
  });
});
