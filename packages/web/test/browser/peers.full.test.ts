// Everything of one's own peer on the page, alone with the sample friend and with a stranger; each view as axe-core judges it.

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import jsQR from 'jsqr';
import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { faultsOn } from './axe-faults.ts';
import { browserFor, hubProcessFor, peopleFor } from './stage.ts';

const browser = browserFor();
const run = promisify(execFile);
const launcher = fileURLToPath(new URL('../../../cli/bin/parley.mjs', import.meta.url));

/** The text of a QR code that is drawn as one path of squares. */
async function scanned(figure: Locator): Promise<string | undefined> {
  const [cells, path] = await figure
    .locator('svg')
    .evaluate((svg) => [(svg as SVGSVGElement).viewBox.baseVal.width, svg.querySelector('path')!.getAttribute('d')!] as const);
  const scale = 4;
  const width = cells * scale;
  const pixels = new Uint8ClampedArray(width * width * 4).fill(255);
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g))
    for (let row = 0; row < scale; row += 1)
      for (let column = 0; column < scale; column += 1) {
        const at = ((Number(y) * scale + row) * width + Number(x) * scale + column) * 4;
        pixels.fill(0, at, at + 3);
      }
  return (jsQR as unknown as typeof jsQR.default)(pixels, width, width)?.data;
}

describe('one’s own peer', () => {
  const hub = hubProcessFor('sqlite');
  const [ada] = peopleFor(browser, hub, 'Ada');

  const main = () => ada.page.getByRole('main');
  const prompt = (kind: string, place = main()) => place.locator(`[data-prompt="${kind}"]`);
  const part = (name: string) => ada.page.getByRole('navigation', { name: 'Your peer' }).getByRole('link', { name }).click();
  /** A button takes no press before its card has come to rest. */
  const press = async (place: Locator, name: string) => {
    const button = place.getByRole('button', { name, exact: true }).last();
    await expect.poll(() => button.getAttribute('aria-disabled')).toBe('false');
    await button.click();
  };
  const looksRight = async (view: string) => {
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [820, 'dark'],
      [390, 'light'],
    ] as const) {
      await ada.page.setViewportSize({ width, height: 800 });
      await ada.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await faultsOn(ada), `${view}, ${width} wide, ${colorScheme}`).toEqual([]);
      expect(await ada.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${view} fits ${width}`).toBe(true);
    }
    await ada.page.setViewportSize({ width: 1280, height: 800 });
  };

  test('[A2C-39] the five defaults are preselected, and one tap saves them', async () => {
    await ada.page.getByRole('link', { name: 'Your peer' }).click();
    const form = ada.page.getByRole('form', { name: 'Set up your peer' });
    const tierOf = async (field: string) => {
      const tiers = ['Always', 'Ask me', 'Never'];
      const group = form.getByRole('group', { name: field });
      const checked = await Promise.all(tiers.map((tier) => group.getByLabel(tier).isChecked()));
      return tiers[checked.indexOf(true)];
    };
    const fields = ['Calendar availability', 'General area (city)', 'Dietary preferences', 'Budget range', 'Specific location'];
    expect(await Promise.all(fields.map(tierOf))).toEqual(['Ask me', 'Always', 'Ask me', 'Ask me', 'Ask me']);
    await form.getByLabel('Where you are based').fill('Reading, UK');
    await looksRight('defaults');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    await ada.page.reload();
    await ada.button('Try it with a sample friend').waitFor();
    expect(await form.count()).toBe(0);
  });

  test('[A2C-22] [A2C-34] a prompt can wait, survives a restart of the hub, and is answered once for all devices', async () => {
    await ada.button('Try it with a sample friend').click();
    const asked = prompt('consent');
    await asked.getByText('Sample friend (made up)’s peer is asking for:').waitFor();
    await looksRight('consent');
    await asked.getByRole('button', { name: 'Later' }).click();
    await asked.getByText('It waits for you. Nothing is shared or confirmed meanwhile.').waitFor();
    await hub.down('SIGKILL');
    await hub.up();
    await ada.page.reload();
    await asked.getByRole('group', { name: 'Preferred cuisine' }).waitFor();
    const tablet = await ada.onAnotherDevice(browser);
    await tablet.page.goto(ada.page.url());
    await prompt('consent', tablet.page.getByRole('main')).getByRole('button', { name: 'Share selected' }).waitFor();
    const cuisine = asked.getByRole('group', { name: 'Preferred cuisine' });
    await cuisine.getByLabel('Other…').check();
    await cuisine.getByRole('textbox').fill('<b>Thai</b>');
    await asked.getByRole('group', { name: 'Means of transport' }).getByLabel('Don’t share').check();
    await press(asked, 'Share selected');
    await asked.getByText('You shared: Calendar availability, Preferred cuisine').waitFor();
    await prompt('consent', tablet.page.getByRole('main'))
      .getByText(/^Answered by @ada, /)
      .waitFor();
    await tablet.context.close();
  });

  test('[A2C-26] another time is suggested with a sentence, and the next proposal is confirmed', async () => {
    const proposed = prompt('proposal');
    await proposed.getByRole('list', { name: 'What confirming does' }).waitFor();
    await looksRight('proposal');
    await press(proposed, 'Can’t make it: make an excuse for me');
    await proposed.getByText('Nobody learns your reason.').waitFor();
    await looksRight('an excuse is asked for once more');
    await proposed.getByRole('button', { name: 'Back' }).click();
    await press(proposed, 'Suggest different time');
    const wish = proposed.getByLabel('Which time suits you?');
    await wish.fill('Saturday 20:00');
    await press(proposed, 'Send suggestion');
    await proposed.getByText('You suggested “Saturday 20:00”').waitFor();
    const next = proposed.filter({ hasText: 'Saturday' }).filter({ has: ada.page.getByRole('button', { name: 'Confirm', exact: true }) });
    await press(next.last(), 'Confirm');
    const whole = ada.page.getByRole('article', { name: 'Negotiation with Sample friend (made up)' });
    await whole.locator('xpath=self::*[@data-negotiation="COMPLETED"]').waitFor();
    await looksRight('completed');
    await whole.getByText('<b>Thai</b>').first().waitFor();
    await whole.getByText('Not shared').first().waitFor();
  });

  test('[A2C-21] a tier for one person is set with the keyboard and taken back', async () => {
    await part('Sharing');
    const cell = (state = '') => ada.page.getByLabel(`Dietary preferences, for Sample friend (made up)${state}`);
    const inherited = cell(': as for everybody');
    await inherited.focus();
    await ada.page.keyboard.press('N');
    await ada.page.keyboard.press('Tab');
    await expect.poll(() => cell().first().inputValue()).toBe('never_share');
    await ada.page.reload();
    await expect.poll(() => cell().first().inputValue()).toBe('never_share');
    await cell().first().selectOption('(Ask me)');
    await inherited.waitFor();
    await looksRight('sharing');
  });

  test('[A2C-15] a calendar is dropped in and taken away, and one’s own has the dinner', async () => {
    const ics = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test', 'BEGIN:VEVENT', 'UID:1', 'DTSTAMP:20261101T000000Z'];
    const text = [...ics, 'DTSTART:20261120T100000Z', 'DTEND:20261120T110000Z', 'SUMMARY:Private', 'END:VEVENT', 'END:VCALENDAR', ''].join(
      '\r\n',
    );
    const picker = ada.page.locator('input[type="file"]');
    await picker.setInputFiles({ name: 'nothing.ics', mimeType: 'text/calendar', buffer: Buffer.from('no calendar') });
    await ada.page.getByRole('alert').waitFor();
    await picker.setInputFiles({ name: 'work.ics', mimeType: 'text/calendar', buffer: Buffer.from(text) });
    const calendars = ada.page.getByRole('list', { name: 'Calendars' });
    await calendars.getByText('work.ics').waitFor();
    await calendars.getByRole('button', { name: 'Remove work.ics' }).click();
    await calendars.getByText('work.ics').waitFor({ state: 'detached' });
    const [download] = await Promise.all([
      ada.page.waitForEvent('download'),
      ada.page.getByRole('link', { name: 'Download mine' }).click(),
    ]);
    expect(await readFile(await download.path(), 'utf8')).toContain('BEGIN:VEVENT');
  });

  test('[A2C-31] what the peer remembers of a person is shown and forgotten', async () => {
    await part('Memory');
    const memory = ada.page.getByRole('list', { name: 'Memory' });
    await memory.getByText('Sample friend (made up)').first().waitFor();
    await looksRight('memory');
    await memory.getByRole('button', { name: 'Forget Sample friend (made up)' }).click();
    await memory.getByRole('button', { name: 'Forget everything about Sample friend (made up)' }).click();
    await ada.page.getByText('Your peer remembers nothing yet.').waitFor();
  });

  test('[A2C-4] [A2C-34] a stranger gets no answer before a tap; people, cards and safety numbers', async () => {
    await part('People');
    await ada.button('Show QR code').click();
    const { address, card } = await ada.call<{ address: string; card: string }>('GET', '/peer');
    expect(await scanned(ada.page.getByRole('figure', { name: 'Contact card as a QR code' }))).toBe(card);
    await ada.page.getByRole('button', { name: /^Verify / }).click();
    const number = await scanned(ada.page.getByRole('figure', { name: /^Safety number of you and/ }));
    expect(number, 'as spec/identity.md has it').toMatch(/^\d{60}$/);
    for (const group of number!.match(/.{5}/g)!) await ada.page.getByText(group, { exact: true }).first().waitFor();
    const verify = ada.page.getByRole('button', { name: 'Mark as verified' });
    expect(await verify.isDisabled()).toBe(true);
    await looksRight('people');
    await ada.page.getByLabel(/^I compared the number/).check();
    await verify.click();
    await ada.page.locator('[data-trust="verified"]').waitFor();
    const env = { ...process.env, PARLEY_DATA: hub.dataDir };
    const parley = async (...words: string[]) => (await run(process.execPath, [launcher, ...words], { env })).stdout;
    const { code } = JSON.parse(await parley('relay', 'invite', '--json')) as { code: string };
    const eve = ['peer', '--data', join(hub.dataDir, 'eve')];
    await parley(...eve, 'init', '--name', 'eve', '--relay', `${hub.url.replace('http', 'ws')}/relay`, '--code', code);
    await parley(...eve, 'add', card);
    await parley(...eve, 'negotiate', address, '--intent', 'Coffee tomorrow');
    await ada.button('Waiting for you 1').click();
    const dialog = ada.page.getByRole('dialog');
    const stranger = prompt('stranger', dialog);
    await stranger.getByText('Somebody unverified wants to negotiate: agent:eve@localhost').waitFor();
    await looksRight('stranger');
    await press(stranger, 'Ignore');
    await stranger.getByText('You ignore them').waitFor();
    await ada.page.keyboard.press('Escape');
    const row = ada.page.getByRole('listitem').filter({ hasText: 'agent:eve@localhost' });
    await row.getByText('Unverified').waitFor();
    // It forgets them, so it is asked for once more.
    await row.getByRole('button', { name: /^Block / }).click();
    await row.getByRole('button', { name: 'Back' }).click();
    expect(await row.getByText('Blocked').count()).toBe(0);
    await row.getByRole('button', { name: /^Block / }).click();
    await row
      .getByRole('group', { name: /^Block / })
      .getByRole('button', { name: /^Block / })
      .click();
    await row.getByText('Blocked').waitFor();
  });

  test('[SYS-7] the sample friend is removed after its story or from the list of people, and leaves nothing behind', async () => {
    const friend = 'Sample friend (made up)';
    await part('Negotiations');
    const stories = ada.page.getByRole('list', { name: 'Negotiations' }).getByRole('listitem').filter({ hasText: friend });
    await stories.first().click();
    await ada.page.getByText('This friend is made up.').waitFor();
    await looksRight('after the sample story');
    await ada.button(`Remove ${friend}`).click();
    await expect.poll(() => ada.page.url()).toMatch(/\/peer\/negotiations$/);
    await ada.page.getByText(`${friend} is removed`).waitFor();
    await expect.poll(() => stories.count()).toBe(0);
    const { address } = await ada.call<{ address: string }>('POST', '/peer/sample');
    await ada.call('POST', '/peer/negotiations', { with: address, intent: 'Lunch tomorrow' });
    await ada.button('Waiting for you 1').waitFor();
    await part('People');
    await ada.button(`Remove ${friend}`).click();
    await ada.page.getByText(address).waitFor({ state: 'detached' });
    await ada.button('Waiting for you 1').waitFor({ state: 'detached' });
  });
});
