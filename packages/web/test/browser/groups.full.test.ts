// Three people arrange a game night on the page, with the form, a quorum, and one who does not want to.

import { mkdirSync } from 'node:fs';
import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { faultsOn } from './axe-faults.ts';
import type { Person } from './person.ts';
import { browserFor, hubProcessFor, peopleFor } from './stage.ts';

const browser = browserFor();
const shots = process.env['PARLEY_TEST_SHOTS'];

describe('a group on the page', () => {
  const hub = hubProcessFor('sqlite');
  const [ada, ben, cleo] = peopleFor(browser, hub, 'Ada', 'Ben', 'Cleo');
  const prompt = (person: Person, kind: string) => person.page.getByRole('main').locator(`[data-prompt="${kind}"]`);
  /** A button takes no press before its card has come to rest. */
  const press = async (place: Locator, name: string) => {
    const button = place.getByRole('button', { name, exact: true }).first();
    await expect.poll(() => button.getAttribute('aria-disabled')).toBe('false');
    await button.click();
  };
  const looksRight = async (person: Person, view: string) => {
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [820, 'dark'],
      [390, 'light'],
    ] as const) {
      await person.page.setViewportSize({ width, height: 800 });
      await person.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await faultsOn(person), `${view}, ${width} wide, ${colorScheme}`).toEqual([]);
      expect(await person.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${view} fits ${width}`).toBe(true);
      if (shots === undefined) continue;
      mkdirSync(shots, { recursive: true });
      await person.page.screenshot({ path: `${shots}/${view}-${width}.png` });
    }
    await person.page.setViewportSize({ width: 1280, height: 800 });
    await person.page.emulateMedia({ colorScheme: 'light' });
  };
  const openLatest = async (person: Person, title = '') => {
    await person.page.getByRole('link', { name: 'Your peer' }).click();
    await person.page.getByRole('list', { name: 'Negotiations' }).getByRole('link').filter({ hasText: title }).first().click();
  };
  const sharesUntilProposal = async (person: Person) => {
    await expect
      .poll(async () => {
        const share = prompt(person, 'consent').getByRole('button', { name: 'Share selected', exact: true });
        if ((await share.count()) > 0)
          await share
            .first()
            .click({ timeout: 1000 })
            .catch(() => {});
        return prompt(person, 'proposal').getByRole('button', { name: 'Confirm', exact: true }).count();
      })
      .toBe(1);
  };
  const arrange = async (what: string, when: string) => {
    await ada.page.getByRole('link', { name: 'Your peer' }).click();
    await ada.button('Arrange something').click();
    const form = ada.page.getByRole('dialog', { name: 'Arrange something' });
    await form.getByLabel('Who', { exact: true }).selectOption({ label: 'Ben (@ben)' });
    await form.getByRole('button', { name: 'Add another person' }).click();
    await form.getByLabel('Person 2', { exact: true }).selectOption({ label: 'Cleo (@cleo)' });
    await form.getByLabel('Who has to confirm').selectOption('2');
    await form.getByLabel('What').fill(what);
    await form.getByLabel('When').fill(when);
    await form.getByRole('button', { name: 'Ask Ben and Cleo' }).click();
  };
  const ends = (person: Person, state: string) =>
    person.page.getByRole('article').locator(`xpath=self::*[@data-negotiation="${state}"]`).waitFor();
  const people = (person: Person) => person.page.getByRole('region', { name: 'People' });

  test('[A2C-30] [A2C-39] the form takes several people and a quorum, and the first group explains its coordinator', async () => {
    await ada.page.getByRole('link', { name: 'Your peer' }).click();
    await ada.button('Arrange something').click();
    const form = ada.page.getByRole('dialog', { name: 'Arrange something' });
    await form.getByLabel('Who', { exact: true }).selectOption({ label: 'Ben (@ben)' });
    await form.getByRole('button', { name: 'Add another person' }).click();
    await form.getByLabel('Person 2', { exact: true }).selectOption({ label: 'Cleo (@cleo)' });
    await form.getByLabel('Person 2', { exact: true }).waitFor();
    expect(await form.getByRole('button', { name: 'Add another person' }).count()).toBe(0);
    await form.getByLabel('Who has to confirm').selectOption('2');
    await form.getByLabel('What').fill('Game night');
    await form.getByLabel('When').fill('on Friday');
    await looksRight(ada, 'group-form');
    await form.getByRole('button', { name: 'Ask Ben and Cleo' }).click();
    await ada.page.getByRole('article', { name: 'Negotiation with Ben and Cleo' }).waitFor();
    await people(ada).getByText('Your peer coordinates this group').waitFor();
    await people(ada).getByText('2 of 3 have to confirm').waitFor();
    await looksRight(ada, 'group-open');
  });

  test('[A2C-27] everybody answers their own cards, and a quorum agrees', async () => {
    for (const person of [ben, cleo]) {
      await openLatest(person);
      await prompt(person, 'consent').getByText('Ada’s peer is asking for:').waitFor();
      await people(person).getByText('Ada’s peer coordinates this group').waitFor();
      await press(prompt(person, 'consent'), 'Share selected');
    }
    await sharesUntilProposal(ada);
    const mine = prompt(ada, 'proposal');
    await mine.getByText('When 2 of 3 have confirmed, you among them:').waitFor();
    await people(ada).getByText('0 of 2 confirmed').waitFor();
    await looksRight(ada, 'group-proposal');
    await looksRight(ben, 'group-member');
    await press(prompt(cleo, 'proposal'), 'Decline');
    await people(ada).getByText('Declined').waitFor();
    await press(mine, 'Confirm');
    await people(ada).getByText('1 of 2 confirmed').waitFor();
    await press(prompt(ben, 'proposal'), 'Confirm');
    for (const person of [ada, ben]) await ends(person, 'COMPLETED');
    await ends(cleo, 'DECLINED');
    await people(cleo).getByText('Declined').waitFor();
    await people(ada).getByText('2 of 3 confirmed').waitFor();
    await looksRight(ada, 'group-completed');
    // She is out, so her page does not follow the others any more.
    await cleo.page.reload();
    await cleo.page.getByRole('list', { name: 'Timeline' }).getByText('The others agreed without you').waitFor();
    await ben.page.getByText('The event is in your calendar here.').waitFor();
    expect(await cleo.page.getByText('The event is in your calendar here.').count()).toBe(0);
    await cleo.page.getByText('Shared with Ada', { exact: true }).waitFor();
  });

  test('[A2C-27] [A2C-30] a member who ends it while they are asked what to share is out, and the coordinator reads for whom it waits', async () => {
    await arrange('Coffee', 'on Saturday');
    await people(ada)
      .getByText(/^Waiting for Ben and Cleo until .* Then your peer goes on without these answers/)
      .waitFor();
    await openLatest(cleo, 'Coffee on Saturday');
    const card = prompt(cleo, 'consent');
    await card.getByText('A group with Ben. Your answer goes to Ada’s peer alone.').waitFor();
    await people(cleo).getByText('No answer yet').waitFor();
    expect(await people(cleo).getByText('have to confirm').count()).toBe(0);
    await looksRight(cleo, 'group-consent');
    await cleo.button('End this negotiation').click();
    await ends(cleo, 'DECLINED');
    await people(cleo).getByText('Declined').waitFor();
    await expect.poll(() => card.getByRole('button').count()).toBe(0);
    await cleo.page.getByRole('list', { name: 'Timeline' }).getByText('You declined').waitFor();
    await ada.page.getByRole('list', { name: 'Timeline' }).getByText('Cleo declined').waitFor();
    await people(ada)
      .getByText(/^Waiting for Ben until/)
      .waitFor();
    await cleo.page.reload();
    await ends(cleo, 'DECLINED');
    expect(await card.count()).toBe(0);
  });

  test('[A2C-27] a member who is still asked when enough have confirmed reads why the card closed', async () => {
    await arrange('Lunch', 'on Monday');
    for (const person of [ben, cleo]) {
      await openLatest(person, 'Lunch on Monday');
      await press(prompt(person, 'consent'), 'Share selected');
    }
    for (const person of [ada, ben, cleo]) await sharesUntilProposal(person);
    await prompt(cleo, 'proposal').getByText('A proposal of Ada’s peer for the group:').waitFor();
    for (const person of [ada, ben]) await press(prompt(person, 'proposal'), 'Confirm');
    const reason = 'Enough people confirmed before you answered. The meeting takes place without you';
    await prompt(cleo, 'proposal').getByText(reason).waitFor();
    await ends(cleo, 'COMPLETED');
    await cleo.page.getByText('Agreed without you', { exact: true }).waitFor();
    await people(cleo).getByText('Enough people confirmed first').waitFor();
    expect(await cleo.page.getByText('The event is in your calendar here.').count()).toBe(0);
    await looksRight(cleo, 'group-missed');
  });

  test('[A2C-30] the coordinator’s person hands the coordination over to a member', async () => {
    await ada.page.getByRole('link', { name: 'Your peer' }).click();
    await ada.button('Arrange something').click();
    const form = ada.page.getByRole('dialog', { name: 'Arrange something' });
    await form.getByLabel('Who', { exact: true }).selectOption({ label: 'Ben (@ben)' });
    await form.getByRole('button', { name: 'Add another person' }).click();
    await form.getByLabel('Person 2', { exact: true }).selectOption({ label: 'Cleo (@cleo)' });
    await form.getByLabel('What').fill('Dinner');
    await form.getByLabel('When').fill('on Saturday');
    await form.getByRole('button', { name: 'Ask Ben and Cleo' }).click();
    await ada.button('Hand over the coordination').click();
    const dialog = ada.page.getByRole('dialog', { name: 'Hand over the coordination' });
    await dialog.getByLabel('New coordinator').selectOption('Cleo');
    await looksRight(ada, 'group-hand-over');
    await dialog.getByRole('button', { name: 'Hand over', exact: true }).click();
    await ada.page.getByRole('list', { name: 'Timeline' }).getByText('The peer of Cleo accepted the coordination').waitFor();
    const coordinator = (person: Person) => people(person).getByRole('listitem').filter({ hasText: 'coordinator' });
    await coordinator(ada).getByText('Cleo').waitFor();
    expect(await ada.button('Hand over the coordination').count()).toBe(0);
    await openLatest(cleo);
    await coordinator(cleo).getByText('You').waitFor();
    await cleo.button('Hand over the coordination').waitFor();
    await looksRight(cleo, 'group-handed-over');
  });
});
