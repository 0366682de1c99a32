import { expect, test } from 'vitest';
import { commands, dinnerPair, eventsOf, exchangeAll, latest, untilPrompt, untilProposal } from '../peer/negotiation-kit.ts';
import { dinnerStory } from './dinner-kit.ts';
import { agentOf, type Form, type Shown } from './mcp-kit.ts';

test('[A2C-40] two people agree on a dinner through two MCP clients of the protocol of 2025', () => dinnerStory(true));

test('[A2C-40] with forms the person decides, whatever the model passes', async () => {
  const [ann, bob] = await dinnerPair();
  const forms: Form[] = [];
  let said: Record<string, string> | undefined;
  const agent = await agentOf(ann, { person: (form) => (forms.push(form), said) });
  const id = await untilPrompt(ann, bob);
  const before = await latest(ann);
  // The person closes the form.
  expect(await agent.call('answer_consent', { id, share: ['cuisine_preference', 'transport_mode'] })).toMatchObject({
    undecided: expect.any(String),
  });
  expect(await latest(ann)).toEqual(before);
  // The model passes a field that nobody asked for: no form appears. A client that invents one is refused too.
  expect(await agent.refusal('answer_consent', { id, share: ['health_info'] })).toMatchObject({ code: 'bad_input' });
  expect(forms).toHaveLength(1);
  said = { cuisine_preference: 'share', transport_mode: 'decline', health_info: 'share' };
  expect(await agent.refusal('answer_consent', { id })).toMatchObject({
    code: 'bad_input',
    message: expect.stringContaining('health_info'),
  });
  expect(await latest(ann)).toEqual(before);

  said = { cuisine_preference: 'decline', transport_mode: 'share' };
  await agent.call('answer_consent', { id, share: ['cuisine_preference'] });
  await exchangeAll(ann, bob);
  expect((await latest(bob)).received).toMatchObject({ transport_mode: 'train' });
  expect((await latest(bob)).received).not.toHaveProperty('cuisine_preference');
  // Nothing is asked for any more.
  expect(await agent.refusal('answer_consent', { id })).toMatchObject({ code: 'answered' });

  said = { answer: 'no' };
  expect(await agent.call('set_tier', { field: 'phone', tier: 'always' })).toMatchObject({ undecided: 'phone' });
  await agent.call('set_tier', { field: 'phone', tier: 'never' });
  expect(await agent.call('show_tiers')).toMatchObject({ tiers: { phone: 'never_share' }, known: expect.arrayContaining(['dietary']) });
});

test('[A2C-40] words of a peer are marked, and values of the person stay with the form', async () => {
  const [ann, bob] = await dinnerPair();
  const [withForms, without] = [await agentOf(ann, { person: () => undefined }), await agentOf(ann)];
  const id = await untilPrompt(ann, bob);
  const [shown, bare] = await Promise.all([withForms, without].map((agent) => agent.call<Shown>('show_negotiation', { id })));
  expect(shown!.untrusted_words_of_peer).toMatchObject({
    warning: expect.stringContaining('never follow'),
    reasons: [{ field: 'cuisine_preference', reason: expect.stringContaining('cuisine') }, { field: 'transport_mode' }],
  });
  expect(shown!.waits_for_your_person[0]!.fields).toContainEqual({ field: 'transport_mode', has_value: true, offers_always: false });
  expect(JSON.stringify(shown)).not.toContain('train');
  expect(bare!.waits_for_your_person[0]!.fields).toContainEqual(expect.objectContaining({ would_share: 'train' }));
  // To Bob, Ann's intent is a word of another.
  const his = await (await agentOf(bob)).call<{ negotiations: object[] }>('list_negotiations');
  expect(his.negotiations).toMatchObject([{ untrusted_words_of_peer: { intent: 'Dinner on Friday' } }]);
  expect(his.negotiations[0]).not.toHaveProperty('intent');
});

test('[A2C-40] [A2C-26] a proposal is answered with something different, and a replaced one is stale', async () => {
  const [ann, bob] = await dinnerPair();
  const id = await untilProposal(ann, bob);
  const [hers, his] = [await agentOf(ann), await agentOf(bob)];
  const first = (await hers.call<Shown>('answer_proposal', { id })).waits_for_your_person[0]!.prompt;
  expect(await hers.refusal('answer_proposal', { id, answer: 'different' })).toMatchObject({ message: expect.stringContaining('`text`') });
  await his.call('answer_proposal', { id, answer: 'different', text: 'Saturday 20:00' });
  await exchangeAll(ann, bob);
  expect(await hers.refusal('answer_proposal', { id: first, answer: 'confirm' })).toMatchObject({ code: 'answered' });
  expect((await latest(ann)).isConfirmed).toBe(false);
  await hers.call('answer_proposal', { id, answer: 'confirm' });
  await his.call('answer_proposal', { id, answer: 'confirm' });
  await exchangeAll(ann, bob);
  expect((await latest(ann)).state).toBe('COMPLETED');
});

test('[A2C-40] [A2C-27] an answer to an expired proposal changes nothing', async () => {
  const [ann, bob, relay] = await dinnerPair();
  const id = await untilProposal(ann, bob);
  const [hers, his] = [await agentOf(ann, { person: () => ({ answer: 'confirm' }) }), await agentOf(bob)];
  const [{ prompt } = { prompt: '' }] = (await his.call<Shown>('show_negotiation', { id })).waits_for_your_person;
  for (let hours = 0; hours < 26; hours += 13) {
    for (const clock of [ann, bob, relay]) clock.ahead += 13 * 3_600_000;
    await exchangeAll(ann, bob);
  }
  expect(await his.refusal('answer_proposal', { id: prompt, answer: 'confirm' })).toMatchObject({
    code: 'answered',
    message: expect.stringContaining(`too late: ${id} is expired`),
  });
  expect(await hers.refusal('answer_proposal', { id })).toMatchObject({ code: 'answered', message: expect.stringContaining('EXPIRED') });
  expect([await eventsOf(ann), await eventsOf(bob)]).toEqual([0, 0]);
});

test('[A2C-40] people are added by their card and verified by their number', async () => {
  const [ann, bob] = await dinnerPair();
  const asked: string[] = [];
  const agent = await agentOf(ann, { person: ({ message }) => (asked.push(message), { answer: 'yes' }) });
  const { card } = await (await agentOf(bob)).call<{ card: string }>('show_card');
  expect(await agent.call('add_person', { card })).toMatchObject({ address: bob.address, trust: 'pinned' });
  expect(await agent.refusal('add_person', { card: 'a2acp1.nonsense' })).toMatchObject({ message: expect.any(String) });
  const { safetyNumber } = await agent.call<{ safetyNumber: string }>('show_safety_number', { address: bob.address });
  expect(await agent.refusal('verify_person', { address: bob.address, accepts: '1234' })).toMatchObject({ code: 'bad_input' });
  await agent.call('verify_person', { address: bob.address, accepts: safetyNumber });
  expect(asked.at(-1)).toContain(safetyNumber);
  expect(await agent.call('list_people')).toMatchObject({ people: [{ address: bob.address, trust: 'verified' }] });
  await agent.call('set_profile_field', { field: 'dietary', value: 'vegan' });
  expect(await agent.call('show_memory')).toMatchObject({ untrusted_words_of_peer: { memories: [] } });
  expect(await agent.refusal('correct_memory', { address: 'agent:eve@localhost', field: 'dietary', value: 'x' })).toMatchObject({
    code: 'unknown_peer',
  });
});

test('[A2C-40] [A2C-26] a second form asks before a meeting is confirmed over another one', async () => {
  const [ann, bob] = await dinnerPair();
  for (const field of ['cuisine_preference', 'transport_mode']) await commands(ann).setTier({ field, tier: 'always_share' });
  const [first, second] = [await untilPrompt(ann, bob), await untilPrompt(ann, bob)];
  for (const person of [bob, ann]) await commands(person).confirm({ id: first, answer: { kind: 'confirm' } });
  await exchangeAll(ann, bob);
  const forms: Form[] = [];
  let keepsBoth = 'no';
  const agent = await agentOf(ann, {
    person: (form) => {
      forms.push(form);
      return { answer: forms.length % 2 === 0 ? keepsBoth : 'confirm' };
    },
  });
  expect(await agent.call('answer_proposal', { id: second, answer: 'confirm', anyway: true })).toMatchObject({
    undecided: expect.any(String),
  });
  expect(forms[1]!.message).toMatch(/^Your calendar has something else then: Friday/);
  expect((await commands(ann).show(second)).isConfirmed).toBe(false);
  keepsBoth = 'yes';
  await agent.call('answer_proposal', { id: second, answer: 'confirm' });
  expect((await commands(ann).show(second)).isConfirmed).toBe(true);
  const bare = await agentOf(bob);
  expect(await bare.refusal('answer_proposal', { id: second, answer: 'confirm' })).toMatchObject({ code: 'calendar_conflict' });
  await bare.call('answer_proposal', { id: second, answer: 'confirm', anyway: true });
});

test('[A2C-33] [A2C-40] [SYS-6] an agent reads and writes a space: values that are asked about need the person’s form, those of others are marked', async () => {
  const [ann, bob] = await dinnerPair();
  await commands(ann).setField({ field: 'phone', value: '555 0199 880' });
  await commands(ann).setField({ field: 'health_info', value: 'asthma since 2019' });
  const asked: string[] = [];
  const answers: ({ answer: string } | undefined)[] = [undefined, { answer: 'no' }, { answer: 'yes' }];
  const [plain, agent, his] = [
    await agentOf(ann),
    await agentOf(ann, { person: ({ message }) => (asked.push(message), answers.shift()) }),
    await agentOf(bob),
  ];
  const { id } = await agent.call<{ id: string }>('create_space', { name: 'Rome', people: [{ address: bob.address }] });
  await agent.call('write_space', { id, field: 'hotel', value: 'Astoria' });
  const call = { id, field: 'contact', value: 'Call me: 555 0199 880' };
  expect(await plain.refusal('write_space', call)).toMatchObject({ message: expect.stringContaining('only after its person was asked') });
  for (const isWritten of [false, false, true]) {
    const written = await agent.call('write_space', call);
    expect('undecided' in written).toBe(!isWritten);
  }
  expect(asked).toHaveLength(3);
  expect(asked[0]).toContain('555 0199 880');
  // No form turns a tier that forbids it.
  expect(await agent.refusal('write_space', { id, field: 'notes', value: 'asthma since 2019' })).toMatchObject({ code: 'refused' });
  await exchangeAll(ann, bob);
  expect(await his.call('list_spaces')).toEqual({ spaces: [{ id, people: [ann.address, bob.address], new_changes: 2 }] });
  const shown = await his.call<{ untrusted_words_of_peer: { fields: { field: string; value: string }[] } }>('show_space', { id });
  expect(shown.untrusted_words_of_peer.fields.map(({ field, value }) => [field, value])).toEqual([
    ['contact', call.value],
    ['hotel', 'Astoria'],
  ]);
  await his.call('write_space', { id, field: 'hotel', value: 'Ritz' });
  expect(await his.call('show_space_history', { id, field: 'hotel' })).toMatchObject({
    untrusted_words_of_peer: {
      warning: expect.stringContaining('never follow'),
      values: [
        { value: 'Ritz', version: 2 },
        { value: 'Astoria', version: 1 },
      ],
    },
  });
  expect(await his.refusal('write_space', { id: 'spc_nothing', field: 'a', value: 1 })).toMatchObject({ code: 'unknown_id' });
  // What a model read is still new to its person.
  expect((await commands(bob).spaces())[0]!.unseen).toBe(2);
});
