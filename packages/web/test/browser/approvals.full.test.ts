import type { Agent, AuditPage, Member } from '@parley/protocol';
import { onBothEngines, startMcpHttp, startModels } from '@parley/testkit';
import { expect, test } from 'vitest';
import type { Person } from './person.ts';
import { browserFor, hubProcessFor, peopleFor } from './stage.ts';

const browser = browserFor();

onBothEngines('the inbox', (engine) => {
  const hub = hubProcessFor(engine);
  const [ada, ben] = peopleFor(browser, hub, 'Ada', 'Ben');

  const decide = (person: Person) => person.page.getByRole('dialog').getByRole('region', { name: 'To decide' });

  test('[SYS-1] [IAC-12] an approval comes and goes while one looks, on every device; one tap answers it', async () => {
    const { agents } = await ada.call<{ agents: Agent[] }>('GET', '/agents');
    const orac = agents.find(({ handle }) => handle === 'ORAC')!;
    await ada.call('PATCH', `/agents/${orac.id}`, { mode: 'strict' });
    const tablet = await ada.onAnotherDevice(browser);
    await tablet.page.goto(ada.page.url());
    await ben.page.goto(ada.page.url());
    await ben.say('^ORAC who is here?');
    // Where the sidebar does not fit, what opens it says so.
    await tablet.page.setViewportSize({ width: 390, height: 844 });
    await tablet.button('Open sidebar: your inbox has items').waitFor();
    await tablet.page.setViewportSize({ width: 1280, height: 800 });
    for (const person of [ada, tablet]) {
      await person.button('Waiting for you 1').click();
      const asked = decide(person);
      await asked.getByText(/^ORAC wants to use \w+ /).waitFor();
      await asked.getByLabel('Arguments').getByRole('definition').first().waitFor();
      await asked.getByText('Its behaviour mode requires approval for this.').waitFor();
      expect(await asked.getByRole('button').allInnerTexts()).toEqual(['Approve', 'Deny']);
    }
    // Whose business it is not sees nothing of it.
    expect(await ben.button('Waiting for you 1').count()).toBe(0);
    await decide(ada).getByRole('button', { name: 'Deny' }).click();
    for (const person of [ada, tablet]) {
      await person.page.getByRole('dialog').getByText('Your inbox is empty.').waitFor();
      // Another comes while the dialog is open.
      if (person === ada) continue;
      await ben.message('Approval denied for using').waitFor();
      await ben.say('^ORAC who is here now?');
      await decide(person).getByRole('button', { name: 'Approve' }).click();
    }
    await ben.message('who is here now?').getByRole('list', { name: 'Tasks' }).getByText('^ORAC answered').waitFor();
    await tablet.context.close();
    await ada.page.keyboard.press('Escape');
    // Where the cards stood, a line says who decided what and when, for those who saw the card.
    await ada.page.reload();
    const lines = ada.page.getByRole('note', { name: 'Settled' });
    await expect.poll(() => lines.allInnerTexts()).toHaveLength(2);
    expect(await lines.allInnerTexts()).toEqual([
      expect.stringMatching(/^ORAC wanted to use \w+\. Denied by @ada, \d/),
      expect.stringMatching(/^ORAC wanted to use \w+\. Approved by @ada, \d/),
    ]);
    expect(await ben.page.getByRole('note', { name: 'Settled' }).count()).toBe(0);
  });

  test('[SYS-1] [C2A-31] what somebody waits for appears with its words, and goes, without a reload', async () => {
    const { members } = await ada.call<{ members: Member[] }>('GET', '/members');
    expect(members.some(({ handle }) => handle === 'ben')).toBe(true);
    const id = new URL(ada.page.url()).pathname.split('/')[2]!;
    const { id: messageId } = await ada.call<{ id: string }>('POST', `/conversations/${id}/messages`, {
      body: '@ben which **one** shall it be?',
      obligation: { blocks: 'halted', defaultAction: 'take the first' },
    });
    await ben.button('Waiting for you 1').click();
    const held = ben.page.getByRole('dialog').getByRole('region', { name: 'You hold somebody up' });
    await held.getByRole('blockquote').getByText('@ben which **one** shall it be?').waitFor();
    await ada.button('You wait for others').click();
    const awaited = ada.page.getByRole('dialog').getByRole('region', { name: 'You wait for' });
    await awaited.getByRole('button', { name: 'It is settled' }).click();
    await ben.page.getByRole('dialog').getByText('Your inbox is empty.').waitFor();
    await ada.call('DELETE', `/messages/${messageId}`);
    for (const person of [ada, ben]) await person.page.keyboard.press('Escape');
  });

  test('[SYS-11] an owner sets a key, sees that it is set and by whom, never its value, and removes it; others have no such place', async () => {
    await ben.page.getByRole('button', { name: /Ben/ }).first().click();
    await ben.page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    expect(await ben.page.getByRole('menuitem', { name: 'Keys' }).count()).toBe(0);
    await ben.page.keyboard.press('Escape');
    await ada.page.getByRole('button', { name: /Ada/ }).first().click();
    await ada.page.getByRole('menuitem', { name: 'Keys' }).click();
    const dialog = ada.page.getByRole('dialog', { name: 'Keys' });
    const key = dialog.getByRole('list', { name: 'Keys' }).getByRole('listitem').filter({ hasText: 'anthropic' });
    await key.getByText('not set').waitFor();
    const value = dialog.getByLabel('Value');
    expect(await value.getAttribute('type')).toBe('password');
    await dialog.getByLabel('Name').fill('Anthropic key');
    await value.fill('sk-on-the-page');
    await dialog.getByRole('button', { name: 'Set' }).click();
    await dialog.getByText(/must be 1 to 63 of/).waitFor();
    await dialog.getByLabel('Name').fill('anthropic');
    await dialog.getByRole('button', { name: 'Set' }).click();
    await key.getByText(/^set by Ada, /).waitFor();
    expect(await value.inputValue()).toBe('');
    expect(await ada.page.content()).not.toContain('sk-on-the-page');
    await key.getByRole('button', { name: 'Remove anthropic' }).click();
    await key.getByText('not set').waitFor();
    await ada.page.keyboard.press('Escape');
  });

  test('[SYS-12] a call that may have happened stands in the conversation and the inbox; one tap answers it', async () => {
    const [models, mcp] = [await startModels(), await startMcpHttp()];
    try {
      models.script('payer', [{ calls: [{ name: 'test__hang', input: { text: 'the rent' } }] }, { text: 'Then it is paid.' }]);
      await ada.call('PUT', '/tools/servers/test', { url: mcp.url, tools: { hang: 'write' } });
      await ada.call('PUT', '/secrets/anthropic', { value: 'sk-x', hosts: ['127.0.0.1'] });
      const { id } = await ada.call<Member>('POST', '/members', { kind: 'agent', handle: 'PAYER', displayName: 'Payer' });
      const brain = { kind: 'model', provider: 'anthropic', model: 'payer', baseUrl: models.baseUrl('anthropic') };
      const profile = { handle: 'PAYER', displayName: 'Payer', about: '' };
      const files = { instructions: '', memory: '', tools: ['mcp://test'], mode: 'autonomous', manager: null };
      await ada.call('PUT', `/agents/${id}/identity`, { version: 0, profile, brain, ...files });
      const room = await ada.createChannel('payments');
      await ada.call('POST', `/conversations/${room}/members`, { memberId: id });
      await ada.say('^PAYER pay the rent');
      const calls = async () => (await ada.call<AuditPage>('GET', `/audit?kind=tool&memberId=${id}`)).entries.map(({ name }) => name);
      await expect.poll(calls).toEqual(['test__hang']);
      await ada.call('POST', '/halt');
      await ada.call('DELETE', '/halt');
      const here = ada.page.getByRole('article', { name: 'Waiting for your decision' });
      await here.getByText('PAYER was interrupted while it called test__hang. The call may have happened').waitFor();
      await ada.button('Waiting for you 1').click();
      await decide(ada)
        .getByText(/the rent/)
        .waitFor();
      expect(await decide(ada).getByRole('button').allInnerTexts()).toEqual(['It did', 'Do it again', 'Leave it']);
      await ada.page.keyboard.press('Escape');
      const did = here.getByRole('button', { name: 'It did' });
      await expect.poll(() => did.getAttribute('aria-disabled')).toBe('false');
      await did.click();
      await ada.message('Then it is paid.').waitFor();
      // After a reload, a line says what was decided in the place of the card.
      await ada.page.reload();
      await ada.page
        .getByRole('note', { name: 'Settled' })
        .getByText(/^@ada answered “It did”, /)
        .waitFor();
      expect(await here.count()).toBe(0);
      expect(await ada.button('Waiting for you 1').count()).toBe(0);
    } finally {
      await Promise.all([models.stop(), mcp.stop()]);
    }
  });
});
