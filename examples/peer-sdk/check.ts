// Runs both programs at a relay of their own and checks that they agree. No hub is involved.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { cleanUp, folder, parley, start } from '../sealed-line/kit.ts';

interface Program {
  child: ChildProcess;
  card: string;
  /** Its lines, once it has ended. */
  ended: Promise<string[]>;
}

async function run(name: 'ann' | 'bob', relay: string): Promise<Program> {
  const { code } = await parley<{ code: string }>('relay', 'invite');
  const path = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
  const args = ['--no-warnings', path, join(folder, name), relay, code];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => lines.push(line));
  const ended = once(child, 'close').then(([status]) => {
    assert.equal(status, 0, `${name} failed`);
    return lines.slice(1);
  });
  const [card] = (await Promise.race([once(reader, 'line'), ended])) as [string];
  return { child, card, ended };
}

const programs: Program[] = [];
try {
  const relay = await start<{ url: string }>('relay', '--port', '0');
  for (const name of ['ann', 'bob'] as const) programs.push(await run(name, relay.said.url));
  const [ann, bob] = programs as [Program, Program];
  bob.child.stdin!.end(`${ann.card}\n`);
  ann.child.stdin!.end(`${bob.card}\n`);
  const said = (await Promise.all([ann.ended, bob.ended])).flat();
  console.log(said.join('\n'));
  const agreed = said.filter((line) => line.includes('agreed on')).map((line) => line.slice('ann: '.length));
  assert.equal(agreed.length, 2);
  assert.equal(agreed[0], agreed[1]);
  assert.ok(said.includes('ann: share cuisine_preference') && said.includes('ann: decline transport_mode'));
  for (const name of ['ann', 'bob'])
    assert.equal((await readFile(join(folder, name, 'calendar.ics'), 'utf8')).match(/BEGIN:VEVENT/g)?.length, 1);
  await relay.stop();
  console.log('Both programs agreed, without a hub.');
} finally {
  for (const { child } of programs) child.kill('SIGKILL');
  await cleanUp();
}
