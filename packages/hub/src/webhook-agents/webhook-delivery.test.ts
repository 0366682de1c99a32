import { expect, test } from 'vitest';
import type { PlacedFact } from '../store/port.ts';
import { WebhookDelivery } from './webhook-delivery.ts';
import type { WebhookDoor } from './webhook-agents.ts';

const fact = (seq: number): PlacedFact => ({ seq, subject_id: `tsk_${seq}` }) as PlacedFact;

async function microtasks(count: number): Promise<void> {
  for (let left = count; left > 0; left--) await Promise.resolve();
}

/** A line whose endpoint answers at once, and which hears a second fact so many microtasks after it has read the first. */
async function heardAfter(depth: number): Promise<{ deliveries: number; cursors: number[] }> {
  const stored = [fact(1)];
  const cursors: number[] = [];
  let posts = 0;
  const second = Promise.withResolvers<void>();
  const comes = async (): Promise<void> => {
    await microtasks(depth);
    stored.push(fact(2));
    line.hear(fact(2));
  };
  const door = {
    posts: { run: async () => void (posts += 1) },
    onError: (error: unknown) => expect.unreachable(String(error)),
    hub: {
      clock: { now: () => 0, after: () => () => {} },
      engine: {
        submit: async (command: { type: string; cursor?: number }) => {
          if (command.cursor !== undefined) cursors.push(command.cursor);
          return { agent: { acked: 0, session: 1 } };
        },
      },
      store: {
        intact: async (_table: string, where: { seq: { '>': number } }) => {
          const after = where.seq['>'];
          const rows = stored.filter(({ seq }) => seq > after);
          if (after === 0) second.resolve(comes());
          return { rows, damaged: [] };
        },
      },
    },
  };
  const line: WebhookDelivery = new WebhookDelivery(door as unknown as WebhookDoor, 'agt_1', { url: 'http://localhost', secret: 'hook' });
  await second.promise;
  await line.settled();
  stored.push(fact(3));
  line.hear(fact(3));
  await line.settled();
  line.close();
  return { deliveries: posts - 1, cursors };
}

test.each(Array.from({ length: 16 }, (_, depth) => depth))(
  '[SYS-4] a fact that comes %i microtasks after a read began is delivered before it is acknowledged',
  async (depth) => {
    expect(await heardAfter(depth)).toMatchObject({ deliveries: 3 });
  },
);
