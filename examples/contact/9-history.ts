// What two agents said to each other before is before them the next time: three days of CoordinatorBot and DataBot.

import { contacts, holds, play, same, says } from './office.ts';

const months = `Done. I've saved the dataset as "2025 Monthly Revenue" in the data folder.
Monthly figures: Jan: $1.6M, Feb: $1.7M, Mar: $1.8M, Apr: $1.8M,
May: $1.9M, Jun: $2.0M, Jul: $2.0M, Aug: $2.0M, Sep: $2.1M,
Oct: $2.2M, Nov: $2.3M, Dec: $2.4M.`;
const compile = 'Please compile a dataset of monthly revenue figures for all of 2025.';
const context = "I'm preparing the monthly investor update for the CEO.";
const fourth = 'What was Q4 2025 revenue and how does it break down by product line?';

await play('9. History over time', '2026-02-05T14:15Z', async (office) => {
  const [coordinator, data] = [await office.agent('CoordinatorBot'), await office.agent('DataBot')];
  const comes = (at: string): void => office.clock.advance(Date.parse(at) - office.clock.now());

  coordinator.thinks(contacts({ action: 'ask', agentId: data.id, message: 'What was Q3 revenue?' }), says('$2.1M.'));
  data.thinks(says('Q3 2025 revenue was $2.1M.'));
  await office.reaches(await office.asks(coordinator, 'How was Q3?'), 'completed');

  comes('2026-02-07T11:00Z');
  coordinator.thinks(
    contacts({ action: 'delegate', agentId: data.id, message: compile }),
    says('DataBot is on it.'),
    says('The dataset is there.'),
  );
  data.thinks(says(months));
  const work = await office.asks(coordinator, 'Get me the months of 2025.');
  await office.reaches(work, 'completed');
  const { id } = await office.part(work, data);

  comes('2026-02-08T10:32Z');
  coordinator.thinks(contacts({ action: 'ask', agentId: data.id, message: fourth, context }), says('$2.4M, up 18%.'));
  data.thinks(says('Q4 2025 Total Revenue: $2.4M (up 18% YoY)...'));
  await office.reaches(await office.asks(coordinator, 'And Q4?'), 'completed');

  same(
    'CoordinatorBot ↔ DataBot',
    await office.dm(coordinator, data),
    `[CoordinatorBot] 2:15 PM
[Agent Request from CoordinatorBot | Pattern: ask]

What was Q3 revenue?

[DataBot] 2:15 PM
Q3 2025 revenue was $2.1M.

[CoordinatorBot] 11:00 AM
[Agent Request from CoordinatorBot | Pattern: delegate | Priority: normal | Task: ${id}]

${compile}

[DataBot] 11:00 AM
${months}

[CoordinatorBot] 10:32 AM
[Agent Request from CoordinatorBot | Pattern: ask]

Context: ${context}

${fourth}

[DataBot] 10:32 AM
Q4 2025 Total Revenue: $2.4M (up 18% YoY)...`,
  );
  for (const said of ['What was Q3 revenue?', 'Q3 2025 revenue was $2.1M.', compile, months, fourth])
    holds('DataBot gets on the third day', data.told, said);
});
