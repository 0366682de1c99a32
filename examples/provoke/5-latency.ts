// An endpoint has been slower than promised for more than five minutes. An agent reads what was deployed, the errors and the
// figures of the machines, and leaves the engineer on call a list of what it may be, the likeliest first.

import { calls, outcome, play, same, says } from './room.ts';

const assessment = {
  hypotheses: [
    { rank: 1, what: 'The index on orders.customer was dropped by deployment 812 at 21:58.', look: 'the slow queries of orders-db' },
    { rank: 2, what: 'The connection pool is exhausted, as a consequence.', look: 'pool.waiting of api-7' },
  ],
};

await play('5. Server latency SLA breach', '2026-03-11T22:00Z', async (room) => {
  await room.tools('observability', {
    deployments: { about: 'the last deployments', does: () => ['812 at 21:58: migration 0091'] },
    error_log: { about: 'errors of an endpoint', takes: { endpoint: 'string' }, does: () => '' },
    metrics: { about: 'figures of the machines', does: () => ({ 'orders-db.cpu': 0.97, 'pool.waiting': 212 }) },
  });
  const { id: oncall } = await room.channel('oncall');
  await room.puts(`
pap_version: "0.2"
trigger:
  id: latency-breach
  match:
    type: server.latency.sla_breached
    filter:
      - { path: "$.data.endpoint", operator: regex, value: ^/api/v\\d+/ }
      - { path: "$.data.duration_minutes", operator: gt, value: 5 }
  throttle: { max_per_window: 1, window_key: "$.data.endpoint", window_seconds: 1800 }
  agent: first-assessment
agent:
  id: first-assessment
  risk_level: read_only
  model: { provider: anthropic, model_id: claude-sonnet-4-20250514, temperature: 0 }
  system_prompt: Say what likely changed and where to look, the likeliest first. Respond only with JSON.
  tools:
    - { name: deployments, source: mcp://observability }
    - { name: error_log, source: mcp://observability }
    - { name: metrics, source: mcp://observability }
  limits: { max_runtime_seconds: 60, max_tool_calls: 3 }
  output:
    type: structured
    schema:
      type: object
      required: [hypotheses]
      properties: { hypotheses: { type: array, minItems: 1, items: { type: object, required: [rank, what, look] } } }
  deliver_to: { conversation: "#oncall" }
`);
  const endpoint = '/api/v2/orders';
  room.model.thinks(calls(['deployments', {}], ['error_log', { endpoint }], ['metrics', {}]), says(JSON.stringify(assessment)));
  let slowFor = 0;
  const monitor = await room.monitor({
    source: 'monitoring.apm',
    type: 'server.latency.sla_breached',
    crossed: (p99: number) => {
      slowFor = p99 > 1000 ? slowFor + 1 : 0;
      return slowFor > 5 ? { endpoint, p99_ms: p99, sla_ms: 1000, duration_minutes: slowFor } : null;
    },
  });

  const told: string[] = [];
  for (const [minute, p99] of [1200, 800, 4100, 4300, 4500, 4400, 4700].entries()) {
    told.push(outcome(await monitor.sees(p99, `evt_l2c88${minute}`)));
    await room.passes(1);
  }
  same('For seven minutes', [...new Set(told)].join(), 'no event');
  const crossing = await monitor.sees(4800, 'evt_l2c88d');
  same('The sixth minute in a row', outcome(crossing), 'latency-breach: run');
  await room.reaches('completed', crossing);
  same('A minute later', outcome(await monitor.sees(4900, 'evt_l2c88e')), 'latency-breach: throttled');
  same('#oncall', await room.said(oncall), `[first-assessment] \`\`\`json\n${JSON.stringify(assessment, null, 2)}\n\`\`\``);
});
