// Somebody without an agent, over a link: the person's peer seals the request and opens the answer. The hub has only ciphertext.

import { webcrypto } from 'node:crypto';
import { type LinkAnswer, openFromLink, type LinkRequest, readBase64Url, sealForLink } from '@parley/core/sealed-request';
import { beforeEach, expect, test } from 'vitest';
import { ann, answerWith, startHosting, type TestHosting } from './hosting-kit.ts';

const threadId = 'thr_outside01';
const { subtle } = webcrypto;
let hosting: TestHosting;

beforeEach(async () => {
  hosting = await startHosting();
  await hosting.host.call(ann, 'invite', { threadId, name: 'Carla', intent: 'Dinner on Friday', share: ['time_windows'] });
});

const link = (isNew = false) => hosting.host.call(ann, 'requestLink', { threadId, isNew });
const shown = () => hosting.host.call(ann, 'negotiation', { threadId });
const nonce = () => webcrypto.getRandomValues(new Uint8Array(12));
const sealOf = ({ id, key }: { id: string; key: string }) => ({ subtle, key: readBase64Url(key), linkId: id });
const take = async (made: { id: string; key: string }, answer: unknown, direction: 'answer' | 'request' = 'answer') =>
  hosting.host.call(ann, 'takeLinkAnswer', {
    threadId,
    linkId: made.id,
    sealed: await sealForLink(sealOf(made), direction, answer, nonce()),
  });

test('[A2C-11] once somebody answered there is no link, and what the person passed on counts first', async () => {
  const made = await link();
  await hosting.host.call(ann, 'reply', { threadId, reply: { kind: 'other', text: 'Saturday?' } });
  await take(made, { kind: 'cannot', hash: null, text: '' });
  expect((await shown()).state).toBe('NEGOTIATING');
  await expect(link()).rejects.toMatchObject({ code: 'answered' });
});

test('[A2C-11] the person reads an answer about times that are not offered any more, and nobody exports its key', async () => {
  const made = await link();
  const { times } = (await openFromLink(sealOf(made), 'request', made.sealed)) as LinkRequest;
  await hosting.host.call(ann, 'reply', { threadId, reply: { kind: 'other', text: 'Saturday 20:00' } });
  await answerWith(hosting, ann, threadId, 'escalation', { kind: 'continue' });
  expect((await shown()).outside!.awaitsReply).toBe(true);
  await take(made, { kind: 'works', hash: times[0]!.hash, text: 'Great' } satisfies LinkAnswer);
  expect((await shown()).steps.at(-1)!.text).toBe(`Carla picked “${times[0]!.words}”: “Great”. It came too late, and nothing changed`);
  expect((await shown()).outside!.awaitsReply).toBe(true);
  expect(JSON.stringify(await hosting.host.call(ann, 'export', null))).not.toContain(made.key);
});

test('[A2C-11] its peer knows the key after a restart; neither report nor export has it', async () => {
  const made = await link();
  await hosting.host.stop();
  hosting.host = await hosting.again();
  expect(await link()).toEqual(made);
  expect(JSON.stringify(await hosting.host.call(ann, 'export', null))).not.toContain(made.key);
  expect(JSON.stringify([...hosting.hub.statuses.values()])).not.toMatch(/Carla|Dinner/);
  expect(JSON.stringify(await shown())).not.toContain(made.key);
});

test('[A2C-11] [A2C-3] the relay gets nothing of it', async () => {
  const made = await link();
  const { times } = (await openFromLink(sealOf(made), 'request', made.sealed)) as LinkRequest;
  await take(made, { kind: 'works', hash: times[0]!.hash, text: '' });
  await answerWith(hosting, ann, threadId, 'proposal', { kind: 'confirm' });
  expect((await shown()).state).toBe('COMPLETED');
  const { packet, outbox } = (await hosting.host.call(ann, 'export', null)) as { packet: unknown[]; outbox?: unknown[] };
  expect([packet, outbox]).toEqual([[], undefined]);
});
