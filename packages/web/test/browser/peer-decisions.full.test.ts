// What the peers cannot decide themselves, on the page: no common time, another key of somebody, and actions of one's own.

import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { faultsOn } from './axe-faults.ts';
import { browserFor, hubProcessFor, peopleFor } from './stage.ts';

const browser = browserFor();
const daily = [
  'BEGIN:VEVENT',
  'UID:1',
  'DTSTAMP:20260101T000000Z',
  'DTSTART:20260101T000000Z',
  'DTEND:20260102T000000Z',
  'RRULE:FREQ=DAILY',
];
const alwaysBusy = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:x', ...daily, 'SUMMARY:Watch', 'END:VEVENT', 'END:VCALENDAR', ''].join(
  '\r\n',
);

/** Contact cards of agent:eve@localhost, with one key each. */
const cards = {
  first:
    'a2acp1.eyJhZGRyZXNzIjoiYWdlbnQ6ZXZlQGxvY2FsaG9zdCIsImtleSI6IllXRmhZV0ZoWVdGaFlXRmhZV0ZoWVdGaFlXRmhZV0ZoWVdGaFlXRmhZV0UiLCJyZWxheSI6IndzOi8vMTI3LjAuMC4xOjkvcmVsYXkifQ.ohVJxg',
  second:
    'a2acp1.eyJhZGRyZXNzIjoiYWdlbnQ6ZXZlQGxvY2FsaG9zdCIsImtleSI6IlltSmlZbUppWW1KaVltSmlZbUppWW1KaVltSmlZbUppWW1KaVltSmlZbUkiLCJyZWxheSI6IndzOi8vMTI3LjAuMC4xOjkvcmVsYXkifQ.fGypKA',
};

describe('decisions for people', () => {
  const hub = hubProcessFor('sqlite');
  const [ada, ben] = peopleFor(browser, hub, 'Ada', 'Ben');
  const press = async (place: Locator, name: string) => {
    const button = place.getByRole('button', { name, exact: true });
    await expect.poll(() => button.getAttribute('aria-disabled')).toBe('false');
    await button.click();
  };

  test('[A2C-4] another key of somebody counts only after the numbers were compared; the old one can be kept', async () => {
    const add = (key: keyof typeof cards) => ada.call('POST', '/peer/people', { card: cards[key] }).catch(() => {});
    await add('first');
    for (const [act, said] of [
      ['Keep the old key', 'You kept the old key'],
      ['Accept the new key', 'You accepted the new key'],
    ] as const) {
      await add('second');
      await ada.button('Waiting for you 1').click();
      const prompt = ada.page.getByRole('dialog').locator('[data-prompt="key_change"]').last();
      await prompt.getByText('The key of eve has changed. Nothing is sent until you decide.').waitFor();
      const accept = prompt.getByRole('button', { name: 'Accept the new key' });
      expect(await accept.isDisabled()).toBe(true);
      if (act === 'Accept the new key') await prompt.getByLabel(/^I compared the number/).check();
      await press(prompt, act);
      await ada.page.getByRole('dialog').getByText(said).waitFor();
      await ada.page.keyboard.press('Escape');
    }
  });

  test('[A2C-29] an action is added and removed, and its secret is never shown', async () => {
    await ada.page.getByRole('link', { name: 'Your peer' }).click();
    await ada.page.getByRole('navigation', { name: 'Your peer' }).getByRole('link', { name: 'Sharing' }).click();
    const form = ada.page.getByRole('form', { name: 'Add an action' });
    await form.getByLabel('Name').fill('book_table');
    await form.getByLabel('Address to call').fill('https://bookings.example/book');
    await form.getByLabel('Secret that signs its calls').fill('sixteen letters or more');
    await form.getByRole('button', { name: 'Add' }).click();
    const table = ada.page.getByRole('table', { name: 'Your actions' });
    await table.getByText('Cannot be undone').waitFor();
    expect(await ada.page.content()).not.toContain('sixteen letters');
    await table.getByRole('button', { name: 'Remove book_table' }).click();
    await table.waitFor({ state: 'detached' });
  });

  test('[A2C-22] a long value can be read whole before it is shared', async () => {
    const value = ['chess', 'go', 'whist', 'bridge', 'poker', 'skat', 'tarock', 'rummy'];
    await ben.call('PUT', '/peer/profile', { field: 'likes', value });
    await ada.call('POST', '/peer/negotiations', {
      with: '@ben',
      intent: 'What to bring',
      needs: [{ field: 'likes', priority: 'required' }],
    });
    await ben.button('Waiting for you 1').click();
    const prompt = ben.page.getByRole('dialog').locator('[data-prompt="consent"]');
    await prompt.getByText('chess, go, whist and 5 more').waitFor();
    expect(await prompt.getByText('rummy').isVisible()).toBe(false);
    await prompt.getByText('Show all of it').click();
    expect(await prompt.getByRole('listitem').allInnerTexts()).toEqual(value);
    expect(await faultsOn(ben)).toEqual([]);
    await press(prompt, 'Decline all');
    await prompt.getByText('You shared nothing').waitFor();
    await ben.page.keyboard.press('Escape');
  });

  test('[A2C-18] no common time: both get a card, and one of them ends it', async () => {
    await ben.call('POST', '/peer/calendars', { kind: 'file', name: 'watch', ics: alwaysBusy });
    for (const person of [ada, ben])
      for (const field of ['time_windows', 'dietary', 'cuisine_preference', 'transport_mode', 'location_preference'])
        await person.call('PUT', '/peer/tiers', { field, tier: field === 'time_windows' ? 'always_share' : 'never_share' });
    await ada.call('POST', '/peer/negotiations', { with: 'ben', intent: 'call on Friday' });
    for (const person of [ada, ben]) await person.button('Waiting for you 1').click();
    const cards = [ada, ben].map(({ page }) => page.getByRole('dialog').locator('[data-prompt="escalation"]').last());
    for (const card of cards) await card.getByText('No time suits both. Try other days, or leave it?').waitFor();
    await cards[0]!.getByLabel('What should they try?').fill('next week');
    await cards[0]!.getByRole('button', { name: 'Send suggestion' }).waitFor();
    await press(cards[1]!, 'End it');
    await cards[1]!.getByText('You declined').waitFor();
    await cards[0]!.getByRole('button', { name: 'Send suggestion' }).waitFor({ state: 'detached' });
  });

  test('[A2C-18] [A2C-26] one picks an alternative of the card: a proposal comes, and confirming it over another event takes a second tap', async () => {
    for (const { page } of [ada, ben]) await page.keyboard.press('Escape');
    await ada.call('POST', '/peer/negotiations', { with: 'ben', intent: 'call on Friday' });
    await ben.button('Waiting for you 1').click();
    const inbox = ben.page.getByRole('dialog');
    const card = inbox.locator('[data-prompt="escalation"]').last();
    await card.getByText('something in your calendar').first().waitFor();
    await card
      .getByRole('button', { name: /^Suggest this/ })
      .first()
      .click();
    expect(await card.getByLabel('What should they try?').inputValue()).toMatch(/\d\d:\d\d–\d\d:\d\d/);
    await press(card, 'Send suggestion');
    const proposal = inbox.locator('[data-prompt="proposal"]').last();
    await proposal
      .getByText(/^Call, /)
      .first()
      .waitFor();
    await press(proposal, 'Confirm');
    await proposal.getByText('Your calendar has something else then').waitFor();
    expect(await proposal.getByRole('button', { name: 'Confirm', exact: true }).count()).toBe(0);
    await press(proposal, 'Confirm anyway');
    await inbox.getByText('You confirmed').waitFor();
  });
});
