// What the operator's other programs ask: is the hub alive, can it work, how much does it do.

import { ParleyError } from '@parley/protocol';
import type { FastifyInstance } from 'fastify';
import { sameSecret } from '../../data-dir.ts';
import type { Store } from '../../store/port.ts';
import type { Metrics } from './metrics.ts';

export const operatorPaths: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics', '/relay/health', '/relay/metrics']);

const plain = { 'cache-control': 'no-store', 'content-type': 'application/json' };

export interface OperatorRoutes {
  store: Pick<Store, 'all' | 'head'>;
  /** Undefined: nobody is answered. */
  metrics: { token: string; made: Metrics } | undefined;
}

/** Whether a request is for `PARLEY_METRICS_TOKEN`'s holder. */
const hasToken = (authorization: string | undefined, token: string): boolean =>
  sameSecret(/^Bearer (\S{1,200})$/i.exec(authorization ?? '')?.[1] ?? '', token);

export function serveOperatorRoutes(app: FastifyInstance, { store, metrics }: OperatorRoutes): void {
  app.get('/health', (_request, reply) => reply.headers(plain).send({ status: 'ok' }));
  app.get('/ready', async (_request, reply) => {
    const isReady = await store.head().then(
      () => true,
      () => false,
    );
    return reply
      .code(isReady ? 200 : 503)
      .headers(plain)
      .send({ status: isReady ? 'ready' : 'database_away' });
  });
  app.get('/metrics', async (request, reply) => {
    if (!metrics) throw new ParleyError('not_found', 'This hub has no metrics. Set PARLEY_METRICS_TOKEN to get them.');
    if (!hasToken(request.headers.authorization, metrics.token)) throw new ParleyError('unauthenticated');
    return reply.type(metrics.made.contentType).send(await metrics.made.text(store));
  });
}
