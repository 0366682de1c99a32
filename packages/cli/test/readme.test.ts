// What the README shows of provoked agents is what happens, with the words that stand there.

import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startTestHub } from '@parley/testkit';
import { expect, it } from 'vitest';
import { inProcess } from './in-process.ts';

const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
const [, file, yaml] = /`\.parley\/(triggers\/[^`]+)`[^]*?```yaml\n([^]*?)```/.exec(readme) ?? [];
const [, command] = /^npx parley (emit .*)$/m.exec(readme) ?? [];

it('[PRV-4] [PRV-7] a threshold that is crossed becomes an agent’s message in a channel, in under ten lines of YAML', async () => {
  expect(yaml!.trimEnd().split('\n').length).toBeLessThan(10);
  const kit = await startTestHub('sqlite', {}, { PARLEY_LOG: 'silent' });
  try {
    const path = join(kit.ground.dataDir, file!);
    // As somebody would who has just started it: the folder is there.
    await writeFile(path, yaml!);
    const { kernel } = kit.hub;
    await kernel.provokeFiles.scan();
    expect(kernel.provokeFiles.all()).toEqual([{ file, problems: [] }]);
    const args = [...command!.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);
    const { code, out } = await inProcess(['--url', kit.url, '--token', kit.operator.token, ...args]);
    expect(code).toBe(0);
    expect(out).toMatch(/ +runs +inv_/);
    await kernel.runner.settled();
    const { messages } = await kit.owner.call('listMessages', { params: { conversationId: await kit.general() }, query: {} });
    expect(messages.at(-1)!.body).toMatch(/^price: 4\.82[^]*energy\.price\.threshold_exceeded/);
    const why = await inProcess(['--url', kit.url, '--token', kit.owner.token, 'explain', messages.at(-1)!.id]);
    expect(why.out).toMatch(
      /^An event woke it: energy\.price\.threshold_exceeded \(evt_\S+\) of the source operator, as sent by the operator of the hub\. The trigger price-spike started the invocation inv_\w+\.\n/,
    );
    // Below the threshold nobody is woken.
    const low = args.map((arg) => arg.replace('4.82', '2.10'));
    expect((await inProcess(['--url', kit.url, '--token', kit.operator.token, ...low])).out).toMatch(
      /\$\.data\.price gt 3 does not hold; it is 2\.1\n/,
    );
  } finally {
    await kit.stop();
  }
});

it('[PRV-16] every command in the page on provoking can be pasted: nothing is left out of it, and what it uses was made before', () => {
  const page = readFileSync(new URL('../../../docs/provoke.md', import.meta.url), 'utf8');
  const commands = [...page.matchAll(/^```sh\n([^]*?)^```/gm)].map(([, text]) => text!).join('');
  expect(commands.match(/.*(?:…|\.\.\.|<[a-z]+>).*/g)).toBeNull();
  expect(commands.match(/^parley .*/gm)).toBeNull();
  const made = new Set(commands.match(/\b[A-Z_]+(?==)|(?<=> )[a-z]+\.(?:yaml|json)\b/g));
  const used = commands.match(/(?<=\$)[A-Z_]+|(?<=(?:put|--\w+) )[a-z]+\.(?:yaml|json)\b/g) ?? [];
  expect(used.filter((name) => !made.has(name))).toEqual([]);
});
