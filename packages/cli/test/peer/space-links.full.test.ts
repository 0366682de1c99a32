import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startOwnTools } from '@parley/testkit/mcp-tools';
import { expect, it, onTestFinished } from 'vitest';
import { peerShell } from './commands-kit.ts';

const shell = peerShell();

it('[A2C-33] in the terminal a link is opened by a command, with a server of one’s own file, and by nothing else', async () => {
  const [ann, bob] = [await shell.init('ann'), await shell.init('bob')];
  await shell.peer('ann', 'add', bob);
  await shell.peer('bob', 'add', ann);
  const reads: string[] = [];
  const door = await startOwnTools('drive', {}, { 'file:///rules.md': () => (reads.push('rules'), '\u001b[31mRules, version 3') });
  onTestFinished(() => door.stop());
  const { id } = await shell.peer<{ id: string }>('ann', 'space', 'create', 'Game', '--with', 'agent:bob@localhost');
  expect(await shell.tried('ann', 'space', 'link', id, 'rules', 'no uri')).toMatchObject({ err: expect.stringContaining('is no address') });
  await shell.peer('ann', 'space', 'link', id, 'rules', 'file:///rules.md', '--name', 'Rules', '--server', 'drive');
  const { fields } = await shell.peer<{ fields: { links: object[] }[] }>('bob', 'space', 'show', id);
  expect(fields[0]!.links).toEqual([{ name: 'Rules', uri: 'file:///rules.md', server: 'drive' }]);
  expect((await shell.tried('bob', 'space', 'open', id, 'rules')).err).toContain('tools.yaml is not there');
  await writeFile(join(shell.here.cwd, 'bob', 'tools.yaml'), `servers:\n  other:\n    url: ${door.url}\n`);
  expect((await shell.tried('bob', 'space', 'open', id, 'rules')).err).toContain('drive is no server of');
  expect(reads).toEqual([]);
  expect(await shell.peer('bob', 'space', 'open', id, 'rules', '--server', 'other')).toMatchObject({ server: 'other', isCut: false });
  const shown = await shell.tried('bob', 'space', 'open', id, 'rules', '--server', 'other');
  expect(shown.out).toContain('Rules, version 3');
  expect(shown.out).not.toContain('\u001b[31m');
  expect((await shell.tried('bob', 'space', 'open', id, 'hotel')).err).toContain('holds no link');
  await shell.peer('bob', 'space', 'watch', id, 'rules');
  expect(await shell.peer('bob', 'space', 'leave', id)).toMatchObject({ left: id });
  expect(await shell.peer('bob', 'space', 'list')).toEqual({ spaces: [] });
});
