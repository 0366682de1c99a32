import type { Member } from '@parley/protocol';
import { onBothEngines, waitFor } from '@parley/testkit';
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Person } from './person.ts';
import { browserFor, handAgentFor, hubProcessFor, peopleFor } from './stage.ts';

const browser = browserFor();

onBothEngines('who was woken, and what waits for whom', (engine) => {
  const hub = hubProcessFor(engine);
  const [ada, ben] = peopleFor(browser, hub, 'Ada', 'Ben');
  const bot = handAgentFor(ada, 'BOT');

  async function roomWith(name: string, ...handles: string[]): Promise<string> {
    const id = await ada.createChannel(name);
    await ada.addMembers(id, ...handles);
    return id;
  }
  const composer = (person: Person) => person.page.getByRole('textbox', { name: /^Message / });
  const chip = (person: Person, text: string) => person.message(text).getByRole('list', { name: 'Tasks' });
  /** Opens "why?" on a message, looks, and closes it. */
  async function why(message: Locator, look: (dialog: Locator) => Promise<unknown>): Promise<void> {
    await ada.act(message, 'Why?');
    const dialog = ada.page.getByRole('dialog', { name: 'Why?' });
    await dialog.getByText('Decided when the message was posted').waitFor();
    await look(dialog);
    await ada.page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  }
  const verdicts = (dialog: Locator) => dialog.getByRole('list', { name: 'Agents' }).locator('> li').allInnerTexts();

  test('[C2A-1] [C2A-3] [C2A-32] "why?" says policy, mode, reason and what became of it: answered, forbidden, withheld, status', async () => {
    await roomWith('reasons', 'ORAC', 'STEF');
    await ada.say('^ORAC who is here?');
    await chip(ada, 'who is here?').getByText('^ORAC answered').waitFor();
    await why(ada.message('who is here?'), async (dialog) => {
      const [orac, stef] = await verdicts(dialog);
      expect(orac).toMatch(
        /\^ORAC\s+woken\s+answered\s+\^ORAC was called by name\.\s+must_respond · buffered · mention\s+Its task: answered/,
      );
      expect(stef).toMatch(
        /\^STEF\s+quiet\s+not allowed to answer\s+Somebody else was addressed\. It is in its mailbox\.\s+must_not_respond · tool_mailbox · addressed_to_others/,
      );
    });
    await why(ada.page.getByRole('main').getByRole('article', { name: /^Orac/ }), (dialog) =>
      dialog
        .getByRole('region', { name: 'Why it was said' })
        .getByText('This is its answer in a task of yours: ^ORAC was called by name.')
        .waitFor(),
    );
    await ada.say('^ORAC thanks');
    await ada.page.getByRole('note').filter({ hasText: 'The message asks for nothing, so ^ORAC was not woken.' }).waitFor();
    await why(ada.message('^ORAC thanks'), async (dialog) => {
      expect((await verdicts(dialog))[0]).toMatch(/\^ORAC\s+quiet\s+withheld from it\s+.*\s+must_not_respond · tool_mailbox · filler/);
    });
    await ada.say('build 4711 passed in 3 min');
    await why(ada.message('build 4711'), async (dialog) => {
      expect((await verdicts(dialog))[1]).toMatch(/not allowed to answer\s+It is a status line.*\s+must_not_respond · digest · status/);
    });
  });

  test('[C2A-32] many agents are one line, what would now be decided stands apart, and it fits a phone', async () => {
    const id = await roomWith('many', 'ORAC');
    for (let n = 0; n < 6; n++) {
      const added = await ada.call<Member>('POST', '/members', { kind: 'agent', handle: `M${n}`, displayName: `M ${n}` });
      await ada.call('POST', `/conversations/${id}/members`, { memberId: added.id });
    }
    await ada.say('it may rain tomorrow');
    await ada.message('rain').waitFor();
    await ada.call('PATCH', `/conversations/${id}`, { floor: 'open' });
    const phone = await ada.onAnotherDevice(browser, 390, 844);
    await phone.page.goto(`${hub.url}/c/${id}`);
    const said = phone.message('rain');
    await said.focus();
    const more = said.getByRole('button', { name: 'More actions' });
    await more.focus();
    await phone.page.keyboard.press('Enter');
    // Pressed on the item itself: the menu may be in sight before the focus is in it.
    await phone.page.getByRole('menuitem', { name: 'Why?' }).press('Enter');
    const dialog = phone.page.getByRole('dialog', { name: 'Why?' });
    await dialog.getByRole('heading', { name: 'Nobody was woken. 7 agents stayed quiet.' }).waitFor();
    expect(await dialog.getByRole('list', { name: 'Agents' }).locator('> li').count()).toBe(1);
    await dialog.getByText('Which?').click();
    await dialog.getByText('^M0, ^M1, ^M2, ^M3, ^M4, ^M5, ^ORAC').waitFor();
    const now = dialog.getByRole('region', { name: 'Would now' });
    await now.getByText('Posted now, it would be decided differently: the floor is open now.').waitFor();
    await now.getByText('may_respond · tool_mailbox · ambient').first().waitFor();
    const widths = await dialog.evaluate((element) => [element.scrollWidth, element.clientWidth, document.documentElement.scrollWidth]);
    expect([widths[0]! <= widths[1]!, widths[2]]).toEqual([true, 390]);
    await phone.page.keyboard.press('Escape');
    await waitFor(async () => expect(await more.evaluate((element) => element === document.activeElement)).toBe(true));
    await phone.context.close();
  });

  test('[C2A-31] [SYS-1] what one owes is answered for, what one waits for is settled, and what comes up is decided', async () => {
    const id = await roomWith('owing', 'BOT');
    await ben.joinChannel('owing');
    const post = (who: Person, body: string) =>
      who.call<{ id: string }>('POST', `/conversations/${id}/messages`, {
        body,
        obligation: { blocks: 'halted', defaultAction: 'take the first' },
      });
    await post(ada, '@ben which one shall it be?');
    await ben.page.reload();
    await ben.button('Waiting for you 1').click();
    const mine = ben.page.getByRole('dialog').getByRole('region', { name: 'You hold somebody up' });
    await mine.getByText('@ada is waiting for your reply, and blocked until then.').waitFor();
    await mine.getByText('Without an answer: take the first').waitFor();
    await mine.getByRole('button', { name: 'I am on it' }).click();
    await mine.getByRole('link', { name: 'Go and answer' }).click();
    await ben.message('which one shall it be?').waitFor();

    await ada.page.reload();
    await ada.button('You wait for others').click();
    const awaited = ada.page.getByRole('dialog').getByRole('region', { name: 'You wait for' });
    await awaited.getByText('You are waiting for @ben.').waitFor();
    await awaited.getByRole('button', { name: 'It is settled' }).click();
    await ada.page.getByRole('dialog').getByText('Your inbox is empty.').waitFor();
    await ada.page.keyboard.press('Escape');
    await waitFor(async () => expect(await ada.button('You wait for others').count()).toBe(0));

    await bot.connect();
    await post(ben, '^BOT which one shall it be now?');
    const { messageId } = await bot.task();
    await bot.call('signal', { messageId, signal: 'declined' });
    await ada.button('Waiting for you 1').click();
    const inbox = ada.page.getByRole('dialog');
    const decide = inbox.getByRole('region', { name: 'To decide' });
    await decide.getByText('@ben waits for an answer that nobody has given.').waitFor();
    const taken = inbox.getByText('@ben is waiting for a reply that ^BOT owes, and blocked until then.');
    expect(await taken.count()).toBe(0);
    await decide.getByRole('button', { name: 'I’ll handle it' }).click();
    await taken.waitFor();
    // It keeps its place for as long as one looks, and takes no other answer.
    await decide.getByText(/answered “I’ll handle it”/).waitFor();
    expect(await decide.getByRole('button').count()).toBe(0);
    await ada.page.keyboard.press('Escape');
    bot.close();
  });

  test('[C2A-34] [C2A-4] a role is given, called and answered for; one that nobody here holds is told of; one waits for what is still written', async () => {
    const id = await roomWith('roles', 'ORAC', 'STEF');
    await ada.call('PATCH', `/conversations/${id}`, { composeMs: 2_000 });
    await ada.page.getByRole('navigation', { name: 'Workspace' }).getByRole('button', { name: 'Members' }).click();
    const people = ada.page.getByRole('dialog');
    for (const [role, holder] of [
      ['oncall', '^ORAC'],
      ['night', '^BOT'],
    ] as const) {
      await people.getByLabel('Role', { exact: true }).fill(role);
      await people.getByLabel('Who holds it').fill(holder);
      await people.getByRole('button', { name: 'Save' }).click();
      await people.getByText(`^${role} ${holder}`).waitFor();
    }
    await ada.page.keyboard.press('Escape');
    await composer(ada).fill('^oncall who is here?');
    await ada.page.getByText('Knocks on ^ORAC, which holds the role. 1 agent stays quiet.').first().waitFor();
    await composer(ada).press('Enter');
    const asked = chip(ada, 'who is here?');
    await asked.getByText('^oncall starts when you have finished writing').waitFor();
    expect(await asked.getByRole('timer').getAttribute('aria-label')).toMatch(/^Starts in \d seconds?, unless more is written\.$/);
    await asked.getByText('^ORAC answered').waitFor();
    await why(ada.message('^oncall who is here?'), (dialog) => dialog.getByText('must_respond · notify · role').waitFor());
    await ada.say('^night are you there?');
    await ada.page.getByRole('note').filter({ hasText: 'Nobody here holds ^night, so that name reached nobody.' }).waitFor();
  });

  test('[C2A-16] an agent is asked to leave and called back without being asked anything', async () => {
    await roomWith('leaving', 'ORAC');
    await ada.page.getByRole('button', { name: 'Members', exact: true }).last().click();
    await ada.button('Ask to leave: ^ORAC').click();
    await ada.message('I am leaving').waitFor();
    await why(ada.message('I am leaving'), (dialog) => dialog.getByText('^ORAC was asked to leave here, and says so.').waitFor());
    await ada.button('Call back: ^ORAC').click();
    await ada.button('Ask to leave: ^ORAC').waitFor();
    await ada.button('Close panel').click();
  });

  test('[C2A-32] [PRV-11] what an invocation posted says what woke it; an approval of what was changed meanwhile says that it expired', async () => {
    await roomWith('provoked');
    let n = 0;
    const put = (kind: string, object: { id: string } & Record<string, unknown>, version = 0) =>
      ada.call('PUT', `/provoke/${kind}/${object.id}`, { version, object });
    const emit = (type: string) =>
      ada.call('POST', '/events', {
        pap_version: '0.2',
        id: `disk-${++n}`,
        type,
        time: '2026-03-11T06:00:00Z',
        data: {},
      });
    const doctor = { id: 'doctor', risk_level: 'low', deliver_to: { conversation: '#provoked' } };
    await put('manifest', doctor);
    await put('trigger', { id: 'disk-full', match: { type: 'disk.space.exceeded' }, agent: 'doctor' });
    await emit('disk.space.exceeded');
    await ada.message('disk.space.exceeded').waitFor();
    await why(ada.message('disk.space.exceeded'), async (dialog) => {
      const said = dialog.getByRole('region', { name: 'Why it was said' });
      await said
        .getByText(/^An event woke it: .* \(disk-1\) sent by @ada\. The trigger disk-full started the invocation inv_\w+\.$/)
        .waitFor();
    });
    await put('manifest', { ...doctor, risk_level: 'high' }, 1);
    await emit('disk.space.exceeded');
    // Others may wait besides.
    await ada.page.getByRole('button', { name: /^Waiting for you/ }).click();
    const dialog = ada.page.getByRole('dialog');
    await dialog.getByText('doctor was woken by an event and wants to run').waitFor();
    await put('manifest', { ...doctor, risk_level: 'high', description: 'other' }, 2);
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await ada.page
      .getByText(
        /^It was approved, but expired: the manifest was changed after it was shown\. To ask again: npx parley invocations ask inv_/,
      )
      .waitFor();
    await ada.page.keyboard.press('Escape');
  });

  test('[C2A-25] an edit says beforehand what it does, and without the address it cancels', async () => {
    await roomWith('editing', 'BOT', 'ORAC');
    await ada.say('^BOT build the release');
    const said = ada.message('build the release');
    await said.getByText('queued, offline').waitFor();
    await ada.act(said, 'Edit message');
    const field = ada.page.getByRole('textbox', { name: 'Edit message' });
    const foretold = ada.page.locator('[data-edit-forecast]');
    await field.fill('^BOT ^ORAC build the second release');
    await foretold.getByText('Wakes ^ORAC. ^BOT goes on with the new text.').waitFor();
    await field.fill('let us build the release');
    await foretold.getByText('Cancels the request to ^BOT.').waitFor();
    await field.press('Enter');
    await said.getByText('stopped: the edited request no longer addresses it').waitFor();
  });
});
