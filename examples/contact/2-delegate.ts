// One agent delegates to another, goes on, and gets the result when it is there. CoordinatorBot has WriterBot draft a blog
// post: it does not wait, and it does not poll.

import { contacts, gate, play, same, says } from './office.ts';

const message =
  'Draft a 500-word blog post about our Q4 achievements. Focus on the new product launches and customer growth. Tone: professional but warm. Target audience: existing customers.';
const context =
  'This is for the company website. The user (Rutger) wants it published by Friday. Q4 revenue was $2.4M, up 18% YoY. We launched 2 new products and grew customers by 30%.';
const post = `I've drafted the blog post. Here it is:
# A Quarter of Growth: Celebrating Our Q4 Achievements
As we step into 2026, we're excited to look back at an incredible fourth quarter...`;

await play('2. Delegate: draft a blog post', '2026-02-08T10:35Z', async (office) => {
  const [coordinator, writer] = [await office.agent('CoordinatorBot'), await office.agent('WriterBot')];
  const [written, looked] = [gate(), gate()];
  coordinator.thinks(
    contacts({ action: 'delegate', agentId: writer.id, message, context, priority: 'high' }),
    says('WriterBot is on the blog post. The figures are ready.'),
    () => looked.opened.then(() => says('The investor update is ready, with a blog post.')),
  );
  writer.thinks(() => written.opened.then(() => says(post)));

  const work = await office.asks(coordinator, 'Prepare investor update');
  await office.reaches(work, 'awaiting_delegation');
  const { id } = await office.part(work, writer);
  same(
    'What CoordinatorBot receives at once',
    coordinator.results.join('\n'),
    `Delegated to WriterBot (subtask ${id}). You'll receive the result automatically when WriterBot finishes.`,
  );
  same('CoordinatorBot, whose own part is done, is', await office.status(coordinator), 'awaiting_delegation');

  office.clock.advance(2 * 60_000);
  written.open();
  await office.reaches(work, 'active');
  same(
    'CoordinatorBot ↔ WriterBot',
    await office.dm(coordinator, writer),
    `[CoordinatorBot] 10:35 AM
[Agent Request from CoordinatorBot | Pattern: delegate | Priority: high | Task: ${id}]

Context: ${context}

${message}

[WriterBot] 10:37 AM
${post}`,
  );
  same(
    'The task dashboard',
    await office.dashboard(work),
    `${work.id}: "Prepare investor update" (CoordinatorBot) — ACTIVE
  └── ${id}: "Draft a 500-word blog post about our Q4 achievements" (WriterBot) — COMPLETED ✓`,
  );

  looked.open();
  await office.reaches(work, 'completed');
  same(
    'Rutger ↔ CoordinatorBot, where the result has come in by itself',
    await office.said(work.conversationId),
    `[Rutger] 10:35 AM
Prepare investor update

[CoordinatorBot] 10:35 AM
WriterBot is on the blog post. The figures are ready.

[Parley] 10:37 AM
[Delegation Result from WriterBot | ${id}]
${post}

[CoordinatorBot] 10:37 AM
The investor update is ready, with a blog post.`,
  );
});
