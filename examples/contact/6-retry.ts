// An agent that is asked takes too long. After 120 seconds ResearchBot learns that, and delegates to DataBot instead.

import { contacts, gate, play, same, says, until } from './office.ts';

const question = "What's our MRR trend for the last 6 months?";
const work = `${question} Please include month-by-month figures.`;
const trend = 'MRR: Aug $165K, Sep $170K, Oct $176K, Nov $184K, Dec $191K, Jan $200K.';

await play('6. Failure and retry', '2026-02-08T10:50Z', async (office) => {
  const [research, data] = [await office.agent('ResearchBot'), await office.agent('DataBot')];
  const [asked, slow, figures] = [gate(), gate(), gate()];
  research.thinks(
    contacts({ action: 'ask', agentId: data.id, message: question }),
    contacts({ action: 'delegate', agentId: data.id, message: work, priority: 'high' }),
    says('DataBot takes its time. The rest of the report is ready.'),
    says('The report is ready, with the MRR trend.'),
  );
  data.thinks(
    () => (asked.open(), slow.opened.then(() => says('It grows. Sorry, that took a while.'))),
    () => figures.opened.then(() => says(trend)),
  );

  const report = await office.asks(research, 'Write the metrics report');
  await asked.opened;
  office.clock.advance(120_000);
  await office.reaches(report, 'awaiting_delegation');
  const { id } = await office.part(report, data);
  same(
    'What ResearchBot receives',
    research.results.join('\n'),
    `Error: DataBot did not respond within 120 seconds. Consider using 'delegate' for async processing.
Delegated to DataBot (subtask ${id}). You'll receive the result automatically when DataBot finishes.`,
  );

  // The wait has ended, the work has not: the late answer is kept in the DM.
  slow.open();
  await until('the late answer is there', async () => (await office.dm(research, data)).includes('It grows.'));
  figures.open();
  await office.reaches(report, 'completed');
  same(
    'ResearchBot ↔ DataBot',
    await office.dm(research, data),
    `[ResearchBot] 10:50 AM
[Agent Request from ResearchBot | Pattern: ask]

${question}

[ResearchBot] 10:52 AM
[Agent Request from ResearchBot | Pattern: delegate | Priority: high | Task: ${id}]

${work}

[DataBot] 10:52 AM
It grows. Sorry, that took a while.

[DataBot] 10:52 AM
${trend}`,
  );
  same(
    'Rutger ↔ ResearchBot',
    await office.said(report.conversationId),
    `[Rutger] 10:50 AM
Write the metrics report

[ResearchBot] 10:52 AM
DataBot takes its time. The rest of the report is ready.

[Parley] 10:52 AM
[Delegation Result from DataBot | ${id}]
${trend}

[ResearchBot] 10:52 AM
The report is ready, with the MRR trend.`,
  );
});
