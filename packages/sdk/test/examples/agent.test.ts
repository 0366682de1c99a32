import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Ear, startTestHub } from '@parley/testkit';
import { expect, test } from 'vitest';

const example = fileURLToPath(new URL('../../../../examples/agent/agent.ts', import.meta.url));

test('[PAP-17] the example agent counts down and answers', async () => {
  const kit = await startTestHub('sqlite', { agents: [] });
  const count = await kit.agent('COUNT');
  const general = await kit.general();
  await kit.owner.call('addToConversation', { params: { conversationId: general }, body: { memberId: count.id } });
  const agent = spawn(process.execPath, ['--no-warnings', example], {
    env: { ...process.env, PARLEY_URL: kit.url, PARLEY_TOKEN: count.token },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const gone = once(agent, 'exit');
  const ear = new Ear(kit.owner);
  await ear.ready();
  await kit.owner.post(general, '^COUNT 2 please');
  await ear.fact('message.posted', ({ data }) => data.message.body === 'Lift-off.');
  const { messages } = await kit.owner.call('listMessages', { params: { conversationId: general }, query: {} });
  expect(messages.map(({ body }) => body)).toEqual(['^COUNT 2 please', '2…', '1…', 'Lift-off.']);
  ear.close();
  agent.kill();
  await gone;
  await kit.stop();
});
