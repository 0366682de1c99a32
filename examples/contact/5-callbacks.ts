// Several at once: CoordinatorBot delegates the parts of a quarterly review to three agents. It gets each result when it
// comes, goes on in the same task, and is done with the last one.

import { contacts, gate, play, same, says, until } from './office.ts';

await play('5. Three delegations, three callbacks', '2026-02-08T10:35Z', async (office) => {
  const coordinator = await office.agent('CoordinatorBot');
  const gives = async (handle: string, message: string, priority: string, result: string) => {
    const [bot, done] = [await office.agent(handle), gate()];
    bot.thinks(() => done.opened.then(() => says(result)));
    return { bot, handle, call: { action: 'delegate', agentId: bot.id, message, priority }, result, done, id: '' };
  };
  const data = await gives('DataBot', 'Pull Q4 revenue, costs, and margin data', 'high', 'Revenue $2.4M, margin 61%.');
  const analyst = await gives('AnalystBot', 'Analyze Q4 trends and create visualizations', 'high', 'The platform grows.');
  const writer = await gives('WriterBot', 'Draft the executive summary section', 'normal', 'Q4 was our best quarter.');
  const team = [data, analyst, writer];
  coordinator.thinks(
    contacts(...team.map(({ call }) => call)),
    says('All parts are given out.'),
    says('The data is here, two more to come.'),
    says('The summary is here, the analysis is still to come.'),
    says('Here is the quarterly review.'),
  );

  const work = await office.asks(coordinator, 'Prepare Q4 report');
  await office.reaches(work, 'awaiting_delegation');
  for (const one of team) one.id = (await office.part(work, one.bot)).id;
  const taken = ({ handle, id }: { handle: string; id: string }): string =>
    `Delegated to ${handle} (subtask ${id}). You'll receive the result automatically when ${handle} finishes.`;
  same('What CoordinatorBot receives at once', coordinator.results.join('\n'), team.map(taken).join('\n'));

  // DataBot is done first, then WriterBot, then AnalystBot: by each result CoordinatorBot is resumed once.
  for (const [n, { id, done }] of [data, writer, analyst].entries()) {
    office.clock.advance(50_000);
    done.open();
    await office.reaches({ id }, 'completed');
    await until('CoordinatorBot has gone on with it', () => coordinator.left === 2 - n);
    await office.reaches(work, n === 2 ? 'completed' : 'awaiting_delegation');
  }
  same(
    'Rutger ↔ CoordinatorBot',
    await office.said(work.conversationId),
    `[Rutger] 10:35 AM
Prepare Q4 report

[CoordinatorBot] 10:35 AM
All parts are given out.

[Parley] 10:35 AM
[Delegation Result from DataBot | ${data.id}]
${data.result}

[CoordinatorBot] 10:35 AM
The data is here, two more to come.

[Parley] 10:36 AM
[Delegation Result from WriterBot | ${writer.id}]
${writer.result}

[CoordinatorBot] 10:36 AM
The summary is here, the analysis is still to come.

[Parley] 10:37 AM
[Delegation Result from AnalystBot | ${analyst.id}]
${analyst.result}

[CoordinatorBot] 10:37 AM
Here is the quarterly review.`,
  );
  const done = team.map(({ id, call, handle }) => `  └── ${id}: "${call.message}" (${handle}) — COMPLETED ✓`);
  same(
    'The task dashboard',
    await office.dashboard(work),
    [`${work.id}: "Prepare Q4 report" (CoordinatorBot) — COMPLETED ✓`, ...done].join('\n'),
  );
});
