// One agent tells another something and expects nothing. AnalystBot is done with a report; CoordinatorBot is not woken for it,
// and has it before it when the two talk the next time.

import { contacts, holds, play, same, says } from './office.ts';

const message =
  "The Q4 competitor analysis is complete. I've saved it as 'Q4 Competitor Analysis' in the research folder. Key finding: our main competitor launched a similar feature at 20% lower price point.";

await play('3. Notify: the report is complete', '2026-02-08T11:15Z', async (office) => {
  const [analyst, coordinator] = [await office.agent('AnalystBot'), await office.agent('CoordinatorBot')];
  analyst.thinks(contacts({ action: 'notify', agentId: coordinator.id, message }), says('The analysis is done.'));

  await office.reaches(await office.asks(analyst, 'Finish the competitor analysis.'), 'completed');
  same('What AnalystBot receives', analyst.results.join('\n'), 'Notification sent to CoordinatorBot.');
  const notified = `[AnalystBot] 11:15 AM
[Agent Notification from AnalystBot]

${message}`;
  same('AnalystBot ↔ CoordinatorBot', await office.dm(analyst, coordinator), notified);
  same('CoordinatorBot is', await office.status(coordinator), 'idle');
  same('and its model was asked', `${coordinator.asked.length} times`, '0 times');

  analyst.thinks(
    contacts({ action: 'ask', agentId: coordinator.id, message: 'Did you see my finding?' }),
    says('CoordinatorBot has seen it.'),
  );
  coordinator.thinks(says('Yes: 20% lower.'));
  office.clock.advance(60 * 60_000);
  await office.reaches(await office.asks(analyst, 'Has CoordinatorBot seen it?'), 'completed');
  holds('What CoordinatorBot is given an hour later', coordinator.told, message);
  same(
    'AnalystBot ↔ CoordinatorBot',
    await office.dm(analyst, coordinator),
    `${notified}

[AnalystBot] 12:15 PM
[Agent Request from AnalystBot | Pattern: ask]

Did you see my finding?

[CoordinatorBot] 12:15 PM
Yes: 20% lower.`,
  );
});
