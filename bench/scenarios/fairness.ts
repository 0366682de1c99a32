// One member asks for more than a fair share: how long do the others wait for the answer to a post?

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Attacked, Flood, Frames } from '../children/attack.ts';
import type { Posting, Waited } from '../children/bystanders.ts';
import type { People } from '../children/seed.ts';
import { onFreshGround, startLimitedHub } from '../kit.ts';
import type { Line } from '../report.ts';
import { ms } from '../stats.ts';

const limitMs = 100;
const longMessages = 600;
const manyKeys = Array.from({ length: 24_000 }, (_, i) => `k${i}: 1`).join('\n');

export const fairness = onFreshGround(async ({ quick }, run, folder) => {
  const hub = await startLimitedHub(run, folder);
  const [attack, bystanders] = [await run('attack'), await run('bystanders')];
  const { port } = hub.ready;
  const crowd = await hub.ask<People>('people', { prefix: 'by', count: 8, sets: [{ channels: 4, members: 8, each: 4 }] });
  const own = await hub.ask<People>('people', { prefix: 'one', count: 1, sets: [{ channels: 2, members: 1, each: 2 }] });
  const [{ memberId, tokenId, token, channels }] = own.people as [People['people'][number]];
  const [long, full] = channels[0] as [string, string];
  await hub.ask('write', { by: { memberId, tokenId }, conversationId: long, count: longMessages, length: 100_000 });
  await hub.ask('write', { by: { memberId, tokenId }, conversationId: full, count: quick ? 50_000 : 500_000, length: 20 });
  const clients = crowd.people.map((person, i) => ({
    token: person.token,
    path: `/api/v1/conversations/${person.channels[0]![i % 4]!}/messages`,
  }));
  const posting = { port, clients, everyMs: 400, ms: quick ? 3000 : 12_000 } satisfies Posting;
  const flood = (path: string, at: number, body?: string): Flood => ({
    port,
    token,
    at,
    method: body === undefined ? 'GET' : 'POST',
    path: `/api/v1${path}`,
    ...(body === undefined ? {} : { body }),
  });
  const handles = Array.from({ length: 1000 }, (_, i) => `^h${i}`).join(' ');
  const agentFolder = join(folder, 'agents', 'wide');
  const yaml = (write: () => void, clear: () => void) => async (): Promise<() => Promise<Attacked | undefined>> => {
    let count = 0;
    const again = setInterval(() => {
      write();
      count++;
    }, 500);
    return () => {
      clearInterval(again);
      clear();
      return Promise.resolve({ answered: count, refused: 0, megabytes: 0 });
    };
  };
  const attackWith = (name: 'flood' | 'frames', input: Flood | Frames) => async () => {
    await attack.ask(name, input);
    return () => attack.ask<Attacked>('end');
  };
  const attacks: [string, () => Promise<() => Promise<Attacked | undefined>>][] = [
    ['1 MB typing frames on ten sockets', attackWith('frames', { port, token, sockets: 10, conversationId: long, bytes: 990_000 })],
    ['20 exports at once', attackWith('flood', flood(`/members/${memberId}/export`, 20))],
    ['history pages of 100 KB messages', attackWith('flood', flood(`/conversations/${long}/messages?limit=200`, 20))],
    ['search that finds 100 KB messages', attackWith('flood', flood('/search?q=word&limit=50', 20))],
    ['posts with a thousand handles', attackWith('flood', flood(`/conversations/${long}/messages`, 20, JSON.stringify({ body: handles })))],
    [
      '1 MB bodies that are refused',
      attackWith(
        'flood',
        flood(
          `/conversations/${long}/messages`,
          20,
          JSON.stringify(Object.fromEntries(Array.from({ length: 70_000 }, (_, i) => [`k${i}`, 1]))),
        ),
      ),
    ],
    ['unread counts over all that is stored', attackWith('flood', flood('/conversations', 20))],
    [
      '24,000 keys in agent.yaml',
      yaml(
        () => {
          mkdirSync(agentFolder, { recursive: true });
          writeFileSync(join(agentFolder, 'agent.yaml'), manyKeys);
        },
        () => rmSync(agentFolder, { recursive: true, force: true }),
      ),
    ],
    [
      '24,000 keys in tools.yaml',
      yaml(
        () => writeFileSync(join(folder, 'tools.yaml'), manyKeys),
        () => rmSync(join(folder, 'tools.yaml'), { force: true }),
      ),
    ],
  ];
  const lines: Line[] = [];
  for (const [what, begin] of attacks) {
    const quiet = await bystanders.ask<Waited>('post', posting);
    const end = await begin();
    await hub.ask('delay.start');
    const during = await bystanders.ask<Waited>('post', posting);
    const delay = await hub.ask<number>('delay.read');
    const done = await end();
    lines.push({
      what: `Another member’s POST, 99th percentile, during: ${what}`,
      result: ms(during.p99),
      target: { text: `< ${limitMs} ms`, met: during.p99 < limitMs && during.refused === 0 },
      from: `median ${ms(during.median)}, longest ${ms(during.longest)}; before the attack median ${ms(quiet.median)}, 99th ${ms(quiet.p99)}; ${during.posts} posts; the hub’s event-loop delay, 99th, ${ms(delay)}; the attack: ${done?.answered ?? 0} answered, ${done?.refused ?? 0} refused, ${Math.round(done?.megabytes ?? 0)} MB`,
    });
    process.stderr.write(`  ${what}: ${lines.at(-1)!.result}; ${lines.at(-1)!.from}\n`);
  }
  return lines;
});
