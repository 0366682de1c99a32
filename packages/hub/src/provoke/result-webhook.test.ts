import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import { type SendingParts, webhookPerformer } from './result-webhook.ts';

test('[PRV-14] [SYS-15] a result that an earlier version has put on its way goes where its manifest says', async () => {
  const came: string[] = [];
  const server = createServer((request, response) => {
    came.push(request.url!);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/taken`;
  const kept: Record<string, object> = {
    invocations: { id: 'inv_1', manifest_id: 'm', manifest_version: 1, output: '"done"' },
    provoke_versions: { body: JSON.stringify({ id: 'm', deliver_to: { webhook: { url } } }) },
  };
  const ends: unknown[] = [];
  const send = webhookPerformer({
    store: { rows: (table: string) => Promise.resolve([kept[table]]) },
    engine: { submit: ({ refused }: { refused: string | null }) => Promise.resolve(ends.push(refused)) },
    keys: { keyFor: () => Promise.resolve(undefined) },
    clock: systemClock,
    allowPrivate: true,
  } as unknown as SendingParts);
  await send({ invocationId: 'inv_1', until: String(Date.now() + 60_000) });
  server.close();
  expect([came, ends]).toEqual([['/taken'], [null]]);
});
