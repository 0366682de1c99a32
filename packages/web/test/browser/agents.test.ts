// People and agents on the page, one story. Long because all of it shares two browsers and one hub.

import type { Member } from '@parley/protocol';
import { onBothEngines, waitFor } from '@parley/testkit';
import { expect, test } from 'vitest';
import { HandAgent } from './hand-agent.ts';
import { Person } from './person.ts';
import { browserFor, handAgentFor, hubProcessFor, peopleFor } from './stage.ts';

const browser = browserFor();

// A page does not see which engine its hub has.
onBothEngines('people and agents on the page', (engine) => {
  const hub = hubProcessFor(engine);
  const [ada, ben] = peopleFor(browser, hub, 'Ada Lindqvist', 'Ben Okafor');
  const bot = handAgentFor(ada, 'BOT');

  /** A channel of its own for each test, with both people and these agents in it. */
  async function roomWith(name: string, ...handles: string[]): Promise<string> {
    const id = await ada.createChannel(name);
    await ada.addMembers(id, ...handles);
    await ben.joinChannel(name);
    return id;
  }
  const composer = (person: Person) => person.page.getByRole('textbox', { name: /^Message / });
  const forecast = (person: Person) => person.page.getByRole('main').locator('[data-forecast]');
  const chip = (person: Person, text: string) => person.message(text).getByRole('list', { name: 'Tasks' });

  test('[PAP-2] [SYS-3] a newcomer asks ^ORAC, sees beforehand that it wakes, and gets an answer', async () => {
    await ada.link('general').click();
    await ben.link('general').click();
    await composer(ada).fill("^ORAC what's going on?");
    await forecast(ada).getByText('Wakes ^ORAC. 1 agent stays quiet.').waitFor();
    await composer(ada).press('Enter');
    for (const person of [ada, ben]) {
      await chip(person, 'going on?').getByText('^ORAC answered').waitFor();
      expect(await person.message('built into this hub').count()).toBe(1);
    }
    const marked = ben.message('going on?').locator('[data-address]');
    expect([await marked.innerText(), await marked.getAttribute('data-address')]).toEqual(['^ORAC', 'agent']);
    await ada.page.reload();
    await chip(ada, 'going on?').getByText('^ORAC answered').waitFor();
  });

  test('[PAP-6] [SYS-3] [C2A-32] addressing nobody wakes nobody, and "why?" says so', async () => {
    await roomWith('quiet', 'ORAC', 'STEF');
    await composer(ada).fill('The floor is so quiet today');
    await forecast(ada).getByText('Nobody is woken: 2 agents stay quiet, as nobody is addressed.').waitFor();
    await composer(ada).press('Enter');
    const said = ben.message('so quiet today');
    await said.waitFor();
    await ben.act(said, 'Why?');
    const why = ben.page.getByRole('dialog', { name: 'Why?' });
    await why.getByRole('heading', { name: 'Nobody was woken. 2 agents stayed quiet.' }).waitFor();
    await why.getByText('agents speak only when spoken to').waitFor();
    expect(await why.getByText('must_not_respond · tool_mailbox · ambient').count()).toBe(2);
    await ben.page.keyboard.press('Escape');

    await ada.say('^STEF who is here?');
    await chip(ada, 'who is here?').getByText('^STEF answered').waitFor();
    expect(await ada.page.getByRole('main').getByRole('article', { name: /^Orac/ }).count()).toBe(0);
    await ada.act(ada.message('who is here?'), 'Why?');
    const other = ada.page.getByRole('dialog', { name: 'Why?' });
    await other.getByText('^STEF was called by name.').waitFor();
    await other.getByText('must_respond · buffered · mention').waitFor();
    await other.getByText('Its task: answered').waitFor();
    await other.getByText('Somebody else was addressed.').waitFor();
    await ada.page.keyboard.press('Escape');
  });

  test('[C2A-9] [C2A-12] a message is marked as urgent, and another given to an agent, also on a phone', async () => {
    await roomWith('hurry', 'ORAC');
    await ada.page.setViewportSize({ width: 360, height: 640 });
    const toggle = ada.page.getByRole('main').getByRole('button', { name: /^Urgent/ });
    expect(await toggle.getAttribute('aria-pressed')).toBe('false');
    await composer(ada).fill('^ORAC who is here?');
    // By the keyboard: it stands between the text and "Send".
    await composer(ada).press('Tab');
    await ada.page.keyboard.press('Space');
    expect(await toggle.getAttribute('aria-pressed')).toBe('true');
    await forecast(ada).getByText('Urgent: at once, before other work.').waitFor();
    await composer(ada).press('Enter');
    await ben.message('who is here?').getByText('urgent', { exact: true }).waitFor();
    // For the next it is off again.
    expect(await toggle.getAttribute('aria-pressed')).toBe('false');
    await chip(ada, 'who is here?').getByText('^ORAC answered').waitFor();

    await ben.say('What is going on here?');
    const said = ada.message('What is going on here?');
    await said.waitFor();
    await ada.act(said, 'Assign to…');
    const dialog = ada.page.getByRole('dialog', { name: 'Assign to…' });
    await dialog.getByRole('list', { name: 'Agents' }).getByRole('button', { name: /ORAC/ }).click();
    await chip(ben, 'What is going on here?').getByText('^ORAC answered').waitFor();
    await ben.act(ben.message('What is going on here?'), 'Why?');
    const why = ben.page.getByRole('dialog', { name: 'Why?' });
    await why.getByText(/^@ada.* assigned it to \^ORAC\.$/).waitFor();
    await why.getByText('must_respond · buffered · assigned').waitFor();
    await ben.page.keyboard.press('Escape');
    await ada.page.setViewportSize({ width: 1280, height: 800 });
  });

  test('[PAP-18] an unknown handle is doubted while it is written, and told of to its author alone', async () => {
    await roomWith('unknown', 'ORAC');
    await composer(ada).fill('^ORCA hello? ');
    await forecast(ada).getByText('Nobody here is called ^ORCA. Did you mean ^ORAC?').first().waitFor();
    await ada.button('Use ^ORAC').click();
    expect(await composer(ada).inputValue()).toBe('^ORAC hello? ');

    await composer(ada).fill('^ORCA who is here?');
    await composer(ada).press('Enter');
    const notice = ada.page.getByRole('note').filter({ hasText: 'Nobody here is called ^ORCA' });
    await notice.waitFor();
    await ben.message('^ORCA who is here?').waitFor();
    expect(await ben.page.getByRole('note').count()).toBe(0);
    await notice.getByRole('button', { name: '^ORAC' }).click();
    expect(await composer(ada).inputValue()).toBe('^ORAC who is here?');
    await composer(ada).press('Enter');
    await chip(ada, '^ORAC who is here?').getByText('^ORAC answered').waitFor();
    await ada.page.reload();
    await notice.waitFor();
  });

  test('[PAP-18] whoever is addressed but not here can be brought in from the notice', async () => {
    await roomWith('elsewhere', 'ORAC');
    await composer(ada).pressSequentially('^ST');
    await ada.page.getByRole('option', { name: /STEF/ }).waitFor();
    await composer(ada).press('Enter');
    await composer(ada).pressSequentially('who is here?');
    await forecast(ada).getByText('Nobody is woken.', { exact: true }).waitFor();
    await forecast(ada)
      .getByRole('button', { name: /^Bring in / })
      .waitFor();
    await composer(ada).press('Enter');
    const notice = ada.page.getByRole('note').filter({ hasText: 'was not in this conversation' });
    await notice.getByRole('button', { name: /^Bring in / }).click();
    // The message that called it is its first task here.
    await chip(ada, 'who is here?').getByText('^STEF answered').waitFor();
    await ada.page.getByRole('note').getByText('^STEF was brought in and got this.').waitFor();
    expect(await notice.count()).toBe(0);
  });

  test('names are completed by keyboard and by hand, and Enter still sends', async () => {
    await roomWith('completion', 'ORAC', 'STEF');
    const box = composer(ada);
    const options = ada.page.getByRole('option');
    await box.pressSequentially('^');
    await waitFor(async () => expect(await options.allInnerTexts()).toHaveLength(4));
    await box.press('ArrowDown');
    await box.press('ArrowDown');
    expect(await ada.page.getByRole('option', { selected: true }).innerText()).toContain('STEF');
    await box.press('Tab');
    expect(await box.inputValue()).toBe('^STEF ');
    await box.pressSequentially('and @be');
    await box.press('Enter');
    expect(await box.inputValue()).toBe('^STEF and @ben.okafor ');
    await box.pressSequentially('^o');
    await options.first().waitFor();
    await box.press('Escape');
    expect(await options.count()).toBe(0);
    await box.fill('');
    await box.pressSequentially('in `code ^o');
    await options.first().waitFor();
    await box.pressSequentially('`');
    await waitFor(async () => expect(await options.count()).toBe(0));
    await box.fill('');
    await box.pressSequentially('hello ^st');
    await options.first().click();
    expect(await box.inputValue()).toBe('hello ^STEF ');
    await box.fill('');
    await box.pressSequentially('who is here ^orac');
    await box.press('Enter');
    await chip(ada, 'who is here ^orac').getByText('^ORAC answered').waitFor();
    expect(await box.inputValue()).toBe('');
  });

  test('[PAP-15] [PAP-17] a task waits for its agent, and is stopped by whoever asked and by nobody unentitled', async () => {
    await roomWith('stopping', 'BOT');
    await composer(ben).fill('^BOT build the release');
    await forecast(ben).getByText('^BOT is offline: it will get this when it comes back (may change).').waitFor();
    await composer(ben).press('Enter');
    await ben.page.getByRole('note').filter({ hasText: '^BOT is offline. It gets this when it comes back.' }).waitFor();
    await chip(ben, 'build the release').getByText('queued, offline').waitFor();
    await ben.page.getByRole('button', { name: 'Tasks, 1 open' }).click();
    const panel = ben.page.getByRole('complementary', { name: 'Tasks' });
    await panel.getByText('asked by you').waitFor();

    const { url } = await ada.call<{ url: string }>('POST', '/invitations', { role: 'member' });
    const cyd = await Person.at(browser);
    await cyd.join(url, 'Cyd');
    await cyd.joinChannel('stopping');
    await chip(cyd, 'build the release').getByText('queued, offline').waitFor();
    expect(await cyd.page.getByRole('button', { name: 'Stop ^BOT' }).count()).toBe(0);

    await panel.getByRole('button', { name: 'Stop ^BOT' }).click();
    for (const person of [ada, ben, cyd]) await chip(person, 'build the release').getByText('^BOT stopped').waitFor();
    expect(cyd.faults).toEqual([]);
    await cyd.context.close();
    await ben.button('Close panel').click();
  });

  test('[PAP-7] an agent works, asks, is answered without being called again, and its draft becomes its answer', async () => {
    await roomWith('working', 'BOT', 'ORAC');
    await composer(ada).fill('^BOT name the ship');
    await forecast(ada).getByText('^BOT is offline').waitFor();
    await bot.connect();
    await waitFor(async () => expect(await forecast(ada).innerText()).toBe('Wakes ^BOT. 1 agent stays quiet.'));
    await composer(ada).press('Enter');
    const { taskId, lease } = await bot.task();
    const shown = chip(ada, 'name the ship');
    await shown.getByText('working').waitFor();
    expect(await shown.getByRole('timer').innerText()).toMatch(/^for \d+:\d\d$/);
    expect(await shown.getByRole('timer').getAttribute('aria-label')).toMatch(/(29|30):\d\d left$/);
    await bot.call('say', { taskId, lease, kind: 'progress', body: 'Looking at other ships. ^ORAC who is here?' });
    await chip(ben, 'Looking at other ships').getByText('^ORAC answered').waitFor();
    await bot.call('say', { taskId, lease, kind: 'question', body: 'A short name or a long one?' });
    await ada.message('A short name').getByText('Your next message here answers this.').waitFor();
    expect(await ben.message('A short name').getByText('Your next message').count()).toBe(0);
    await composer(ada).fill('ok');
    await forecast(ada).getByText('Answers ^BOT’s question. 1 agent stays quiet.').waitFor();
    await composer(ada).press('Enter');
    const again = await bot.task();
    expect(again).toMatchObject({ taskId, lastWord: 'ok' });
    await bot.call('draft', { taskId, lease: again.lease, text: 'Liber' });
    const draft = ben.page.getByRole('main').locator('[data-draft]');
    await draft.getByText('Liber').waitFor();
    await bot.call('say', { taskId, lease: again.lease, kind: 'answer', body: 'Liberator' });
    await ben.message('Liberator').waitFor();
    expect(await draft.count()).toBe(0);
    await shown.getByText('^BOT answered').waitFor();
    await ada.button('Tasks').click();
    const panel = ada.page.getByRole('complementary', { name: 'Tasks' });
    await panel.getByRole('button', { name: 'Show the whole chain' }).first().click();
    await panel.getByText(/Begun .* turns/).waitFor();
    await ada.button('Close panel').click();
  });

  test('[PAP-15] a task is turned over to another agent, in the same chain', async () => {
    await roomWith('redirecting', 'BOT', 'ORAC');
    await ada.say('^BOT count the people');
    await bot.task();
    await ada.button('Tasks, 1 open').click();
    const panel = ada.page.getByRole('complementary', { name: 'Tasks' });
    await panel.getByRole('button', { name: 'Redirect ^BOT' }).click();
    const dialog = ada.page.getByRole('dialog', { name: 'Redirect this task' });
    await dialog.getByLabel('New instruction').fill('who is here?');
    await dialog.getByLabel('Agent').selectOption({ label: '^ORAC' });
    await dialog.getByRole('button', { name: 'Redirect' }).click();
    await chip(ben, 'count the people').getByText('^BOT stopped: a person gave it to another agent').waitFor();
    await chip(ben, 'who is here?').getByText('^ORAC answered').waitFor();
    await waitFor(async () => expect(await panel.getByRole('region', { name: 'Ended' }).locator('> ul > li').count()).toBe(1));
    await ada.button('Close panel').click();
  });

  test('[PAP-3] ^ALL over ten agents shows how many and asks again before anyone is woken', async () => {
    const id = await roomWith('everyone', 'ORAC', 'STEF');
    for (let index = 0; index < 9; index++) {
      const { id: memberId } = await ada.call<Member>('POST', '/members', {
        kind: 'agent',
        handle: `n${index}`,
        displayName: `N ${index}`,
      });
      await ada.call('POST', `/conversations/${id}/members`, { memberId });
    }
    await composer(ada).fill('^ALL report');
    await forecast(ada).getByText('Wakes all 11 agents here, a turn each.').waitFor();
    await composer(ada).press('Enter');
    const alert = ada.page.getByRole('main').getByRole('alert');
    await alert.getByText('^ALL wakes 11 agents, a turn each.').waitFor();
    expect(await ben.message('^ALL report').count()).toBe(0);
    await alert.getByRole('button', { name: 'Wake all 11' }).click();
    // An agent may quote it by then.
    await ben.message('^ALL report').first().waitFor();
    // While their states change, the button may move from under the pointer.
    const more = chip(ada, '^ALL report').getByRole('button', { name: '7 more' });
    await more.waitFor();
    await waitFor(async () => {
      if ((await more.count()) > 0) await more.click({ timeout: 1_000 });
      expect(await chip(ada, '^ALL report').getByRole('listitem').count()).toBe(11);
    });
  });

  test('[SYS-10] everything is stopped by anyone, shown to all, and released by an owner', async () => {
    await roomWith('halting', 'ORAC');
    await ben.page.getByRole('button', { name: /Ben Okafor/ }).click();
    await ben.page.getByRole('menuitem', { name: 'Stop everything…' }).click();
    await ben.page.getByRole('dialog', { name: 'Stop everything?' }).getByRole('button', { name: 'Stop everything' }).click();
    await ben.page.getByText('You stopped every agent').waitFor();
    await ada.page.getByText('Ben Okafor stopped every agent').waitFor();
    expect(await ben.page.getByRole('button', { name: 'Release' }).count()).toBe(0);
    await composer(ada).fill('^ORAC who is here?');
    await forecast(ada).getByText('Everything is stopped: no agent starts until it is released.').waitFor();
    await composer(ada).press('Enter');
    await chip(ada, 'who is here?').getByText('^ORAC queued').waitFor();
    await ada.button('Release').click();
    await chip(ada, 'who is here?').getByText('^ORAC answered').waitFor();
    for (const person of [ada, ben]) await waitFor(async () => expect(await person.page.getByText('stopped every agent').count()).toBe(0));
  });

  test('the newest message stays in sight while the composer and what stands under it grow', async () => {
    const id = await roomWith('growing', 'ORAC');
    for (let index = 0; index < 30; index++) await ada.call('POST', `/conversations/${id}/messages`, { body: `Line ${index}` });
    const phone = await ada.onAnotherDevice(browser, 390, 844);
    await phone.page.goto(`${hub.url}/c/${id}`);
    await phone.message('Line 29').waitFor();
    await composer(phone).pressSequentially('^ORCA, a text that takes more than the one line there is at first');
    await forecast(phone).getByText('Nobody here is called').first().waitFor();
    const below = () =>
      phone.page.getByRole('feed').evaluate((feed) => {
        const box = feed.parentElement!.parentElement!;
        return box.scrollHeight - box.scrollTop - box.clientHeight;
      });
    await waitFor(async () => expect(await below()).toBeLessThanOrEqual(1));
    // Also when its own scrolling is told of before the list knows that it has less room.
    await phone.page.getByRole('feed').evaluate((feed) => {
      const box = feed.parentElement!.parentElement!;
      box.style.maxHeight = `${box.clientHeight - 120}px`;
      box.dispatchEvent(new Event('scroll'));
    });
    await waitFor(async () => expect(await below()).toBeLessThanOrEqual(1));
    await phone.context.close();
  });

  // How wide a page is does not hang on where its hub keeps things.
  const sizes: [number, number][] =
    engine === 'sqlite'
      ? [
          [360, 740],
          [1280, 800],
        ]
      : [[768, 1024]];
  test.each(sizes)('what agents do fits %d × %d, in light and dark', async (width, height) => {
    const id = await roomWith(`agents-${width}`, 'ORAC', 'BOT', 'STEF');
    await ada.say(`^ORAC ^STEF ^BOT ${'x'.repeat(90)} who is here?`);
    await ada.say('^ORCA hello?');
    const there = await ada.onAnotherDevice(browser, width, height);
    for (const colorScheme of ['light', 'dark'] as const) {
      await there.page.emulateMedia({ colorScheme });
      await there.page.goto(`${hub.url}/c/${id}`);
      await there.page.getByRole('note').filter({ hasText: '^ORCA' }).waitFor();
      await composer(there).fill('^');
      await there.page.getByRole('option').first().waitFor();
      const fits = () => there.page.evaluate(() => document.documentElement.scrollWidth);
      expect(await fits()).toBeLessThanOrEqual(width);
      await composer(there).fill('');
      await there.page.getByRole('button', { name: /^Tasks/ }).click();
      // Where it does not fit beside the conversation, it stands in its place.
      await there.page
        .getByRole(width < 1100 ? 'main' : 'complementary', { name: 'Tasks' })
        .getByText('^ORAC')
        .first()
        .waitFor();
      expect(await fits()).toBeLessThanOrEqual(width);
    }
    expect(there.faults).toEqual([]);
    await there.context.close();
  });

  test('[C2A-16] an agent is asked to leave with a button, and comes back when it is called', async () => {
    await roomWith('exit', 'ORAC');
    await ada.page.getByRole('button', { name: 'Members', exact: true }).last().click();
    await ada.page.getByRole('button', { name: 'Ask to leave: ^ORAC' }).click();
    await ada.page.getByText('^ORAC · agent · asked to leave').waitFor();
    await ben.message('I am leaving').waitFor();
    await composer(ada).fill('^ORAC who is here?');
    await composer(ada).press('Enter');
    await ada.page.getByRole('button', { name: 'Ask to leave: ^ORAC' }).waitFor();
    await chip(ben, 'who is here?').getByText('^ORAC answered').waitFor();
    await composer(ada).fill('/leave ^ORAC');
    await forecast(ada).getByText('Asks ^ORAC to leave.').waitFor();
    await composer(ada).press('Enter');
    await ada.page.getByRole('button', { name: 'Call back: ^ORAC' }).waitFor();
    expect(await ada.message('/leave').count()).toBe(0);
  });

  test('[C2A-21] [C2A-22] an agent’s signal is shown in a word, and ends what it was asked', async () => {
    const marker = await HandAgent.ownedBy(ada, 'MARK');
    await marker.connect();
    const id = await roomWith('marks');
    await ada.call('POST', `/conversations/${id}/members`, { memberId: marker.member.id });
    await ada.say('^MARK note this please, will you');
    const { messageId, lease } = await marker.task();
    await marker.call('signal', { messageId, signal: 'done', lease });
    await ada.message('note this').getByText('^MARK: done').waitFor();
    const seen = ada.message('note this');
    // The line under it grows when the task ends, and may close the menu once.
    const agree = ada.page.getByRole('menuitem', { name: '👍 agree: agreed: go ahead' });
    const agreed = seen.getByRole('button', { name: /👍 1, from/ });
    const shows = () =>
      agreed.waitFor({ timeout: 3_000 }).then(
        () => true,
        () => false,
      );
    do {
      await seen.hover();
      await seen.getByRole('button', { name: 'Add a reaction' }).click();
      await agree.click({ timeout: 3_000 }).catch(() => {});
    } while (!(await shows()));
    await ben
      .message('note this')
      .getByRole('button', { name: /👍 1, from/ })
      .waitFor();
    marker.close();
  });
});
