import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { PeerCalls } from '@parley/protocol';
import { expect, test } from 'vitest';
import { commands, exchangeAll } from './negotiation-kit.ts';
import { newPair, type Person } from './people-kit.ts';
import { startRelay } from './relay-kit.ts';
import { offline, space, valuesIn } from './spaces-kit.ts';

const program = fileURLToPath(new URL('space-process.ts', import.meta.url));

/** False: it was killed. */
async function run(person: Person, id: string, value: string, kill: string[] = []): Promise<boolean> {
  const child = spawn(process.execPath, ['--no-warnings', program, person.folder, id, 'hotel', value, ...kill], { stdio: 'inherit' });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  if (signal !== 'SIGKILL') expect(code).toBe(0);
  return signal !== 'SIGKILL';
}

const versionsIn = ({ fields }: PeerCalls['space']['out']): string[] =>
  fields.flatMap((one) => [one, ...one.earlier].map(({ version, value }) => `${version} ${JSON.stringify(value)}`));

test.each(['writes', 'merges'] as const)(
  '[A2C-33] [A2C-34] kill -9 before and after each commit of a peer that %s: no write is lost, taken twice or half',
  async (role) => {
    const relay = await startRelay({ PARLEY_RELAY_FRAMES_PER_MINUTE: '100000' });
    const [ann, bob] = await newPair(relay);
    const { id } = await commands(ann).createSpace({ name: 'Rome', people: [{ with: { address: bob.address }, may: 'full-write' }] });
    await exchangeAll(ann, bob);
    const victim = role === 'writes' ? ann : bob;
    let kills = 0;
    // Until a run has no commit at that point any more.
    for (let at = 1, isKilled = true; isKilled; at += 1)
      for (const moment of ['before', 'after']) {
        const value = `${moment} ${at}`;
        if (role === 'merges') {
          await offline(ann, id, { hotel: value });
          await ann.exchange();
        }
        await victim.close();
        const isEnded = await run(victim, id, role === 'writes' ? value : '', [moment, String(at)]);
        isKilled = !isEnded;
        kills += isKilled ? 1 : 0;
        if (isKilled) expect(await run(victim, id, role === 'writes' ? value : '')).toBe(true);
        await victim.open();
        await exchangeAll(ann, bob);
        const [hers, his] = [await space(ann, id), await space(bob, id)];
        expect([valuesIn(hers), valuesIn(his)]).toEqual([{ hotel: value }, { hotel: value }]);
        // The same versions on both sides, each value once.
        expect(versionsIn(hers)).toEqual(versionsIn(his));
        expect(new Set(versionsIn(hers)).size).toBe(versionsIn(hers).length);
      }
    console.log(`a peer that ${role}: killed ${kills} times`);
    expect(kills).toBeGreaterThanOrEqual(role === 'writes' ? 6 : 2);
  },
);
