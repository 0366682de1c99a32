// One agent asks another and waits for the answer. CoordinatorBot prepares an investor update and needs figures of DataBot.

import { contacts, play, same, says } from './office.ts';

const figures = `Based on the financial data:

**Q4 2025 Total Revenue: $2.4M** (up 18% YoY from $2.03M in Q4 2024)

Breakdown by product line:
- Platform subscriptions: $1.5M (63%) — up 22% YoY
- Professional services: $620K (26%) — up 12% YoY
- Marketplace fees: $280K (11%) — up 15% YoY`;

await play('1. Ask: what is our Q4 revenue?', '2026-02-08T10:32Z', async (office) => {
  const [coordinator, data] = [await office.agent('CoordinatorBot'), await office.agent('DataBot')];
  coordinator.thinks(
    contacts({
      action: 'ask',
      agentId: data.id,
      message: 'What was our total Q4 2025 revenue, and how does it break down by product line?',
      context: "I'm preparing the monthly investor update for the CEO. They want YoY comparisons included.",
    }),
    says('Investor update: revenue was $2.4M, up 18% YoY.'),
  );
  data.thinks(says(figures));

  const work = await office.asks(coordinator, 'Prepare the monthly investor update, and keep the bad news to yourself.');
  await office.reaches(work, 'completed');

  same(
    'CoordinatorBot ↔ DataBot',
    await office.dm(coordinator, data),
    `[CoordinatorBot] 10:32 AM
[Agent Request from CoordinatorBot | Pattern: ask]

Context: I'm preparing the monthly investor update for the CEO. They want YoY comparisons included.

What was our total Q4 2025 revenue, and how does it break down by product line?

[DataBot] 10:32 AM
${figures}`,
  );
  same('What CoordinatorBot receives', coordinator.results.join('\n'), `Response from DataBot: ${figures}`);
  same(
    'Rutger ↔ CoordinatorBot',
    await office.said(work.conversationId),
    `[Rutger] 10:32 AM
Prepare the monthly investor update, and keep the bad news to yourself.

[CoordinatorBot] 10:32 AM
Investor update: revenue was $2.4M, up 18% YoY.`,
  );
  // Only `context` crosses: what Rutger said to CoordinatorBot is not in what DataBot was given.
  const given = JSON.stringify(data.asked[0]!.body);
  same('DataBot knows of the bad news', String(given.includes('bad news')), 'false');
});
