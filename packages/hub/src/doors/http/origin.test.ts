import { expect, test } from 'vitest';
import { checkOrigin, originPolicy, originRefusal } from './origin.ts';

const local = originPolicy(undefined);
const open = originPolicy('https://chat.example.org');
type Case = [string, Partial<Parameters<typeof checkOrigin>[1]>, 'ok' | 'host' | 'origin'];

test.each<Case>([
  ['a program without Origin', {}, 'ok'],
  ['the page itself', { origin: 'http://localhost:7440' }, 'ok'],
  ['the page itself by address', { host: '127.0.0.1:7440', origin: 'http://127.0.0.1:7440' }, 'ok'],
  ['the page itself over IPv6', { host: '[::1]:7440', origin: 'http://[::1]:7440' }, 'ok'],
  ['a page from elsewhere', { origin: 'https://evil.example' }, 'origin'],
  ['another port of the same machine', { origin: 'http://localhost:3000' }, 'origin'],
  ['a sandboxed frame', { origin: 'null' }, 'origin'],
  ['a page that hides its origin but not its site', { site: 'cross-site' }, 'origin'],
  ['a neighbouring site', { site: 'same-site' }, 'origin'],
  ['the address bar', { site: 'none' }, 'ok'],
  ['a name pointed at this machine', { host: 'evil.example:7440', origin: 'http://evil.example:7440' }, 'host'],
  ['a name that begins like ours', { host: 'localhost.evil.example' }, 'host'],
  ['no host', { host: undefined }, 'host'],
  ['a host that is no host', { host: 'localhost@evil.example' }, 'host'],
  ['reading from elsewhere is left to the browser', { method: 'GET', origin: 'https://evil.example' }, 'ok'],
  ['reading by a pointed name', { method: 'GET', host: 'evil.example' }, 'host'],
  ['a socket from elsewhere, though it is a GET', { method: 'GET', socket: true, origin: 'https://evil.example' }, 'origin'],
  ['upper case is the same host', { host: 'LOCALHOST:7440', origin: 'http://localhost:7440' }, 'ok'],
])('[SYS-11] %s', (_, over, expected) => {
  const verdict = checkOrigin(local, {
    method: 'POST',
    socket: false,
    host: 'localhost:7440',
    origin: undefined,
    site: undefined,
    ...over,
  });
  expect(verdict.ok ? 'ok' : verdict.reason).toBe(expected);
});

test('[SYS-11] the public name is let in when it is set, and only then', () => {
  const request = { method: 'POST', socket: false, host: 'chat.example.org', origin: 'https://chat.example.org', site: undefined };
  expect(checkOrigin(open, request)).toEqual({ ok: true });
  expect(checkOrigin(local, request)).toEqual({ ok: false, reason: 'host' });
});

test.each([
  ['nginx names its upstream', 'https://chat.example.org', '127.0.0.1:7440', 'ok'],
  ['a proxy writes the port of TLS', 'https://chat.example.org', 'chat.example.org:443', 'ok'],
  ['another page through the same proxy', 'https://evil.example', '127.0.0.1:7440', 'origin'],
  ['the public name without TLS', 'http://chat.example.org', '127.0.0.1:7440', 'origin'],
  ['another port of the public name', 'https://chat.example.org:8443', '127.0.0.1:7440', 'origin'],
  ['a name pointed at this machine', 'https://chat.example.org', 'evil.example', 'host'],
] as const)('[SYS-11] a page at the public URL may ask although its proxy changes the Host: %s', (_, origin, host, expected) => {
  const verdict = checkOrigin(open, { method: 'POST', socket: false, host, origin, site: 'same-origin' });
  expect(verdict.ok ? 'ok' : verdict.reason).toBe(expected);
});

test('[SYS-11] a refusal names the value that was wrong, and what a proxy has to pass on', () => {
  const origin = originRefusal('origin', { host: '127.0.0.1:7440', origin: 'https://chat.example.org' });
  expect(origin).toContain('https://chat.example.org');
  expect(originRefusal('host', { host: 'parley:7440', origin: undefined })).toContain('parley:7440');
  for (const text of [origin, originRefusal('host', { host: undefined, origin: undefined })])
    expect(text).toMatch(/PARLEY_PUBLIC_URL.*Host/);
});
