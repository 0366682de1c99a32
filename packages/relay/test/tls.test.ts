import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { frameFrom, RelayClient } from '@parley/testkit/relay';
import { startRelay } from './kit/relay.ts';

const [cert, key] = ['localhost-cert.pem', 'localhost-key.pem'].map((name) => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url)));
const files = { PARLEY_RELAY_TLS_CERT: cert!, PARLEY_RELAY_TLS_KEY: key! };

test('[A2C-1] with certificate files a relay speaks TLS, and nothing else', async () => {
  const relay = await startRelay(files);
  const { url } = relay.served;
  expect(url).toMatch(/^wss:/);
  relay.clientOptions = { ca: await readFile(cert!) };
  const [ann, bob] = [await relay.registered('ann'), await relay.registered('bob')];
  expect(await (await relay.loggedIn(ann)).sendFrame(frameFrom(ann, bob, 'over TLS'))).toMatchObject({ type: 'stored' });
  expect(await (await relay.loggedIn(bob)).received(1)).toEqual(['over TLS']);
  await expect(RelayClient.connect(url)).rejects.toThrow('self-signed certificate');
  await expect(RelayClient.connect(url.replace('wss', 'ws'))).rejects.toThrow();
});

test.for([
  {
    files: { ...files, PARLEY_RELAY_TLS_KEY: '/nowhere/key.pem' },
    says: 'PARLEY_RELAY_TLS_KEY names /nowhere/key.pem, which cannot be read (ENOENT)',
  },
  { files: { ...files, PARLEY_RELAY_TLS_KEY: cert! }, says: 'do not fit together' },
  { files: { PARLEY_RELAY_TLS_CERT: cert! }, says: 'PARLEY_RELAY_TLS_KEY is needed together with PARLEY_RELAY_TLS_CERT' },
])('[A2C-1] a certificate that cannot be used is named: $says', async ({ files: wrong, says }) => {
  await expect(startRelay(wrong)).rejects.toThrow(says);
});
