// Actions of one's own in the hosting: a real hub, a booking server, a tool server that is one person's own, and two people who tap.

import type { ProposalCard } from '@parley/protocol';
import { startOwnTools } from '@parley/testkit/mcp-tools';
import { waitFor } from '@parley/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { bookingServer } from '../peer/booking-server.ts';
import * as hosting from './hosting-kit.ts';
import { agree, cardOf, confirmBoth, inboxOf, shareAlways, startStory, type Story } from './story-kit.ts';

const secret = 'chosen-by-ann-canary';

async function clubOf(story: Story, does: (tool: string) => void): Promise<string[]> {
  const calls: string[] = [];
  const call = (tool: string) => ({
    about: tool,
    takes: { key: 'string', summary: 'string' },
    changes: true as const,
    does: ({ key }: Record<string, unknown>) => {
      calls.push(`${tool} ${String(key)}`);
      does(tool);
      return 'done';
    },
  });
  const door = await startOwnTools('club', { tell: call('tell'), untell: call('untell') });
  onTestFinished(() => door.stop());
  await story.kit.owner.call('setToolServer', { params: { name: 'club' }, body: { url: door.url, owner: '@bob' } });
  return calls;
}

test('[A2C-29] [A2C-26] a webhook and a tool of one’s own run once; when the later one fails, both are undone and the next try is whole', async () => {
  const story = await startStory();
  const { ann, bob, general } = story;
  const bookings = await bookingServer();
  let failures = 1;
  const calls = await clubOf(story, (tool) => {
    if (tool === 'tell' && failures-- > 0) throw new Error('canary of the club');
  });
  const book = { name: 'book_table', kind: 'webhook', run: `${bookings.url}/book`, undo: `${bookings.url}/release`, secret } as const;
  const added = await ann.call('addPeerAction', { body: book });
  expect(added).toEqual({ actions: [{ name: 'book_table', kind: 'webhook', run: book.run, undo: book.undo }], tools: [] });
  const tell = { name: 'tell_club', kind: 'tool', run: 'club/tell', undo: 'club/untell' } as const;
  // A server is its owner's alone.
  for (const [person, body] of [
    [ann, tell],
    [bob, { ...tell, undo: 'club/forget' }],
  ] as const) {
    const { status, body: refused } = await person.ask('addPeerAction', { body });
    expect([status, refused.error?.code]).toEqual([400, 'invalid_request']);
  }
  expect(await bob.call('addPeerAction', { body: tell })).toMatchObject({ actions: [tell], tools: ['club/tell', 'club/untell'] });

  await ann.post(general, '^ORAC sort dinner with @bob on Friday');
  await shareAlways(bob);
  await shareAlways(ann);
  const first = (await cardOf(ann, 'proposal')) as ProposalCard;
  expect(first.actions.map(({ text, own, reversible, missing = false }) => [text, own, reversible, missing])).toEqual([
    ['Run the action book_table', true, true, false],
    ['Add “Dinner with Bob” to your calendar', true, true, false],
    ['Run the action tell_club', false, true, false],
    [expect.stringMatching(/^Post “/), true, false, false],
  ]);
  await confirmBoth(bob, ann);
  const { proposal } = await agree(ann, bob);
  expect(proposal!.summary).not.toBe(first.summary);
  await story.ended();
  expect(bookings.effects('/book', '/release')).toEqual([0, 1]);
  const [tried, undone, told] = calls.map((call) => call.split(' ')) as [string, string][];
  expect([tried![0], undone![0], told![0], calls.length]).toEqual(['tell', 'untell', 'tell', 3]);
  expect([tried![1] === undone![1], tried![1] === told![1]]).toEqual([true, false]);
  for (const person of [ann, bob]) {
    expect((await story.calendar(person)).match(/BEGIN:VEVENT/g)).toHaveLength(1);
    expect(await inboxOf(person)).toEqual([]);
  }
  expect((await story.bodies()).filter((body) => body.includes(proposal!.summary))).toHaveLength(1);
  const facts = await story.kit.hub.kernel.store.rows('facts', { type: 'peer.tool_called' } as never);
  expect(facts.map(({ member_id, data }) => [member_id, JSON.parse(data)])).toEqual(
    ['tell', 'untell', 'tell'].map((tool) => [bob.id, { server: 'club', tool }]),
  );
  // Nobody but the two people’s own peers has their words or secrets.
  const seen = [
    await ann.call('listPeerActions', {}),
    await bob.call('listPeerActions', {}),
    await ann.call('exportMember', { params: { memberId: ann.id } }),
    (await bob.call('listNegotiations', {})).negotiations,
  ];
  expect(JSON.stringify(seen)).not.toContain(secret);
  expect(JSON.stringify(await ann.call('getNegotiation', { params: { threadId: first.threadId } }))).not.toContain('canary');
});

// A tool has no idempotency key: it is undone, never called again.
test('[A2C-29] [A2C-34] the thread ends while a tool runs: one call for each proposal, and one undo', async () => {
  let isFirst = true;
  const run = await hosting.startHosting({
    onTool: async (tool) => {
      if (tool !== 'club/tell' || !isFirst) return;
      isFirst = false;
      void run.worker.terminate();
      await new Promise(() => {});
    },
  });
  const { host, hub } = run;
  const { ann, bob } = hosting;
  const dinner = 'thr_dinner01';
  hub.tools.set(bob.memberId, ['club/tell', 'club/untell']);
  await host.call(bob, 'addAction', { name: 'tell_club', kind: 'tool', run: 'club/tell', undo: 'club/untell' });
  await hosting.openDinner(run);
  await hosting.shareAll(run, bob, dinner, 'always');
  await hosting.shareAll(run, ann, dinner, 'always');
  for (const person of [ann, bob]) await hosting.answerWith(run, person, dinner, 'proposal', { kind: 'confirm' });
  await waitFor(() => expect(hub.problems.join()).toContain('starts again'));
  await hosting.agree(run, dinner);
  for (const person of [ann, bob]) {
    expect((await host.call(person, 'calendar', null)).ics.match(/BEGIN:VEVENT/g)).toHaveLength(1);
  }
  expect(hub.toolCalls).toEqual(['tell', 'untell', 'tell'].map((tool) => `${bob.memberId} club/${tool}`));
});
