// A regulation was published. An agent maps it to our systems and writes a memo; that it is done is an event of its own, which
// wakes a second agent that tells the owners of the systems. Both stand in one chain, and the platform keeps count of it.

import { calls, holds, outcome, play, same, says } from './room.ts';

const memo = { affected: ['scoring'], actions: ['Offer a review by a person before 2026-07-01.'] };

await play('7. New regulation published', '2026-03-11T09:00Z', async (room) => {
  await room.tools('architecture', {
    read_document: {
      about: 'the text of a document',
      takes: { url: 'string' },
      does: () => 'Art. 22: decisions need a review by a person on demand.',
    },
    list_systems: {
      about: 'systems and what data flows through them',
      does: () => ({ scoring: 'decides on loans by itself', blog: 'no personal data' }),
    },
  });
  const { id: legal } = await room.channel('legal');
  await room.puts(`
pap_version: "0.2"
trigger:
  id: new-regulation
  match: { type: regulation.document.published, filter: [{ path: "$.data.category", operator: eq, value: data-privacy }] }
  agent: regulation-mapper
agent:
  id: regulation-mapper
  risk_level: read_only
  model: { provider: anthropic, model_id: claude-sonnet-4-20250514 }
  system_prompt: Map the requirements to our systems. Respond only with JSON.
  tools:
    - { name: read_document, source: mcp://architecture }
    - { name: list_systems, source: mcp://architecture }
  output: { type: structured, schema: { affected: array, actions: array } }
  on_complete: { emit_event: regulation.memo.written }
---
pap_version: "0.2"
trigger:
  id: memo-written
  match: { type: regulation.memo.written }
  agent: memo-herald
agent:
  id: memo-herald
  risk_level: low
  model: { provider: anthropic, model_id: claude-sonnet-4-20250514 }
  system_prompt: Tell the owners of the systems, in two sentences.
  deliver_to: { conversation: "#legal" }
`);
  const url = 'https://eur-lex.europa.eu/...';
  const news = 'Owners of scoring: a person must be able to review its decisions from July on. The memo says how.';
  room.model.thinks(calls(['read_document', { url }], ['list_systems', {}]), says(JSON.stringify(memo)), says(news));
  const monitor = await room.monitor({
    source: 'monitoring.regulatory-feed',
    type: 'regulation.document.published',
    crossed: ({ title, category }: { title: string; category: string }) =>
      ['data-privacy', 'financial-compliance'].includes(category) ? { title, category, url, effective_date: '2026-07-01' } : null,
  });

  same('About fishing', outcome(await monitor.sees({ title: 'Quotas for cod', category: 'fishing' }, 'evt_r8f55a')), 'no event');
  const crossing = await monitor.sees({ title: 'Amendment to GDPR Article 22', category: 'data-privacy' }, 'evt_r8f55c');
  const first = await room.reaches('completed', crossing);
  same('The memo', JSON.stringify(first.output), JSON.stringify(memo));
  const [second] = await room.waitsFor('memo-written', 1);
  const herald = await room.becomes('completed', second!);
  same(
    'The second was triggered by the first',
    String(herald.event['triggered_by'] === first.id && herald.chainId === first.chainId),
    'true',
  );
  same('Its place in the chain', String(herald.level), '2');
  holds('Its prompt', room.model.told, '"scoring"');
  same('#legal', await room.said(legal), `[memo-herald] ${news}`);
});
