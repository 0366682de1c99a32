import { readFile } from 'node:fs/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { frameFrom, RelayClient, RelayNames } from '@parley/testkit/relay';
import { federatedRelay } from './kit/federated.ts';
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

test('[A2C-10] relays with certificates exchange packets over TLS only, also on a private network', async () => {
  const ca = await readFile(cert!, 'utf8');
  const names = new RelayNames();
  const [a, b] = [await federatedRelay(names, 'localhost:8443', files), await federatedRelay(names, 'localhost:9443', files)];
  a.clientOptions = b.clientOptions = { ca };
  const [ann, bob] = [await a.registered('ann'), await b.registered('bob')];
  const [fromAnn, fromBob] = [await a.loggedIn(ann), await b.loggedIn(bob)];
  const reach = (ref: string) => fromAnn.request({ type: 'lookup', ref, address: bob.address, package: false });
  // The certificate is for 127.0.0.1 as well, where the names lead; so far nobody trusts it.
  expect(await reach('1')).toMatchObject({ code: 'relay_unreachable', message: expect.stringMatching(/https:.*self-signed certificate/) });
  const usual = getCACertificates();
  setDefaultCACertificates([...usual, ca]);
  onTestFinished(() => setDefaultCACertificates(usual));
  await expect.poll(() => reach(String(Math.random()))).toMatchObject({ code: 'not_published' });
  expect(await fromAnn.sendFrame(frameFrom(ann, bob, 'over TLS'))).toMatchObject({ type: 'stored' });
  expect(await fromBob.received(1)).toEqual(['over TLS']);
  await fromBob.request({ type: 'lookup', ref: '2', address: ann.address, package: false });
  expect(await fromBob.sendFrame(frameFrom(bob, ann, 'and back'))).toMatchObject({ type: 'stored' });
  expect(await fromAnn.received(1)).toEqual(['and back']);
});
