import { onBothEngines, testingInFull, waitFor } from '@parley/testkit';
import { beforeAll, expect, test } from 'vitest';
import { Person } from './person.ts';
import { browserFor, hubProcessFor, peopleFor, visitorFor } from './stage.ts';

const browser = browserFor();

// A page does not see which engine its hub has.
onBothEngines('two people in two browsers', (engine) => {
  const hub = hubProcessFor(engine);
  const [ada] = peopleFor(browser, hub, 'Ada Lindqvist');
  const ben = visitorFor(browser);
  let invitation: string;
  beforeAll(async () => {
    await ada.button('Invite people').click();
    await ada.button('Create link').click();
    invitation = await ada.page.getByLabel('Invitation link', { exact: true }).getByRole('textbox').inputValue();
    await ada.button('Done').click();
    await ben.join(invitation, 'Ben Okafor');
  });

  /** A channel of their own for each test, with both in it. */
  async function together(name: string): Promise<string> {
    const id = await ada.createChannel(name);
    await ben.joinChannel(name);
    return id;
  }

  test('a link works once, and its secret does not stay in the address', async () => {
    for (const link of [hub.link, invitation]) {
      await ben.page.goto(link);
      await ben.page.getByRole('heading', { name: 'This link has been used' }).waitFor();
      expect(ben.page.url()).toBe(`${hub.url}/join`);
    }
    await ben.button('Go to Parley').click();
    await ben.page.waitForURL(/\/c\//);
  });

  test('[SYS-11] a person becomes an admin by a link that names them, and ends their session on another device', async () => {
    const [eve, phone] = [await Person.at(browser), await Person.at(browser)];
    await eve.join((await ada.call<{ url: string }>('POST', '/invitations', { role: 'member' })).url, 'Eve Ito');
    await ada.button('Members').click();
    await ada.button('Sign-in link for Eve Ito').click();
    await ada.page.getByLabel('Opening it makes them').selectOption('admin');
    await ada.page.getByText('The role counts once they open the link.').waitFor();
    const url = await ada.page.getByLabel('Sign-in link', { exact: true }).inputValue();
    await ada.page.keyboard.press('Escape');

    await eve.page.goto(url);
    await eve.page.getByRole('heading', { name: 'Sign in as Eve Ito (@eve.ito)' }).waitFor();
    await eve.page.getByText('You become an admin.').waitFor();
    await eve.button('Sign in').click();
    await eve.page.waitForURL(/\/c\//);
    expect((await eve.call<{ me: { role: string }; openedBy: string | null }>('GET', '/session')).me.role).toBe('admin');

    await phone.page.goto((await eve.call<{ url: string }>('POST', '/sign-in-links', {})).url);
    await phone.button('Sign in').click();
    await phone.page.getByRole('heading', { name: 'You are signed in elsewhere' }).waitFor();
    expect(await phone.page.getByRole('list', { name: 'Other sessions' }).getByRole('listitem').count()).toBe(1);
    await phone.button('End other sessions').click();
    await phone.page.waitForURL(/\/c\//);
    expect(await eve.page.evaluate(async () => (await fetch('/api/v1/session')).status)).toBe(401);
    for (const one of [eve, phone]) await one.context.close();
  });

  test('an address of no conversation says so in words', async () => {
    for (const id of ['con_nope', 'con_00000000000000000000000000']) {
      await ben.page.goto(`${hub.url}/c/${id}`);
      await ben.page.getByText('This conversation does not exist, or you may not see it.').waitFor();
    }
    await ben.page.goto(hub.url);
    await ben.page.waitForURL(/\/c\//);
  });

  test('a reload does not lose a link that was not used', async () => {
    const { url } = await ada.call<{ url: string }>('POST', '/invitations', { role: 'member' });
    const cyd = await Person.at(browser);
    const refused: string[] = [];
    cyd.page.on('response', (response) => void (response.status() === 401 && refused.push(response.url())));
    await cyd.page.goto(`${hub.url}/join`);
    await cyd.page.getByRole('heading', { name: 'Open your link again' }).waitFor();
    await cyd.page.goto(url);
    await cyd.page.getByLabel('Name').waitFor();
    await cyd.page.reload();
    await cyd.page.getByLabel('Name').fill('Cyd');
    // Who has not come in yet asks for nothing that is refused to strangers.
    expect(refused).toEqual([]);
    await cyd.button('Join').click();
    await cyd.page.waitForURL(/\/c\//);
    expect(await cyd.page.evaluate(() => Object.keys(sessionStorage))).toEqual([]);
    // Another link, opened where one is signed in already, says whose place would be taken.
    const another = await ada.call<{ url: string }>('POST', '/invitations', { role: 'member' });
    await cyd.page.goto(another.url);
    await cyd.page.getByText('You are signed in here as Cyd.').waitFor();
    expect(cyd.faults).toEqual([]);
    await cyd.context.close();
  });

  test('SYS-4 what one says the other sees at once, and it is there after a reload', async () => {
    await together('live');
    await ada.say('Good morning');
    await ben.message('Good morning').waitFor();
    await ben.page.getByRole('textbox', { name: 'Message #live' }).pressSequentially('Hel');
    await ada.page.getByText('Ben Okafor is typing').waitFor();
    await ben.say('Hello Ada');
    await ada.message('Hello Ada').waitFor();
    for (const person of [ada, ben]) {
      await person.page.reload();
      await person.message('Hello Ada').waitFor();
      expect(await person.texts()).toEqual(['Good morning', 'Hello Ada']);
    }
  });

  test('an edit shows its earlier version, a deletion leaves nothing but its place', async () => {
    await together('edits');
    await ada.say('Frist draft');
    const seen = ben.message('Ada Lindqvist');
    await seen.getByText('Frist draft').waitFor();
    await ada.page.getByRole('textbox', { name: 'Message #edits' }).press('ArrowUp');
    const form = ada.page.getByRole('textbox', { name: 'Edit message' });
    await form.fill('First draft');
    await form.press('Enter');
    await seen.getByText('First draft').waitFor();
    await seen.getByRole('button', { name: 'edited' }).click();
    await ben.page.getByRole('dialog', { name: 'Earlier versions' }).getByText('Frist draft').waitFor();
    await ben.page.keyboard.press('Escape');

    await ada.act(ada.message('First draft'), 'Delete message');
    await ada.button('Delete').click();
    for (const person of [ada, ben]) await person.page.getByText('This message was deleted.').waitFor();
    expect(await ben.page.getByText('First draft').count()).toBe(0);
  });

  test('reactions are counted, and taken back', async () => {
    await together('reactions');
    await ada.say('Shipped');
    const seen = ben.message('Shipped');
    await seen.hover();
    await seen.getByRole('button', { name: 'Add a reaction' }).click();
    await ben.page.getByRole('menuitem', { name: '🎉' }).click();
    const chip = ada.message('Shipped').getByRole('button', { name: /🎉 1, from Ben Okafor/ });
    await chip.click();
    await seen.getByRole('button', { name: /🎉 2, from Ben Okafor, Ada Lindqvist|🎉 2, from you, Ada Lindqvist/ }).click();
    await ada.message('Shipped').getByRole('button', { name: '🎉 1, from you' }).waitFor();
  });

  test('a thread is opened, answered and counted', async () => {
    await together('threads');
    await ada.say('Who takes the minutes?');
    const root = ben.message('Who takes the minutes?');
    await root.hover();
    await root.getByRole('button', { name: 'Reply in thread' }).click();
    await ben.thread.getByText('No replies yet').waitFor();
    const reply = ben.thread.getByRole('textbox', { name: 'Reply' });
    for (const text of ['I can', 'Again']) {
      await reply.fill(text);
      await reply.press('Enter');
    }
    await ben.thread.getByRole('article').filter({ hasText: 'Again' }).waitFor();
    await ada.message('Who takes the minutes?').getByRole('button', { name: '2 replies' }).click();
    await ada.thread.getByRole('article').filter({ hasText: 'I can' }).waitFor();
    await ada.thread.getByRole('textbox', { name: 'Reply' }).fill('Thank you');
    await ada.thread.getByRole('textbox', { name: 'Reply' }).press('Enter');
    await ben.thread.getByRole('article').filter({ hasText: 'Thank you' }).waitFor();
    await waitFor(async () => expect(await ben.thread.getByRole('article').count()).toBe(4));
    await ben.message('Who takes the minutes?').getByRole('button', { name: '3 replies' }).waitFor();
    await ben.button('Close panel').click();
    expect(await ben.thread.count()).toBe(0);
  });

  test('SYS-14 unread is counted where nobody looks, marked on arrival, and gone on every device once read', async () => {
    await together('unread');
    await ada.say('Before');
    await ben.message('Before').waitFor();
    await ben.link('general').click();
    await ada.say('One');
    await ada.say('Two');
    await ben.link(/unread.*2 unread/).waitFor();
    const phone = await ben.onAnotherDevice(browser, 390, 844);
    await phone.page.goto(ben.page.url());
    await phone.button('Open sidebar').click();
    await phone.link(/unread.*2 unread/).waitFor();

    await ben.link(/unread/).click();
    await ben.page.getByText('New messages', { exact: true }).waitFor();
    await waitFor(async () => expect(await ben.link(/2 unread/).count()).toBe(0));
    await waitFor(async () => expect(await phone.link(/2 unread/).count()).toBe(0));
    await ben.say('Read');
    await waitFor(async () => expect(await ben.page.getByText('New messages', { exact: true }).count()).toBe(0));
    expect(phone.faults).toEqual([]);
    await phone.context.close();
  });

  test('SYS-14 a link opens an old message in its place; scrolling fetches the rest in order', async () => {
    const id = await together('history');
    const posted: { id: string }[] = [];
    for (let index = 1; index <= 130; index++)
      posted.push(await ada.call('POST', `/conversations/${id}/messages`, { body: `Line ${index} end` }));
    await ben.message('Line 130 end').waitFor();
    await ben.page.goto(`${hub.url}/c/${id}/m/${posted[19]!.id}`);
    const target = ben.message('Line 20 end');
    await target.waitFor();
    await waitFor(async () => expect(await target.evaluate((row) => document.activeElement === row)).toBe(true));
    const box = (await target.boundingBox())!;
    expect(box.y).toBeGreaterThan(80);
    expect(box.y + box.height).toBeLessThan(760);
    // A message that comes now must not stand right after an old one.
    await ada.say('Right now');
    await ada.message('Right now').waitFor();
    expect(await ben.message('Right now').count()).toBe(0);
    await ben.page.getByRole('button', { name: /Newest|New messages/ }).click();
    await ben.message('Right now').waitFor();
    await target.waitFor({ state: 'detached' });
    await waitFor(async () => {
      await ben.page.getByRole('feed').hover();
      await ben.page.mouse.wheel(0, -20_000);
      expect(await ben.message('Line 1 end').count()).toBe(1);
    });
    const lines = (await ben.texts()).filter((text) => text.startsWith('Line'));
    expect(lines).toEqual(Array.from({ length: 130 }, (_, index) => `Line ${index + 1} end`));
  });

  test('text is text: nothing in a message becomes markup, runs or is fetched', async () => {
    await together('hostile');
    const attacks = [
      '<img src=/x onerror="document.title=1">',
      '<script>document.title=2</script>',
      'javascript:alert(1)',
      '[x](javascript:alert(1))',
    ];
    await ada.say([...attacks, 'https://example.org/a?b=1.'].join('\n'));
    const seen = ben.message('onerror');
    await seen.waitFor();
    expect(await seen.locator('img, script').count()).toBe(0);
    const links = await seen
      .getByRole('link')
      .evaluateAll((all) => all.map((link) => [link.getAttribute('href'), link.getAttribute('rel')]));
    expect(links).toEqual([['https://example.org/a?b=1', 'noopener noreferrer']]);
    expect(await ben.page.title()).toContain('hostile');
  });

  test('SYS-14 files go up with a message: pictures show, the rest is for downloading', async () => {
    await together('files');
    const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
    const picker = ada.page.waitForEvent('filechooser');
    await ada.button('Attach files').click();
    await (
      await picker
    ).setFiles([
      { name: 'dot.png', mimeType: 'image/png', buffer: png },
      { name: 'page.html', mimeType: 'text/html', buffer: Buffer.from('<script>1</script>') },
    ]);
    const composer = ada.page.getByRole('textbox', { name: 'Message #files' });
    expect(await composer.evaluate((area) => document.activeElement === area)).toBe(true);
    await ada.button('Send').click();
    await ben.page.getByRole('img', { name: 'dot.png' }).waitFor();
    await waitFor(async () =>
      expect(await ben.page.getByRole('img', { name: 'dot.png' }).evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1),
    );
    const download = ben.page.waitForEvent('download');
    await ben.page.getByRole('link', { name: /page\.html/ }).click();
    expect((await download).suggestedFilename()).toBe('page.html');
  });

  test('search finds what was said and goes there', async () => {
    await together('searching');
    await ada.say('The walrus was Paul');
    await ben.message('walrus').waitFor();
    await ben.link('general').click();
    await ben.page.keyboard.press('Control+k');
    const box = ben.page.getByRole('combobox');
    const found = ben.page.getByRole('option').filter({ hasText: 'The walrus was Paul' });
    await waitFor(async () => {
      // The index follows the facts a moment later; asking again is what a person would do.
      await box.fill('');
      await box.fill('walrus');
      await found.waitFor({ timeout: 1_000 });
    });
    await box.press('Enter');
    await ben.message('The walrus was Paul').waitFor();
    await ben.page.getByRole('heading', { name: 'searching', level: 1 }).waitFor();

    const root = ada.message('walrus');
    await root.hover();
    await root.getByRole('button', { name: 'Reply in thread' }).click();
    await ada.thread.getByRole('textbox', { name: 'Reply' }).fill('An eggman');
    await ada.thread.getByRole('textbox', { name: 'Reply' }).press('Enter');
    await ben.message('walrus').getByRole('button', { name: '1 reply' }).waitFor();
    await ben.page.reload();
    await ben.message('walrus').waitFor();
    await ben.page.keyboard.press('Control+k');
    await waitFor(async () => {
      await box.fill('');
      await box.fill('eggman');
      await ben.page.getByRole('option').filter({ hasText: 'in a thread of #searching' }).waitFor({ timeout: 1_000 });
    });
    await ben.page.keyboard.press('Escape');
  });

  test('a DM is between two: the other finds it in the sidebar', async () => {
    await ada.button('Start a direct message').click();
    await ada.page.getByRole('dialog').getByText('Ben Okafor').click();
    await ada.button('Start').click();
    await ada.page.getByRole('heading', { name: 'Ben Okafor', level: 1 }).waitFor();
    await ada.say('Just us');
    await ben.link(/Ada Lindqvist.*1 unread/).click();
    await ben.message('Just us').waitFor();
  });

  test.each(testingInFull ? (['SIGTERM', 'SIGKILL'] as const) : (['SIGKILL'] as const))(
    'SYS-4 the hub goes (%s) and comes back: nothing is lost, nothing shows twice',
    async (signal) => {
      await together(`restart-${signal.toLowerCase()}`);
      await ada.say('Before');
      await ben.message('Before').waitFor();
      await hub.down(signal);
      await ada.page.getByText('Reconnecting…').waitFor();
      await ada.say('Meanwhile 1');
      await ada.say('Meanwhile 2');
      expect(await ada.texts()).toEqual(['Before', 'Meanwhile 1', 'Meanwhile 2']);
      await hub.up();
      // Somebody has come in: no further way in lies about in the log, and how to have one is said.
      expect([hub.link, hub.log.includes('`npx parley link`')]).toEqual(['', true]);
      await ben.message('Meanwhile 2').waitFor({ timeout: 30_000 });
      await ben.say('After');
      await ada.message('After').waitFor({ timeout: 30_000 });
      const all = ['Before', 'Meanwhile 1', 'Meanwhile 2', 'After'];
      for (const person of [ada, ben]) {
        await waitFor(async () => expect(await person.texts()).toEqual(all));
        await waitFor(async () => expect(await person.page.getByText('Reconnecting…').count()).toBe(0));
        await person.page.reload();
        await person.message('After').waitFor();
        expect(await person.texts()).toEqual(all);
      }
    },
  );

  // How wide a page is does not hang on where its hub keeps things.
  const sizes: [number, number][] =
    engine === 'sqlite'
      ? [
          [390, 844],
          [1440, 900],
        ]
      : [[820, 1180]];
  test.each(sizes)('the page fits %d × %d', async (width, height) => {
    const id = await together(`width-${width}`);
    await ada.say(`A long word ${'x'.repeat(300)} and\n\`\`\`\n${'code '.repeat(80)}\n\`\`\``);
    const there = await ben.onAnotherDevice(browser, width, height);
    await there.page.goto(`${hub.url}/c/${id}`);
    await there.message('A long word').waitFor();
    expect(await there.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    const feed = await there.page.getByRole('feed').boundingBox();
    expect(feed!.width).toBeLessThanOrEqual(width);
    expect(there.faults).toEqual([]);
    await there.context.close();
  });

  test('on a phone the sidebar is a drawer that closes behind one', async () => {
    const phone = await ben.onAnotherDevice(browser, 390, 844);
    await phone.page.goto(ben.page.url());
    const sidebar = phone.page.getByRole('navigation', { name: 'Workspace' });
    await phone.button('Open sidebar').click();
    await phone.link('general').click();
    await phone.page.getByRole('heading', { name: 'general', level: 1 }).waitFor();
    await waitFor(async () => expect(await sidebar.count()).toBe(0));
    await phone.button('Open sidebar').click();
    await sidebar.waitFor();
    await phone.page.keyboard.press('Escape');
    await waitFor(async () => expect(await sidebar.count()).toBe(0));
    await phone.context.close();
  });

  test('signing out ends it here, and a deactivated member is out at once', async () => {
    const phone = await ben.onAnotherDevice(browser);
    await phone.page.goto(hub.url);
    await phone.page.waitForURL(/\/c\//);
    const members = await ada.call<{ members: { id: string; handle: string }[] }>('GET', '/members');
    const id = members.members.find((member) => member.handle === 'ben.okafor')!.id;
    await ada.call('POST', `/members/${id}/deactivate`);
    await phone.page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await ben.page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await ada.button('Members').click();
    await ada.page.getByRole('dialog').getByText('@ben.okafor · member · deactivated').waitFor();
    await ada.page.keyboard.press('Escape');
    await ada.page.getByRole('button', { name: /Ada Lindqvist/ }).click();
    await ada.page.getByRole('menuitem', { name: 'Sign out' }).click();
    await ada.page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await phone.context.close();
  });
});
