// InternBot is supervised: before it contacts another agent, a person approves. Rutger does, then denies the next call, and
// at last writes down that InternBot may not at all.

import { contacts, holds, play, same, says } from './office.ts';

const message = 'Can you validate my analysis approach?';

await play('7. Permission and approval', '2026-02-08T14:00Z', async (office) => {
  const [intern, senior] = [await office.agent('InternBot', 'supervised'), await office.agent('SeniorAnalystBot')];
  const asks = contacts({ action: 'ask', agentId: senior.id, message });
  /** What waits for Rutger, as he sees it; answered with one of its choices. */
  const answers = async (choice: string): Promise<string> => {
    const [asked] = (await office.rutger.call('listCheckpoints', { query: {} })).checkpoints;
    const { id, text, detail, choices } = asked!;
    await office.rutger.call('closeCheckpoint', { params: { checkpointId: id }, body: { choice } });
    return `${text}\n${detail}\n\n${choices.map(({ label }) => `[${label}]`).join(' ')}`;
  };

  intern.thinks(asks, says('I wait for approval.'), says('SeniorAnalystBot agrees with the approach.'));
  senior.thinks(says('The approach is sound.'));
  const first = await office.asks(intern, 'Check your analysis');
  await office.reaches(first, 'awaiting_approval');
  same('What InternBot receives', intern.results.join('\n'), 'This action requires approval. Waiting for approval...');
  same('InternBot is', await office.status(intern), 'awaiting_approval');
  same('SeniorAnalystBot has got', await office.dm(intern, senior), '');
  same(
    'What Rutger sees, and approves',
    await answers('approve'),
    `InternBot wants to contact SeniorAnalystBot:
Action: ask
Message: "Can you validate my analysis approach?"

[Approve] [Deny] [Always]`,
  );
  await office.reaches(first, 'completed');
  holds('What InternBot receives now', intern.told, 'Response from SeniorAnalystBot: The approach is sound.');
  same(
    'InternBot ↔ SeniorAnalystBot',
    await office.dm(intern, senior),
    `[InternBot] 2:00 PM
[Agent Request from InternBot | Pattern: ask]

${message}

[SeniorAnalystBot] 2:00 PM
The approach is sound.`,
  );

  // An approval is for one call: the next one is asked for again, and this time it is denied.
  intern.thinks(asks, says('I wait for approval.'), says('I was not allowed to ask, so I leave it as it is.'));
  const second = await office.asks(intern, 'Check it once more');
  await office.reaches(second, 'awaiting_approval');
  await answers('deny');
  await office.reaches(second, 'completed');
  holds('What InternBot receives after a no', intern.told, 'Approval denied for contacting SeniorAnalystBot.');

  // A rule against it is decided at once, and nobody is asked.
  await office.rutger.call('setContactRule', { params: { memberId: intern.id, target: senior.id }, body: { permission: 'deny' } });
  intern.thinks(asks, says('I may not ask.'));
  const third = await office.asks(intern, 'And again');
  await office.reaches(third, 'completed');
  same(
    'What InternBot receives where a rule forbids it',
    intern.results.at(-1)!,
    'Error: You are not permitted to contact SeniorAnalystBot.',
  );
  same('SeniorAnalystBot was asked', `${senior.asked.length} time`, '1 time');
});
