// Nobody passes for another, and nobody learns from a refusal what they may not see.

import { connect } from 'node:net';
import { onBothEngines, type Person, hubFor, makeOnce } from '@parley/testkit';
import { describe, expect, test, vi } from 'vitest';
import { workLimits } from '../../../src/engine/limits.ts';
import { invitedBy } from '../../kit/invitations.ts';
import { tamper } from '../../kit/backup.ts';
import { startProvoke } from '../../kit/provoke-runs.ts';

onBothEngines('names and what refusals reveal', (engine) => {
  const kit = hubFor(engine, { limits: { ...workLimits, uploadBytes: 1000 } });
  const ann = makeOnce(() => kit.person('ann'));
  const guest = makeOnce(() => kit.person('gus', 'guest'));

  const rename = (who: Person, displayName: string) => who.ask('editMember', { params: { memberId: who.id }, body: { displayName } });
  const addAgent = (handle: string, displayName = 'Bot') => ann.ask('addMember', { body: { kind: 'agent', handle, displayName } });

  describe('display names', () => {
    test.each([
      ['zero-width characters', '\u200B\u200D'],
      ['a zero-width character inside', 'An\u200Bn'],
      ['tag characters', 'Ann\u{E0041}'],
      ['a Hangul filler', '\u3164'],
      ['a Braille blank', '\u2800'],
      ['a soft hyphen', 'An\u00ADn'],
      ['a variation selector after a letter', 'Ann\uFE0F'],
      ['a blank of music', '\u{1D159}'],
      ['a blank hieroglyph', '\u{13441}'],
    ])('[C2A-29] %s are refused', async (_what, name) => {
      const refused = await rename(guest, name);
      expect([refused.status, refused.body.error?.problems]).toEqual([
        400,
        [{ field: 'displayName', message: 'must not contain invisible characters' }],
      ]);
    });

    test.each(['\u0300', '\u20E3', `A${'\u0300'.repeat(9)}nn`])(
      '[C2A-29] accents with no letter, or in a pile, are refused (%#)',
      async (name) => {
        const message = 'must not consist of accents, nor pile them up';
        expect((await rename(guest, name)).body.error?.problems).toEqual([{ field: 'displayName', message }]);
      },
    );

    test.each(['Ann ❤️', 'Zoë 👩‍💻', 'Мария', '田中', 'Jürgen', 'นี่', 'नमस्ते', 'Анна Smith', 'Ω Lee', 'Parley Pratt', 'The Operators'])(
      '[C2A-29] %s is a name',
      async (name) => {
        expect((await rename(guest, name)).status).toBe(200);
      },
    );

    test.each(['@olga', '^ORAC', '＠olga', '＾ORAC'])('[C2A-29] %s is a call, and no name', async (name) => {
      const refused = await rename(guest, name);
      expect(refused.body.error?.problems).toEqual([{ field: 'displayName', message: 'must not begin with @ or ^' }]);
    });

    test.each(['Pаul', 'Αnna', 'Bоb Ross'])('[C2A-29] %s mixes alphabets in one word, and is refused', async (name) => {
      const message = 'must not mix Latin letters with those of another alphabet in one word';
      expect((await rename(guest, name)).body.error?.problems).toEqual([{ field: 'displayName', message }]);
    });

    test.each([
      'ꓑarley',
      'Parley',
      'PARLEY',
      'Раrlеy',
      'Ｐarley',
      'System',
      'P arley',
      'Parley.',
      'Parley ✓',
      'The Platform',
      'Parley (System)',
      'Parley Bot',
    ])('[C2A-29] %s is the platform’s', async (name) => {
      const reserved = [{ field: 'displayName', message: 'is reserved: the platform speaks under it' }];
      expect((await rename(guest, name)).body.error?.problems).toEqual(reserved);
      expect((await addAgent('fresh', name)).body.error?.problems).toEqual(reserved);
    });
  });

  test.each(['general\u3164', '\u115F', '\u{13441}'])('[C2A-29] a channel’s name holds nothing invisible (%#)', async (name) => {
    const refused = await ann.ask('createChannel', { body: { name } });
    expect(refused.body.error?.problems).toEqual([{ field: 'name', message: 'must not contain invisible characters' }]);
  });

  describe('handles', () => {
    test('[PAP-18] [SYS-11] one that looks like another’s is taken, and free again for an admin when that one is renamed', async () => {
      const orac = (await addAgent('OTTO')).body;
      for (const handle of ['0TTO', 'otto', 'ott0', '0RAC', '5TEF', '5tef'])
        expect((await addAgent(handle)).body.error?.code).toBe('handle_taken');
      const role = await kit.owner.call('addRole', { body: { handle: 'oncall', about: '', holderIds: [] } });
      expect((await addAgent('0nca11')).body.error?.code).toBe('handle_taken');
      expect((await kit.owner.ask('addRole', { body: { handle: '0TT0', about: '', holderIds: [] } })).body.error?.code).toBe(
        'handle_taken',
      );
      // Its own may be written otherwise.
      await ann.call('editMember', { params: { memberId: orac.id }, body: { handle: '0tto' } });
      await ann.call('editMember', { params: { memberId: orac.id }, body: { handle: 'zen' } });
      await kit.owner.call('removeRole', { params: { roleId: role.id } });
      for (const handle of ['0TTO', '0nca11']) {
        expect((await addAgent(handle)).body.error?.code).toBe('handle_taken');
        const body = { kind: 'agent', handle, displayName: 'x' } as const;
        expect((await kit.owner.ask('addMember', { body })).status).toBe(200);
      }
    });

    test('[PAP-18] members and team roles of before are compared, too', async () => {
      await kit.person('moll');
      await kit.owner.call('addRole', { body: { handle: 'lookout', about: '', holderIds: [] } });
      await tamper(kit.ground, 'delete from handle_skeletons');
      await kit.restart();
      for (const handle of ['mo11', '100k0ut']) expect((await addAgent(handle)).body.error?.code).toBe('handle_taken');
    });

    test('[PAP-18] the platform’s are nobody’s', async () => {
      expect((await addAgent('Par1ey')).body.error?.problems).toEqual([
        { field: 'handle', message: 'is reserved: the platform speaks under it' },
      ]);
    });
  });

  describe('refusals reveal nothing', () => {
    test('[SYS-11] a guest learns of no other member by changing nothing', async () => {
      const stranger = { params: { memberId: '01890000-0000-7000-8000-000000000000' } };
      const other = { params: { memberId: ann.id } };
      const acts: [string, (at: typeof other) => Promise<{ status: number; body: unknown }>][] = [
        ['edit', (at) => guest.ask('editMember', { ...at, body: {} })],
        ['rename', (at) => guest.ask('editMember', { ...at, body: { displayName: 'x' } })],
        ['deactivate', (at) => guest.ask('deactivateMember', at)],
        ['reactivate', (at) => guest.ask('reactivateMember', at)],
        ['erase', (at) => guest.ask('eraseMember', at)],
        ['export', (at) => guest.ask('exportMember', at)],
        ['see', (at) => guest.ask('getMember', at)],
      ];
      for (const [name, act] of acts) {
        const [known, unknown] = [await act(other), await act(stranger)];
        expect([known.status, known.body], name).toEqual([404, unknown.body]);
      }
      expect((await guest.ask('editMember', { params: { memberId: guest.id }, body: {} })).status).toBe(200);
    });

    test('[SYS-11] a guest cannot try out handles: an owner or admin renames them', async () => {
      const take = (who: Person, handle: string) => who.ask('editMember', { params: { memberId: guest.id }, body: { handle } });
      const [taken, free] = [await take(guest, 'ann'), await take(guest, 'nobody-has-it')];
      expect([taken.status, taken.body]).toEqual([403, free.body]);
      expect((await take(kit.owner, 'renamed-guest')).status).toBe(200);
    });

    test('[SYS-11] a hidden thing and a missing one are refused in the same words', async () => {
      const hidden = await kit.owner.call('createChannel', { body: { name: 'board', visibility: 'private' } });
      const said = await kit.owner.post(hidden.id, 'secret');
      const late = await kit.owner.call('createChannel', { body: { name: 'late', visibility: 'private', history: 'joined' } });
      const early = await kit.owner.post(late.id, 'before ann came');
      await kit.owner.call('addToConversation', { params: { conversationId: late.id }, body: { memberId: ann.id } });
      const [noCon, noMsg] = ['con_00000000000000000000000000', 'msg_00000000000000000000000000'];
      const acts: [string, (conversationId: string, messageId: string) => Promise<{ status: number; body: unknown }>][] = [
        ['read', (conversationId) => ann.ask('getConversation', { params: { conversationId } })],
        ['history', (conversationId) => ann.ask('listMessages', { params: { conversationId }, query: {} })],
        ['post', (conversationId) => ann.ask('postMessage', { params: { conversationId }, body: { body: 'x' } })],
        ['edit', (conversationId) => ann.ask('editConversation', { params: { conversationId }, body: { topic: 'x' } })],
        ['message', (_, messageId) => ann.ask('getMessage', { params: { messageId } })],
        ['change', (_, messageId) => ann.ask('editMessage', { params: { messageId }, body: { body: 'x', version: 1 } })],
        ['react', (_, messageId) => ann.ask('addReaction', { params: { messageId, emoji: '👍' } })],
        ['explain', (_, messageId) => ann.ask('explainMessage', { params: { messageId }, query: {} })],
        ['versions', (_, messageId) => ann.ask('listVersions', { params: { messageId }, query: {} })],
        ['assign', (_, messageId) => ann.ask('assignMessage', { params: { messageId }, body: { memberId: ann.id } })],
        ['mark', (conversationId) => ann.ask('markRead', { params: { conversationId }, body: { seq: 1 } })],
        ['thread', (_, messageId) => ann.ask('openThread', { params: { messageId } })],
      ];
      for (const [name, act] of acts) {
        const [known, unknown] = [await act(hidden.id, said.id), await act(noCon, noMsg)];
        expect([known.status, known.body], name).toEqual([404, unknown.body]);
        const cutOff = await act(noCon, early.id);
        expect([cutOff.status, cutOff.body], name).toEqual([404, unknown.body]);
      }
    });
  });

  test('[SYS-14] a member keeps as many bytes of files as the quota says', async () => {
    const upload = async (bytes: number, token = ann.token) =>
      fetch(`${kit.url}/api/v1/attachments?name=a.bin`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
        body: new Uint8Array(bytes),
      });
    expect((await upload(900)).status).toBe(200);
    const over = await upload(200);
    expect([over.status, await over.json()]).toMatchObject([413, { error: { code: 'too_large', reason: 'upload_quota' } }]);
    // What was refused is not left on the disk.
    expect(await kit.hub.kernel.blobs.list()).toHaveLength(1);
    const last = await upload(100);
    expect(last.status).toBe(200);
    // A deleted message makes room; files that were there before totals were stored are counted.
    const { id } = (await last.json()) as { id: string };
    const message = await ann.call('postMessage', {
      params: { conversationId: await kit.general() },
      body: { body: 'file', attachmentIds: [id] },
    });
    expect((await upload(50)).status).toBe(413);
    await ann.call('deleteMessage', { params: { messageId: message.id } });
    expect((await upload(50)).status).toBe(200);
    await tamper(kit.ground, 'delete from upload_totals');
    expect((await upload(51)).status).toBe(413);
    // Nobody gets a second quota by inviting themselves.
    expect((await upload(51, (await invitedBy(ann, 'sock')).token)).status).toBe(413);
    expect((await upload(50)).status).toBe(200);
  });

  test('[SYS-11] an upgrade to a path that is none is refused without a line in the log', async () => {
    const { port } = new URL(kit.url);
    const logged = vi.spyOn(kit.hub.app.log, 'error');
    const first = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1', () => {
        socket.write(
          `GET // HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
        );
      });
      let text = '';
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
      socket.on('close', () => resolve(text));
      socket.on('error', reject);
    });
    expect(first).toMatch(/^HTTP\/1\.1 400 /);
    expect(logged).not.toHaveBeenCalled();
    logged.mockRestore();
  });
});

test('[PRV-2] [PAP-18] a manifest whose id is reserved, or looks like a handle, gets an agent of another name', async () => {
  const world = await startProvoke('sqlite');
  for (const id of ['system', '0rac']) {
    await world.put('manifest', { id, risk_level: 'low' });
    await world.put('trigger', { id: `on-${id}`, agent: id, match: { type: `host.${id}.full` } });
    const answer = await world.emit({ type: `host.${id}.full` });
    await world.settled();
    if (!('triggers' in answer)) throw new Error('several');
    expect((await world.invocation(answer.triggers[0]!.invocationId!)).state).toBe('completed');
  }
  const { members } = await world.owner.call('listMembers', { query: {} });
  expect(members.map(({ handle }) => handle)).toEqual(expect.arrayContaining(['system-2', '0rac-2']));
  await world.stop();
});
