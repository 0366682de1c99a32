import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChildHub, type Cluster, Ear, onEveryEngine, type Person, readAll, startPostgres } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SmallDisk, smallDisk } from '../kit/small-disk.ts';

onEveryEngine('a full disk', (engine) => {
  let cluster: Cluster | undefined;
  let disk: SmallDisk;
  let hub: ChildHub;
  let ann: Person;
  let general: string;
  beforeAll(async () => {
    // A cluster of its own: a full disk is everyone's in it, as checkpoints write for all databases.
    if (engine === 'postgres') cluster = await startPostgres();
    disk = await smallDisk(cluster?.url);
    hub = new ChildHub({ ground: disk, ...disk.spawn });
    await hub.start();
    ann = await hub.person('ann', 'owner');
    general = (await ann.call('listConversations', { query: {} })).conversations[0]!.id;
  });
  afterAll(async () => {
    await hub.end();
    await disk.remove();
    await cluster?.stop();
  });

  /** Text that no engine can pack. */
  const said: string[] = [];
  const post = async (size: number) => {
    const body = randomBytes(size).toString('base64').slice(0, size);
    const answer = await ann.ask('postMessage', { params: { conversationId: general }, body: { body } });
    if (answer.status === 200) said.push(body);
    return answer;
  };
  const upload = (content: Uint8Array<ArrayBuffer>) =>
    fetch(new URL('/api/v1/attachments?name=file.bin', ann.url), {
      method: 'POST',
      body: content,
      headers: { authorization: `Bearer ${ann.token}`, 'content-type': 'application/octet-stream' },
    });
  const history = async () => {
    const bodies: (string | null)[] = [];
    for (let after = 0, more = true; more;) {
      const page = await ann.call('listMessages', { params: { conversationId: general }, query: { after, limit: 200 } });
      bodies.push(...page.messages.map((message) => message.body));
      after = page.messages.at(-1)?.seq ?? after;
      more = page.moreAfter;
    }
    return bodies;
  };

  test('[SYS-4] what does not fit is refused and not stored; reads and streams go on; with room again, so do writes', async () => {
    for (let i = 0; i < 5; i++) expect((await post(1000)).status).toBe(200);
    const bob = await hub.person('bob');
    const { cursor } = await bob.call('getSession', {});
    const listening = new Ear(bob);
    await listening.ready();
    const { token: spare } = await ann.call('createToken', { body: { kind: 'person', label: 'spare' } });

    await disk.fill(hub);
    // What the database had set aside may still take a little.
    let refused = await post(50_000);
    for (let i = 0; i < 500 && refused.status === 200; i++) refused = await post(50_000);
    expect(refused).toMatchObject({ status: 507, body: { error: { code: 'storage_full' } } });

    // Many at once, so that whole groups fail: each is told, none is stored.
    const many = await Promise.all(Array.from({ length: 20 }, () => post(50_000)));
    expect(new Set(many.map(({ status }) => status))).toEqual(new Set([507]));
    const uploaded = await upload(randomBytes(200_000));
    expect([uploaded.status, ((await uploaded.json()) as { error: { code: string } }).error.code]).toEqual([507, 'storage_full']);
    const blobs = await readdir(join(disk.seen(hub), 'blobs')).catch(() => []);
    expect(blobs.filter((name) => name.startsWith('incoming'))).toEqual([]);

    expect(await history()).toEqual(said);
    expect((await ann.ask('getMember', { params: { memberId: bob.id } })).status).toBe(200);
    const late = new Ear(bob, cursor);
    await late.ready();
    late.close();
    expect(listening.closeCode).toBeUndefined();

    await disk.free(hub);
    expect((await post(50_000)).status).toBe(200);
    expect((await upload(randomBytes(200_000))).status).toBe(200);
    await ann.call('revokeToken', { params: { tokenId: spare.id } });
    await listening.fact('message.posted', (fact) => fact.data.message.body === said.at(-1));
    const heard = listening.facts().flatMap((fact) => (fact.type === 'message.posted' ? [fact.data.message.body] : []));
    expect(heard).toEqual(said.slice(5));
    expect(await history()).toEqual(said);
    listening.close();
  });

  test('[SYS-4] nothing half-stored is left behind: numbers and chain have no gap', async () => {
    // A copy, taken while the hub stands still: SQLite does not open a file in another process's view of the disks.
    const copy = await mkdtemp(join(tmpdir(), 'parley-copy-'));
    process.kill(hub.pid, 'SIGSTOP');
    await cp(disk.seen(hub), copy, { recursive: true });
    process.kill(hub.pid, 'SIGCONT');
    const { facts, messages } = await readAll({ dataDir: copy, databaseUrl: disk.databaseUrl });
    await rm(copy, { recursive: true });
    expect(messages.map(({ body }) => body)).toEqual(said);
    expect(facts.map(({ seq }) => seq)).toEqual(facts.map((_, i) => i + 1));
    expect(facts.map(({ prev }) => prev)).toEqual(facts.map((_, i) => facts[i - 1]?.sum ?? ''));
    expect(facts.filter(({ type }) => type === 'message.posted')).toHaveLength(messages.length);
  });
});
