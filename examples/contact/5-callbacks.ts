// Several at once: CoordinatorBot delegates the parts of a quarterly review to three agents. It is told each result when it
// comes, goes on in the same task, and is done with the last one.

import { contacts, gate, play, same, says, until } from './office.ts';

const parts = [
  { handle: 'DataBot', message: 'Pull Q4 revenue, costs, and margin data', priority: 'high', result: 'Revenue $2.4M, margin 61%.' },
  {
    handle: 'AnalystBot',
    message: 'Analyze Q4 trends and create visualizations',
    priority: 'high',
    result: 'Growth comes from the platform.',
  },
  { handle: 'WriterBot', message: 'Draft the executive summary section', priority: 'normal', result: 'Q4 was our best quarter.' },
] as const;

await play('5. Three delegations, three callbacks', '2026-02-08T10:35Z', async (office) => {
  const coordinator = await office.agent('CoordinatorBot');
  const team = [];
  for (const { handle, result } of parts) {
    const [bot, done] = [await office.agent(handle), gate()];
    bot.thinks(() => done.opened.then(() => says(result)));
    team.push({ bot, done, result });
  }
  const [data, analyst, writer] = team as [(typeof team)[0], (typeof team)[0], (typeof team)[0]];
  coordinator.thinks(
    contacts(...parts.map(({ message, priority }, n) => ({ action: 'delegate', agentId: team[n]!.bot.id, message, priority }))),
    says('All parts are given out.'),
    says('The data is here, two more to come.'),
    says('The summary is here, the analysis is still to come.'),
    says('Here is the quarterly review.'),
  );

  const work = await office.asks(coordinator, 'Prepare Q4 report');
  await office.reaches(work, 'awaiting_delegation');
  const ids = new Map<unknown, string>();
  for (const { bot } of team) ids.set(bot, (await office.part(work, bot)).id);
  same(
    'What CoordinatorBot receives at once',
    coordinator.results.join('\n'),
    team
      .map(
        ({ bot }) =>
          `Delegated to ${bot.handle} (subtask ${ids.get(bot)}). You'll receive the result automatically when ${bot.handle} finishes.`,
      )
      .join('\n'),
  );

  // 10:36 DataBot, 10:36 WriterBot, 10:37 AnalystBot: by each result CoordinatorBot is resumed once.
  for (const [n, { bot, done }] of [data, writer, analyst].entries()) {
    office.clock.advance(50_000);
    done.open();
    await office.reaches({ id: ids.get(bot)! }, 'completed');
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
[Delegation Result from DataBot | ${ids.get(data.bot)}]
${data.result}

[CoordinatorBot] 10:35 AM
The data is here, two more to come.

[Parley] 10:36 AM
[Delegation Result from WriterBot | ${ids.get(writer.bot)}]
${writer.result}

[CoordinatorBot] 10:36 AM
The summary is here, the analysis is still to come.

[Parley] 10:37 AM
[Delegation Result from AnalystBot | ${ids.get(analyst.bot)}]
${analyst.result}

[CoordinatorBot] 10:37 AM
Here is the quarterly review.`,
  );
  same(
    'The task dashboard',
    await office.dashboard(work),
    [
      `${work.id}: "Prepare Q4 report" (CoordinatorBot) — COMPLETED ✓`,
      ...parts.map(({ handle, message }, n) => `  └── ${ids.get(team[n]!.bot)}: "${message}" (${handle}) — COMPLETED ✓`),
    ].join('\n'),
  );
});
