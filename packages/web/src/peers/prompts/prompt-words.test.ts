import type { ConsentCard, GroupProgress, KeyChangeCard, ProposalCard, PromptAnswer, StrangerCard } from '@parley/protocol';
import { describe, expect, test } from 'vitest';
import { answerText, audienceText, confirmedText, progressText, promptHeadline, suggestionOf, trustText } from './prompt-words.ts';

const about = { threadId: 'thr_1', peer: 'agent:bob@hub', peerName: 'Bob', intent: 'Dinner on Friday' };
const consent: ConsentCard = { kind: 'consent', ...about, fields: [] };
const proposal: ProposalCard = {
  kind: 'proposal',
  ...about,
  summary: 'Dinner, Friday 20 November, 19:00–21:00',
  details: {},
  alternatives: [],
  reasoning: '',
  actions: [],
  conflict: null,
  until: null,
  reminded: false,
};
const keys: KeyChangeCard = { kind: 'key_change', peer: 'agent:bob@hub', peerName: 'Bob', alarm: '', safetyNumber: '' };
const stranger: StrangerCard = { kind: 'stranger', ...about, requests: 1 };

describe('[A2C-22] the headline of a prompt names the person', () => {
  test.each([
    [consent, 'Bob’s peer is asking for:'],
    [{ ...consent, isEarly: true }, 'Bob’s peer usually asks for:'],
    [{ ...consent, peerName: 'James' }, 'James’ peer is asking for:'],
    [proposal, 'A proposal for you and Bob:'],
    [{ ...proposal, reminded: true }, 'Reminder: a proposal for you and Bob:'],
    [keys, 'The key of Bob has changed. Nothing is sent until you decide.'],
    [stranger, 'Somebody unverified wants to negotiate: agent:bob@hub'],
  ])('%#', (card, headline) => expect(promptHeadline(card)).toBe(headline));
});

const people = (coordinates: boolean): GroupProgress => ({
  coordinator: coordinates ? 'agent:ann@hub' : 'agent:bob@hub',
  coordinatorName: coordinates ? 'Ann' : 'Bob',
  coordinates,
  quorum: 2,
  confirmed: null,
  order: [],
  members: [
    { address: 'agent:ann@hub', name: 'Ann', isMe: true, status: 'asked' },
    { address: 'agent:bob@hub', name: 'Bob', isMe: false, status: coordinates ? 'asked' : null },
    { address: 'agent:cleo@hub', name: 'Cleo', isMe: false, status: coordinates ? 'declined' : null },
    { address: 'agent:dan@hub', name: 'Dan', isMe: false, status: coordinates ? 'answered' : null },
  ],
  answersBy: null,
  offeredTo: null,
  binding: null,
});

test('[A2C-30] a proposal for a group names nobody who declined, and a member reads who asks and who else is asked', () => {
  expect(promptHeadline({ ...proposal, group: people(true) })).toBe('A proposal for you, Bob and Dan:');
  expect(promptHeadline({ ...proposal, group: people(false) })).toBe('A proposal of Bob’s peer for the group:');
  expect(audienceText({ ...consent, group: people(false) })).toBe('A group with Cleo and Dan. Your answer goes to Bob’s peer alone.');
  for (const card of [consent, proposal, keys, { ...consent, group: people(true) }]) expect(audienceText(card)).toBeNull();
});

test('[A2C-27] where the others agreed without oneself, the state says so', () => {
  const group = people(false);
  const missed = { ...group, members: group.members.map((one) => (one.isMe ? { ...one, status: 'missed' as const } : one)) };
  const whole = { state: 'COMPLETED', role: 'responder' as const, waitsForMe: false, peerName: 'Bob, Cleo and Dan' };
  expect(progressText({ ...whole, group: missed })).toBe('Agreed without you');
  expect(progressText({ ...whole, group })).toBe('Completed');
});

test.each<[PromptAnswer, string]>([
  [
    {
      kind: 'consent',
      fields: [
        { field: 'dietary', answer: 'share' },
        { field: 'budget_range', answer: 'decline' },
      ],
    },
    'You shared: Dietary preferences',
  ],
  [{ kind: 'consent', fields: [] }, 'You shared nothing'],
  [{ kind: 'different', text: 'Saturday 20:00' }, 'You suggested “Saturday 20:00”'],
  [{ kind: 'continue' }, 'Your peer goes on'],
  [{ kind: 'answer_stranger', isOn: false }, 'You ignore them'],
])('one’s own answer stands in place of the question: %j', (answer, text) => expect(answerText(answer)).toBe(text));

test.each([
  [{ state: 'PROPOSED', waitsForMe: false }, 'Waiting for Ben'],
  [{ state: 'PROPOSED', waitsForMe: true }, 'Waiting for confirmation'],
  [{ state: 'NEGOTIATING', waitsForMe: false }, 'Negotiating'],
  [{ state: 'INITIATED', waitsForMe: false }, 'Waiting for Ben'],
  [{ state: 'INITIATED', waitsForMe: false, role: 'responder' as const }, 'Opened'],
])('[A2C-26] after one’s own confirmation the other person is named: %j', (negotiation, text) =>
  expect(progressText({ role: 'initiator', ...negotiation, peerName: 'Ben' })).toBe(text),
);

test.each([
  [{ state: 'PROPOSED', waitsForMe: false }, 'You confirmed · Waiting for Ben'],
  [{ state: 'PROPOSED', waitsForMe: true }, 'You confirmed'],
  [{ state: 'EXECUTING', waitsForMe: false }, 'You confirmed, and so did Ben · Carrying it out'],
  [{ state: 'COMPLETED', waitsForMe: false }, 'You confirmed, and so did Ben · Completed'],
  [{ state: 'COMPLETED', waitsForMe: false, isOutside: true }, 'You confirmed · Completed'],
  [{ state: 'NEGOTIATING', waitsForMe: false }, 'You confirmed · Negotiating'],
  [{ state: 'DECLINED', waitsForMe: false }, 'You confirmed · Declined'],
  [{ state: 'EXPIRED', waitsForMe: false }, 'You confirmed · Expired'],
])('[A2C-26] a confirmed card says for whom it waits, then how it ended: %j', (negotiation, text) =>
  expect(confirmedText({ role: 'initiator', isOutside: false, ...negotiation, peerName: 'Ben' })).toBe(text),
);

test('[A2C-27] a confirmed card of a group counts, and ends', () => {
  const group = { confirmed: 2, quorum: 3, members: [] } as unknown as GroupProgress;
  const of = (state: string) =>
    confirmedText({ role: 'initiator', isOutside: false, waitsForMe: false, peerName: 'Ben and Cleo', group, state });
  expect(of('PROPOSED')).toBe('You confirmed · 2 of 3 confirmed');
  expect(of('COMPLETED')).toBe('You confirmed, and so did enough others · Completed');
});

test('[A2C-4] trust is never said to be more than it is', () => {
  expect(trustText({ trust: 'introduced', stranger: false })).toBe('Introduced by this hub');
  expect(trustText({ trust: 'verified', stranger: false })).toBe('Verified');
  expect(trustText({ trust: 'pinned', stranger: false })).toBe('Pinned by their card');
  expect(trustText({ trust: 'unverified', stranger: false })).toBe('Unverified');
  expect(trustText({ trust: 'unverified', stranger: true })).toBe('Unverified, wrote first');
});

test.each([
  ['time', ' Saturday 20:00 ', 'Saturday 20:00'],
  ['time', 'whenever my cat is asleep', 'whenever my cat is asleep'],
  ['place', 'Dopo', 'at Dopo'],
  ['place', 'near the station', 'near the station'],
  ['place', 'Inn of the Moon', 'at Inn of the Moon'],
] as const)('[A2C-26] a different %s: %s', (wish, text, sent) => {
  expect(suggestionOf(wish, text)).toBe(sent);
});
