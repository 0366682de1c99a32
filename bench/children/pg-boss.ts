// The same letters over pg-boss: sent one by one, fetched and completed in batches.

import { PgBoss } from 'pg-boss';
import { serve } from './serve.ts';
import type { LetterInput, LetterResult } from './relay-clients.ts';

let boss: PgBoss;

async function prepare({ url, count }: { url: string; count: number }): Promise<void> {
  boss = new PgBoss({ connectionString: url, max: 20 });
  await boss.start();
  for (let n = 0; n < count; n += 1) await boss.createQueue(`letters${n}`);
}

async function carry({ pairs, count, window, frameBytes }: LetterInput): Promise<LetterResult> {
  const data = { text: 'x'.repeat(frameBytes) };
  const began = performance.now();
  let [sent, delivered] = [0, 0];
  let wake = Promise.withResolvers<void>();
  const writing = Array.from({ length: window }, async () => {
    while (sent < count) {
      const queue = `letters${sent % pairs}`;
      sent += 1;
      await boss.send(queue, data);
      wake.resolve();
    }
  });
  const reading = async (queue: string, isLast: () => boolean): Promise<void> => {
    while (!isLast()) {
      const jobs = await boss.fetch(queue, { batchSize: window });
      if (jobs.length === 0) {
        await wake.promise;
        wake = Promise.withResolvers();
        continue;
      }
      await boss.complete(
        queue,
        jobs.map(({ id }) => id),
      );
      delivered += jobs.length;
      if (delivered === count) wake.resolve();
    }
  };
  await Promise.all([...writing, ...Array.from({ length: pairs }, (_, n) => reading(`letters${n}`, () => delivered === count))]);
  return { ms: performance.now() - began };
}

serve({}, { prepare, carry }, () => boss.stop({ graceful: false }));
