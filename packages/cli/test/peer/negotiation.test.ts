import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rulesBrain } from '@parley/peer';
import { commands, dinnerPair, eventsOf, exchangeAll, latest, opened, untilPrompt } from './negotiation-kit.ts';

test('[A2C-15] [A2C-32] a first dinner takes four packets and one prompt up to the proposal', async () => {
  const [ann, bob] = await dinnerPair();
  await commands(ann).negotiate({ address: bob.address, intent: 'Dinner on Friday', needs: [] });
  await exchangeAll(ann, bob);
  const asked = await latest(ann);
  expect([ann.failures, bob.failures]).toEqual([[], []]);
  expect(asked).toMatchObject({ state: 'NEGOTIATING', prompts: 1, openPrompts: [{ kind: 'consent' }] });
  expect(asked.openPrompts[0]!.fields).toMatchObject([
    { field: 'cuisine_preference', value: 'Italian', reason: expect.stringContaining('cuisine') },
    { field: 'transport_mode', value: 'train' },
  ]);
  const { id } = asked;
  await commands(ann).consent({
    id,
    answers: [
      { field: 'cuisine_preference', answer: 'share' },
      { field: 'transport_mode', answer: 'always' },
    ],
  });
  await exchangeAll(ann, bob);
  const [hers, his] = [await latest(ann), await latest(bob)];
  expect([hers.packets, his.packets, hers.prompts + his.prompts]).toEqual([4, 4, 1]);
  expect([hers.state, his.state]).toEqual(['PROPOSED', 'PROPOSED']);
  expect(hers.proposal?.hash).toBe(his.proposal?.hash);
  expect(hers.proposal!.alternatives.length).toBeGreaterThan(0);
  expect((await opened(bob)).map(({ type }) => type)).toEqual(['context', 'context_response']);
  expect((await opened(ann)).map(({ type }) => type)).toEqual(['context_request', 'resolution']);

  await commands(bob).confirm({ id, answer: { kind: 'confirm' } });
  await commands(ann).confirm({ id, answer: { kind: 'confirm' } });
  await exchangeAll(ann, bob);
  expect([(await latest(ann)).state, (await latest(bob)).state]).toEqual(['COMPLETED', 'COMPLETED']);
  expect([await eventsOf(ann), await eventsOf(bob)]).toEqual([1, 1]);
  expect(await readFile(join(bob.folder, 'calendar.ics'), 'utf8')).toContain('SUMMARY:Dinner with Ann');
});

test('[A2C-25] a field that is never shared and a tapped decline are the same bytes', async () => {
  const [ann, bob] = await dinnerPair();
  const id = await untilPrompt(ann, bob);
  await commands(ann).consent({ id, answers: [{ field: 'transport_mode', answer: 'share' }] });
  await exchangeAll(ann, bob);
  await commands(ann).setTier({ field: 'cuisine_preference', tier: 'never_share', address: bob.address });
  // A second meeting would begin with what the first one taught.
  await commands(ann).forgetMemory({ address: bob.address });
  await commands(bob).forgetMemory({ address: ann.address });
  const other = await untilPrompt(ann, bob);
  expect((await latest(ann)).openPrompts[0]!.fields.map(({ field }) => field)).toEqual(['transport_mode']);
  await commands(ann).consent({ id: other, answers: [{ field: 'transport_mode', answer: 'share' }] });
  await exchangeAll(ann, bob);
  const varying = ['packet_id', 'thread_id', 'timestamp', 'last_seen'];
  const texts = (await opened(bob))
    .filter(({ type }) => type === 'context_response')
    .map((packet) => JSON.stringify(packet, (key, value: unknown) => (varying.includes(key) ? '' : value)));
  expect(texts).toHaveLength(2);
  expect(texts[0]).toBe(texts[1]);
  expect(texts[0]).toContain('"context_unavailable":[{"field":"cuisine_preference","status":"declined","hint":null}]');
  expect(texts[0]).toContain('"permissions":{"shared_fields":[],"withheld_fields":["cuisine_preference"]}');
  expect(JSON.stringify(await opened(bob))).not.toContain('Italian');
  const first = (await opened(bob)).filter(({ type }) => type === 'context').map(({ permissions }) => permissions!.withheld_fields);
  expect(first).toEqual([undefined, undefined]);
});

test('[A2C-21] [SYS-6] a brain sees no value that the peer may not get', async () => {
  const [ann, bob] = await dinnerPair();
  await commands(ann).setField({ field: 'health_info', value: 'canary-health' });
  await commands(ann).setField({ field: 'budget_range', value: 'canary-budget' });
  const views: string[] = [];
  ann.brain = (view) => {
    views.push(JSON.stringify({ ...view, free: view.free({ from: view.now, to: view.now + 86_400_000 }) }));
    return rulesBrain(view);
  };
  const id = await untilPrompt(ann, bob);
  expect(views).toHaveLength(1);
  expect(views.join()).not.toMatch(/canary|Italian|"train"/);
  await commands(ann).consent({ id, answers: [{ field: 'transport_mode', answer: 'share' }] });
  await exchangeAll(ann, bob);
  expect(views.join()).toContain('"train"');
  expect(views.join()).not.toMatch(/canary|Italian/);
});

test('[A2C-12] errors name the field', async () => {
  const [ann] = await dinnerPair();
  const person = commands(ann);
  const address = 'agent:bob@localhost';
  const needs = [{ field: 'phone', priority: 'maybe' }];
  await expect(person.negotiate({ address, intent: 'Dinner', needs })).rejects.toThrow('needs.0.priority');
  await expect(person.negotiate({ address, intent: ' ', needs: [] })).rejects.toThrow('intent');
  await expect(person.setField({ field: 'timezone', value: 'Mars/Base' })).rejects.toThrow('timezone');
  await expect(person.setField({ field: 'no field', value: 1 })).rejects.toThrow('field');
  await expect(person.setField({ field: 'essay', value: 'x'.repeat(8191) })).rejects.toThrow('essay: a value has at most 8192 bytes');
  const deep = JSON.parse(`${'['.repeat(17)}${']'.repeat(17)}`) as never;
  await expect(person.setField({ field: 'essay', value: deep })).rejects.toThrow('essay: a value nests at most 16');
  await expect(person.setTier({ field: 'dietary', tier: 'ask_first', address: 'agent:eve@localhost' })).rejects.toThrow(
    'agent:eve@localhost',
  );
  await expect(person.show('thr_nothing')).rejects.toThrow('thr_nothing');
});

test('[A2C-24] a day that cannot be read, or words without a meeting and a question, open nothing', async () => {
  const [ann, bob] = await dinnerPair();
  const negotiate = (intent: string, needs: unknown = []) => commands(ann).negotiate({ address: bob.address, intent, needs });
  await expect(negotiate('Dinner on Firday')).rejects.toMatchObject({ code: 'bad_input', message: expect.stringContaining('“on Firday”') });
  await expect(negotiate('Tennis on Friday')).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringContaining('dinner, lunch'),
  });
  expect(await commands(ann).negotiations()).toEqual([]);
  expect((await negotiate('Your opinion on Firday', [{ field: 'opinion', priority: 'required' }])).state).not.toBe('FAILED');
});

test('[A2C-26] a proposal that came only now is not confirmed by a word about another', async () => {
  const [ann, bob] = await dinnerPair();
  const id = await untilPrompt(ann, bob);
  await commands(ann).consent({ id, answers: [{ field: 'cuisine_preference', answer: 'share' }] });
  await commands(bob).negotiations();
  const confirm = () => commands(ann).confirm({ id, answer: { kind: 'confirm' } });
  await expect(confirm()).rejects.toMatchObject({ code: 'answered', message: expect.stringContaining('came only now') });
  expect((await latest(ann)).isConfirmed).toBe(false);
  expect((await confirm()).isConfirmed).toBe(true);
});

test('[A2C-22] a question that came only now is not answered by a word about another', async () => {
  const [ann, bob] = await dinnerPair();
  const { id } = await commands(ann).negotiate({ address: bob.address, intent: 'Dinner on Friday', needs: [] });
  const consent = () => commands(ann).consent({ id, answers: [{ field: 'cuisine_preference', answer: 'share' }] });
  await expect(consent()).rejects.toMatchObject({ code: 'unknown_id', message: expect.stringContaining('share nothing now') });
  await commands(bob).negotiations();
  await expect(consent()).rejects.toMatchObject({ code: 'answered', message: expect.stringContaining('came only now') });
  expect((await consent()).answered).toContain('cuisine_preference');
});
