// A dinner becomes a game night on the page, and the games are split off.

import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { browserFor, hubProcessFor, peopleFor } from './stage.ts';

const browser = browserFor();

describe('a request that drifts', () => {
  const hub = hubProcessFor('sqlite');
  const [ada, ben] = peopleFor(browser, hub, 'Ada', 'Ben');
  const press = async (place: Locator, name: string) => {
    const button = place.getByRole('button', { name, exact: true });
    await expect.poll(() => button.getAttribute('aria-disabled')).not.toBe('true');
    await button.click();
  };

  test('[A2C-19] [A2C-20] the other person sees before and after, and parent and fork link to each other', async () => {
    for (const person of [ada, ben])
      for (const field of ['time_windows', 'dietary', 'cuisine_preference', 'transport_mode', 'location_preference']) {
        await person.call('PUT', '/peer/tiers', { field, tier: 'always_share' });
        if (field !== 'time_windows') await person.call('PUT', '/peer/profile', { field, value: 'none' });
      }
    await ada.call('POST', '/peer/negotiations', { with: 'ben', intent: 'Dinner on Friday', needs: [] });
    await ada.page.getByRole('link', { name: 'Your peer' }).click();
    await ada.page.getByRole('list', { name: 'Negotiations' }).getByText('With Ben').click();
    const article = ada.page.getByRole('article', { name: 'Negotiation with Ben' });
    await article.locator('[data-prompt="proposal"]').waitFor();
    await article.getByRole('button', { name: 'Change what it’s about' }).click();
    const dialog = ada.page.getByRole('dialog');
    await dialog.getByLabel('What it’s about').fill('Game night on Friday (dinner and games)');
    await press(dialog, 'Change');

    await ben.button('Waiting for you 1').click();
    const card = ben.page.getByRole('dialog').locator('[data-prompt="expansion"]').last();
    await card.getByText('“Dinner on Friday”').waitFor();
    await card.getByText('“Game night on Friday (dinner and games)”').waitFor();
    await press(card, 'Go on');
    await ben.page.getByRole('dialog').getByText('You let it go on').waitFor();

    await article.locator('[data-prompt="proposal"]').last().waitFor();
    await article.getByRole('button', { name: 'Split', exact: true }).click();
    await ada.page.getByRole('dialog').getByLabel('Split off').fill('Games on Friday');
    await press(ada.page.getByRole('dialog'), 'Split');
    const family = ada.page.getByRole('list', { name: 'Related negotiations' });
    await family.getByText('Split off from').waitFor();
    await family.getByRole('link').click();
    await family.getByText('Split into').waitFor();
    await article.getByText('You split off “Games on Friday”').waitFor();
  });
});
