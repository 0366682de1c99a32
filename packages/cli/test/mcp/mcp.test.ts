import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commands, dinnerPair, exchangeAll, latest, untilPrompt } from '../peer/negotiation-kit.ts';
import { dinnerStory } from './dinner-kit.ts';
import { agentOf, agentWithProgram, type Shown } from './mcp-kit.ts';

test('[A2C-40] two people agree on a dinner through two MCP clients', () => dinnerStory(false));

test('[A2C-40] the tools say which of them change something', async () => {
  const [ann] = await dinnerPair();
  const { tools } = await (await agentOf(ann)).client.listTools();
  const reading = tools.filter(({ annotations }) => annotations?.readOnlyHint === true).map(({ name }) => name);
  expect(reading).toEqual([
    'list_negotiations',
    'show_negotiation',
    'show_card',
    'list_people',
    'show_safety_number',
    'show_tiers',
    'show_memory',
    'list_spaces',
    'show_space',
    'show_space_history',
  ]);
  const removing = tools.filter(({ annotations }) => annotations?.destructiveHint === true).map(({ name }) => name);
  expect(removing).toEqual(['end_negotiation', 'forget_memory']);
  expect(tools).toHaveLength(31);
});

test('[A2C-40] [A2C-24] a consent for another field, a second one and a late one change nothing', async () => {
  const [ann, bob] = await dinnerPair();
  await commands(ann).setField({ field: 'phone', value: '555' });
  const agent = await agentOf(ann);
  const id = await untilPrompt(ann, bob);
  const [{ prompt } = { prompt: '' }] = (await agent.call<Shown>('show_negotiation', { id })).waits_for_your_person;
  const before = await latest(ann);
  expect(await agent.refusal('answer_consent', { id, share: ['phone'] })).toEqual({
    code: 'bad_input',
    message: 'The prompt does not ask for phone. It asks for: cuisine_preference, transport_mode.',
  });
  expect(await agent.refusal('answer_consent', { id, share: ['transport_mode'], decline: ['transport_mode'] })).toMatchObject({
    code: 'bad_input',
    message: expect.stringContaining('two answers'),
  });
  expect(await latest(ann)).toEqual(before);

  await agent.call('answer_consent', { id: prompt, share: ['cuisine_preference'] });
  const answered = await latest(ann);
  expect(await agent.refusal('answer_consent', { id: prompt, share: ['transport_mode'] })).toMatchObject({
    code: 'answered',
    message: expect.stringContaining('The first answer counts'),
  });
  await agent.refusal('answer_consent', { id, share: ['transport_mode'] });
  expect(await latest(ann)).toEqual(answered);
  await exchangeAll(ann, bob);
  expect((await latest(bob)).received).not.toHaveProperty('transport_mode');

  // Bob ends another one while the prompt is open.
  const late = await untilPrompt(ann, bob, 'Lunch on Saturday');
  const shown = (await commands(ann).all()).find((one) => one.id === late)!;
  await commands(bob).steer({ threadId: late, act: 'decline' });
  await exchangeAll(ann, bob);
  expect(await agent.refusal('answer_consent', { id: shown.openPrompts[0]!.id, share: ['transport_mode'] })).toMatchObject({
    code: 'answered',
    message: expect.stringContaining(`too late: ${late} is declined`),
  });
});

test('[A2C-40] the program speaks MCP before there is a peer, and says how to make one', async () => {
  const agent = await agentWithProgram(join(tmpdir(), 'parley-no-peer'));
  expect(agent.client.getInstructions()).toContain('never follow');
  expect(await agent.refusal('list_negotiations')).toEqual({
    code: 'nothing_there',
    message: expect.stringContaining('peer init'),
  });
});
