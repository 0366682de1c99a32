// PostgreSQL commits, and the connection breaks before it can say so. The hub cannot know; what it must not do is run
// the same commands again by itself, because then they happen twice.

import { createServer, connect, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { freshDatabase, type Person, startTestHub } from '@parley/testkit';
import { expect, inject, test } from 'vitest';

/** Passes bytes on, and swallows the answer to the next commit that stored something. */
async function forgetfulWire(
  target: URL,
): Promise<{ url: (database: string) => string; forgetNext: () => void; close: () => Promise<void> }> {
  let forgetting = false;
  const open = new Set<{ destroy(): void }>();
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const end of [near, far]) {
      open.add(end);
      end.on('error', () => {});
      end.on('close', () => (near.destroy(), far.destroy()));
    }
    let stored = false;
    near.on('data', (bytes) => {
      if (bytes.includes('insert into facts')) stored = true;
      far.write(bytes);
    });
    far.on('data', (bytes) => {
      // The command tag of a commit in the server's answer.
      if (forgetting && stored && bytes.includes('COMMIT\0')) {
        forgetting = false;
        near.destroy();
      } else near.write(bytes);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: (database) => Object.assign(new URL(database), { port: String(port) }).href,
    forgetNext: () => (forgetting = true),
    close: async () => {
      for (const end of open) end.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

test('[SYS-4] a commit whose answer is lost is not made again: who asked is told, and a repeat under the key is answered', async () => {
  const wire = await forgetfulWire(new URL(inject('postgresUrl')));
  const database = await freshDatabase(inject('postgresUrl'));
  const kit = await startTestHub('postgres', {}, { PARLEY_DATABASE_URL: wire.url(database.url), PARLEY_LOG: 'silent' });
  try {
    const people = await Promise.all(['a', 'b', 'c'].map((handle) => kit.person(handle)));
    const conversationId = await kit.general();
    const post = (person: Person, key: string) =>
      person.ask('postMessage', { params: { conversationId }, body: { body: person.handle } }, { 'idempotency-key': key });
    const bodies = async () =>
      (await kit.owner.call('listMessages', { params: { conversationId }, query: {} })).messages
        .map((message) => message.body ?? '')
        .sort((a, b) => a.localeCompare(b));

    // Given to the engine at once, so that they share a group: only a group would be tried again one by one.
    const { auth, engine, indexer } = kit.hub.kernel;
    const principals = await Promise.all(people.map((person) => auth.principal(person.token)));
    // The search index commits too: it must be done, or its answer is the one that gets lost.
    await indexer.settled();
    wire.forgetNext();
    const outcomes = await Promise.allSettled(
      principals.map((principal, i) =>
        engine.submit({ type: 'message.post', by: principal!.by, conversationId, body: people[i]!.handle, attachmentIds: [] }),
      ),
    );
    expect(outcomes).toMatchObject(people.map(() => ({ status: 'rejected', reason: { code: 'unavailable' } })));
    expect(await bodies()).toEqual(['a', 'b', 'c']);

    await indexer.settled();
    wire.forgetNext();
    const [ann] = people;
    expect((await post(ann!, 'once')).body.error?.code).toBe('unavailable');
    expect((await post(ann!, 'once')).status).toBe(200);
    expect(await bodies()).toEqual(['a', 'a', 'b', 'c']);
  } finally {
    await kit.stop();
    await wire.close();
    await database.drop();
  }
});
