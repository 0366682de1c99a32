// An article has not been touched for 180 days. An agent reads it beside today's documentation: one that is out of date gets a
// new draft, one that still holds is marked as verified, with a note that says why.

import { calls, outcome, play, same, says } from './room.ts';

const articles: Record<string, string> = {
  'kb-4421': 'To turn on two-factor authentication, open Settings > Security and choose SMS.',
  'kb-0007': 'To sign out, choose Sign out in the menu under your name.',
};

await play('3. Knowledge article gone stale', '2026-03-11T03:00Z', async (room) => {
  const changes: unknown[] = [];
  await room.tools('knowledge-base', {
    read_article: { about: 'all of an article', takes: { article_id: 'string' }, does: ({ article_id: id }) => articles[String(id)] },
    read_docs: {
      about: 'the documentation of today',
      does: () => 'Two-factor: passkey or app; SMS was removed. Sign out: menu under your name.',
    },
    save_draft: {
      about: 'a draft of an article',
      takes: { article_id: 'string', text: 'string' },
      changes: true,
      does: (given) => (changes.push(given), 'saved'),
    },
    mark_verified: {
      about: 'it still holds',
      takes: { article_id: 'string', note: 'string' },
      changes: true,
      does: (given) => (changes.push(given), 'marked'),
    },
  });
  await room.puts(`
pap_version: "0.2"
trigger:
  id: stale-article
  match: { type: article.staleness.threshold_reached, filter: [{ path: "$.data.days_since_edit", operator: gte, value: 180 }] }
  agent: article-reviewer
agent:
  id: article-reviewer
  risk_level: low
  model: { provider: anthropic, model_id: claude-sonnet-4-20250514 }
  system_prompt: Compare the article with the documentation. Write a draft if it is outdated; else mark it as verified and say why.
  tools:
    - { name: read_article, source: mcp://knowledge-base }
    - { name: read_docs, source: mcp://knowledge-base }
    - { name: save_draft, source: mcp://knowledge-base }
    - { name: mark_verified, source: mcp://knowledge-base }
  limits: { max_tool_calls: 5 }
  output: { type: structured, schema: { article_id: string, verdict: string } }
`);
  const monitor = await room.monitor({
    source: 'monitoring.knowledge-base-crawler',
    type: 'article.staleness.threshold_reached',
    crossed: ({ id, title, edited }: { id: string; title: string; edited: string }) => {
      const days = Math.floor((room.clock.now() - Date.parse(edited)) / 86_400_000);
      return days >= 180 ? { article_id: id, title, last_edited: edited, days_since_edit: days } : null;
    },
  });
  const reads = (id: string) => calls(['read_article', { article_id: id }], ['read_docs', {}]);
  const draft = { article_id: 'kb-4421', text: 'Open Settings > Security and add a passkey or an authenticator app.' };
  const note = { article_id: 'kb-0007', note: 'The menu is where the article says it is.' };

  const fresh = { id: 'kb-9000', title: 'New', edited: '2026-01-10T11:00:00Z' };
  same('60 days old', outcome(await monitor.sees(fresh, 'evt_k3d729')), 'no event');

  room.model.thinks(reads('kb-4421'), calls(['save_draft', draft]), says('{"article_id":"kb-4421","verdict":"outdated"}'));
  const first = { id: 'kb-4421', title: 'How to configure two-factor authentication', edited: '2025-09-10T11:00:00Z' };
  const outdated = await room.reaches('completed', await monitor.sees(first, 'evt_k3d72a'));
  same('An outdated one', JSON.stringify(outdated.output), '{"article_id":"kb-4421","verdict":"outdated"}');

  room.model.thinks(reads('kb-0007'), calls(['mark_verified', note]), says('{"article_id":"kb-0007","verdict":"verified"}'));
  const second = { id: 'kb-0007', title: 'How to sign out', edited: '2025-09-01T11:00:00Z' };
  const accurate = await room.reaches('completed', await monitor.sees(second, 'evt_k3d72b'));
  same('One that still holds', JSON.stringify(accurate.output), '{"article_id":"kb-0007","verdict":"verified"}');
  same('What was changed', JSON.stringify(changes), JSON.stringify([draft, note]));
});
