// What agents want of each other, as the page shows it: a contact that needs approval, answered elsewhere while one looks, and
// work that was given on and failed.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Checkpoint, Member, MyConversation } from '@parley/protocol';
import { onBothEngines } from '@parley/testkit';
import { beforeAll, expect, test } from 'vitest';
import type { HandAgent } from './hand-agent.ts';
import { browserFor, handAgentFor, hubProcessFor, peopleFor } from './stage.ts';

const launcher = fileURLToPath(new URL('../../../cli/bin/parley.mjs', import.meta.url));

const browser = browserFor();

onBothEngines('what agents want of each other, on the page', (engine) => {
  const hub = hubProcessFor(engine);
  const [ada] = peopleFor(browser, hub, 'Ada');
  const [intern, senior, junior] = [handAgentFor(ada, 'INTERN'), handAgentFor(ada, 'SENIOR'), handAgentFor(ada, 'JUNIOR')];
  let token: string;

  beforeAll(async () => {
    const { members } = await ada.call<{ members: Member[] }>('GET', '/members');
    const me = members.find(({ handle }) => handle === 'ada')!;
    ({ secret: token } = await ada.call<{ secret: string }>('POST', '/tokens', { kind: 'person', memberId: me.id, label: 'terminal' }));
    for (const agent of [intern, senior, junior]) await agent.connect();
  });

  const parley = (...args: string[]) =>
    promisify(execFile)(process.execPath, [launcher, ...args], { env: { ...process.env, PARLEY_URL: hub.url, PARLEY_TOKEN: token } });
  /** The agent's task, asked for in its DM. */
  async function begun(agent: HandAgent, text: string): Promise<{ taskId: string; lease: number; dm: string }> {
    const { id: dm } = await ada.call<MyConversation>('POST', '/dms', { memberIds: [agent.member.id] });
    await ada.call('POST', `/conversations/${dm}/messages`, { body: text });
    const { taskId, lease } = await agent.task();
    return { taskId, lease, dm };
  }

  test('[SYS-1] [IAC-14] a contact that needs approval is shown word for word; answered in a terminal it goes from the page', async () => {
    await ada.call('PUT', `/agents/${intern.member.id}/contacts/*`, { permission: 'allow', requiresApproval: true });
    const { taskId, lease } = await begun(intern, 'check it');
    const ask = { taskId, action: 'ask', agentId: senior.member.id, message: 'Is it <b>sound</b>?' } as const;
    expect(await intern.call('contact', { ...ask, lease })).toMatchObject({ status: 'awaiting_approval' });
    await intern.call('pause', { taskId, lease });
    await ada.button('Waiting for you 1').click();
    const dialog = ada.page.getByRole('dialog');
    const asked = dialog.getByRole('region', { name: 'To decide' });
    await asked.getByText(/^INTERN wants to contact SENIOR/).waitFor();
    await asked.getByText('Message: "Is it <b>sound</b>?"').waitFor();
    await asked.getByText('A rule requires approval for this contact.').waitFor();
    expect(await asked.getByRole('button').allInnerTexts()).toEqual(['Approve', 'Deny', 'Always']);
    const { checkpoints } = await ada.call<{ checkpoints: Checkpoint[] }>('GET', '/checkpoints');
    const { stdout } = await parley('inbox', 'approve', checkpoints[0]!.id);
    expect(stdout).toContain('Answered: Approve, by @');
    await dialog.getByText('Your inbox is empty.').waitFor();
    await ada.page.keyboard.press('Escape');
    const again = await intern.task();
    const outcome = intern.call('contact', { ...ask, lease: again.lease });
    const sub = await senior.task();
    await senior.call('say', { taskId: sub.taskId, lease: sub.lease, kind: 'answer', body: 'It is.' });
    expect(await outcome).toMatchObject({ text: 'Response from SENIOR: It is.' });
    await intern.call('say', { taskId, lease: again.lease, kind: 'answer', body: 'It is, they say.' });
  });

  test('[IAC-7] [IAC-18] work given on that failed stands in the tree as failed, beside what was done, and as it happens', async () => {
    await ada.call('DELETE', `/agents/${intern.member.id}/contacts/*`);
    const { taskId, lease, dm } = await begun(intern, 'Prepare the report');
    await ada.link(/^Work/).click();
    const tree = ada.page.getByRole('list', { name: 'Chains' });
    await tree.getByText('Prepare the report').waitFor();
    for (const [to, message] of [
      [senior, 'Draft the post'],
      [junior, 'Pull the data'],
    ] as const)
      await intern.call('contact', { taskId, lease, action: 'delegate', agentId: to.member.id, message });
    await intern.call('say', { taskId, lease, kind: 'answer', body: 'I wait.' });
    const [drafting, pulling] = [await senior.task(), await junior.task()];
    const line = (state: string, text: string) => tree.locator(`li li [data-task="${state}"]`).filter({ hasText: text });
    for (const text of ['Draft the post', 'Pull the data']) await line('active', text).waitFor();
    await junior.call('decline', { taskId: pulling.taskId, lease: pulling.lease, outcome: 'declined', reason: 'Rate limit exceeded.' });
    // A declined line says so in words and by its sign; nowhere does it look like an answer.
    const failed = line('declined', 'Pull the data');
    await failed.getByText('declined', { exact: true }).waitFor();
    expect(await failed.getByText('answered').count()).toBe(0);
    await senior.call('say', { taskId: drafting.taskId, lease: drafting.lease, kind: 'answer', body: 'Here it is.' });
    await line('completed', 'Draft the post').getByText('answered', { exact: true }).waitFor();
    const marks = async (text: string) => tree.locator('li li [data-task]').filter({ hasText: text }).locator('svg').first().innerHTML();
    expect(await marks('Pull the data')).not.toBe(await marks('Draft the post'));
    // What failed is told where the work was asked for, as what it is.
    await ada.page.goto(`${hub.url}/c/${dm}`);
    await ada.message(`JUNIOR failed to complete the task: Rate limit exceeded.`).waitFor();
    await ada.call('POST', `/tasks/${taskId}/stop`);
  });
});
