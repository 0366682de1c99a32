// Regular expressions of one member: how much later others are answered while theirs are matched, and what an ordinary one costs
// an event.

import { join } from 'node:path';
import { redos } from '../../packages/core/test/redos.ts';
import { Trigger } from '../../packages/protocol/src/index.ts';
import type { Attacked, Flood } from '../children/attack.ts';
import type { Posting, Waited } from '../children/bystanders.ts';
import type { HubReady } from '../children/hub.ts';
import type { People } from '../children/seed.ts';
import { type Client, post, type Scenario, startHub, withChildren, withFolder } from '../kit.ts';
import { numbered } from '../numbered.ts';
import type { Line } from '../report.ts';
import { medians, ms, percent, perSecond } from '../stats.ts';

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

/** With the limits that a hub has by default. */
const attacks: Scenario = ({ quick }) =>
  withFolder((folder) =>
    withChildren(async (run) => {
      const env = { PARLEY_PORT: '0', PARLEY_LOG: 'silent', PARLEY_COMPOSE_MS: '0', PARLEY_DATA: folder, PARLEY_DATABASE_URL: '' };
      const hub = await run<HubReady>('hub', env);
      const [attack, bystanders] = [await run('attack'), await run('bystanders')];
      const { port } = hub.ready;
      const crowd = await hub.ask<People>('people', { prefix: 'by', count: 8, sets: [{ channels: 4, members: 8, each: 4 }] });
      const posts = crowd.people.map(({ token, channels }, i) => ({
        token,
        path: `/api/v1/conversations/${channels[0]![i % 4]!}/messages`,
      }));
      const [other] = crowd.people;
      await hub.ask('triggers', {
        by: { memberId: other!.memberId, tokenId: other!.tokenId },
        triggers: [trigger('others', 'a.other.line', 'theirs', '(?i)error|timeout|refused')],
      });
      const line = {
        pap_version: '0.2',
        id: `evt_${numbered}`,
        type: 'a.other.line',
        time: '2026-03-11T06:00:00Z',
        data: { text: 'all is well' },
      };
      const events = [{ token: other!.token, path, body: JSON.stringify(line) }];
      const spanMs = quick ? 1500 : 3000;
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
        ...patterns.map((one, i): (typeof sets)[number] => [
          `\`${one.replaceAll('|', '\\|')}\` on 100 KB`,
          `a.one.p${i}`,
          [[one]],
          2,
          100_000,
        ]),
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
        const measured = async (of: string) => {
          await attack.ask('flood', flood(of));
          await hub.ask('delay.start');
          const [posted, emitted] = await Promise.all([wait(posts, 200), wait(events, 200)]);
          const delay = await hub.ask<number>('delay.read');
          const { answered, refused } = await attack.ask<Attacked>('end');
          return { posted, emitted, delay, answered, refused };
        };
        let answered = 0;
        // In turns, because what else the machine does changes from one second to the next.
        const found = await medians(quick ? 3 : 9, async () => {
          // The same batches of a type for which no regex waits.
          const quiet = await measured('a.nobody.waits');
          const during = await measured(type);
          answered += during.answered;
          return {
            added: during.posted.p99 - quiet.posted.p99,
            during: during.posted.p99,
            quiet: quiet.posted.p99,
            duringMedian: during.posted.median,
            quietMedian: quiet.posted.median,
            event: during.emitted.p99,
            quietEvent: quiet.emitted.p99,
            eventMedian: during.emitted.median,
            quietEventMedian: quiet.emitted.median,
            delay: during.delay,
            quietDelay: quiet.delay,
            refused: during.posted.refused + during.emitted.refused,
          };
        });
        lines.push({
          what: `What one member’s regexes add to another’s POST, 99th percentile: ${what}`,
          result: ms(Math.max(0, found.added)),
          target: { text: `≤ ${most} ms`, met: found.added <= most && found.refused === 0 },
          from: `${ms(found.during)} against ${ms(found.quiet)} with the same events and no regex (medians ${ms(found.duringMedian)} and ${ms(found.quietMedian)}); an event of theirs with a regex ${ms(found.event)} against ${ms(found.quietEvent)} (medians ${ms(found.eventMedian)} and ${ms(found.quietEventMedian)}); event-loop delay ${ms(found.delay)} against ${ms(found.quietDelay)}; ${answered} batches answered`,
        });
        process.stderr.write(`  ${what}: ${lines.at(-1)!.result}; ${lines.at(-1)!.from}\n`);
      }
      return lines;
    }),
  );

const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

const ordinary: Scenario = ({ quick }) =>
  withFolder((folder) =>
    withChildren(async (run) => {
      const [rounds, spanMs] = quick ? [3, 700] : [11, 2000];
      const load = await run('load');
      const bare = await run<{ port: number }>('bare');
      const hub = await startHub(run, join(folder, 'hub'));
      const type = 'log.line.written';
      const triggers = times(10, (i) => trigger(`log${i}`, type, 'planner-v1', `(?i)panic${i}|timeout after \\d+ s|host-${i}\\d{4}$`));
      const tokens = await hub.ask<string[]>('monitors', { count: 50, triggers });
      const clients: Client[] = tokens.map((token) => ({ token, paths: [path] }));
      const body = (text: string, of: string) =>
        JSON.stringify({
          pap_version: '0.2',
          id: `evt_${numbered}`,
          type: of,
          source: 'monitoring.bench',
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
    }),
  );
