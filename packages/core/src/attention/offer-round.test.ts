import { describe, expect, test } from 'vitest';
import { type AskedState, type RoundCandidate, claimRefusal, makesRound, isFromRound, nextInRound, roundTopic } from './offer-round.ts';

describe('which messages make an offer round', () => {
  test.each<[string, Parameters<typeof makesRound>, boolean]>([
    ['a person’s words that anyone may answer', ['human', 'may_respond', false, false], true],
    ['an agent’s words: no loops', ['agent', 'may_respond', false, false], false],
    ['words that nobody is to answer', ['human', 'must_not_respond', false, false], false],
    ['words that somebody is given as a task', ['human', 'may_respond', true, false], false],
    ['words to somebody who is not here', ['human', 'may_respond', false, true], false],
  ])('[C2A-15] %s', (_, given, goes) => {
    expect(makesRound(...given)).toBe(goes);
  });
});

const agent = (id: string, over: Partial<RoundCandidate> = {}): RoundCandidate => ({
  id,
  handle: id,
  active: true,
  here: true,
  asleep: false,
  member: true,
  before: false,
  calledByName: false,
  inThread: false,
  busy: 0,
  ...over,
});

describe('which agent an offer round asks next', () => {
  const [a, b] = [agent('a'), agent('b')];
  test.each<[string, RoundCandidate[], number, ReturnType<typeof nextInRound>]>([
    ['by name, where nothing else tells them apart', [b, a], 0, { ask: 'a' }],
    ['names are compared as they are called', [agent('b'), agent('A')], 0, { ask: 'A' }],
    ['the least busy first', [agent('a', { busy: 2 }), agent('b', { busy: 1 })], 0, { ask: 'b' }],
    ['who takes part in the thread, however busy', [a, agent('b', { busy: 9, inThread: true })], 0, { ask: 'b' }],
    ['who let it go is not asked again', [agent('a', { letGo: true }), b], 1, { ask: 'b' }],
    ['not who was asked to leave', [agent('a', { askedToLeave: true }), b], 0, { ask: 'b' }],
    ['not who is asleep', [agent('a', { asleep: true }), b], 0, { ask: 'b' }],
    ['not who is away while another is there', [agent('a', { here: false }), b], 0, { ask: 'b' }],
    ['not who came after it was said', [agent('a', { before: true }), b], 0, { ask: 'b' }],
    ['three at most', [a], 3, 'end'],
    ['a third is asked', [a], 2, { ask: 'a' }],
    ['who went and is back has its place, also as one of three', [agent('a', { wasAsked: true }), b], 3, { ask: 'a' }],
    ['for one that is away it waits', [agent('a', { here: false })], 0, 'wait'],
    ['but not for a fourth', [agent('a', { here: false })], 3, 'end'],
    ['for a sleeper it does not wait', [agent('a', { asleep: true })], 0, 'end'],
    ['nor for one that is away and not meant', [agent('a', { here: false, askedToLeave: true })], 0, 'end'],
    ['nobody is here', [], 0, 'end'],
  ])('[C2A-15] %s', (_, candidates, asked, next) => {
    expect(nextInRound(candidates, { authorId: 'ann', askedAgents: asked })).toEqual(next);
  });

  test('[C2A-15] one after the other, and each once', () => {
    const all = ['e', 'd', 'c', 'b', 'a'].map((id) => agent(id));
    const asked: string[] = [];
    for (;;) {
      const next = nextInRound(
        all.map((one) => ({ ...one, letGo: asked.includes(one.id) })),
        { authorId: 'ann', askedAgents: asked.length },
      );
      if (typeof next === 'string') break;
      asked.push(next.ask);
    }
    expect(asked).toEqual(['a', 'b', 'c']);
  });
});

test.each<[string, AskedState | undefined, { composing: boolean; taken: boolean }, string | undefined]>([
  ['it stands with it', 'open', { composing: false, taken: false }, undefined],
  ['it was never asked', undefined, { composing: false, taken: false }, 'not_offered'],
  ['it let it go', 'declined', { composing: false, taken: false }, 'not_offered'],
  ['its time is over', 'expired', { composing: false, taken: false }, 'not_offered'],
  ['the message was taken away', 'stopped', { composing: false, taken: false }, 'not_offered'],
  ['another has it', undefined, { composing: false, taken: true }, 'already_claimed'],
  ['its author is still writing', undefined, { composing: true, taken: false }, 'composing'],
])('[C2A-15] a claim when %s', (_, mine, round, refusal) => {
  expect(claimRefusal(round, mine)).toBe(refusal);
});

test('[C2A-5] [C2A-15] a knock’s topic is the platform’s own', () => {
  expect(roundTopic(true, 'channel')).toBe('question to nobody by name in a channel');
  expect(roundTopic(false, 'thread')).toBe('message to nobody by name in a thread');
});

test('[C2A-1] a task from a round is one that its agent may answer', () => {
  expect(['thread', 'ambient', 'mention', 'any_agent'].map(isFromRound)).toEqual([true, true, false, false]);
});
