// What an agent is doing now, as the page shows it: an agent with a scripted model and a tool that takes its time.

import type { AgentIdentity, Member, MyConversation } from '@parley/protocol';
import { startModels, makeOnce } from '@parley/testkit';
import { startOwnTools } from '@parley/testkit/mcp-tools';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Person } from './person.ts';
import { browserFor, hubProcessFor, peopleFor } from './stage.ts';

const browser = browserFor();

describe('what an agent is doing now', () => {
  const hub = hubProcessFor('sqlite');
  const [ada] = peopleFor(browser, hub, 'Ada');
  const stock = Promise.withResolvers<string>();

  const models = makeOnce(startModels, (made) => made.stop());
  const tool = { about: 'what is in stock', takes: { item: 'string' }, does: () => stock.promise } as const;
  const depot = makeOnce(
    () => startOwnTools('depot', { stock: tool }),
    (made) => made.stop(),
  );
  beforeAll(async () => {
    await ada.call('PUT', '/tools/servers/depot', { url: depot.url, timeoutMs: 60_000 });
    await ada.call('PUT', '/secrets/local', { value: 'none', hosts: ['127.0.0.1'] });
    const { id } = await ada.call<Member>('POST', '/members', { kind: 'agent', handle: 'KEEPER', displayName: 'Keeper' });
    const { identity, version } = await ada.call<AgentIdentity>('GET', `/agents/${id}/identity`);
    const brain = {
      kind: 'model',
      provider: 'openai_compatible',
      model: 'keeper',
      key: 'local',
      baseUrl: models.baseUrl('openai_compatible'),
    };
    await ada.call('PUT', `/agents/${id}/identity`, { ...identity, brain, tools: ['mcp://depot'], version });
    const here = new URL(ada.page.url()).pathname.split('/')[2]!;
    await ada.call<MyConversation>('POST', `/conversations/${here}/members`, { memberId: id });
  });

  test('[SYS-8] it thinks, then uses a tool by name, also on a page that opens in the middle; then it has answered', async () => {
    const thought = Promise.withResolvers<void>();
    const reply = Promise.withResolvers<void>();
    models.script('keeper', async ({ called }) => {
      if (called === 0) {
        await thought.promise;
        return { calls: [{ name: 'depot__stock', input: { item: 'blue heron' } }] };
      }
      await reply.promise;
      return { text: 'Twelve are left.' };
    });
    await ada.say('^KEEPER how many are left?');
    const chip = (person: Person) => person.message('how many are left?').getByRole('list', { name: 'Tasks' });
    await chip(ada)
      .getByText(/\^KEEPER thinking/)
      .waitFor();
    thought.resolve();
    await chip(ada)
      .getByText(/\^KEEPER using depot\.stock/)
      .waitFor();
    await chip(ada).getByRole('timer').waitFor();
    const tablet = await ada.onAnotherDevice(browser, 768, 1024);
    await tablet.page.goto(ada.page.url());
    await chip(tablet)
      .getByText(/\^KEEPER using depot\.stock/)
      .waitFor();
    expect(await tablet.page.content()).not.toContain('blue heron');
    stock.resolve('twelve');
    for (const person of [ada, tablet])
      await chip(person)
        .getByText(/\^KEEPER thinking/)
        .waitFor();
    reply.resolve();
    for (const person of [ada, tablet])
      await chip(person)
        .getByText(/\^KEEPER answered/)
        .waitFor();
    await tablet.context.close();
  });
});
