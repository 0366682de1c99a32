// A person at a browser: what they see by role and name, as a screen reader would tell it.

import type { Member } from '@parley/protocol';
import { advice, findBrowser } from '@parley/testkit/programs';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';

const flags =
  '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync';

export function launchBrowser(): Promise<Browser> {
  const found = findBrowser();
  if (!found) throw new Error(advice.browser);
  return chromium.launch({ executablePath: found.path, args: flags.split(' '), env: { ...process.env, ...found.env } });
}

/** What a browser says when the hub refuses or is away; anything else in the console is a fault of ours. */
const expected = /^Failed to load resource|WebSocket connection to .* failed/;

export class Person {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly faults: string[] = [];

  private constructor(context: BrowserContext, page: Page) {
    this.context = context;
    this.page = page;
    page.on('console', (entry) => {
      if (entry.type() === 'error' && !expected.test(entry.text())) this.faults.push(entry.text());
    });
    page.on('pageerror', (error) => this.faults.push(String(error)));
  }

  static async at(browser: Browser, width = 1280, height = 800): Promise<Person> {
    const context = await browser.newContext({ viewport: { width, height }, permissions: ['clipboard-read', 'clipboard-write'] });
    return new Person(context, await context.newPage());
  }

  /** The same person on another device: the cookie goes along. */
  async onAnotherDevice(browser: Browser, width = 1280, height = 800): Promise<Person> {
    const context = await browser.newContext({ viewport: { width, height }, storageState: await this.context.storageState() });
    return new Person(context, await context.newPage());
  }

  async join(link: string, name: string): Promise<void> {
    await this.page.goto(link);
    await this.page.getByLabel('Name').fill(name);
    await this.page.getByRole('button', { name: 'Join' }).click();
    await this.page.waitForURL(/\/c\//);
  }

  async createChannel(name: string): Promise<string> {
    await this.button('Create a channel').click();
    await this.page.getByRole('dialog').getByLabel('Name').fill(name);
    await this.button('Create channel').click();
    await this.page.getByRole('heading', { name, level: 1 }).waitFor();
    return new URL(this.page.url()).pathname.split('/')[2]!;
  }

  /** Adds members to a channel by their handles. */
  async addMembers(conversationId: string, ...handles: string[]): Promise<void> {
    const { members } = await this.call<{ members: Member[] }>('GET', '/members');
    for (const { id } of handles.map((handle) => members.find((member) => member.handle === handle)!))
      await this.call('POST', `/conversations/${conversationId}/members`, { memberId: id });
  }

  async joinChannel(name: string): Promise<void> {
    await this.button('Browse channels').click();
    const row = this.page.getByRole('dialog').getByRole('listitem').filter({ hasText: name });
    await row.getByRole('button', { name: 'Join' }).click();
    await this.page.getByRole('heading', { name, level: 1 }).waitFor();
  }

  async say(text: string): Promise<void> {
    const box = this.page.getByRole('textbox', { name: /^Message / });
    await box.fill(text);
    await box.press('Enter');
  }

  /** A message that says this, in the middle of the screen. */
  message(text: string): Locator {
    return this.page.getByRole('main').getByRole('article').filter({ hasText: text });
  }

  get thread(): Locator {
    // On a narrow screen it stands in the conversation's place.
    return this.page.getByRole('complementary', { name: 'Thread' }).or(this.page.getByRole('main', { name: 'Thread' }));
  }

  async act(message: Locator, action: string): Promise<void> {
    // What comes in meanwhile may move it away from under the pointer.
    const item = this.page.getByRole('menuitem', { name: action });
    for (let left = 5; left > 0; left--) {
      // A click that was given up may have been one: behind an open menu nothing else is found.
      if (await item.isVisible()) break;
      // From elsewhere: a pointer that rests where the message has come to be enters nothing.
      await this.page.mouse.move(1, 1);
      await message.hover();
      const more = message.getByRole('button', { name: 'More actions' });
      if (
        await more.click({ timeout: left === 1 ? 30_000 : 3_000 }).then(
          () => true,
          (error: unknown) => (left > 1 ? false : Promise.reject(error as Error)),
        )
      )
        break;
    }
    await item.click();
  }

  /** Everything said, as far as it is loaded, in order; also what is still on its way. */
  async texts(): Promise<string[]> {
    return this.page.getByRole('main').getByRole('feed').locator('p').allInnerTexts();
  }

  button(name: string): Locator {
    return this.page.getByRole('button', { name, exact: true }).first();
  }

  link(name: string | RegExp): Locator {
    return this.page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name });
  }

  /** Straight to the hub as this person, for what would take too long by hand. */
  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await this.context.request.fetch(new URL(`/api/v1${path}`, this.page.url()).href, {
      method,
      ...(body === undefined ? {} : { data: body }),
    });
    if (!response.ok()) throw new Error(`${method} ${path}: ${await response.text()}`);
    return (await response.json()) as T;
  }
}
