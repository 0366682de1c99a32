// A shared space of two people of one hub, over HTTP: written, read, linked to a channel, opened, left. Its words are in the peers alone.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '@parley/testkit';
import { startOwnTools } from '@parley/testkit/mcp-tools';
import { expect, onTestFinished, test } from 'vitest';
import { startStory, type Story } from './story-kit.ts';

type Person = Story['ann'];
const canary = 'CANARY-9c1e';

const at = (spaceId: string) => ({ params: { spaceId } });
const read = (person: Person, spaceId: string) => person.call('getSpace', at(spaceId));
const write = (person: Person, spaceId: string, field: string, value: string | object | null) =>
  person.call('writeSpace', { ...at(spaceId), body: { writes: [{ field, value: value as string }] } });
const until = (person: Person, spaceId: string, field: string, value: unknown) =>
  waitFor(async () => {
    const found = (await read(person, spaceId)).fields.find((one) => one.field === field);
    if (JSON.stringify(found?.value) !== JSON.stringify(value)) throw new Error(JSON.stringify(found));
    return found!;
  });

async function tripOf({ ann, bob }: Story): Promise<string> {
  const body = { name: `Rome ${canary}`, people: [{ with: '@bob', may: 'write-own-fields' as const }] };
  const { id, people } = await ann.call('createSpace', { body });
  expect(people.map(({ name, may, isMe }) => [name, may, isMe])).toEqual([
    ['ann', 'full-write', true],
    ['bob', 'write-own-fields', false],
  ]);
  await waitFor(() => read(bob, id));
  return id;
}

test('[A2C-33] [SYS-6] two people write a space; permissions and tiers hold, and the hub has none of its words', async () => {
  const story = await startStory();
  const { ann, bob, general } = story;
  const id = await tripOf(story);
  await write(ann, id, 'hotel', `Astoria ${canary}`);
  expect(await until(bob, id, 'hotel', `Astoria ${canary}`)).toMatchObject({ mayWrite: false, version: 1, earlier: [] });
  for (const [field, message] of [
    ['hotel', 'you may not write hotel'],
    ['ann.train', 'you may not write ann.train'],
  ] as const) {
    const { status, body } = await bob.ask('writeSpace', { ...at(id), body: { writes: [{ field, value: 'x' }] } });
    expect([status, body.error?.message]).toEqual([409, expect.stringContaining(message)]);
  }
  await ann.call('setPeerField', { body: { field: 'health_info', value: 'asthma since 2019' } });
  await ann.call('setPeerField', { body: { field: 'dietary', value: 'vegan since May' } });
  expect((await read(ann, id)).heldBack).toEqual([
    { field: 'health_info', tier: 'never_share' },
    { field: 'dietary', tier: 'ask_first' },
  ]);
  const refused = await ann.ask('writeSpace', { ...at(id), body: { writes: [{ field: 'notes', value: 'I have asthma since 2019' }] } });
  expect([refused.status, refused.body.error?.message]).toEqual([409, expect.stringContaining('health_info is never shared')]);

  // Somebody changes what ann wrote: it concerns her.
  await write(bob, id, 'bob.flight', 'BA 548');
  await until(ann, id, 'bob.flight', 'BA 548');
  await write(ann, id, 'bob.flight', 'BA 549');
  await until(bob, id, 'bob.flight', 'BA 549');
  expect((await read(bob, id)).changes).toMatchObject([
    { field: 'hotel', reason: null },
    { field: 'bob.flight', reason: 'yours' },
  ]);
  await bob.call('seeSpace', at(id));
  expect(await bob.call('listSpaces', {})).toMatchObject({ spaces: [{ id, unseen: 0 }] });

  // Linked to a channel: the hub's message waits for the quiet; the others read where their words would go.
  const linked = await ann.call('linkSpace', { ...at(id), body: { conversationId: general } });
  expect(linked.channel).toMatchObject({ conversationId: general, audience: expect.stringContaining('#general') });
  const field = await until(bob, id, 'ann.posts_to', linked.channel!.audience);
  expect(field.by).toBe('agent:ann@localhost');
  expect((await read(bob, id)).audiences).toEqual([{ audience: linked.channel!.audience, by: field.by, agreed: [field.by] }]);
  await write(bob, id, 'bob.flight', `late ${canary}`);
  await until(ann, id, 'bob.flight', `late ${canary}`);
  await story.restart();
  await waitFor(async () => expect(await story.bodies()).toContainEqual(expect.stringMatching(/has \d changes?/)));
  expect((await story.bodies()).join('\n')).not.toContain(`late ${canary}`);

  await bob.call('leaveSpace', at(id));
  expect((await bob.ask('getSpace', at(id))).status).toBe(404);
  await waitFor(async () => expect((await read(ann, id)).people.find(({ isMe }) => !isMe)).toMatchObject({ isGone: true }));
  await write(ann, id, 'hotel', 'Ritz');
  expect(await bob.call('listSpaces', {})).toEqual({ spaces: [] });
  // A guess at somebody else's space is answered as one that is not there.
  expect((await story.kit.owner.ask('getSpace', at(id))).status).toBe(404);
  const rows = await story.kit.hub.kernel.store.rows('spaces', {});
  expect(rows.map(({ member_id }) => member_id)).toEqual([ann.id]);
  expect(JSON.stringify([rows, await story.kit.hub.kernel.store.rows('facts', {})])).not.toContain(canary);
});

test('[A2C-33] a link is read on a tap, with a server of one’s own, and by nobody else', async () => {
  const story = await startStory();
  const { ann, bob } = story;
  const reads: string[] = [];
  const plan = () => {
    reads.push('plan');
    return `the plan ${canary} ${'x'.repeat(30_000)}`;
  };
  const door = await startOwnTools('drive', {}, { 'file:///plan.md': plan });
  onTestFinished(() => door.stop());
  await story.kit.owner.call('setToolServer', { params: { name: 'drive' }, body: { url: door.url, owner: '@ann' } });
  const id = await tripOf(story);
  await write(ann, id, 'plan', { name: 'Plan', uri: 'file:///plan.md', server: 'drive' });
  await until(bob, id, 'plan', { name: 'Plan', uri: 'file:///plan.md', server: 'drive' });
  expect(reads).toEqual([]);
  const body = { field: 'plan', at: 0 };
  expect(await ann.call('openSpaceLink', { ...at(id), body })).toMatchObject({
    server: 'drive',
    mediaType: 'text/plain',
    text: expect.stringContaining(`the plan ${canary}`),
    isCut: true,
  });
  // A link never uses a server of somebody else's.
  const refused = await bob.ask('openSpaceLink', { ...at(id), body });
  expect([refused.status, refused.body.error?.message]).toEqual([409, expect.stringContaining('nothing was read')]);
  const unknown = await ann.ask('openSpaceLink', { ...at(id), body: { ...body, field: 'hotel' } });
  expect([unknown.status, unknown.body.error?.message]).toEqual([404, 'hotel holds no such link.']);
  await write(ann, id, 'plan', { name: 'Gone', uri: 'file:///gone.md' });
  const gone = await ann.ask('openSpaceLink', { ...at(id), body });
  expect([gone.status, gone.body.error?.message]).toEqual([503, expect.stringContaining('drive could not read it')]);
  expect(reads).toEqual(['plan']);
  // Bob's peer has the link, and not what it points at.
  const files = await Promise.all([story.folder].map((folder) => readFile(join(folder, 'hub.db')).catch(() => Buffer.alloc(0))));
  expect(Buffer.concat(files).includes(`the plan ${canary}`)).toBe(false);
});
