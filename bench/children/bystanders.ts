// Members who post or read now and then, and how long each of them waits for the answer.

import { Agent, request } from 'node:http';
import { numbered, serve } from './serve.ts';

export interface Posting {
  port: number;
  /** `body`: with a number of its own in it, where it has a place for one. */
  clients: { token: string; path: string; method?: 'GET'; body?: string }[];
  /** Each asks this often, whether or not the last answer has come. */
  everyMs: number;
  ms: number;
}
export interface Waited {
  posts: number;
  refused: number;
  median: number;
  p99: number;
  longest: number;
  /** Of each request, in milliseconds, the shortest first. */
  all: number[];
}

const agent = new Agent({ keepAlive: true });

let count = 0;

function post(
  port: number,
  { token, path, method, body = '{"body":"Lunch at noon, then?"}' }: Posting['clients'][number],
): Promise<{ ok: boolean; ms: number }> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const sending = request(
      {
        port,
        host: '127.0.0.1',
        method: method ?? 'POST',
        path,
        agent,
        headers: { authorization: `Bearer ${token}`, ...(method === 'GET' ? {} : { 'content-type': 'application/json' }) },
      },
      (response) => {
        response.resume();
        response.on('end', () => resolve({ ok: response.statusCode === 200, ms: performance.now() - began }));
      },
    );
    sending.on('error', reject);
    sending.end(method === 'GET' ? undefined : body.replace(numbered, String(1e9 + count++)));
  });
}

serve(
  {},
  {
    post: async ({ port, clients, everyMs, ms }: Posting): Promise<Waited> => {
      const requests: ReturnType<typeof post>[] = [];
      const until = performance.now() + ms;
      for (let turn = 0; performance.now() < until; turn++) {
        requests.push(post(port, clients[turn % clients.length]!));
        await new Promise((resolve) => setTimeout(resolve, everyMs / clients.length));
      }
      const answers = await Promise.all(requests);
      const times = answers.map((answer) => answer.ms).toSorted((a, b) => a - b);
      const at = (share: number): number => times[Math.floor((times.length - 1) * share)]!;
      return {
        posts: times.length,
        refused: answers.filter(({ ok }) => !ok).length,
        median: at(0.5),
        p99: at(0.99),
        longest: at(1),
        all: times,
      };
    },
  },
  () => {
    agent.destroy();
    return Promise.resolve();
  },
);
