import { describe, expect, it } from 'vitest';
import { openingView, viewOf } from '../../test/kit/views.ts';
import type { BrainView } from '../negotiate/peer-brain.ts';
import { modelOfSize, type ModelProvider } from './model-settings.ts';
import { largerThan, mayPropose, type ModelTask, sizeFor, taskOf } from './model-task.ts';

const need = { field: 'dietary', priority: 'helpful' } as const;
const answers = { context_provided: { dietary: 'vegan' }, context_unavailable: [] };

describe('[A2C-37] the task decides which model thinks', () => {
  it.each<[string, BrainView, ModelTask | undefined, string | undefined]>([
    ['the first packet', openingView(), 'open', 'small'],
    ['their free time is not known', viewOf({ received: {}, unavailable: [] }), 'gaps', 'medium'],
    ['the same with somebody known', viewOf({ received: {}, unavailable: [], remembered: { dietary: 'vegan' } }), 'routine', 'small'],
    ['all is there for a proposal', viewOf(), 'propose', 'large'],
    ['they do not say when they are free', viewOf({ received: {}, unavailable: ['time_windows'] }), 'propose', 'large'],
    ['they owe an answer, and ours is decided', viewOf({ asked: [need], answers }), undefined, undefined],
    ['the other side proposes next', viewOf({ awaitsProposal: true }), undefined, undefined],
    ['the coordinator of a group proposes', viewOf({ isGroup: true }), undefined, undefined],
    ['the first packet to a member of a group', openingView({ isGroup: true }), undefined, undefined],
    ['a proposal is open', viewOf({ state: 'PROPOSED', answers }), undefined, undefined],
    [
      'a plain question',
      viewOf({ role: 'initiator', intent: { summary: 'Your phone number', category: 'information' }, wanted: [need] }),
      undefined,
      undefined,
    ],
  ])('%s', (_, view, task, size) => {
    expect(taskOf(view)).toBe(task);
    expect(task && sizeFor(task)).toBe(size);
  });

  it.each<[string, BrainView, boolean]>([
    ['the responder, also with answers', viewOf({ answers }), true],
    ['the initiator without answers', viewOf({ role: 'initiator' }), true],
    ['the initiator answers first', viewOf({ role: 'initiator', answers }), false],
    ['before an answer that was asked for', viewOf({ asked: [need] }), false],
    ['after somebody else’s turn to propose', viewOf({ awaitsProposal: true }), false],
    ['while a proposal is open', viewOf({ state: 'PROPOSED' }), false],
    ['in the first packet', openingView(), false],
  ])('[A2C-26] who may propose: %s', (_, view, expected) => expect(mayPropose(view)).toBe(expected));

  const provider = (models: ModelProvider['models']): ModelProvider => ({ provider: 'anthropic', baseUrl: null, models, key: null });
  it.each([
    [{ small: 's', medium: 'm', large: 'l' }, ['s', 'm', 'l']],
    [{ small: 's', large: 'l' }, ['s', 'l', 'l']],
    [{ small: 's' }, ['s', 's', 's']],
    [{ large: 'l' }, ['l', 'l', 'l']],
    [{ medium: 'm' }, ['m', 'm', 'm']],
  ])('a size that is not set is the next larger one: %j', (models, expected) => {
    expect((['small', 'medium', 'large'] as const).map((size) => modelOfSize(provider(models), size))).toEqual(expected);
  });

  it('there is nothing larger than large', () => {
    expect((['small', 'medium', 'large'] as const).map(largerThan)).toEqual(['medium', 'large', undefined]);
  });
});
