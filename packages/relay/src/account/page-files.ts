// The page itself: one document, one style sheet and two scripts, from this relay and nowhere else.

import { readFile } from 'node:fs/promises';

const page = new URL('../../page/', import.meta.url);

const files: Readonly<Record<string, { type: string; url: () => URL }>> = {
  '/account': { type: 'text/html; charset=utf-8', url: () => new URL('account.html', page) },
  '/account/page.css': { type: 'text/css; charset=utf-8', url: () => new URL('account.css', page) },
  '/account/page.js': { type: 'text/javascript; charset=utf-8', url: () => new URL('account.mjs', page) },
  '/account/webauthn.js': {
    type: 'text/javascript; charset=utf-8',
    url: () => new URL('../dist/bundle/index.umd.min.js', import.meta.resolve('@simplewebauthn/browser')),
  },
};

/** Nothing inline, nothing from elsewhere, and no page around it. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

export async function pageFile(path: string): Promise<{ type: string; body: Buffer } | undefined> {
  const file = files[path];
  return file && { type: file.type, body: await readFile(file.url()) };
}
