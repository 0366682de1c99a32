// A shared space of two people on the page: made, written by both, linked to a channel, and left; each view as axe-core judges it.

import { startOwnTools } from '@parley/testkit/mcp-tools';
import { describe, expect, onTestFinished, test } from 'vitest';
import { faultsOn } from './axe-faults.ts';
import type { Person } from './person.ts';
import { browserFor, hubProcessFor, peopleFor } from './stage.ts';

const browser = browserFor();

describe('a shared space on the page', () => {
  const hub = hubProcessFor('sqlite');
  const [ada, bob] = peopleFor(browser, hub, 'Ada', 'Bob');

  const field = ({ page }: Person, name: string) => page.locator(`[data-field="${name}"]`);
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
    }
    await person.page.setViewportSize({ width: 1280, height: 800 });
  };
  const openSpaces = async ({ page }: Person) => {
    await page.getByRole('link', { name: 'Your peer' }).click();
    await page
      .getByRole('navigation', { name: 'Your peer' })
      .getByRole('link', { name: /^Spaces/ })
      .click();
  };
  const addField = async ({ page }: Person, name: string, value: string) => {
    const form = page.getByRole('form', { name: 'Add a field' });
    await form.getByLabel('Field').fill(name);
    await form.getByLabel('Value').fill(value);
    await form.getByRole('button', { name: 'Add field' }).click();
  };

  test('[A2C-33] a person shares a space, and says who may write what', async () => {
    await openSpaces(ada);
    await ada.page.getByText('No shared space yet').waitFor();
    await ada.button('Share a space').click();
    const dialog = ada.page.getByRole('dialog', { name: 'Share a space' });
    await dialog.getByLabel('Name').fill('Trip to Rome');
    await dialog.getByLabel(/^Bob/).check();
    await dialog.getByLabel(/^What Bob/).selectOption('write-own-fields');
    await looksRight(ada, 'create');
    await dialog.getByRole('button', { name: 'Share' }).click();
    await ada.page.getByRole('heading', { name: 'Trip to Rome' }).waitFor();
    await bob.page.getByText('Somebody shares a space with you. You find it under Your peer, Spaces.').waitFor();
    await addField(ada, 'Hotel', '<b>Astoria</b>');
    await field(ada, 'hotel').getByText('<b>Astoria</b>').waitFor();
    await field(ada, 'hotel').getByText('You wrote version 1').waitFor();
  });

  test('[A2C-33] the other reads what is new, writes their own fields, and may not write the rest', async () => {
    await openSpaces(bob);
    await bob.page.getByRole('list', { name: 'Shared spaces' }).getByText('Trip to Rome').waitFor();
    await bob.page.getByRole('list', { name: 'Shared spaces' }).getByText('New').waitFor();
    await looksRight(bob, 'list');
    await bob.page.getByRole('link', { name: /Trip to Rome/ }).click();
    await bob.page.getByRole('region', { name: 'New' }).getByText('Hotel').waitFor();
    expect(await field(bob, 'hotel').getByRole('button', { name: 'Edit Hotel' }).count()).toBe(0);
    await addField(bob, 'Flight', 'BA 548');
    await field(bob, 'bob.flight').getByText('BA 548').waitFor();
    // The other page follows by itself.
    await field(ada, 'bob.flight').getByText('BA 548').waitFor();
    await field(ada, 'bob.flight').getByRole('button', { name: 'Edit Bob flight' }).click();
    await ada.page.getByRole('form', { name: 'Edit Bob flight' }).getByRole('textbox').fill('BA 549');
    await ada.button('Save').click();
    await bob.page.getByRole('region', { name: 'New' }).getByText('you wrote it').waitFor();
    await field(bob, 'bob.flight').getByText('1 earlier value').click();
    await field(bob, 'bob.flight').getByText('BA 548').waitFor();
    await looksRight(bob, 'space');
  });

  test('[A2C-33] [SYS-6] a channel gets words only of those who agree, and tiers hold', async () => {
    const channel = ada.page.getByRole('region', { name: 'Channel' });
    await channel.getByLabel('Mention changes in', { exact: true }).selectOption({ label: '#general' });
    await channel.getByRole('button', { name: 'Mention' }).click();
    await channel.getByText('Nobody else agreed that their words are read there.').waitFor();
    await bob.page.getByText('Ada lets changes be read in #general').waitFor();
    await bob.button('Agree').click();
    await channel.getByText('Also with the words of Bob.').waitFor();
    await bob.button('Take back').waitFor();
    // Agreements are shown with the channel, not among the fields.
    expect(await field(ada, 'bob.posts_to').count()).toBe(0);
    await ada.call('PUT', '/peer/profile', { field: 'health_info', value: 'asthma since 2019' });
    await ada.call('PUT', '/peer/profile', { field: 'dietary', value: 'vegan' });
    await ada.page.reload();
    await addField(ada, 'Notes', 'I have asthma since 2019');
    await ada.page.getByText(/health_info is never shared/).waitFor();
    await ada.button('Share here').click();
    await ada.page.getByRole('dialog', { name: 'Share Dietary preferences?' }).getByRole('button', { name: 'Share', exact: true }).click();
    await field(bob, 'ada.dietary').getByText('vegan').waitFor();
    await addField(ada, 'Map', 'https://maps.example/rome');
    const address = field(bob, 'map').getByRole('link', { name: 'https://maps.example/rome' });
    expect([await address.getAttribute('rel'), await address.getAttribute('target')]).toEqual(['noopener noreferrer', '_blank']);
    await looksRight(ada, 'whole');
  });

  test('[A2C-33] a link is read when somebody says so, with a tool server of theirs, and for them alone', async () => {
    let reads = 0;
    const plan = (): string => {
      reads += 1;
      return '# The plan <script>alert(1)</script>';
    };
    const door = await startOwnTools('drive', {}, { 'file:///plan.md': plan });
    onTestFinished(() => door.stop());
    await ada.call('PUT', '/tools/servers/drive', { url: door.url, owner: '@ada' });
    await addField(ada, 'Plan', '[{"name": "Our plan", "uri": "file:///plan.md", "server": "drive"}, "and a word"]');
    await field(ada, 'plan').getByText('and a word').waitFor();
    const opened = async (person: Person) => {
      await field(person, 'plan').getByRole('button', { name: 'Open Our plan' }).click();
      const dialog = person.page.getByRole('dialog', { name: 'Our plan' });
      await dialog.getByText('file:///plan.md').waitFor();
      return dialog;
    };
    const [hers, his] = [await opened(ada), await opened(bob)];
    await looksRight(ada, 'link');
    expect(reads).toBe(0);
    await hers.getByRole('button', { name: 'Read' }).click();
    await hers.getByText('# The plan <script>alert(1)</script>').waitFor();
    await his.getByRole('button', { name: 'Read' }).click();
    await his.getByText('so nothing was read').waitFor();
    expect(reads).toBe(1);
    for (const dialog of [hers, his]) await dialog.getByRole('button', { name: 'Close' }).last().click();
  });

  test('[A2C-33] a field is removed after a question, for everybody', async () => {
    await addField(ada, 'Draft', 'delete me');
    await field(bob, 'draft').getByText('delete me').waitFor();
    const remove = field(ada, 'draft').getByRole('button', { name: 'Remove Draft' });
    const dialog = ada.page.getByRole('dialog', { name: 'Remove “Draft”?' });
    await remove.click();
    await looksRight(ada, 'remove');
    await dialog.getByRole('button', { name: 'Keep' }).click();
    await dialog.waitFor({ state: 'detached' });
    await remove.click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    for (const person of [ada, bob]) await field(person, 'draft').waitFor({ state: 'detached' });
  });

  test('[A2C-33] somebody leaves, and the others go on', async () => {
    await bob.button('Leave this space').click();
    await bob.page.getByRole('dialog', { name: 'Leave “Trip to Rome”?' }).getByRole('button', { name: 'Leave' }).click();
    await bob.page.getByText('No shared space yet').waitFor();
    await ada.page.getByRole('list', { name: 'People in this space' }).getByText('left').waitFor();
  });
});
