import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { newSigningKey, writeCard } from '@parley/peer';
import { toBase64Url } from '@parley/protocol/relay';
import { waitFor } from '@parley/testkit';
import { expect, test } from 'vitest';
import { ann, answerWith, bob, openDinner, promptOf, shareAll, startHosting, stateOf } from './hosting-kit.ts';

const dinner = 'thr_dinner01';

test('[A2C-22] the first answer counts; a prompt of somebody else is nobody’s', async () => {
  const hosting = await startHosting();
  await openDinner(hosting);
  const { id } = await promptOf(hosting, bob, dinner, 'consent');
  const decline = { promptId: id, answer: { kind: 'consent' as const, fields: [] } };
  await expect(hosting.host.call(ann, 'answer', decline)).rejects.toMatchObject({ code: 'unknown_id' });
  await hosting.host.call(bob, 'answer', decline);
  await expect(hosting.host.call(bob, 'answer', decline)).rejects.toMatchObject({ code: 'answered' });
  expect(await hosting.host.call(bob, 'prompts', { ids: [id] })).toEqual([]);
  const whole = await hosting.host.call(bob, 'negotiation', { threadId: dinner });
  expect(whole.steps.map(({ text, asked, withheld }) => [text, asked, withheld])).toEqual([
    ['Their peer shared and asked yours', ['time_windows', 'dietary', 'location_preference'], []],
    ['You were asked what to share; you answered', ['time_windows', 'dietary'], []],
    [
      'Your peer asked theirs',
      ['time_windows', 'cuisine_preference', 'transport_mode'],
      ['time_windows', 'dietary', 'location_preference'],
    ],
  ]);
});

test('[SYS-7] a sample friend plays the whole story with one person, and can be removed', async () => {
  const hosting = await startHosting();
  const friend = await hosting.host.call(ann, 'sample', null);
  expect(friend).toMatchObject({ name: 'Sample friend (made up)', memberId: null, trust: 'introduced' });
  const threadId = 'thr_sample01';
  await hosting.host.call(ann, 'open', {
    threadId,
    with: { address: friend.address },
    intent: 'Lunch tomorrow',
    needs: [],
    audience: null,
  });
  await shareAll(hosting, ann, threadId);
  await answerWith(hosting, ann, threadId, 'proposal', { kind: 'confirm' });
  await stateOf(hosting, ann, threadId, 'COMPLETED');
  expect((await hosting.host.call(ann, 'calendar', null)).ics).toContain('SUMMARY:Lunch with Sample friend (made up)\r');
  expect([...hosting.hub.made.keys()]).toEqual(['mem_ann']);
  await hosting.host.call(ann, 'removeSample', null);
  expect(existsSync(join(hosting.folder, 'mem_ann.sample'))).toBe(false);
  // Made-up meetings keep nobody from a real one.
  expect((await hosting.host.call(ann, 'calendar', null)).ics).not.toContain('SUMMARY:Lunch');
});

test('[A2C-34] who left the workspace is not opened, and nobody negotiates with them', async () => {
  const hosting = await startHosting();
  hosting.hub.inactive.add(bob.memberId);
  await expect(openDinner(hosting)).rejects.toMatchObject({ code: 'refused' });
  await expect(
    hosting.host.call(ann, 'open', { threadId: dinner, with: ann, intent: 'Dinner', needs: [], audience: null }),
  ).rejects.toMatchObject({ code: 'bad_input' });
  expect(await hosting.host.knows(bob.memberId)).toBe(false);
});

test('[SYS-6] a tier for one person holds after a restart, whichever peer opens first', async () => {
  const hosting = await startHosting();
  await openDinner(hosting);
  await hosting.host.call(ann, 'setTier', { field: 'phone', tier: 'always_share' });
  await hosting.host.call(ann, 'setTier', { field: 'phone', tier: 'never_share', address: 'agent:bob@localhost' });
  const rules = { base: { phone: 'always_share' }, overrides: { mem_bob: { phone: 'never_share' } } };
  await waitFor(() => expect(hosting.hub.sharing.get(ann.memberId)).toMatchObject(rules));
  await hosting.host.stop();
  hosting.hub.sharing.clear();
  hosting.hub.sharingReports.length = 0;
  // bob's peer stays closed, as while it has not opened yet.
  hosting.hub.inactive.add(bob.memberId);
  await hosting.again();
  await waitFor(() => expect(hosting.hub.sharingReports).not.toEqual([]));
  expect(hosting.hub.sharingReports).toMatchObject([rules]);
});

test('[A2C-4] [SYS-1] a changed key is a prompt for its person, who keeps the key they had', async () => {
  const hosting = await startHosting();
  await openDinner(hosting);
  const key = toBase64Url(newSigningKey().public);
  const forged = writeCard({ address: 'agent:bob@localhost', key, relay: 'ws://localhost' });
  await expect(hosting.host.call(ann, 'add', { card: forged })).rejects.toMatchObject({ code: 'line_stopped' });
  const id = await waitFor(() => {
    const alarms = hosting.hub.alarms.get(ann.memberId)!;
    expect(alarms).toMatchObject([{ kind: 'key_change' }]);
    return alarms[0]!.id;
  });
  const [prompt] = await hosting.host.call(ann, 'prompts', { ids: [id] });
  expect(prompt!.card).toMatchObject({ kind: 'key_change', peer: 'agent:bob@localhost', alarm: 'key_changed' });
  const wrong = { kind: 'accept_key' as const, safetyNumber: '0'.repeat(60) };
  await expect(hosting.host.call(ann, 'answer', { promptId: id, answer: wrong })).rejects.toMatchObject({ code: 'bad_input' });
  await hosting.host.call(ann, 'answer', { promptId: id, answer: { kind: 'keep_key' } });
  await expect(hosting.host.call(ann, 'answer', { promptId: id, answer: { kind: 'keep_key' } })).rejects.toMatchObject({
    code: 'answered',
  });
  await waitFor(() => expect(hosting.hub.alarms.get(ann.memberId)).toEqual([]));
  expect(await hosting.host.call(ann, 'people', null)).toMatchObject([{ trust: 'introduced', alarm: null }]);
});
