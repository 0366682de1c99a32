// The account page of the relay on a hub's port, in a real browser with an authenticator of its own.

import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import jsQR from 'jsqr';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { faultsOn } from './axe-faults.ts';
import type { Person } from './person.ts';
import { browserFor, hubProcessFor, visitorFor } from './stage.ts';

const launcher = fileURLToPath(new URL('../../../cli/bin/parley.mjs', import.meta.url));

async function giveAuthenticator({ context, page }: Person): Promise<void> {
  const session = await context.newCDPSession(page);
  await session.send('WebAuthn.enable');
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
  } as const;
  await session.send('WebAuthn.addVirtualAuthenticator', { options: { ...options, automaticPresenceSimulation: true } });
}

/** The text of the QR code that the page shows. */
async function scanned({ page }: Person): Promise<string | undefined> {
  const image = page.getByRole('img', { name: /^QR code/ });
  const [width, height, pixels] = await image.evaluate(async (element) => {
    const shown = element as HTMLImageElement;
    await shown.decode();
    const canvas = Object.assign(document.createElement('canvas'), { width: 400, height: 400 });
    const drawing = canvas.getContext('2d')!;
    drawing.drawImage(shown, 0, 0, 400, 400);
    return [400, 400, [...drawing.getImageData(0, 0, 400, 400).data]] as const;
  });
  return (jsQR as unknown as typeof jsQR.default)(new Uint8ClampedArray(pixels), width, height)?.data;
}

describe('the account page of a relay', () => {
  const browser = browserFor();
  const hub = hubProcessFor('sqlite');
  const ann = visitorFor(browser);
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-account-'));
    await giveAuthenticator(ann);
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function parley<T>(...args: string[]): Promise<T> {
    const env = { ...process.env, PARLEY_DATA: hub.dataDir, PARLEY_PEER_DATA: '' };
    const { stdout } = await promisify(execFile)(process.execPath, [launcher, ...args, '--json'], { cwd: folder, env });
    return JSON.parse(stdout) as T;
  }

  /** Runs the command that the page shows, with its own folder. */
  async function registerKey(data: string): Promise<string> {
    await ann.page.getByRole('heading', { name: 'Register your key' }).waitFor();
    const command = await ann.page.getByLabel('Command').innerText();
    expect(command).toMatch(/^npx parley peer init --name ann --relay ws:\/\/localhost:\d+\/relay --code \w+$/);
    await parley(...command.split(' ').slice(2), '--data', data);
    return (await parley<{ fingerprint: string }>('peer', 'card', '--data', data)).fingerprint;
  }

  const isFreeOfFaults = async (view: string): Promise<void> => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await ann.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await faultsOn(ann), `${view}, ${colorScheme}`).toEqual([]);
    }
    for (const width of [360, 768, 1280]) {
      await ann.page.setViewportSize({ width, height: 800 });
      const overflow = await ann.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow, `${view} at ${width} px`).toBeLessThanOrEqual(0);
    }
  };

  test('[A2C-1] names the field that is wrong, and makes a passkey that holds a name', async () => {
    const { page } = ann;
    await page.goto(`${hub.url}/relay/account`);
    await page.getByRole('heading', { name: 'Account at localhost' }).waitFor();
    await isFreeOfFaults('welcome');
    await page.getByLabel('Invitation code').fill('wrong');
    await page.getByLabel('Name').fill('ann');
    await page.getByLabel('Email').fill('ann@example.org');
    await page.getByText('agent:ann@localhost').waitFor();
    await ann.button('Create passkey').click();
    await page.getByText('This is unknown, used or expired. Ask the operator of the relay for one.').waitFor();
    expect(await page.getByLabel('Invitation code').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Invitation code').fill((await parley<{ code: string }>('relay', 'invite')).code);
    await ann.button('Create passkey').click();
    await page.getByRole('heading', { name: 'Register your key' }).waitFor();
    await isFreeOfFaults('ticket');
  });

  test('[A2C-1] [A2C-4] shows the key that the terminal registered, by its fingerprint and QR code', async () => {
    const { page } = ann;
    const fingerprint = await registerKey('first');
    await ann.button('Done').click();
    await page.getByRole('heading', { name: 'agent:ann@localhost' }).waitFor();
    await page.getByText(fingerprint).waitFor();
    expect(await scanned(ann)).toBe(`agent:ann@localhost ${fingerprint.replaceAll(' ', '')}`);
    await isFreeOfFaults('account');
  });

  test('[A2C-1] signs in with the passkey, replaces a lost key and removes the account', async () => {
    const { page } = ann;
    await ann.button('Sign out').click();
    await ann.button('Sign in with passkey').click();
    await page.getByRole('heading', { name: 'agent:ann@localhost' }).waitFor();
    await page.reload();
    await ann.button('Replace key').click();
    const fingerprint = await registerKey('second');
    await ann.button('Done').click();
    await page.getByText(fingerprint).waitFor();
    await expect(parley('peer', 'inbox', '--data', 'first')).resolves.toMatchObject({ line: expect.stringContaining('another key') });
    await page.getByLabel('Type ann to confirm').fill('bob');
    await ann.button('Remove account').click();
    await page.getByText('This must be ann.').waitFor();
    await page.getByLabel('Type ann to confirm').fill('ann');
    await ann.button('Remove account').click();
    await ann.button('Sign in with passkey').click();
    await page.getByRole('alert').filter({ hasText: 'no account here has it' }).waitFor();
  });

  test('[A2C-1] sends people who open it elsewhere to its own address', async () => {
    const { page } = ann;
    await page.goto(`${hub.url.replace('localhost', '127.0.0.1')}/relay/account`);
    await page.getByRole('link', { name: `${hub.url}/relay/account` }).click();
    await ann.button('Sign in with passkey').waitFor();
  });
});
