// A share has lost more than five percent in a day. An agent reads the news and the sector, and says whether it is the company
// or the market. What it writes is a message in a channel; a drop of four percent wakes nobody.

import { calls, holds, outcome, play, same, says } from './room.ts';

const analysis = 'EQNR.OL is down 6.2%. The sector fell by 0.4% and a refinery was closed: it is the company, not the market. Hold.';

await play('2. Stock drop', '2026-03-11T14:33Z', async (room) => {
  await room.tools('markets', {
    news: { about: 'the latest news of a share', takes: { ticker: 'string' }, does: () => ['Refinery at Mongstad closed after a leak'] },
    earnings: { about: 'its last report', takes: { ticker: 'string' }, does: () => ({ quarter: '2025Q4', surprise_percent: 1.2 }) },
    sector: { about: 'how its sector does today', takes: { ticker: 'string' }, does: () => ({ change_percent: -0.4 }) },
  });
  const { id: portfolio } = await room.channel('portfolio');
  await room.puts(`
pap_version: "0.2"
trigger:
  id: stock-drop
  match: { type: stock.price.dropped_significantly, filter: [{ path: "$.data.ticker", operator: in, value: [EQNR.OL, DNB.OL] }] }
  agent: stock-analyst
agent:
  id: stock-analyst
  risk_level: read_only
  model: { provider: anthropic, model_id: claude-sonnet-4-20250514 }
  system_prompt: Say whether the drop is of the company or of the market, and what to do.
  tools:
    - { name: news, source: mcp://markets }
    - { name: earnings, source: mcp://markets }
    - { name: sector, source: mcp://markets }
  deliver_to: { conversation: "#portfolio" }
`);
  const ticker = 'EQNR.OL';
  room.model.thinks(calls(['news', { ticker }], ['earnings', { ticker }], ['sector', { ticker }]), says(analysis));
  const monitor = await room.monitor({
    source: 'monitoring.portfolio-tracker',
    type: 'stock.price.dropped_significantly',
    crossed: ({ ticker: of, open, now }: { ticker: string; open: number; now: number }) => {
      const drop = Math.round((1 - now / open) * 1000) / 10;
      return drop > 5 ? { ticker: of, drop_percent: drop, threshold_percent: 5, price_current: now, price_open: open } : null;
    },
  });

  same('Down 4%', outcome(await monitor.sees({ ticker, open: 302.9, now: 290.8 }, 'evt_s7f01a')), 'no event');
  const other = await monitor.sees({ ticker: 'KIT.OL', open: 100, now: 80 }, 'evt_s7f01c');
  same('A share that nobody follows', outcome(other), 'stock-drop: filter');
  const crossing = await monitor.sees({ ticker, open: 302.9, now: 284.1 }, 'evt_s7f01b');
  same('Down 6.2%', outcome(crossing), 'stock-drop: run');
  await room.reaches('completed', crossing);
  holds('What it learnt', room.model.results.join('\n'), '{"change_percent":-0.4}');
  same('#portfolio', await room.said(portfolio), `[stock-analyst] ${analysis}`);
});
