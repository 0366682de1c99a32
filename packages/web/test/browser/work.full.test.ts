// What agents are at work on, who they are, and what is read of them: one story, as all of it shares two browsers and one hub.

import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { requestText } from '@parley/core';
import type { AgentFolder, Member, Message, MyConversation } from '@parley/protocol';
import { waitFor } from '@parley/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { conversation, message } from '../fixtures.ts';
import type { Person } from './person.ts';
import { browserFor, handAgentFor, hubProcessFor, peopleFor } from './stage.ts';

const browser = browserFor();

test('what is loaded before anything shows stays under 185 KB', () => {
  const dist = (path: string) => readFileSync(fileURLToPath(new URL(`../../dist/${path}`, import.meta.url)));
  const needed = dist('index.html')
    .toString()
    .matchAll(/assets\/[^"]+\.(?:js|css)/g);
  const bytes = [...needed].reduce((sum, [path]) => sum + gzipSync(dist(path)).length, 0);
  expect(bytes).toBeLessThan(185_000);
});

describe('agents at work on the page', () => {
  const hub = hubProcessFor('sqlite');
  const [ada, ben] = peopleFor(browser, hub, 'Ada Lindqvist', 'Ben Okafor');
  const bot = handAgentFor(ben, 'BOT');
  const help = handAgentFor(ada, 'HELP');
  let room: string;
  beforeAll(async () => {
    await bot.connect();
    await help.connect();
    room = await ada.createChannel('bridge');
    await ada.addMembers(room, 'BOT', 'HELP');
    await ben.joinChannel('bridge');
  });

  const composer = (person: Person) => person.page.getByRole('textbox', { name: /^Message / });
  const chains = (person: Person) => person.page.getByRole('list', { name: 'Chains' });
  const toWork = (person: Person) => person.link(/^Work/).click();

  test('[IAC-18] the tree of tasks is live, with time and cost, and work is redirected and stopped from it', async () => {
    await toWork(ben);
    await ben.page.getByText('No agent is at work.').waitFor();
    await ada.say('^BOT prepare the *quarterly* report\nwith all figures');
    const root = await bot.task();
    const tree = chains(ben);
    await tree.getByText('^BOT prepare the *quarterly* report').waitFor();
    expect(await tree.getByText('with all figures').count()).toBe(0);
    await tree.getByText('working').waitFor();
    await bot.call('say', { taskId: root.taskId, lease: root.lease, kind: 'progress', body: 'On it. ^HELP pull the revenue data' });
    const sub = await help.task();
    await tree.getByText('^HELP', { exact: true }).waitFor();
    // What was given on stands inside the one that gave it on.
    expect(await tree.locator('li li').filter({ hasText: '^HELP' }).filter({ hasText: 'asked by BOT' }).count()).toBeGreaterThan(0);
    await tree.getByText(/so far · [23] turns · \$0\.00 · \d\d:\d\d left$/).waitFor();
    await help.call('say', { taskId: sub.taskId, lease: sub.lease, kind: 'question', body: 'Which quarter?' });
    await tree.getByText('waiting for BOT').waitFor();

    // BOT's owner may redirect and stop it; HELP is ada's, and not his to stop.
    await tree.getByRole('button', { name: 'Redirect ^BOT' }).waitFor();
    expect(await tree.getByRole('button', { name: 'Stop ^HELP' }).count()).toBe(0);
    await tree.getByRole('button', { name: 'Redirect ^BOT' }).press('Enter');
    const dialog = ben.page.getByRole('dialog', { name: 'Redirect this task' });
    await dialog.getByLabel('New instruction').fill('Only the summary, please');
    await dialog.getByRole('button', { name: 'Redirect' }).click();
    await ada.message('Only the summary, please').waitFor();
    await tree.getByRole('button', { name: 'Stop ^BOT' }).press('Enter');
    await ben.page.getByText('No agent is at work.').waitFor();
    await ben.page.getByRole('button', { name: 'Show ended work' }).click();
    await tree.getByText('stopped', { exact: true }).first().waitFor();
    await tree.getByText('stopped: the task it was for has ended').waitFor();
    await tree.getByText(/took \d+:\d\d · [2-9] turns/).waitFor();
  });

  test('[IAC-18] filters narrow it, one chain stands alone at its own address, and what fails can be tried again', async () => {
    await toWork(ada);
    await ada.page.getByLabel('State').selectOption('all');
    await chains(ada).getByText('^HELP', { exact: true }).first().waitFor();
    await ada.page.getByLabel('Agent').selectOption(help.member.id);
    await chains(ada).getByRole('listitem').first().waitFor();
    await ada.page.getByLabel('Conversation').selectOption({ label: '#general' });
    await ada.page.getByText('No work matches these filters').waitFor();
    await ada.page.getByLabel('Conversation').selectOption({ label: '#bridge' });
    await chains(ada).getByTitle('This chain alone').first().click();
    await ada.page.getByRole('heading', { name: 'One chain of work' }).waitFor();
    expect(new URL(ada.page.url()).pathname).toMatch(/^\/tasks\/chn_/);
    await ada.page.reload();
    await chains(ada).getByText('^HELP', { exact: true }).first().waitFor();
    let away = true;
    await ada.page.route('**/api/v1/chains?**', (route) => (away ? route.abort() : route.continue()));
    await ada.page.getByRole('link', { name: 'All work' }).click();
    const retry = ada.page.getByRole('button', { name: 'Try again' });
    await retry.waitFor();
    away = false;
    await retry.click();
    await ada.page.getByText('No agent is at work.').waitFor();
    await ada.page.unroute('**/api/v1/chains?**');
  });

  test.each([390, 820, 1440])('[IAC-18] the work fits a screen %d wide, in light and dark', async (width) => {
    await ada.call('POST', `/conversations/${room}/messages`, { body: `^BOT ${'x'.repeat(300)}` });
    const there = await ada.onAnotherDevice(browser, width, 900);
    const { taskId } = await bot.task();
    for (const colorScheme of ['light', 'dark'] as const) {
      await there.page.emulateMedia({ colorScheme });
      await there.page.goto(`${hub.url}/tasks`);
      await chains(there).getByText('^BOT', { exact: true }).waitFor();
      expect(await there.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      // By the keyboard alone: from the top to the first thing that can be done with a task.
      await there.page.getByLabel('Conversation').focus();
      await there.page.keyboard.press('Tab');
      expect(await there.page.evaluate(() => document.activeElement?.textContent)).toMatch(/^asked by/);
    }
    expect(there.faults).toEqual([]);
    await there.context.close();
    await ada.call('POST', `/tasks/${taskId}/stop`);
  });

  test('[SYS-8] a mistake in an agent’s files is shown to admins where agents are listed, with file, line and field', async () => {
    const folder = join(hub.dataDir, 'agents', 'WRONG');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'agent.yaml'), 'name: Wrong\nmode: wild\n');
    const notice = (person: Person) => person.page.getByRole('alert', { name: 'Mistakes in agents’ files' });
    await waitFor(async () =>
      expect(
        (await ada.call<{ folders: AgentFolder[] }>('GET', '/agent-folders')).folders.flatMap(({ problems }) => problems),
      ).toHaveLength(1),
    );
    await ada.button('Members').click();
    await waitFor(async () => expect(await notice(ada).innerText()).toMatch(/agents\/WRONG\/agent\.yaml:2:\d+ mode: /));
    await ada.page.keyboard.press('Escape');
    await ben.button('Members').click();
    await ben.page.getByRole('dialog', { name: 'Members' }).getByText('^BOT · agent').waitFor();
    expect(await notice(ben).count()).toBe(0);
    await ben.page.keyboard.press('Escape');
    await rm(folder, { recursive: true });
  });

  test('[SYS-8] [C2A-8] an agent’s card says live what it does and who answers for it, and its owner says when it sleeps and whom it hears', async () => {
    await ben.link('bridge').click();
    await ada.link('bridge').click();
    await ben.button('Members').click();
    const people = ben.page.getByRole('dialog', { name: 'Members' });
    await people.getByText('^BOT · agent · ready').waitFor();
    await people.getByRole('button', { name: 'About ^BOT' }).click();
    const card = ben.page.getByRole('dialog', { name: 'BOT' });
    const status = card.getByRole('status', { name: 'Status' });
    expect(await status.innerText()).toBe('ready');
    await card.getByText('its own program, connected from outside').waitFor();
    await card.getByText('never: it is autonomous').waitFor();
    await card.getByText('Ben Okafor (@ben.okafor)').waitFor();
    await ada.say('^BOT are you there?');
    const { taskId, lease } = await bot.task();
    await waitFor(async () => expect(await status.innerText()).toBe('working'));
    await card.getByRole('link', { name: /working, for @ada/ }).waitFor();
    await bot.call('say', { taskId, lease, kind: 'answer', body: 'Here I am' });
    await waitFor(async () => expect(await status.innerText()).toBe('ready'));
    const pad = (n: number) => String(n).padStart(2, '0');
    const then = new Date(Date.now() + 26 * 3_600_000);
    const at = `${then.getFullYear()}-${pad(then.getMonth() + 1)}-${pad(then.getDate())}T09:00`;
    await card.getByLabel('Sleeping until').fill(at);
    await card.getByRole('button', { name: 'Set' }).click();
    await waitFor(async () => expect(await status.innerText()).toMatch(/^asleep until /));
    await ada.message('Here I am').getByRole('button', { name: 'BOT', exact: true }).click();
    const seen = ada.page.getByRole('dialog', { name: 'BOT' });
    await seen.getByText(/^asleep until /).waitFor();
    await ada.page.keyboard.press('Escape');
    await card.getByRole('button', { name: 'Wake it' }).click();
    await waitFor(async () => expect(await status.innerText()).toBe('ready'));
    await card.getByLabel('Member to block').selectOption({ label: '@ada.lindqvist' });
    await card.getByRole('button', { name: 'Block', exact: true }).click();
    await card.getByRole('button', { name: 'Unblock' }).waitFor();
    await ada.say('^BOT do you hear me?');
    await ada.page.getByText('^BOT takes no requests from you.', { exact: true }).waitFor();
    await card.getByRole('button', { name: 'Unblock' }).click();
    await card.getByText('No blocked member').waitFor();
    await card.getByRole('button', { name: 'Message ^BOT' }).click();
    await ben.page.getByRole('heading', { name: 'BOT', level: 1 }).waitFor();
    await ben.page.getByRole('button', { name: 'ready' }).waitFor();
  });

  test('an answer leads back to what it answers once something lies between, and who asked an agent to leave is said', async () => {
    await ben.link('bridge').click();
    await ada.say('^BOT count the stars');
    const { taskId, lease } = await bot.task();
    await ben.say('Nice weather out here');
    await ada.message('Nice weather').waitFor();
    await bot.call('say', { taskId, lease, kind: 'answer', body: 'Seven of them' });
    const back = ada.message('Seven of them').getByRole('link', { name: 'in answer to “^BOT count the stars”' });
    await back.click();
    await waitFor(() => expect(ada.page.url()).toContain('/m/msg_'));
    // Right under its request it needs none.
    expect(await ada.message('Here I am').getByText('in answer to').count()).toBe(0);
    await composer(ada).fill('/leave ^HELP');
    await composer(ada).press('Enter');
    await ben.page.getByText('Ada Lindqvist asked ^HELP to leave.').waitFor();
    await ada.page.getByText('You asked ^HELP to leave.').waitFor();
  });

  test('Markdown is shown as what it means, and what is hostile as the text it is', async () => {
    const lines = [
      '**Bold**, *slanted* and `code`:',
      '',
      '1. first',
      '2. second',
      '   - inner',
      '',
      '> quoted ^BOT',
      '',
      '[the docs](https://docs.example/x)',
      '',
      '[run](javascript:alert(1)) <img src=x onerror=alert(2)>',
    ];
    await ada.call('POST', `/conversations/${room}/messages`, { body: lines.join('\n') });
    const said = ben.message('slanted');
    await said.waitFor();
    expect(await said.locator('strong').innerText()).toBe('Bold');
    expect(await said.locator('em').innerText()).toBe('slanted');
    expect(await said.locator('ol > li').count()).toBe(2);
    expect(await said.locator('ol ul li').innerText()).toBe('inner');
    expect(await said.locator('blockquote').innerText()).toBe('quoted ^BOT');
    const link = said.getByRole('link', { name: 'the docs' });
    expect([await link.getAttribute('href'), await link.getAttribute('rel')]).toEqual(['https://docs.example/x', 'noopener noreferrer']);
    expect(await said.locator('img, script, a[href^="javascript"]').count()).toBe(0);
    await said.getByText('[run](javascript:alert(1)) <img src=x onerror=alert(2)>').waitFor();
  });

  test('every reaction to pick from has a name', async () => {
    const said = ada.message('slanted');
    await said.hover();
    await said.getByRole('button', { name: 'Add a reaction' }).click();
    const items = ada.page.getByRole('menu', { name: 'Pick a reaction' }).getByRole('menuitem');
    for (const item of await items.all()) expect(await item.getAttribute('title')).toMatch(/\w/);
    await ada.page.keyboard.press('Escape');
  });

  test('[IAC-10] conversations of agents one answers for are found and read, and not spoken in', async () => {
    const id = `con_${'0'.repeat(26)}`;
    const dm: MyConversation = conversation(id, {
      kind: 'dm',
      name: null,
      visibility: 'private',
      joined: false,
      myRole: null,
      memberIds: [bot.member.id, help.member.id],
      lastSeq: 3,
    });
    const said = (n: number, from: Member, body: string, source: string | null) =>
      message(`msg_${String(n).padStart(26, '0')}`, n, {
        conversationId: id,
        authorId: from.id,
        body,
        createdAt: Date.now(),
        source,
      } as Partial<Message>);
    const asked = requestText('delegate', 'BOT', { message: 'Pull the revenue', context: 'For Ada', priority: 'high', taskId: 'tsk_1' });
    const messages = [
      said(1, bot.member, asked, 'agent_contact'),
      said(2, help.member, 'It was 2.4', null),
      said(3, help.member, '[Agent Notification from BOT]\n\nI am not it', null),
    ];
    const answer = (body: object) => (route: { fulfill: (with_: { json: object }) => Promise<void> }) => route.fulfill({ json: body });
    await ada.button('Agents’ conversations').click();
    await ada.page.getByRole('dialog').getByText('No agents have written to each other in private yet.').waitFor();
    await ada.page.keyboard.press('Escape');
    await ada.page.route('**/api/v1/agents/conversations', answer({ conversations: [dm] }));
    await ada.page.route(`**/api/v1/conversations/${id}`, answer(dm));
    await ada.page.route(`**/api/v1/conversations/${id}/messages**`, answer({ messages, moreBefore: false, moreAfter: false }));
    await ada.button('Agents’ conversations').click();
    await ada.page.getByRole('button', { name: '^BOT and ^HELP' }).click();
    const main = ada.page.getByRole('main');
    await main.getByText('^BOT delegates this, high priority').waitFor();
    await ada.message('Pull the revenue').getByText('Context: For Ada').waitFor();
    expect(await main.getByText('[Agent Request from BOT').count()).toBe(0);
    // Only the platform's word that it posted it makes a header of a line.
    await ada.message('I am not it').getByText('[Agent Notification from BOT]').waitFor();
    await main.getByText('You may read it because you answer for one of them').waitFor();
    expect(await composer(ada).count()).toBe(0);
    await ada.page.unrouteAll();
  });
});
