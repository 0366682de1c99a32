import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openExisting } from '@parley/hub';
import { freshGround, onEveryEngine, startTestHub } from '@parley/testkit';
import { expect, test } from 'vitest';
import { platform } from '../../src/engine/command.ts';
import { summer } from '../../src/store/checksum.ts';
import type { AnyRow } from '../../src/store/tables.ts';
import { Wire } from '../kit/agent-wire.ts';
import { dump, filesIn, fill, placeOf, problemsIn, tamper } from '../kit/backup.ts';

onEveryEngine('verify', (engine) => {
  test('[SYS-15] a byte flipped in a stored row is found by verify, and by whoever reads it', async () => {
    const source = await startTestHub(engine);
    await fill(source);
    const general = await source.general();
    expect(await problemsIn(source.ground)).toEqual([]);
    const { id } = await source.owner.post(general, 'flip me');
    await tamper(source.ground, `update messages set body = 'flip mf' where id = '${id}'`);
    expect(await problemsIn(source.ground)).toEqual([{ where: `messages ${id}`, what: 'does not match its checksum' }]);
    expect(await source.owner.ask('getMessage', { params: { messageId: id } })).toMatchObject({
      status: 500,
      body: { error: { code: 'corrupt' } },
    });
    await tamper(source.ground, `update messages set body = 'flip me' where id = '${id}'`);
    expect(await problemsIn(source.ground)).toEqual([]);
    await source.stop();
  });

  test('[SYS-15] rows that were taken out or put in are missed', async () => {
    const source = await startTestHub(engine);
    await fill(source);
    const { ground } = source;
    const rows = await dump(ground);
    const fact = rows['facts']!.find((row) => row['type'] === 'message.edited')!;
    const posted = rows['facts']!.findLast((row) => row['type'] === 'message.posted')!;
    await source.hub.stop();
    await tamper(ground, `delete from facts where seq = ${fact['seq']}`);
    expect(await problemsIn(ground)).toEqual([
      { where: `facts ${Number(fact['seq']) + 1}`, what: `follows fact ${Number(fact['seq']) - 1}: 1 missing in between` },
      { where: 'facts', what: expect.stringContaining('1 was removed') as string },
    ]);
    await tamper(ground, `delete from messages where id = '${posted['subject_id']}'`);
    expect(await problemsIn(ground)).toContainEqual({ where: `message ${posted['subject_id']}`, what: 'was posted and is not there' });
    // The newest fact leaves no gap in the chain; the message it tells of gives it away.
    await tamper(ground, `delete from facts where seq >= (select min(seq) from messages)`);
    const found = await problemsIn(ground);
    expect(found.filter(({ what }) => what === 'has no fact that says it was posted')).toHaveLength(rows['messages']!.length - 1);
    await tamper(ground, 'delete from conversations');
    expect(await problemsIn(ground)).toContainEqual({
      where: expect.stringMatching(/^message msg_/),
      what: 'is in a conversation that is not there',
    });
    await ground.clear();
  });

  test('[SYS-15] rows that facts tell of are missed, and rows from before a fact are noticed', async () => {
    const source = await startTestHub(engine);
    const { ground, owner } = source;
    const ann = await source.person('ann');
    const room = await ann.call('createChannel', { body: { name: 'room' } });
    const message = await ann.post(room.id, 'first');
    const { token: made } = await owner.call('createToken', { body: { kind: 'person', memberId: owner.id, label: 'old' } });
    const tokenId = made.id;
    const before = await dump(ground);
    await ann.call('editMessage', { params: { messageId: message.id }, body: { body: 'second' } });
    await owner.call('editMember', { params: { memberId: ann.id }, body: { role: 'guest' } });
    await owner.call('revokeToken', { params: { tokenId } });
    const ids = ['messages', 'members', 'tokens'].map((table) =>
      before[table]!.find(({ id }) => [message.id, ann.id, tokenId].includes(id as string))!,
    );
    await source.hub.stop();
    expect(await problemsIn(ground)).toEqual([]);
    const put = (table: string, { id, ...row }: AnyRow, columns: string[]) =>
      tamper(
        ground,
        `update ${table} set ${columns.map((c) => `${c} = ${row[c] === null ? 'null' : typeof row[c] === 'number' ? row[c] : `'${String(row[c])}'`}`).join(', ')} where id = '${String(id)}'`,
      );
    const [old, member, token] = ids as [AnyRow, AnyRow, AnyRow];
    await put('messages', old, ['body', 'version', 'edited_at', 'sum']);
    await put('members', member, ['role', 'sum']);
    await put('tokens', token, ['revoked_at', 'sum']);
    await tamper(ground, `delete from memberships where conversation_id = '${room.id}'`);
    const restored = expect.stringContaining('an earlier version was put back') as string;
    expect(await problemsIn(ground)).toEqual([
      { where: 'members', what: restored },
      { where: 'memberships', what: expect.stringContaining('1 was removed') as string },
      { where: 'messages', what: restored },
      { where: 'tokens', what: restored },
      { where: `membership ${room.id}/${ann.id}`, what: 'was added and is not there' },
    ]);
    await ground.clear();
  });

  test('[SYS-15] a role that somebody changed is noticed, whatever its checksum says', async () => {
    const source = await startTestHub(engine);
    const { ground } = source;
    const ann = await source.person('ann');
    await source.hub.stop();
    const { store, key } = await openExisting(ground);
    const [row] = await store.rows('members', { id: ann.id });
    await store.close();
    const sum = summer(key)('members', { ...row, role: 'owner' });
    expect(await problemsIn(ground)).toEqual([]);
    await tamper(ground, `update members set role = 'owner', sum = '${sum}' where id = '${ann.id}'`);
    expect(await problemsIn(ground)).toMatchObject([{ where: 'members' }]);
    await ground.clear();
  });

  test('[SYS-15] taints and approvals that were deleted are missed', async () => {
    const source = await startTestHub(engine);
    const { ground, owner, operator } = source;
    const [ann, bob, agent] = [await source.person('ann'), await source.person('bob'), await source.agent('READER')];
    const { id: room } = await ann.call('createChannel', { body: { name: 'room' } });
    for (const { id } of [bob, agent]) await ann.call('addToConversation', { params: { conversationId: room }, body: { memberId: id } });
    await bob.post(room, 'read me');
    const wire = await Wire.hello(agent);
    await ann.post(room, '^READER look');
    const { event } = await wire.event('task');
    await wire.call('read.history', { taskId: event.task.id });
    await wire.close();
    const put = (kind: 'manifest' | 'trigger', object: { id: string } & Record<string, unknown>) =>
      owner.call('putProvoke', { params: { kind, id: object.id }, body: { version: 0, object } });
    await put('manifest', { id: 'risky', risk_level: 'high' });
    await put('trigger', { id: 'asks', agent: 'risky', match: { type: 'test.asks.first' } });
    const happened = { pap_version: '0.2', id: 'e1', source: 'test', type: 'test.asks.first', time: '2026-03-11T06:00:00Z', data: {} };
    await operator.call('emitEvent', { body: happened as never });
    await source.hub.kernel.runner.settled();
    await source.hub.stop();
    expect(await problemsIn(ground)).toEqual([]);
    const [approval] = (await dump(ground))['approvals']!;
    expect((await dump(ground))['taints']!.map((row) => row['task_id'])).toContain(event.task.id);
    const told = async () => (await problemsIn(ground)).map(({ where }) => where);
    await tamper(ground, `delete from taints where task_id = '${event.task.id}'`);
    expect(await told()).toEqual(['taints']);
    await tamper(ground, `delete from approvals where id = '${String(approval!['id'])}'`);
    expect(await told()).toEqual(expect.arrayContaining(['taints', 'approvals', `approval ${String(approval!['id'])}`]));
    await tamper(ground, 'delete from checkpoints');
    expect(await told()).toContain(`checkpoint ${String(approval!['id'])}`);
    await ground.clear();
  });

  test('[SYS-15] earlier versions of links, identities, contact rules and triggers are noticed', async () => {
    const source = await startTestHub(engine);
    const { ground, owner } = source;
    const [bot, other, third] = [await source.agent('BOT'), await source.agent('OTHER'), await source.agent('THIRD')];
    const { identity } = await owner.call('getIdentity', { params: { memberId: bot.id } });
    const write = (version: number, mode: 'strict' | 'autonomous') =>
      owner.call('putIdentity', { params: { memberId: bot.id }, body: { ...identity, version, mode } });
    const rule = (permission: 'allow' | 'deny', target: string = other.id) =>
      owner.call('setContactRule', { params: { memberId: bot.id, target }, body: { permission, requiresApproval: false } });
    const trigger = (version: number, enabled: boolean) =>
      owner.call('putProvoke', {
        params: { kind: 'trigger', id: 'disks' },
        body: { version, object: { id: 'disks', agent: 'nobody', match: { type: 'host.disk.full' }, enabled } },
      });
    const { id: linkId } = await owner.call('createInvitation', { body: {} });
    await write(0, 'autonomous');
    await rule('allow');
    await rule('deny', '*');
    await trigger(0, true);
    const before = await dump(ground);
    await write(1, 'strict');
    await rule('deny');
    await trigger(1, false);
    await owner.call('revokeInvitation', { params: { linkId } });
    // Cleared is not missed.
    await rule('deny', third.id);
    await owner.call('clearContactRule', { params: { memberId: bot.id, target: third.id } });
    await source.hub.stop();
    expect(await problemsIn(ground)).toEqual([]);
    const was = (table: string, fits: (row: AnyRow) => boolean) => before[table]!.find(fits)!;
    const put = (table: string, row: AnyRow, columns: string[], where: string) =>
      tamper(
        ground,
        `update ${table} set ${columns.map((c) => `${c} = ${row[c] === null ? 'null' : typeof row[c] === 'number' ? row[c] : `'${String(row[c])}'`}`).join(', ')} where ${where}`,
      );
    await put(
      'links',
      was('links', ({ id }) => id === linkId),
      ['used_at', 'sum'],
      `id = '${linkId}'`,
    );
    await put(
      'identities',
      was('identities', ({ agent_id }) => agent_id === bot.id),
      ['version', 'mode', 'data', 'at', 'sum'],
      `agent_id = '${bot.id}'`,
    );
    await put(
      'contact_rules',
      was('contact_rules', ({ target }) => target === other.id),
      ['permission', 'at', 'sum'],
      `target = '${other.id}'`,
    );
    await put(
      'provoke_objects',
      was('provoke_objects', ({ id }) => id === 'disks'),
      ['version', 'enabled', 'body', 'at', 'sum'],
      `id = 'disks'`,
    );
    await tamper(ground, `delete from contact_rules where target = '*'`);
    expect((await problemsIn(ground)).map(({ where }) => where).toSorted()).toEqual([
      'contact_rules',
      'identities',
      'links',
      'provoke_objects',
    ]);
    await ground.clear();
  });

  test('[SYS-15] emptied tables of work and settings are missed, and a secret’s old host is noticed', async () => {
    const source = await startTestHub(engine);
    const { ground, owner } = source;
    await fill(source);
    const [ann, agent] = [await source.person('ann'), await source.agent('READER')];
    const room = await source.general();
    await owner.call('addToConversation', { params: { conversationId: room }, body: { memberId: agent.id } });
    await owner.post(room, '^READER look');
    await source.hub.kernel.scheduler.settled();
    const block = { params: { memberId: agent.id, blockedId: ann.id } };
    await owner.call('blockMember', block);
    await owner.call('unblockMember', block);
    await owner.call('blockMember', block);
    const server = (url: string) => owner.call('setToolServer', { params: { name: 'files' }, body: { url } });
    await server('https://one.example/mcp');
    const bind = (host: string) => owner.call('bindSecret', { params: { name: 'key' }, body: { hosts: [host] } });
    await owner.call('setSecret', { params: { name: 'key' }, body: { value: 'abc', hosts: ['old.example'] } });
    const before = await dump(ground);
    await bind('new.example');
    await server('https://two.example/mcp');
    // Removed on purpose is not missed.
    await owner.call('setSecret', { params: { name: 'gone' }, body: { value: 'abc', hosts: ['old.example'] } });
    await owner.call('removeSecret', { params: { name: 'gone' } });
    const pin = (tools: Record<string, 'read' | 'write'>) =>
      source.hub.kernel.engine.submit({ type: 'tool_server.pin', by: platform, name: 'files', tools });
    await pin({ look: 'read' });
    await pin({ look: 'read', move: 'read' });
    const share = (tier: 'ask_first' | 'never_share') =>
      source.hub.kernel.engine.submit({
        type: 'sharing.set',
        by: platform,
        memberId: owner.id,
        rules: { base: { memory: tier }, overrides: {} },
      });
    await share('ask_first');
    const shared = (await dump(ground))['sharing_rules']![0]!;
    await share('never_share');
    await source.hub.stop();
    expect(await problemsIn(ground)).toEqual([]);
    const told = async () => (await problemsIn(ground)).map(({ where }) => where);
    const put = async (table: string, row: AnyRow) => {
      const values = Object.values(row).map((value) => (value === null ? 'null' : typeof value === 'number' ? value : `'${value}'`));
      await tamper(ground, `insert into ${table} (${Object.keys(row).join(', ')}) values (${values.join(', ')})`);
    };
    const older = { secret_hosts: before['secret_hosts']![0]!, tool_servers: before['tool_servers']![0]!, sharing_rules: shared };
    for (const [table, row] of Object.entries(older)) {
      await tamper(ground, `delete from ${table}`);
      await put(table, row);
    }
    expect((await told()).toSorted()).toEqual(Object.keys(older).toSorted());
    const emptied = ['secrets', 'tool_pins', 'agent_blocks', 'tasks', 'attachments', 'message_versions', 'upload_totals'];
    for (const table of emptied) await tamper(ground, `delete from ${table}`);
    expect(await told()).toEqual(expect.arrayContaining(emptied));
    await ground.clear();
  });

  test('[SYS-15] emptied tables of agents, events, roles and borrowed access are missed', async () => {
    const source = await startTestHub(engine);
    const { ground, owner, operator, url } = source;
    await fill(source);
    const [ann, bot] = [await source.person('ann'), await source.agent('BOT')];
    const { id: roleId } = await owner.call('addRole', { body: { handle: 'support', about: '', holderIds: [ann.id] } });
    await owner.call('editRole', { params: { roleId }, body: { holderIds: [ann.id, owner.id] } });
    await owner.call('editAgent', { params: { memberId: bot.id }, body: { maxConcurrent: 2 } });
    const { identity } = await owner.call('getIdentity', { params: { memberId: bot.id } });
    await owner.call('putIdentity', { params: { memberId: bot.id }, body: { ...identity, version: 0, mode: 'strict' } });
    await owner.call('editMember', { params: { memberId: bot.id }, body: { ownerId: ann.id } });
    const put = (kind: 'manifest' | 'trigger' | 'source', object: { id: string } & Record<string, unknown>) =>
      owner.call('putProvoke', { params: { kind, id: object.id }, body: { version: 0, object } });
    await put('source', { id: 'disks', types: ['*'] });
    await owner.call('createToken', { body: { kind: 'source', label: 'disks', source: 'disks' } });
    await put('manifest', { id: 'calm', risk_level: 'read_only' });
    await put('trigger', { id: 'fires', agent: 'calm', match: { type: 'test.it.fired' } });
    const happened = { pap_version: '0.2', id: 'e1', source: 'test', type: 'test.it.fired', time: '2026-03-11T06:00:00Z', data: {} };
    await operator.call('emitEvent', { body: happened as never });
    await source.hub.kernel.runner.settled();
    // What a borrowed session makes is borrowed.
    const { secret } = await owner.call('createSignInLink', { body: { memberId: ann.id } });
    const opened = await fetch(`${url}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url },
      body: JSON.stringify({ secret }),
    });
    const cookie = opened.headers.get('set-cookie')!.split(';')[0]!;
    const minted = await fetch(`${url}/api/v1/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url, cookie },
      body: JSON.stringify({ kind: 'person', label: 'lent' }),
    });
    expect(minted.status).toBe(200);
    await owner.call('halt', {});
    await source.hub.stop();
    expect(await problemsIn(ground)).toEqual([]);
    const emptied = [
      'settings',
      'role_holders',
      'agents',
      'identity_versions',
      'agent_handovers',
      'source_tokens',
      'events',
      'invocations',
      'invocation_attempts',
      'provoke_versions',
      'borrowed_access',
      'handle_skeletons',
      'timers',
    ];
    for (const table of emptied) await tamper(ground, `delete from ${table}`);
    const told = (await problemsIn(ground)).map(({ where }) => where);
    expect(told.filter((where) => !where.includes(' ')).toSorted()).toEqual(emptied.toSorted());
    await ground.clear();
  });

  test('[SYS-15] a tail that was cut off is missed by the head that the data folder keeps', async () => {
    const source = await startTestHub(engine);
    const { ground } = source;
    await source.person('ann');
    await source.hub.stop();
    expect(await problemsIn(ground)).toEqual([]);
    await tamper(ground, 'delete from facts where seq = (select max(seq) from facts)');
    expect(await problemsIn(ground)).toContainEqual({
      where: expect.stringMatching(/^facts \d+$/),
      what: expect.stringContaining('heads.log') as string,
    });
    await ground.clear();
  });

  test('[SYS-15] a place without a workspace is said to have none, and stays that way', async () => {
    const ground = await freshGround(engine);
    await expect(openExisting(placeOf(ground))).rejects.toMatchObject({ failure: 'nothing_there' });
    expect(await filesIn(ground.dataDir)).toEqual([]);
    await ground.clear();
  });
});

test('[SYS-15] a database file damaged in its own structure is reported, not thrown', async () => {
  const source = await startTestHub('sqlite');
  await fill(source);
  await source.hub.stop();
  const file = join(source.ground.dataDir, 'parley.db');
  const bytes = await readFile(file);
  bytes.fill(0xff, 8192, 8192 + 40_960);
  await writeFile(file, bytes);
  const problems = await problemsIn(source.ground);
  expect(problems.map(({ where }) => where)).toContain('the database file');
  await source.ground.clear();
});
