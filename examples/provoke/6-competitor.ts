// A competitor has changed its prices. An agent compares them with ours and writes a briefing. Its first attempt is prose
// where values were asked for; five seconds later the second one is as it should be. A third would not have been made.

import { calls, outcome, play, same, says } from './room.ts';

const briefing = {
  cheaper_than_us: ['widget-l'],
  dearer_than_us: ['widget-s'],
  recommendation: 'hold',
  summary: 'Only widget-l undercuts ours, by 3%.',
};

await play('6. Competitor repricing', '2026-03-11T08:15Z', async (room) => {
  await room.tools('pricing', {
    snapshot_diff: { about: 'what changed on their page', takes: { url: 'string' }, does: () => ({ 'widget-s': 21, 'widget-l': 88 }) },
    our_prices: { about: 'ours', does: () => ({ 'widget-s': 19, 'widget-l': 91 }) },
  });
  await room.puts(`
pap_version: "0.2"
trigger:
  id: competitor-repricing
  match: { type: competitor.pricing.changed, filter: [{ path: "$.data.products_changed", operator: gt, value: 0 }] }
  agent: pricing-briefer
agent:
  id: pricing-briefer
  risk_level: read_only
  model: { provider: anthropic, model_id: claude-sonnet-4-20250514 }
  system_prompt: Compare the prices with ours and recommend to adjust, to hold or to watch. Respond only with JSON.
  tools:
    - { name: snapshot_diff, source: mcp://pricing }
    - { name: our_prices, source: mcp://pricing }
  output: { type: structured, schema: { cheaper_than_us: array, dearer_than_us: array, recommendation: string, summary: string } }
  on_failure: { retry: { max_attempts: 2, backoff_seconds: 5 }, emit_event: pap.agent.invocation.failed }
`);
  const url = 's3://snapshots/diff_20260311.json';
  const looks = calls(['snapshot_diff', { url }], ['our_prices', {}]);
  room.model.thinks(looks, says('They are cheaper in one case. I would hold.'), looks, says(JSON.stringify(briefing)));
  const before = { 'widget-s': 22, 'widget-l': 100 };
  const monitor = await room.monitor({
    source: 'monitoring.web-scraper',
    type: 'competitor.pricing.changed',
    crossed: (page: Record<keyof typeof before, number>) => {
      const changes = (Object.keys(before) as (keyof typeof before)[]).map((one) => (page[one] / before[one] - 1) * 100);
      const largest = Math.round(changes.toSorted((a, b) => Math.abs(b) - Math.abs(a))[0]! * 10) / 10;
      const count = changes.filter((change) => change !== 0).length;
      return count === 0
        ? null
        : { competitor: 'acme-rival.com', products_changed: count, largest_change_percent: largest, snapshot_diff_url: url };
    },
  });

  same('The page as it was', outcome(await monitor.sees(before, 'evt_c5e19a')), 'no event');
  const crossing = await monitor.sees({ 'widget-s': 21, 'widget-l': 88 }, 'evt_c5e19b');
  same(
    'A warning',
    crossing!.warnings.map(({ field, message }) => `${field} ${message}`).join(),
    'type says that something changed, not which threshold was crossed',
  );
  const waiting = await room.reaches('waiting_retry', crossing);
  same(
    'After the first attempt',
    waiting.runs.map((run) => `${run.state}: ${run.error}`).join(),
    'bad_output: Its output does not fit its schema: (output) must be JSON and nothing else',
  );
  await room.passes(5 / 60);
  const { runs, output } = await room.reaches('completed', crossing);
  same('Its attempts', runs.map(({ state }) => state).join(', '), 'bad_output, succeeded');
  same('The briefing', JSON.stringify(output), JSON.stringify(briefing));
});
