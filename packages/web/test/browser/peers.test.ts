// Two people of one hub agree on a dinner: no model, no command, one tap for each prompt.

import { describe, expect, test } from 'vitest';
import type { Person } from './person.ts';
import { browserFor, hubProcessFor, peopleFor } from './stage.ts';

const browser = browserFor();

describe('a negotiation on the page', () => {
  const hub = hubProcessFor('sqlite');
  const [ada, ben] = peopleFor(browser, hub, 'Ada', 'Ben');

  const cardIn = (place: ReturnType<Person['page']['locator']>, kind: string) => place.locator(`[data-prompt="${kind}"]`);
  /** A button takes no press before its card has come to rest. */
  const press = async (place: ReturnType<Person['page']['locator']>, name: string) => {
    const button = place.getByRole('button', { name, exact: true });
    await expect.poll(() => button.getAttribute('aria-disabled')).toBe('false');
    await button.click();
  };

  test('[SYS-7] a hub without the peers says so once on the page', async () => {
    const error = { code: 'peer_unavailable', message: 'The peers live elsewhere. Ask an owner or admin.' };
    const paths = /\/api\/v1\/peer/;
    await ada.page.route(paths, (route) => route.fulfill({ status: 503, json: { error } }));
    await ada.page.goto(new URL('/peer/negotiations', ada.page.url()).href);
    await ada.page.getByRole('alert').getByText(error.message).first().waitFor();
    await ada.page.waitForLoadState('networkidle');
    expect(await ada.page.getByText(error.message).count()).toBe(1);
    await ada.page.unroute(paths);
    await ada.page.getByText('No negotiation yet').waitFor();
    await ada.link('general').click();
  });

  test('[A2C-24] words that nobody can read lead to a form', async () => {
    await ada.say('^ORAC arrange dinner with Ben');
    await ada.message('I could not read that.').getByRole('link', { name: 'fill in the form' }).click();
    const form = ada.page.getByRole('dialog', { name: 'Arrange something' });
    await form.getByLabel('What').waitFor();
    await form.getByRole('button', { name: 'Cancel' }).click();
    await ada.page.getByText('No negotiation yet').waitFor();
    await ada.link('general').click();
  });

  test('[SYS-1] [A2C-22] [A2C-26] a request in a channel becomes a dinner that both confirmed', async () => {
    await ada.say('^ORAC arrange dinner with @ben on Friday');
    await ada
      .message('I’ll arrange dinner on Friday')
      .getByText(/I understood: dinner, Friday \d+ \w+\.$/)
      .waitFor();
    await ben.button('Waiting for you 1').click();
    const asked = cardIn(ben.page.getByRole('dialog'), 'consent');
    await asked.getByText('Ada’s peer is asking for:').waitFor();
    await asked.getByText('“Your free time, to find a common time”').waitFor();
    // For the person alone: the owner of the workspace has nothing of it.
    expect(await ada.button('Waiting for you 1').count()).toBe(0);
    await asked.getByRole('group', { name: 'Dietary preferences' }).getByLabel('Vegetarian').check();
    await press(asked, 'Share selected');
    await asked.getByText('You shared: Calendar availability, Dietary preferences').waitFor();

    // Where it was asked for, the requester answers in the conversation.
    const main = ada.page.getByRole('main');
    await press(cardIn(main, 'consent'), 'Share selected');

    const proposed = cardIn(ben.page.getByRole('dialog'), 'proposal');
    await proposed.getByRole('list', { name: 'What confirming does' }).getByText('to your calendar').waitFor();
    await press(proposed, 'Confirm');
    await proposed.getByText(/^You confirmed · Waiting for /).waitFor();
    // Answered cards are one line each.
    for (const answered of [asked, proposed]) expect((await answered.boundingBox())!.height).toBeLessThan(60);
    const mine = cardIn(main, 'proposal');
    const actions = mine.getByRole('list', { name: 'What confirming does' });
    await actions.getByText('in #general at Northwind').waitFor();
    await actions.getByText('Cannot be undone').waitFor();
    await press(mine, 'Confirm');
    for (const person of [ada, ben]) await person.message('Dinner, Friday').filter({ hasText: 'with Ada and Ben' }).waitFor();
    await proposed.getByText('You confirmed, and so did Ada · Completed').waitFor();
    await ben.page.keyboard.press('Escape');
  });

  test('[A2C-34] the timeline says what was shared and withheld, and moves without a reload', async () => {
    await ben.page.getByRole('link', { name: 'Your peer' }).click();
    await ben.page.getByRole('list', { name: 'Negotiations' }).getByRole('link').first().click();
    const whole = ben.page.getByRole('article', { name: 'Negotiation with Ada' });
    await whole.getByText('Completed').waitFor();
    await whole.getByText('Calendar availability, Dietary preferences').first().waitFor();
    // What the event brings is introduced here, once.
    await whole.getByRole('note').getByText('The event is in your calendar here.').waitFor();
    await whole.getByRole('button', { name: 'Dismiss' }).click();
    expect(await whole.getByRole('note').count()).toBe(0);
    await whole.getByRole('list', { name: 'Timeline' }).getByText('Everything that was agreed is done').waitFor();

    // The next one is opened with the form, and comes into the list of the other by itself.
    await ben.page.getByRole('link', { name: 'All negotiations' }).click();
    await ada.page.getByRole('link', { name: 'Your peer' }).click();
    await ada.button('Arrange something').click();
    const form = ada.page.getByRole('dialog', { name: 'Arrange something' });
    await form.getByLabel('What').fill('Coffee');
    await form.getByLabel('When').fill('tomorrow');
    // Nobody is asked whom the person did not choose.
    expect(await form.getByRole('button', { name: 'Choose who to ask' }).isDisabled()).toBe(true);
    await form.getByLabel('Who', { exact: true }).selectOption({ label: 'Ben (@ben)' });
    await form.getByRole('button', { name: 'Ask Ben', exact: true }).click();
    await ada.page.getByRole('article', { name: 'Negotiation with Ben' }).waitFor();
    const second = ben.page.getByRole('list', { name: 'Negotiations' }).getByRole('link').filter({ hasText: 'Coffee tomorrow' });
    await second.getByText('Waiting for you').waitFor();
    await second.click();
    // Neither a prompt nor a live update adds another offer of the set-up.
    const offers = ben.page.getByRole('button', { name: 'Set your defaults' });
    await cardIn(ben.page.getByRole('main'), 'consent').waitFor();
    await expect.poll(() => offers.count()).toBe(1);
    await press(cardIn(ben.page.getByRole('main'), 'consent'), 'Decline all');
    await ben.page.getByText('You shared nothing').waitFor();
    expect(await offers.count()).toBe(1);
  });
});
