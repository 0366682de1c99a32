// Regular expressions of one member: how much later others are answered while theirs are matched, and what an ordinary one costs
// an event.

import { join } from 'node:path';
import { redos } from '../../packages/core/test/redos.ts';
import { Trigger } from '../../packages/protocol/src/index.ts';
import type { Attacked, Flood } from '../children/attack.ts';
import type { Posting, Waited } from '../children/bystanders.ts';
import type { People } from '../children/seed.ts';
import { fiftyMonitors, onFreshGround, post, type Scenario, startHub, startLimitedHub } from '../kit.ts';
import { numbered } from '../children/serve.ts';
import type { Line } from '../report.ts';
import { median, medians, ms, percent, perSecond } from '../stats.ts';

const path = '/api/v1/events';
const most = 20;
const patterns = ['^.{1,26}$', 'error.{0,24}timeout', 'a{51}', '(a|b)*a(a|b){47}d', '(a|b)*a(a|b){400}[^ab]'];

const trigger = (id: string, type: string, agent: string, ...sources: string[]) =>
  Trigger.parse({ id, agent, match: { type, filter: sources.map((value) => ({ path: '$.data.text', operator: 'regex', value })) } });

function letters(length: number): string {
  let [state, text] = [3, ''];
  for (let i = 0; i < length; i++) {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    text += 'ab'[(state >> 8) % 2]!;
  }
  return text;
}

export const regex: Scenario = async (bench) => [...(await attacks(bench)), ...(await ordinary(bench))];

/** The measurements of one slice of time. */
interface Slice {
  posts: number[];
  gets: number[];
  events: number[];
  /** With a text that is long enough for the thread. */
  longEvents: number[];
  delay: number;
  answered: number;
  refused: number;
}

const at99 = (slices: readonly Slice[], of: 'posts' | 'gets' | 'events' | 'longEvents'): number => {
  const pooled = slices.flatMap((slice) => slice[of]).toSorted((a, b) => a - b);
  return pooled[Math.floor((pooled.length - 1) * 0.99)]!;
};

/** Every way to take half of them that has the first one in it. */
function halvings<T>(all: readonly T[]): [T[], T[]][] {
  const found: [T[], T[]][] = [];
  for (let mask = 1; mask < 1 << all.length; mask += 2) {
    const half = all.filter((_, i) => (mask >> i) & 1);
    if (half.length === all.length >> 1) found.push([half, all.filter((_, i) => !((mask >> i) & 1))]);
  }
  return found;
}

/** By how much two halves of the floor differ, however it is halved: 95 % of the halvings differ by no more. */
function noiseOf(floor: readonly Slice[], of: 'posts' | 'gets'): number {
  const differences = halvings(floor).map(([one, other]) => Math.abs(at99(one, of) - at99(other, of)));
  return differences.toSorted((a, b) => a - b)[Math.floor((differences.length - 1) * 0.95)]!;
}

const attacks = onFreshGround(async ({ quick }, run, folder) => {
  const hub = await startLimitedHub(run, folder);
  const [attack, bystanders] = [await run('attack'), await run('bystanders')];
  const { port } = hub.ready;
  const crowd = await hub.ask<People>('people', { prefix: 'by', count: 40, sets: [{ channels: 4, members: 40, each: 4 }] });
  const homes = crowd.people.map(({ token, channels }, i) => ({ token, path: `/api/v1/conversations/${channels[0]![i % 4]!}` }));
  const posts = homes.map(({ token, path: home }) => ({ token, path: `${home}/messages` }));
  // A read waits for no disk: it shows what the hub itself adds.
  const gets = homes.map((home) => ({ ...home, method: 'GET' as const }));
  const line = (text: string) => ({
    pap_version: '0.2',
    id: `evt_${numbered}`,
    type: 'a.other.line',
    time: '2026-03-11T06:00:00Z',
    data: { text },
  });
  const sendersOf = async (at: number, text: string): Promise<Posting['clients']> => {
    const { memberId, tokenId, token } = crowd.people[at]!;
    await hub.ask('triggers', {
      by: { memberId, tokenId },
      triggers: [trigger(`others${at}`, 'a.other.line', `theirs${at}`, '(?i)error|timeout|refused')],
    });
    return [{ token, path, body: JSON.stringify(line(text)) }];
  };
  const events = await sendersOf(0, 'all is well');
  const longEvents = await sendersOf(1, letters(20_000));
  const [slicesEach, spanMs] = quick ? [4, 700] : [8, 1250];
  const wait = (clients: Posting['clients'], everyMs: number) =>
    bystanders.ask<Waited>('post', { port, clients, everyMs, ms: spanMs } satisfies Posting);
  const lines: Line[] = [];
  const sets: [string, string, string[][], number, number][] = [
    ['100 regexes and batches of 200 events', 'a.batch.came', times(100, (i) => [`(a|b)*a(a|b){${i + 1}}d`]), 200, 4500],
    [
      '100 triggers of 50 regexes each and batches of 200 events',
      'a.wide.came',
      times(100, (i) => times(50, (k) => `b|q${i}w${k}`)),
      200,
      100,
    ],
    ...patterns.map((one, i): (typeof sets)[number] => [`\`${one.replaceAll('|', '\\|')}\` on 100 KB`, `a.one.p${i}`, [[one]], 2, 100_000]),
    [`all ${redos.length} of a corpus of patterns that hang others, on 100 KB`, 'a.corpus.came', redos.map((one) => [one]), 2, 100_000],
  ];
  for (const [i, [what, type, sources, count, length]] of sets.entries()) {
    const { people } = await hub.ask<People>('people', { prefix: `one${i}`, count: 1, sets: [] });
    const [{ memberId, tokenId, token }] = people as [People['people'][number]];
    await hub.ask('triggers', {
      by: { memberId, tokenId },
      triggers: sources.map((of, k) => trigger(`t${i}-${k}`, type, `m${i}`, ...of)),
    });
    const text = letters(length);
    const batch = times(count, (k) => ({ specversion: '1.0', id: `${type}-${k}`, type, source: `member:${memberId}`, data: { text } }));
    const flood = (of: string) =>
      ({
        port,
        token,
        at: 1,
        // Large requests have their own price, whatever waits for them.
        pauseMs: 500,
        method: 'POST',
        path,
        body: JSON.stringify(batch.map((one) => ({ ...one, type: of }))),
        contentType: 'application/cloudevents-batch+json',
      }) satisfies Flood;
    const measured = async (of: string): Promise<Slice> => {
      await attack.ask('flood', flood(of));
      await hub.ask('delay.start');
      const all = await Promise.all([wait(posts, 200), wait(gets, 200), wait(events, 200), wait(longEvents, 200)]);
      const delay = await hub.ask<number>('delay.read');
      const { answered } = await attack.ask<Attacked>('end');
      const [posted, got, emitted, emittedLong] = all;
      const refused = all.reduce((sum, one) => sum + one.refused, 0);
      return { posts: posted.all, gets: got.all, events: emitted.all, longEvents: emittedLong.all, delay, answered, refused };
    };
    const floor: Slice[] = [];
    const during: Slice[] = [];
    // Once unmeasured: what is compiled then is paid for once in a hub's life.
    for (const one of ['a.nobody.waits', type]) await measured(one);
    // In short slices by turns, so that a bad moment of the disk falls on both.
    for (let slice = 0; slice < slicesEach; slice++) {
      // The floor: the same batches of a type for which no regex waits.
      const turn = [async () => floor.push(await measured('a.nobody.waits')), async () => during.push(await measured(type))];
      for (const measure of slice % 2 === 0 ? turn : turn.toReversed()) await measure();
    }
    const figure = (of: 'posts' | 'gets') => {
      const [with99, without99, noise] = [at99(during, of), at99(floor, of), noiseOf(floor, of)];
      const added = with99 - without99;
      const from = `${ms(with99)} against ${ms(without99)}, two halves of the floor differ by up to ${ms(noise)}`;
      return { added, noise, from, met: added - noise <= most };
    };
    const [posted, got] = [figure('posts'), figure('gets')];
    const undecided = Math.max(posted.noise, got.noise) > most ? ' (not decided: the noise is larger than the target)' : '';
    const refused = [...floor, ...during].reduce((sum, slice) => sum + slice.refused, 0);
    const delayOf = (slices: readonly Slice[]): string => ms(median(slices.map(({ delay }) => delay)));
    lines.push({
      what: `What one member’s regexes add to another’s POST and GET, 99th percentile: ${what}`,
      result: `${ms(Math.max(0, posted.added))} and ${ms(Math.max(0, got.added))}${undecided}`,
      target: { text: `≤ ${most} ms beyond the floor’s own noise`, met: posted.met && got.met && refused === 0 },
      from: `POST ${posted.from}; GET ${got.from}; an event with a regex of its own ${ms(at99(during, 'events'))} against ${ms(at99(floor, 'events'))}, on 20 KB ${ms(at99(during, 'longEvents'))} against ${ms(at99(floor, 'longEvents'))}; event-loop delay ${delayOf(during)} against ${delayOf(floor)}; ${during.flatMap((slice) => slice.posts).length} POSTs a side, ${during.reduce((sum, slice) => sum + slice.answered, 0)} batches answered${refused === 0 ? '' : `, ${refused} refused`}`,
    });
    process.stderr.write(`  ${what}: ${lines.at(-1)!.result}; ${lines.at(-1)!.from}\n`);
  }
  return lines;
});

const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

const ordinary = onFreshGround(async ({ quick }, run, folder) => {
  const [rounds, spanMs] = quick ? [3, 700] : [11, 2000];
  const load = await run('load');
  const bare = await run<{ port: number }>('bare-fastify');
  const hub = await startHub(run, join(folder, 'hub'));
  const type = 'log.line.written';
  const triggers = times(10, (i) => trigger(`log${i}`, type, 'planner-v1', `(?i)panic${i}|timeout after \\d+ s|host-${i}\\d{4}$`));
  const clients = await fiftyMonitors(hub, triggers);
  const body = (text: string, of: string) =>
    JSON.stringify({
      pap_version: '0.2',
      id: `evt_${numbered}`,
      type: of,
      source: 'monitors',
      time: '2026-03-11T06:00:00Z',
      data: { text },
    });
  const line = 'connection to db-7 was closed by the other side, trying again in 250 ms';
  const same = [body(line, type)];
  const each = [body(`${line} (${numbered})`, type)];
  const none = [body(line, 'log.nobody.waits')];
  await post(load, bare.ready.port, clients, { ms: quick ? 500 : 2000 }, same);
  await post(load, hub.ready.port, clients, { ms: quick ? 1500 : 6000 }, each);
  const found = await medians(rounds, async () => {
    const plain = await post(load, bare.ready.port, clients, { ms: spanMs }, same);
    const without = await post(load, hub.ready.port, clients, { ms: spanMs }, none);
    const withRegex = await post(load, hub.ready.port, clients, { ms: spanMs }, each);
    return {
      bare: plain.perSecond,
      without: without.perSecond,
      with: withRegex.perSecond,
      share: withRegex.perSecond / plain.perSecond,
    };
  });
  return [
    {
      what: 'Durable events over HTTP, 50 monitors, 10 triggers on their type with a regex each, of which none matches',
      result: percent(found.share),
      from: `${perSecond(found.with)} against ${perSecond(found.bare)} of a bare POST and ${perSecond(found.without)} of a type for which no regex waits (medians of ${rounds} rounds in turns)`,
    },
  ];
});
