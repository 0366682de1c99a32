// The main views as axe-core judges them, in light and dark, wide and narrow; and what it cannot see: the keyboard's way in.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { faultsOn } from './axe-faults.ts';
import { HubProcess } from './hub-process.ts';
import { launchBrowser, Person } from './person.ts';

describe('the page is accessible', () => {
  let browser: Browser;
  let hub: HubProcess;
  let ada: Person;
  beforeAll(async () => {
    browser = await launchBrowser();
    hub = await HubProcess.start('sqlite');
    ada = await Person.at(browser);
  });
  afterAll(async () => {
    await browser.close();
    await hub.clear();
  });

  const inBothThemes = async (view: string, person = ada) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await person.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await faultsOn(person), `${view}, ${colorScheme}`).toEqual([]);
    }
  };

  test('joining, and the first run, which offers agents, prompts and a story', async () => {
    await ada.page.goto(hub.link);
    await ada.page.getByLabel('Name').waitFor();
    await inBothThemes('join');
    await ada.join(hub.link, 'Ada');
    await ada.page.getByRole('region', { name: 'Meet your agents' }).waitFor();
    await ada.button('Show me a story').waitFor();
    await inBothThemes('first run');
    await ada.button('^ORAC who is here?').click();
    expect(await ada.page.getByRole('textbox', { name: /^Message / }).inputValue()).toBe('^ORAC who is here?');
    await ada.page.getByRole('textbox', { name: /^Message / }).fill('');
  });

  test('[SYS-1] the story, its panels and its approval, which is answered where it stands', async () => {
    await ada.button('Show me a story').click();
    const asked = ada.page.getByRole('article', { name: 'Waiting for your decision' });
    await asked.waitFor({ timeout: 60_000 });
    await inBothThemes('story');
    for (const panel of ['Members', 'Tasks'] as const) {
      await ada.page
        .getByRole('main')
        .getByRole('button', { name: new RegExp(`^${panel}`) })
        .click();
      await ada.page.getByRole('complementary', { name: panel }).getByRole('listitem').first().waitFor();
      await inBothThemes(panel);
    }
    await ada.page.keyboard.press('Escape');
    await ada.page.getByRole('button', { name: /^Waiting for you/ }).click();
    await ada.page.getByRole('dialog').waitFor();
    await inBothThemes('inbox');
    await ada.page.keyboard.press('Escape');
    const approve = asked.getByRole('button', { name: 'Approve' }).first();
    // Nothing is answered by a click on what has only just come to lie there.
    await expect.poll(() => approve.getAttribute('aria-disabled')).toBe('false');
    await approve.click();
    await asked.getByText(/^Approved by @/).waitFor();
    await ada.message('Release 2.4 is out.').waitFor();
    await ada.message('demo.shop.error_rate_exceeded').waitFor();
  });

  test('[PRV-11] the audit log, wide and narrow: what the story did, and who approved it', async () => {
    const openLog = async () => {
      await ada.page.getByRole('button', { name: /@ada$/ }).click();
      await ada.page.getByRole('menuitem', { name: 'Audit log' }).click();
    };
    await openLog();
    const log = ada.page.getByRole('dialog', { name: 'Audit log' });
    const lines = log.getByRole('list', { name: 'Entries' }).getByRole('listitem');
    await lines.first().waitFor();
    await log.getByText(/^@ada approved /).waitFor();
    await inBothThemes('audit log');
    await log.getByLabel('Kind').selectOption('Approval');
    await expect.poll(() => lines.count()).toBe(1);
    await lines.getByRole('group').locator('summary').click();
    await ada.page.setViewportSize({ width: 390, height: 844 });
    await inBothThemes('audit log, narrow');
    expect(await ada.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    await ada.page.setViewportSize({ width: 1280, height: 800 });
    await ada.page.keyboard.press('Escape');
  });

  test('a thread, beside the conversation and in its place', async () => {
    const first = ada.message('please get release 2.4 out').first();
    await first.hover();
    await first.getByRole('button', { name: /thread/i }).click();
    await ada.thread.waitFor();
    await inBothThemes('thread');
    await ada.page.setViewportSize({ width: 390, height: 844 });
    await ada.page.getByRole('heading', { level: 1, name: /^Thread/ }).waitFor();
    await inBothThemes('thread, narrow');
    await ada.page.setViewportSize({ width: 1280, height: 800 });
  });

  test('work; and the demo is removed with one click', async () => {
    await ada.page.getByRole('link', { name: /^Work/ }).click();
    await ada.page.getByRole('heading', { level: 1 }).waitFor();
    await inBothThemes('work');
    await ada.link(/^demo/).click();
    await ada.button('Remove the demo').click();
    await ada.page.getByRole('heading', { name: 'general', level: 1 }).waitFor();
    expect(await ada.link(/^demo/).count()).toBe(0);
  });

  test('[A2C-22] one’s own peer: a prompt of it, and the table of what it shares', async () => {
    await ada.page.getByRole('link', { name: 'Your peer' }).click();
    await ada.button('Try it with a sample friend').click();
    await ada.page.getByRole('main').locator('[data-prompt="consent"]').waitFor();
    await inBothThemes('consent');
    await ada.page.getByRole('navigation', { name: 'Your peer' }).getByRole('link', { name: 'Sharing' }).click();
    await ada.page.getByRole('table').waitFor();
    await inBothThemes('sharing');
  });

  test('the first link skips to the content, and forced colours mark the current channel', async () => {
    await ada.page.goto(hub.url);
    await ada.page.getByRole('heading', { name: 'general', level: 1 }).waitFor();
    const skip = ada.page.getByRole('link', { name: 'Skip to content' });
    // Nothing that takes the focus stands before it.
    expect(await skip.evaluate((link) => link === document.querySelector('a[href], button, input, textarea, [tabindex]'))).toBe(true);
    await skip.focus();
    await ada.page.keyboard.press('Enter');
    expect(await ada.page.evaluate(() => document.activeElement?.id)).toBe('content');
    await ada.page.emulateMedia({ forcedColors: 'active' });
    expect(await ada.link(/^general/).evaluate((link) => getComputedStyle(link).outlineStyle)).toBe('solid');
    expect(ada.faults).toEqual([]);
  });
});
