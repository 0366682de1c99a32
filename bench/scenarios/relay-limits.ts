// A relay with many who only wait, and one that starts with much to deliver.

import { join } from 'node:path';
import type { Backlog, RelayPerson } from '../children/relay.ts';
import { onFreshGround } from '../kit.ts';
import { median, ms, mb, round } from '../stats.ts';
import type { Memory } from '../machine.ts';
import { startRelay } from './relay.ts';

export const relayIdle = onFreshGround(async ({ quick }, run, folder) => {
  const count = quick ? 2000 : 10_000;
  const warm = 200;
  const relay = await startRelay(run, folder);
  const clients = await run('relay-clients');
  await relay.ask('register', await clients.ask<RelayPerson[]>('people', { prefix: 'idle', count: count + warm }));
  const { url } = relay.ready;
  await clients.ask('logIn', { url, from: 0, count: warm });
  const before = await relay.ask<Memory>('memory');
  await clients.ask('logIn', { url, from: warm, count });
  const after = await relay.ask<Memory>('memory');
  const each = (after.rss - before.rss) / count / 1024;
  return [
    {
      what: `Memory of the relay for each of ${count.toLocaleString('en')} idle connections, logged in, without TLS`,
      result: `${round(each)} KB`,
      target: { text: '≤ 30 KB', met: each <= 30 },
      from: `resident set ${mb(before.rss)} and ${mb(after.rss)}; heap and buffers ${round((after.heap - before.heap) / count / 1024)} KB each`,
    },
  ];
});

export const relayRestart = onFreshGround(async ({ quick }, run, folder) => {
  const recipients = 100;
  const each = quick ? 100 : 1000;
  const data = join(folder, 'relay');
  let relay = await startRelay(run, data);
  const clients = await run('relay-clients');
  const people = await clients.ask<RelayPerson[]>('people', { prefix: 'p', count: recipients + 1 });
  await relay.ask('register', people);
  const [from, ...others] = people.map(({ address }) => address);
  const frame = await clients.ask<string>('sample', 1024);
  await relay.ask('backlog', { from: from!, recipients: others, each, frame } satisfies Backlog);
  const times: number[] = [];
  for (let n = 0; n < (quick ? 1 : 5); n += 1) {
    await relay.stop();
    const began = Date.now();
    relay = await startRelay(run, data);
    times.push((await clients.ask<number>('firstDelivery', { url: relay.ready.url, person: n + 1 })) - began);
  }
  const longest = Math.max(...times);
  return [
    {
      what: `From the start of a relay with ${(recipients * each).toLocaleString('en')} packets of 1 KiB queued to the first delivery`,
      result: ms(median(times)),
      target: { text: '≤ 5 s', met: longest <= 5000 },
      from: `median of ${times.length} restarts, ${ms(longest)} the slowest; the process starts, the recipient connects and logs in`,
    },
  ];
});
