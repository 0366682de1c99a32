// What a new user meets in the first minutes: a request that waits for more, a key that is missing, and a desktop that
// notifies. The hub's clock stands still, so that only what somebody does moves anything.

import type { Agent } from '@parley/protocol';
import { SimClock, makeOnce, hubFor } from '@parley/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { Person } from './person.ts';
import { browserFor, visitorFor } from './stage.ts';

const browser = browserFor();

describe('the first minutes', () => {
  const clock = new SimClock(Date.now());
  const kit = hubFor('sqlite', { clock }, { PARLEY_COMPOSE_MS: '2500', PARLEY_LOG: 'silent' });
  const ben = makeOnce(() => kit.person('ben'));
  const ada = visitorFor(browser);
  let general: string;

  beforeAll(async () => {
    const { url } = await kit.owner.call('createInvitation', { body: { role: 'admin' } });
    await ada.join(url, 'Ada');
    general = await kit.general();
    await ben.call('joinConversation', { params: { conversationId: general } });
    await ada.page.goto(`${kit.url}/c/${general}`);
  });

  const composer = () => ada.page.getByRole('textbox', { name: /^Message / });
  const chip = (text: string) => ada.message(text).getByRole('list', { name: 'Tasks' });

  test('[SYS-4] the page asks the hub for few things when it loads', async () => {
    await ada.page.goto('about:blank');
    const asked: string[] = [];
    const note = (request: { url: () => string }) => void asked.push(new URL(request.url()).pathname);
    ada.page.on('request', note);
    await ada.page.goto(`${kit.url}/c/${general}`, { waitUntil: 'networkidle' });
    ada.page.off('request', note);
    const of = (start: string) => asked.filter((path) => path.startsWith(start)).length;
    expect(of('/api/'), asked.join(', ')).toBeLessThanOrEqual(18);
    expect(of('/assets/'), asked.join(', ')).toBeLessThanOrEqual(11);
  });

  test('the form of an invitation says what is wrong with the handle that stands there now', async () => {
    const { url } = await kit.owner.call('createInvitation', { body: { role: 'member' } });
    const dan = await Person.at(browser);
    await dan.page.goto(url);
    await dan.page.getByLabel('Name').fill('Dan');
    const handle = dan.page.getByLabel('Handle');
    await handle.fill('ada');
    await dan.button('Join').click();
    const taken = dan.page.getByText('Somebody has this handle already.');
    await taken.waitFor();
    await handle.fill('all');
    await dan.page.getByText('The handle is reserved: it addresses a group.').waitFor();
    expect(await taken.count()).toBe(0);
    await handle.fill('dan!');
    await dan.page.getByText(/^The handle must be 1 to 32 of /).waitFor();
    await handle.fill('dan');
    expect(await dan.page.getByText(/^The handle |Somebody has this/).count()).toBe(0);
    await dan.button('Join').click();
    await dan.page.waitForURL(/\/c\//);
    await dan.context.close();
  });

  test('a link of a hub on localhost says that it works on this computer only', async () => {
    await ada.page.getByRole('button', { name: /@ada/ }).click();
    await ada.page.getByRole('menuitem', { name: 'Sign in on another device' }).click();
    await ada.page.getByText('This link works on this computer only. To sign in elsewhere, set PARLEY_PUBLIC_URL.').waitFor();
    await ada.page.keyboard.press('Escape');
  });

  test('[C2A-4] a request counts down to its start; Start now begins it at once', async () => {
    await ada.say('^ORAC who is here, and');
    const waiting = chip('who is here, and');
    await waiting.getByText(/\^ORAC starts when you have finished writing/).waitFor();
    await waiting
      .getByRole('timer')
      .getByText(/^[0-3] s$/)
      .waitFor();
    // It ends on the page and not on the hub, whose clock stands still.
    await waiting.getByRole('timer').getByText('0 s', { exact: true }).waitFor();
    await waiting.getByRole('button', { name: 'Start ^ORAC now' }).click();
    await waiting.getByText('^ORAC answered').waitFor();
    expect(await waiting.getByRole('button', { name: 'Start ^ORAC now' }).count()).toBe(0);
  });

  test('[C2A-4] Enter in an empty message begins it as well, and says so beforehand; words are sent as ever', async () => {
    await ada.say('^STEF who is here, and');
    await chip('^STEF who is here, and').getByRole('button', { name: 'Start ^STEF now' }).waitFor();
    await ada.page
      .getByText(/Press Enter to start them now/)
      .first()
      .waitFor();
    await composer().press('Enter');
    await chip('^STEF who is here, and').getByText('^STEF answered').waitFor();
    await composer().press('Enter');
    expect((await ada.texts()).filter((text) => text.trim() === '')).toEqual([]);
  });

  test('[C2A-4] only its requester is offered to start it', async () => {
    await ben.post(general, '^ORAC what is new, and');
    await chip('what is new, and')
      .getByText(/starts when ben has finished writing/)
      .waitFor();
    expect(
      await chip('what is new, and')
        .getByRole('button', { name: /^Start/ })
        .count(),
    ).toBe(0);
    await ben.call('finishComposing', { params: { conversationId: general } });
    await chip('what is new, and').getByText('^ORAC answered').waitFor();
  });

  test('[SYS-11] an agent without a key says so once, and Add key leads to where it is set', async () => {
    const plan = await kit.agent('PLAN');
    const { identity, version } = await kit.owner.call('getIdentity', { params: { memberId: plan.id } });
    const brain = { kind: 'model', provider: 'anthropic', model: 'any' } as const;
    await kit.owner.call('putIdentity', {
      params: { memberId: plan.id },
      body: { ...identity, brain, version },
    });
    await kit.owner.call('addToConversation', { params: { conversationId: general }, body: { memberId: plan.id } });
    await ada.say('^PLAN plan the release.');
    await ada.button('Start ^PLAN now').click();
    await chip('plan the release.').getByText('^PLAN needs a key').waitFor();
    const notice = ada.page.getByRole('note').filter({ hasText: '^PLAN' });
    await notice.getByText(/There is no key for the model/).waitFor();
    expect(await notice.count()).toBe(1);
    // The list of members says it as the task does.
    const showMembers = ada.page.getByRole('main').getByRole('button', { name: 'Members' });
    await showMembers.click();
    await ada.page.getByRole('listitem').filter({ hasText: '^PLAN · agent · needs a key' }).waitFor();
    await showMembers.click();
    await notice.getByRole('button', { name: 'Add key' }).click();
    await ada.page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await ada.page.keyboard.press('Escape');
    // Work says why it failed as well, and where to mend it.
    await ada.page.goto(`${kit.url}/tasks`);
    await ada.page.getByLabel('State').selectOption('all');
    const failed = ada.page.getByRole('list', { name: 'Chains' }).locator('[data-task=failed]').filter({ hasText: '^PLAN' });
    await failed.getByText(/There is no key for the model/).waitFor();
    await failed.getByRole('button', { name: 'Add key' }).waitFor();
    await ada.page.goto(`${kit.url}/c/${general}`);
    // Who may not set it gets the sentence without the button.
    const carl = await Person.at(browser);
    const { url } = await kit.owner.call('createInvitation', { body: { role: 'member' } });
    await carl.join(url, 'Carl');
    await carl.page.goto(`${kit.url}/c/${general}`);
    await carl.say('^PLAN plan my day.');
    await carl.button('Start ^PLAN now').click();
    await carl.page
      .getByRole('note')
      .getByText(/There is no key for the model/)
      .waitFor();
    expect(await carl.page.getByRole('button', { name: 'Add key' }).count()).toBe(0);
    await carl.context.close();
  });

  test('a dialog puts the focus into its first field, and gives it back when it closes', async () => {
    const focused = () => ada.page.evaluate(() => document.activeElement?.matches('dialog :is(input, textarea, select)'));
    for (const name of ['Create a channel', 'Browse channels', 'Start a direct message', 'Invite people']) {
      await ada.button(name).click();
      await ada.page.getByRole('dialog').waitFor();
      expect(await focused(), name).toBe(true);
      await ada.page.keyboard.press('Escape');
      await ada.page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(await ada.button(name).evaluate((button) => button === document.activeElement), name).toBe(true);
    }
  });

  test('[SYS-1] the beginning of a channel with a few messages offers the story until one was played, and the menu while there is no demo', async () => {
    await ada.say('Good morning.');
    const offer = ada.button('Show me a story');
    await offer.waitFor();
    const item = ada.page.getByRole('menuitem', { name: 'Show me a story' });
    const openMenu = () => ada.page.getByRole('button', { name: /@ada/ }).click();
    await openMenu();
    await item.click();
    await ada.page.getByRole('heading', { name: 'demo', level: 1 }).waitFor();
    await openMenu();
    await ada.page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    expect(await item.count()).toBe(0);
    await ada.page.keyboard.press('Escape');
    await ada.button('Remove the demo').click();
    await ada.page.getByRole('heading', { name: 'general', level: 1 }).waitFor();
    await openMenu();
    await item.waitFor();
    await ada.page.keyboard.press('Escape');
    expect(await offer.count()).toBe(0);
  });

  test('[SYS-1] [IAC-12] the desktop notifies of an approval and of another checkpoint while the page is in the background; not of noise', async () => {
    // What the page hands to the desktop. A browser without a screen denies notifications whatever it is told: it is played here.
    await ada.page.addInitScript(() => {
      const shown: string[] = [];
      class Played extends EventTarget {
        static permission = 'granted';
        constructor(title: string, { body = '' }: { body?: string } = {}) {
          super();
          shown.push(`${title}: ${body}`);
        }
      }
      let isInFront = false;
      Document.prototype.hasFocus = () => isInFront;
      Object.assign(globalThis, { Notification: Played, shown, lookAtPage: (looks: boolean) => (isInFront = looks) });
    });
    await ada.page.reload();
    await composer().waitFor();
    const shown = () => ada.page.evaluate(() => (globalThis as unknown as { shown: string[] }).shown.splice(0));

    // Noise: what an agent says on the way, and what others ask of it.
    await ben.post(general, '^ORAC who is here?');
    await ben.call('finishComposing', { params: { conversationId: general } });
    await chip('^ORAC who is here?').getByText('^ORAC answered').waitFor();
    expect(await shown()).toEqual([expect.stringMatching(/^ben in #general: \^ORAC who is here/)]);

    // An approval, to the agent's owner; and what is put before a person besides.
    const { id } = await ada.call<Agent>('POST', '/members', { kind: 'agent', handle: 'HELP', displayName: 'Help' });
    await ada.call('PATCH', `/agents/${id}`, { brain: 'builtin', mode: 'strict' });
    await ada.call('POST', `/conversations/${general}/members`, { memberId: id });
    await ben.post(general, '^HELP who is here now?');
    await ben.call('finishComposing', { params: { conversationId: general } });
    await ada.button('Waiting for you 1').waitFor();
    expect(await shown()).toEqual([
      expect.stringMatching(/^ben in #general: /),
      expect.stringMatching(/^Waiting for your decision: HELP wants to use \w+/),
    ]);
    const bot = await kit.agent('BOT');
    const me = (await kit.owner.call('listMembers', { query: {} })).members.find(({ handle }) => handle === 'ada')!.id;
    await kit.owner.call('editMember', { params: { memberId: bot.id }, body: { ownerId: me } });
    await ada.button('Waiting for you 2').waitFor();
    expect(await shown()).toEqual([expect.stringMatching(/^Waiting for your decision: .*BOT/)]);
    // Looked at, it needs no notification.
    await ada.page.evaluate(() => (globalThis as unknown as { lookAtPage: (looks: boolean) => void }).lookAtPage(true));
    await ben.post(general, 'lunch?');
    await ada.message('lunch?').waitFor();
    expect(await shown()).toEqual([]);
  });
});
