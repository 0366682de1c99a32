// Nobody has answered a ticket of high priority for four hours. That nothing happened is noticed by the hub itself: its
// monitor of absence hears of every reply, and speaks up when none comes. An agent writes an answer that is ready to be sent.

import { calls, holds, outcome, play, same, says } from './room.ts';

const draft = 'Dear Ada, your export fails because the plan you moved to on Monday allows 10,000 rows. I have raised it to 50,000.';

await play('4. Support ticket unanswered', '2026-03-11T10:48Z', async (room) => {
  await room.tools('support-desk', {
    read_ticket: {
      about: 'the thread of a ticket',
      takes: { ticket_id: 'string' },
      does: () => 'Ada: My export stops at 10,000 rows since Monday.',
    },
    read_account: {
      about: 'the history of a customer',
      takes: { ticket_id: 'string' },
      does: () => 'Moved from Pro to Team on Monday; 42,000 rows.',
    },
  });
  const { id: support } = await room.channel('support');
  await room.puts(`
pap_version: "0.2"
absence:
  id: high-priority-silence
  match: { type: ticket.activity.seen, filter: [{ path: "$.data.priority", operator: eq, value: high }] }
  key: "$.data.ticket_id"
  within_seconds: 14400
  emit: { type: ticket.response.overdue, source: monitoring.support-queue, data: { priority: high } }
trigger:
  id: overdue-ticket
  match: { type: ticket.response.overdue, filter: [{ path: "$.data.priority", operator: eq, value: high }] }
  throttle: { max_per_window: 1, window_key: "$.data.key", window_seconds: 86400 }
  agent: reply-drafter
agent:
  id: reply-drafter
  risk_level: low
  model: { provider: anthropic, model_id: claude-sonnet-4-20250514 }
  system_prompt: Write a complete answer to the customer, out of the ticket and the history of the account.
  tools:
    - { name: read_ticket, source: mcp://support-desk }
    - { name: read_account, source: mcp://support-desk }
  deliver_to: { conversation: "#support" }
`);
  const ticket = { ticket_id: 'tck-8812' };
  room.model.thinks(calls(['read_ticket', ticket], ['read_account', ticket]), says(draft));
  const desk = await room.monitor({
    source: 'support-desk',
    type: 'ticket.activity.seen',
    crossed: ({ id, priority }: { id: string; priority: string }) => ({ ticket_id: id, priority }),
  });

  same('A reply wakes nobody', outcome(await desk.sees({ id: 'tck-8812', priority: 'high' }, 'act-1')), '');
  await desk.sees({ id: 'tck-0001', priority: 'low' }, 'act-2');
  await room.passes(120);
  await desk.sees({ id: 'tck-8812', priority: 'high' }, 'act-3');
  // Four hours after the first reply, two after the second.
  await room.passes(120);
  same('After two hours', (await room.started('overdue-ticket')).join(), '');
  await room.passes(120);
  const ids = await room.waitsFor('overdue-ticket', 1);
  const { event } = await room.becomes('completed', ids[0]!);
  same(
    'The event',
    `${event.type} of ${event.source}: ${String(event.data['key'])}, silent since ${String(event.data['since'])}`,
    'ticket.response.overdue of monitoring.support-queue: tck-8812, silent since 2026-03-11T12:48:00.000Z',
  );
  holds('What it learnt', room.model.results.join('\n'), '42,000 rows');
  same('#support', await room.said(support), `[reply-drafter] ${draft}`);
  await room.passes(240);
  same('One silence, one event', String((await room.started('overdue-ticket')).length), '1');
});
