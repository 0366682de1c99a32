// The hub is killed after a link is made, after it is opened and after it is answered. One opener, one answer, one event.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { webcrypto } from 'node:crypto';
import { openFromLink, type LinkRequest, readBase64Url, sealForLink } from '@parley/core/sealed-request';
import { readHubInfo } from '@parley/hub/data-dir';
import { Person, waitFor } from '@parley/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { type Running, up } from '../kit.ts';

const { subtle } = webcrypto;

test('[A2C-11] [A2C-34] kill -9 between opening and answering a link, and after the answer', { timeout: 180_000 }, async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'parley-outside-'));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  let hub: Running = await up([], { cwd });
  onTestFinished(async () => void (await hub.stop()));
  const key = `op_${(await readFile(join(hub.dataDir, 'operator.key'), 'utf8')).trim()}`;
  const operator = new Person(hub.url, key, '', 'operator');
  const { id } = await operator.call('addMember', { body: { kind: 'human', handle: 'ann', displayName: 'Ann', role: 'member' } });
  const { secret } = await operator.call('createToken', { body: { kind: 'person', memberId: id, label: 'test' } });
  const ann = () => new Person(hub.url, secret, id, 'ann');
  const kill = async (): Promise<void> => {
    process.kill((await readHubInfo(hub.dataDir))!.pid, 'SIGKILL');
    await hub.stop();
    hub = await up([], { cwd });
  };
  const post = async (linkId: string, act: string, body: object): Promise<Response> =>
    fetch(new URL(`/api/v1/request-links/${linkId}/${act}`, hub.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const opener = 'opener-of-the-first-page';

  const { threadId } = await ann().call('inviteOutside', { body: { name: 'Carla', intent: 'Dinner next week' } });
  const { url } = await ann().call('makeRequestLink', { params: { threadId } });
  const [, linkId, linkKey] = /\/g\/([\w-]{22})#([\w-]{43})$/.exec(url)!;
  await kill();
  expect((await ann().call('makeRequestLink', { params: { threadId } })).url.split('#')[1]).toBe(linkKey);

  expect((await post(linkId!, 'open', { opener })).status).toBe(200);
  await kill();
  expect((await post(linkId!, 'open', { opener: `${opener}-2` })).status).toBe(409);
  const opened = (await (await post(linkId!, 'open', { opener })).json()) as { sealed: string };
  const seal = { subtle, key: readBase64Url(linkKey!), linkId: linkId! };
  const { times } = (await openFromLink(seal, 'request', opened.sealed)) as LinkRequest;
  const answer = { kind: 'works', hash: times[0]!.hash, text: '' };
  const sealed = await sealForLink(seal, 'answer', answer, webcrypto.getRandomValues(new Uint8Array(12)));
  expect((await post(linkId!, 'answer', { opener, sealed })).status).toBe(200);
  await kill();
  expect((await post(linkId!, 'answer', { opener, sealed })).status).toBe(200);

  const card = await waitFor(async () => {
    const { checkpoints } = await ann().call('listCheckpoints', { query: {} });
    const found = checkpoints.filter(({ kind }) => kind === 'proposal');
    expect(found).toHaveLength(1);
    return found[0]!;
  });
  await ann().call('answerCheckpoint', { params: { checkpointId: card.id }, body: { kind: 'confirm' } });
  await waitFor(async () => expect((await ann().call('getNegotiation', { params: { threadId } })).state).toBe('COMPLETED'));
  const ics = await fetch(new URL('/api/v1/peer/calendar.ics', hub.url), { headers: { authorization: `Bearer ${secret}` } });
  expect((await ics.text()).match(/BEGIN:VEVENT/g)).toHaveLength(1);
});
