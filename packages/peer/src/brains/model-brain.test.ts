import { describe, expect, it, test } from 'vitest';
import { openingView, viewOf } from '../../test/kit/views.ts';
import { BrainAway, type BrainView } from '../negotiate/peer-brain.ts';
import { type AskModel, modelBrain, type StepQuestion } from './model-brain.ts';
import type { ModelProvider } from './model-settings.ts';

const provider = (name: ModelProvider['provider'], models: ModelProvider['models']): ModelProvider => ({
  provider: name,
  baseUrl: null,
  models,
  key: null,
});
const first = provider('anthropic', { small: 'small', medium: 'medium', large: 'large' });
const second = provider('openai', { small: 'mini' });
type Answer = Awaited<ReturnType<AskModel>>;

/** What each model answers, and the brain with the questions that were asked. */
function brainOf(answers: Record<string, Answer>, settings = { first, second: null as ModelProvider | null }) {
  const asked: StepQuestion[] = [];
  const brain = modelBrain(settings, async (question) => {
    asked.push(question);
    return answers[question.model] ?? { failed: `${question.model} is away` };
  });
  return { asked, brain, names: () => asked.map(({ model }) => model) };
}
const sends = (confidence: number, share: string[] = ['dietary']): Answer => ({
  calls: [{ name: 'send_context', input: { share, confidence } }],
});
const visible = { dietary: 'vegan', timezone: 'UTC' };

describe('[A2C-37] a low confidence', () => {
  test.each<[string, Record<string, Answer>, ModelProvider['models'], string[], string]>([
    ['none: one question', { small: sends(0.6) }, first.models, ['small'], 'small'],
    ['a larger one tries once', { small: sends(0.5), medium: sends(0.1) }, first.models, ['small', 'medium'], 'medium'],
    ['the larger one is away', { small: sends(0.5) }, first.models, ['small', 'medium'], 'small'],
    ['the larger one writes nonsense', { small: sends(0.5), medium: { calls: [] } }, first.models, ['small', 'medium'], 'small'],
    ['the next size is not set', { small: sends(0.5), large: sends(0.9) }, { small: 'small', large: 'large' }, ['small', 'large'], 'large'],
    ['there is no other', { small: sends(0.5) }, { small: 'small' }, ['small'], 'small'],
    ['all sizes are one model', { small: sends(0.5) }, { small: 'small', medium: 'small', large: 'small' }, ['small'], 'small'],
  ])('%s', async (_, answers, models, asked, decided) => {
    const { brain, names } = brainOf(answers, { first: provider('anthropic', models), second: null });
    expect((await brain(openingView({ visible }))).origin).toMatchObject({ model: decided, task: 'open' });
    expect(names()).toEqual(asked);
  });

  it('what both wanted and may not is counted', async () => {
    const { brain } = brainOf({ small: sends(0.5, ['health_info']), medium: sends(0.9, ['phone']) });
    expect((await brain(openingView({ visible }))).origin!.dropped).toEqual(['health_info', 'phone']);
  });
});

describe('[A2C-35] models that do not answer', () => {
  it('the second provider gets the question', async () => {
    const { brain, names } = brainOf({ mini: sends(0.9) }, { first, second });
    expect((await brain(openingView({ visible }))).origin).toMatchObject({ provider: 'openai', model: 'mini' });
    expect(names()).toEqual(['small', 'mini']);
  });

  it('without either, the person reads the reasons of both', async () => {
    const { brain } = brainOf({}, { first, second });
    await expect(brain(openingView({ visible }))).rejects.toThrow(new BrainAway('small is away; mini is away'));
  });
});

describe('[A2C-36] a model proposes, the rules dispose', () => {
  it('nonsense is an error with words for the model, which it gets at the next try', async () => {
    const { brain, asked } = brainOf({ small: { calls: [{ name: 'confirm', input: {} }] } });
    await expect(brain(openingView())).rejects.toThrow('Call one of these tools: send_context, wait.');
    await expect(brain(openingView(), { problem: 'Too loud.' })).rejects.toThrow('Call one of');
    expect(asked.map(({ system }) => system.includes('Your last step was refused: Too loud.'))).toEqual([false, true]);
  });

  test.each<[string, BrainView]>([
    ['an answer that consent has decided', viewOf({ state: 'PROPOSED', answers: { context_provided: {}, context_unavailable: [] } })],
    ['the other side proposes next', viewOf({ awaitsProposal: true })],
  ])('no model is asked: %s', async (_, view) => {
    const { brain, asked } = brainOf({});
    expect((await brain(view)).origin).toBeUndefined();
    expect(asked).toEqual([]);
  });

  it('the marks of two prompts differ', async () => {
    const { brain, asked } = brainOf({ large: { calls: [{ name: 'wait', input: { confidence: 1 } }] } });
    await brain(viewOf());
    await brain(viewOf());
    expect(asked[0]!.user).not.toBe(asked[1]!.user);
  });
});
