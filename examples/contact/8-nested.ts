// Asked, and asking in turn: CoordinatorBot asks AnalystBot, which asks DataBot before it can answer. Each pair has a DM of
// its own, and none sees more than what it was asked.

import { calls, contacts, play, same, says } from './office.ts';

const question = "What's our market position relative to competitors?";
const context = 'CoordinatorBot asked me for a market position assessment. I need revenue comparisons to complete the analysis.';
const narrower = "What's our revenue compared to the top 3 competitors for the latest quarter?";
const revenue = `Based on available data:
- Our revenue: $2.4M
- Competitor A (Acme Corp): $3.1M
- Competitor B (Beta Inc): $1.8M
- Competitor C (Gamma Ltd): $1.2M`;
const position = "We're #2 in market share at 28%. Leader has 36%.";

await play('8. A nested ask', '2026-02-08T10:45Z', async (office) => {
  const [coordinator, analyst, data] = [
    await office.agent('CoordinatorBot'),
    await office.agent('AnalystBot'),
    await office.agent('DataBot'),
  ];
  coordinator.thinks(contacts({ action: 'ask', agentId: analyst.id, message: question }), says('The assessment: we are second.'));
  analyst.thinks(contacts({ action: 'ask', agentId: data.id, message: narrower, context }), says(position));
  // The asked agent has its own tools.
  data.thinks(calls(['query_workspace', { action: 'list_channels' }]), says(revenue));

  const work = await office.asks(coordinator, 'Assess our market for the board');
  await office.reaches(work, 'completed');
  same('What AnalystBot receives', analyst.results.join('\n'), `Response from DataBot: ${revenue}`);
  same('What CoordinatorBot receives', coordinator.results.join('\n'), `Response from AnalystBot: ${position}`);
  same(
    'AnalystBot ↔ DataBot',
    await office.dm(analyst, data),
    `[AnalystBot] 10:45 AM
[Agent Request from AnalystBot | Pattern: ask]

Context: ${context}

${narrower}

[DataBot] 10:45 AM
${revenue}`,
  );
  same(
    'CoordinatorBot ↔ AnalystBot',
    await office.dm(coordinator, analyst),
    `[CoordinatorBot] 10:45 AM
[Agent Request from CoordinatorBot | Pattern: ask]

${question}

[AnalystBot] 10:45 AM
${position}`,
  );
  const [toAnalyst, toData] = [await office.part(work, analyst), await office.part(work, data)];
  same(
    'The task dashboard',
    await office.dashboard(work),
    `${work.id}: "Assess our market for the board" (CoordinatorBot) — COMPLETED ✓
  └── ${toAnalyst.id}: "${question}" (AnalystBot) — COMPLETED ✓
    └── ${toData.id}: "${narrower}" (DataBot) — COMPLETED ✓`,
  );
  const knows = (words: string) => String(data.asked.some(({ body }) => JSON.stringify(body).includes(words)));
  same('DataBot knows what Rutger wants', knows('for the board'), 'false');
  same('DataBot knows what AnalystBot was asked', knows('relative to competitors'), 'false');
});
