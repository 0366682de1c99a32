import { describe, expect, test } from 'vitest';
import { afterClaim, mayTake, type OfferFacts, offerBeside, obligationTopic, type Taker, topicOf } from './offer.ts';

const orac = (over: Partial<Taker> = {}): Taker => ({
  id: 'orac',
  active: true,
  here: true,
  asleep: false,
  member: true,
  before: false,
  calledByName: false,
  ...over,
});
const task = (over: Partial<OfferFacts> = {}): OfferFacts => ({ requesterId: 'ann', path: [], ...over });

describe('may it take what is anyone’s?', () => {
  test.each<[string, Taker, OfferFacts, string | undefined]>([
    ['here, awake, in the room', orac(), task(), undefined],
    ['offline', orac({ here: false }), task(), 'offline'],
    ['asleep', orac({ asleep: true }), task(), 'asleep'],
    ['not in the room', orac({ member: false }), task(), 'not_member'],
    ['deactivated', orac({ active: false }), task(), 'not_active'],
    ['it left, and was not named', orac({ askedToLeave: true }), task(), 'left'],
    ['it asked itself', orac(), task({ requesterId: 'orac' }), 'own'],
    ['it is above in the chain', orac(), task({ requesterId: 'stef', path: ['orac', 'stef'] }), 'in_path'],
    ['others are above in the chain', orac(), task({ requesterId: 'stef', path: ['stef'] }), undefined],
    ['said before what it may read', orac({ before: true }), task(), 'before_joining'],
    ['asked by name in the same words', orac({ calledByName: true }), task(), 'asked_by_name'],
    ['whoever asked may still be writing', orac(), task({ composing: true }), 'composing'],
    ['[C2A-34] it holds the role', orac({ holds: true }), task(), undefined],
    ['[C2A-34] a role it does not hold', orac({ holds: false }), task(), 'no_holder'],
    ['[C2A-15] it let it go before', orac({ letGo: true }), task(), 'let_go'],
    ['[IAC-12] an agent asked that may not call it', orac({ barred: true }), task({ requesterId: 'stef' }), 'not_permitted'],
    ['whoever asked is gone', orac(), task({ requesterId: null }), undefined],
    ['away and not for it at all: the reason that stays', orac({ here: false, member: false }), task(), 'not_member'],
  ])('[PAP-4] %s', (_, agent, offered, reason) => {
    expect(mayTake(agent, offered)).toEqual(reason === undefined ? { ok: true } : { ok: false, reason });
  });
});

test.each<[Parameters<typeof afterClaim>[0], number, string]>([
  ['declined', 1, 'offer'],
  ['expired', 2, 'offer'],
  ['gone', 1, 'offer'],
  ['declined', 0, 'end'],
  ['expired', 0, 'end'],
  ['gone', 0, 'wait'],
])('[C2A-15] a claim that ended (%s) with %i others who could: %s', (why, others, next) => {
  expect(afterClaim(why, others)).toBe(next);
});

test('[C2A-5] a knock’s topic is the platform’s own', () => {
  expect(topicOf('oncall', 'channel')).toBe('role oncall called in a channel');
  expect(obligationTopic('thread')).toBe('someone is waiting for your answer in a thread');
  expect(topicOf('oncall', 'dm')).toBe('role oncall called in a direct message');
});

describe('^ANY beside names', () => {
  const [here, away] = [{ here: true }, { here: false }];
  const [able, unable] = [{ able: true }, { able: false }];
  test.each<[string, { here: boolean }[], { able: boolean }[], string]>([
    ['nobody named, somebody can', [], [able, unable], 'offer'],
    ['nobody named, nobody can', [], [unable], 'wait'],
    ['nobody named, nobody is in the room', [], [], 'wait'],
    ['one named, another can', [here], [able], 'offer'],
    ['one named and away, another can', [away], [able], 'offer'],
    ['one named and here, no other can', [here], [unable], 'none'],
    ['everyone is named', [here, away], [], 'none'],
    ['the only one is named and away: it waits for it by name', [away], [], 'none'],
    ['one named and away, the others too', [away], [unable], 'wait'],
  ])('[PAP-4] %s', (_, named, others, expected) => {
    expect(offerBeside(named, others)).toBe(expected);
  });
});
