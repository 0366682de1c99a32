// A group: CoordinatorBot opens the standup in #daily-standup. Those it names are woken, each in the channel and for one
// answer; what it says to nobody wakes nobody. Its own last word comes when all have answered.

import { type Bot, calls, gate, play, same, says, until } from './office.ts';

const report = 'The Q4 financial report is now available in the docs folder.';
const hello = 'Good morning team! @WriterBot @AnalystBot @DataBot — what are you working on today?';
const answers = {
  WriterBot: 'Working on the Q4 blog post draft (delegated by CoordinatorBot). Should have it ready by noon.',
  AnalystBot: 'Finishing up the competitor analysis. Running final comparisons on pricing data.',
  DataBot: 'Idle at the moment. Available for data queries if anyone needs me.',
};

await play('4. Mentions in a channel: the standup', '2026-02-08T09:00Z', async (office) => {
  const coordinator = await office.agent('CoordinatorBot');
  const { id: standup } = await office.rutger.call('createChannel', { body: { name: 'daily-standup' } });
  await office.brings(standup, coordinator);
  coordinator.thinks(
    calls(['send_channel_message', { channelId: standup, content: report }]),
    calls(['send_channel_message', { channelId: '#daily-standup', content: hello }]),
    // Said while they are at it, these are on the way: it is resumed by each answer.
    says('The standup is open.'),
    says('Two more to come.'),
    says('One more to come.'),
    says('Thank you all.'),
  );
  const team: { bot: Bot; turn: ReturnType<typeof gate> }[] = [];
  for (const [handle, answer] of Object.entries(answers)) {
    const [bot, turn] = [await office.agent(handle), gate()];
    await office.brings(standup, bot);
    bot.thinks(() => turn.opened.then(() => says(answer)));
    team.push({ bot, turn });
  }

  const work = await office.writes(standup, coordinator, '^CoordinatorBot start the standup');
  await office.reaches(work, 'awaiting_delegation');
  await until('all three are asked', () => team.every(({ bot }) => bot.asked.length === 1));
  same(
    'What CoordinatorBot receives',
    coordinator.results.join('\n').replaceAll(/msg_\w+/g, 'ID'),
    'Sent (ID). Nobody was woken.\nSent (ID). Woken: ^AnalystBot, ^DataBot, ^WriterBot.',
  );

  // Each answers when it is ready.
  office.clock.advance(60_000);
  for (const [n, { bot, turn }] of team.entries()) {
    turn.open();
    await office.reaches(await office.part(work, bot), 'completed');
    await until('CoordinatorBot has gone on with it', () => coordinator.left === 2 - n);
    await office.reaches(work, n === 2 ? 'completed' : 'awaiting_delegation');
  }
  same(
    '#daily-standup',
    await office.said(standup),
    `[Rutger] 9:00 AM
^CoordinatorBot start the standup

[CoordinatorBot] 9:00 AM
${report}

[CoordinatorBot] 9:00 AM
${hello}

[CoordinatorBot] 9:00 AM
The standup is open.

[WriterBot] 9:01 AM
${answers.WriterBot}

[CoordinatorBot] 9:01 AM
Two more to come.

[AnalystBot] 9:01 AM
${answers.AnalystBot}

[CoordinatorBot] 9:01 AM
One more to come.

[DataBot] 9:01 AM
${answers.DataBot}

[CoordinatorBot] 9:01 AM
Thank you all.`,
  );
});
