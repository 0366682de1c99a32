// Routes for the operator's programs: whether the hub is alive, whether it can work, and how much it does.

import { ParleyError } from '@parley/protocol';
import type { FastifyInstance } from 'fastify';
import { sameSecret } from '../../data-dir.ts';
import type { Store, PlacedFact } from '../../store/port.ts';
import type { EngineOptions } from '../../engine/engine.ts';
import { type FactData, factData } from '../../store/fact-data.ts';
import { waitingWork, workNames } from '../../store/reads/waiting-work.ts';

export const operatorPaths: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics', '/relay/health', '/relay/metrics']);

const plain = { 'cache-control': 'no-store', 'content-type': 'application/json' };

export interface OperatorRoutes {
  store: Pick<Store, 'all' | 'head'>;
  /** Undefined: nobody is answered. */
  metrics: { token: string; made: Metrics } | undefined;
}

/** Whether the request carries `PARLEY_METRICS_TOKEN`. */
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

// Numbers for Prometheus: counted from the facts that this hub commits, and at each scrape from what waits in the database. None
// of them carries a name, an address or a word of anybody.

type Group = Parameters<NonNullable<EngineOptions['onGroup']>>[0];

export type Metrics = Awaited<ReturnType<typeof openMetrics>>;

const taskEnds = {
  'task.complete': 'completed',
  'task.fail': 'failed',
  'task.cancel': 'cancelled',
  'task.decline': 'declined',
  'task.time_out': 'timed_out',
} as const;
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** A hub without a token for it never loads the library. */
export async function openMetrics() {
  const { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } = await import('prom-client');
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter({ name: `parley_${name}_total`, help, labelNames, registers });
  const counts = {
    facts: counter('facts', 'Facts that were stored.', 'type'),
    commands: counter('commands', 'Commands that were decided.'),
    tasks: counter('tasks_ended', 'Tasks that ended.', 'state'),
    turns: counter('turns', 'Turns of agents in tasks that ended.'),
    events: counter('events', 'Events that were accepted.'),
    invocations: counter('invocations', 'Moves of invocations.', 'state'),
    effects: counter('effects', 'Deliveries and other effects outside the database that were performed.', 'kind'),
    retries: counter('effect_retries', 'Attempts at an effect that failed before the one that succeeded.', 'kind'),
    cost: counter('cost_dollars', 'What models cost.'),
    tokens: counter('model_tokens', 'Tokens that models read and wrote.', 'direction'),
  };
  const commit = new Histogram({ name: 'parley_commit_seconds', help: 'How long the store took to commit a group.', buckets, registers });
  const read = new Histogram({
    name: 'parley_read_seconds',
    help: 'How long the store took to read its head, at each scrape.',
    buckets,
    registers,
  });
  const gauges = workNames.map((name) => ({
    name,
    gauge: new Gauge({ name: `parley_waiting_${name}`, help: `How many ${name} are open or wait.`, labelNames: ['label'], registers }),
  }));

  const charge = ({ micros = 0, input = 0, output = 0 }: Partial<FactData['turn.cut_off']>): void => {
    counts.cost.inc(micros / 1_000_000);
    counts.tokens.inc({ direction: 'input' }, input);
    counts.tokens.inc({ direction: 'output' }, output);
  };
  const count = (fact: PlacedFact): void => {
    const { type } = fact;
    counts.facts.inc({ type });
    if (type in taskEnds) counts.tasks.inc({ state: taskEnds[type as keyof typeof taskEnds] });
    if (type === 'event.accepted') counts.events.inc();
    if (type.startsWith('invocation.')) counts.invocations.inc({ state: type.slice('invocation.'.length) });
    if (type === 'turn.done' || type === 'turn.cut_off') counts.turns.inc();
    const effect = factData(fact, 'effect.performed');
    if (effect) {
      counts.effects.inc({ kind: effect.kind });
      counts.retries.inc({ kind: effect.kind }, Math.max(0, effect.attempts - 1));
    }
    const cost = factData(fact, 'turn.done', 'turn.cut_off', 'invocation.done');
    if (cost) charge(cost);
  };
  return {
    /** The engine calls this after each group of commands. */
    onGroup: ({ commands, commitMs }: Pick<Group, 'commands' | 'commitMs'>): void => {
      counts.commands.inc(commands);
      if (commitMs !== undefined) commit.observe(commitMs / 1000);
    },
    /** The engine calls this with the facts of this hub's commits. */
    hear: (facts: readonly PlacedFact[]): void => facts.forEach(count),
    contentType: register.contentType,
    text: async (store: Pick<Store, 'all' | 'head'>): Promise<string> => {
      const end = read.startTimer();
      await store.head();
      end();
      for (const { name, gauge } of gauges) {
        gauge.reset();
        for (const { label, n } of await waitingWork(store, name)) gauge.set({ label }, n);
      }
      return register.metrics();
    },
  };
}
