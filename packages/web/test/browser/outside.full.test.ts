// Somebody without an agent: the text, and the link in a browser that is signed in nowhere.

import { mkdirSync } from 'node:fs';
import type { BrowserContext, Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { faultsOn } from './axe-faults.ts';
import { browserFor, hubProcessFor, peopleFor } from './stage.ts';

const browser = browserFor();
const shots = process.env['PARLEY_SHOTS'];

describe('people without an agent', () => {
  const hub = hubProcessFor('sqlite');
  const [ada] = peopleFor(browser, hub, 'Ada');

  const widths = [
    [1280, 'light'],
    [820, 'dark'],
    [390, 'light'],
  ] as const;
  const looksRight = async (page: Page, view: string) => {
    for (const [width, colorScheme] of widths) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      if (shots !== undefined) {
        mkdirSync(shots, { recursive: true });
        await page.screenshot({ path: `${shots}/${view}-${width}.png`, fullPage: true });
      }
      expect(await faultsOn({ page } as typeof ada), `${view}, ${width} wide, ${colorScheme}`).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${view} fits ${width}`).toBe(true);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  };
  /** Signed in nowhere, and every request noted. */
  const stranger = async (): Promise<{ page: Page; context: BrowserContext; requests: string[] }> => {
    const context = await browser.newContext({ viewport: { width: 390, height: 800 } });
    onTestFinished(() => context.close());
    const requests: string[] = [];
    const page = await context.newPage();
    page.on('request', (request) =>
      requests.push(`${request.method()} ${request.url()} ${JSON.stringify(request.headers())} ${request.postData() ?? ''}`),
    );
    return { page, context, requests };
  };
  const main = () => ada.page.getByRole('main');

  async function ask(name: string): Promise<void> {
    await ada.page.getByRole('link', { name: 'Your peer' }).click();
    await ada.button('Arrange something').click();
    const dialog = ada.page.getByRole('dialog');
    await dialog.getByLabel('Who', { exact: true }).selectOption({ label: 'Somebody without an agent…' });
    await dialog.getByLabel('Their name').fill(name);
    await dialog.getByLabel('When', { exact: true }).fill('next week');
    await dialog.getByRole('button', { name: 'Write the text' }).click();
    await main()
      .getByRole('heading', { name: `Send this text to ${name}` })
      .waitFor();
  }
  const linkFor = async (name: string): Promise<string> => {
    await main().getByRole('button', { name: 'Make a link' }).click();
    const url = await main().getByLabel(`Link for ${name}`).inputValue();
    await main().getByText('The hub that serves the page could read it.').waitFor();
    // The hub of this test has no other address.
    await main().getByText('This link opens on this machine only.').waitFor();
    return url;
  };

  test('[A2C-11] a text is copied, the pasted answer is understood or picked by a tap, and a tap ends it', async () => {
    await ask('Carla');
    await main().getByRole('button', { name: 'Copy the text' }).click();
    await expect.poll(() => ada.page.evaluate(() => navigator.clipboard.readText())).toContain('Hi Carla,');
    await looksRight(ada.page, 'text');
    await main().getByLabel('Carla answered?').fill('Hm, that depends');
    await main().getByRole('button', { name: 'Pass it on' }).click();
    const choices = main().getByRole('group', { name: 'What did Carla mean?' });
    await expect.poll(() => choices.evaluate((one) => one.getBoundingClientRect().bottom <= innerHeight)).toBe(true);
    await looksRight(ada.page, 'unclear');
    await choices.getByRole('button').first().click();
    const proposal = main().locator('[data-prompt="proposal"]');
    await proposal.waitFor();
    const confirm = proposal.getByRole('button', { name: 'Confirm' });
    await expect.poll(() => confirm.getAttribute('aria-disabled')).toBe('false');
    await confirm.click();
    await main().locator('[data-negotiation="COMPLETED"]').waitFor();
    await main().getByText('it is fixed: Dinner').waitFor();
  });

  test('[A2C-11] a link opens once, in a browser that is signed in nowhere, and its answer joins the negotiation', async () => {
    await ask('Dora');
    const url = await linkFor('Dora');
    const key = new URL(url).hash.slice(1);
    expect(key).toHaveLength(43);
    const { page, requests } = await stranger();
    const response = await page.goto(url);
    expect(response!.headers()).toMatchObject({
      'x-robots-tag': expect.stringContaining('noindex'),
      'referrer-policy': 'no-referrer',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
    await page.getByRole('button', { name: 'Show the request' }).waitFor();
    expect(await page.locator('body').innerText()).not.toMatch(/Dora|Dinner/);
    await looksRight(page, 'guest-closed');
    await page.getByRole('button', { name: 'Show the request' }).click();
    await page.getByRole('heading', { name: 'Ada asks: Dinner next week' }).waitFor();
    await looksRight(page, 'guest-open');
    // The same tab after a reload; another one learns when it was opened.
    await page.reload();
    await page.getByRole('button', { name: 'Show the request' }).click();
    const other = await stranger();
    await other.page.goto(url);
    await other.page.getByRole('button', { name: 'Show the request' }).click();
    await other.page.getByText('This link was opened on').waitFor();
    await main().getByText('Opened on').waitFor();

    await page.getByRole('radio').nth(1).check();
    await page.getByLabel('A few words (optional)').fill('<img src=x onerror=alert(1)> See you!');
    await page.getByRole('button', { name: 'Send the answer' }).click();
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
    await other.page.getByRole('button', { name: 'Show the request' }).click();
    await other.page.getByText('This request was answered on').waitFor();
    await main().locator('[data-prompt="proposal"]').waitFor();
    await main().getByText('<img src=x onerror=alert(1)> See you!').waitFor();
    await looksRight(ada.page, 'answered');

    for (const request of [...requests, ...other.requests]) {
      expect(request).not.toContain(key);
      expect(request).not.toContain('See you');
      expect(new URL(request.split(' ')[1]!).origin).toBe(new URL(hub.url).origin);
    }
    expect(hub.log).not.toContain(key);
    const assets = requests.flatMap((one) => /\/assets\/[\w.-]+/.exec(one) ?? []);
    expect(new Set(assets).size).toBe(2);
  });

  test('[A2C-11] another wish comes as a card; an incomplete, a revoked and a wrong link say so', async () => {
    await ask('Emma');
    const url = await linkFor('Emma');
    const { page } = await stranger();
    await page.goto(url.slice(0, -5));
    await page.getByText('This link is not complete').waitFor();
    await page.goto('about:blank');
    await page.goto(url);
    await page.getByRole('button', { name: 'Show the request' }).click();
    const send = page.getByRole('button', { name: 'Send the answer' });
    await send.click();
    await page.getByRole('alert').getByText('Nothing is chosen yet').waitFor();
    await page.getByLabel('Another time').check();
    await expect.poll(() => page.getByRole('alert').innerText()).toBe('');
    await send.click();
    await page.getByRole('alert').getByText('The other time is missing').waitFor();
    await page.getByLabel('Which time would suit you? (required)').fill('Saturday 20:00?');
    await send.click();
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
    const card = main().locator('[data-prompt="escalation"]');
    await card.getByText('“Saturday 20:00?”').waitFor();
    const again = card.getByRole('button', { name: 'Try other days' });
    await expect.poll(() => again.getAttribute('aria-disabled')).toBe('false');
    await again.click();
    await main()
      .getByText(/1\. Dinner, Saturday .*20:00/)
      .waitFor();
    const next = await linkFor('Emma');
    await main().getByRole('button', { name: 'Revoke the link' }).click();
    await main().getByText('You revoked the link.').waitFor();
    await page.goto(next);
    await page.getByRole('button', { name: 'Show the request' }).click();
    await page.getByText('has expired, was revoked, or never existed').waitFor();
  });
});
