// How long a person waits for ^ORAC after a finished sentence: from the request that posts it to the answer on their
// socket, with the hub's own timers. Beside it, in turns, a hub that waits for no further piece.

import { join } from 'node:path';
import { splitsIn } from '../../packages/core/test/fragments.ts';
import type { Child } from '../child.ts';
import type { HubReady } from '../children/hub.ts';
import type { People } from '../children/seed.ts';
import { listen } from '../children/socket.ts';
import { onFreshGround, roomy } from '../kit.ts';
import { median, ms, percent } from '../stats.ts';

const limitMs = 800;
const mostSplit = 0.01;

/** A person in a DM with ORAC, and how long one answer takes. */
async function dmWith(hub: Child<HubReady>): Promise<() => Promise<number>> {
  const { port } = hub.ready;
  const { people } = await hub.ask<People>('people', { prefix: 'asks', count: 1, sets: [{ channels: 1, members: 1, each: 1 }] });
  const { token } = people[0]!;
  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const headers = { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) };
    const sent = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
    const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, sent);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
  const { agents } = await call<{ agents: { id: string; handle: string }[] }>('GET', '/agents');
  const { id: orac } = agents.find(({ handle }) => handle === 'ORAC')!;
  const { id: dm } = await call<{ id: string }>('POST', '/dms', { memberIds: [orac] });
  let answered: (() => void) | undefined;
  await listen(port, token, (text) => {
    const { type, data } = JSON.parse(text.toString()) as {
      type: string;
      data?: { message?: { authorId: string; task?: { kind: string } } };
    };
    if (type === 'message.posted' && data?.message?.authorId === orac && data.message.task?.kind === 'answer') answered?.();
  });
  return async () => {
    const came = new Promise<void>((resolve) => (answered = resolve));
    const began = performance.now();
    await call('POST', `/conversations/${dm}/messages`, { body: 'What is going on here?' });
    await came;
    return performance.now() - began;
  };
}

export const answer = onFreshGround(async ({ quick }, run, folder) => {
  const { PARLEY_COMPOSE_MS: _none, ...timers } = roomy;
  const start = (name: string, env: Record<string, string>) =>
    run<HubReady>('hub', { ...env, PARLEY_DATA: join(folder, name), PARLEY_DATABASE_URL: '' });
  const [real, floor] = [await dmWith(await start('real', timers)), await dmWith(await start('floor', roomy))];
  for (const warm of [real, floor, real, floor]) await warm();
  const [waits, least]: [number[], number[]] = [[], []];
  for (let i = 0; i < (quick ? 5 : 25); i++) {
    waits.push(await real());
    least.push(await floor());
  }
  const splits = splitsIn(new URL('../../spec/corpora/fragments.jsonl', import.meta.url));
  const share = splits.accidental.length / splits.requests;
  return [
    {
      what: 'From a finished sentence to the answer of ^ORAC, median',
      result: ms(median(waits)),
      target: { text: `≤ ${limitMs} ms`, met: median(waits) <= limitMs },
      from: `${ms(median(least))} with no wait for a further piece (medians of ${waits.length} in turns); the longest ${ms(Math.max(...waits))}`,
    },
    {
      what: 'Requests of the corpus that the short wait splits by accident',
      result: percent(share),
      target: { text: `≤ ${percent(mostSplit)}`, met: share <= mostSplit },
      from: `${splits.accidental.length} of ${splits.requests}, ${splits.inPieces} of them in pieces; ${splits.repaired} of ${splits.split} splits repaired; counted, not timed`,
    },
  ];
});
