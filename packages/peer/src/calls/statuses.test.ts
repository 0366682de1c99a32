import { openNegotiation } from '@parley/core/negotiation';
import { describe, expect, it } from 'vitest';
import { audienceField } from '../negotiate/meetings/intent-words.ts';
import { type MachineRecord, newMachine, type NegotiationNote, putMachine } from '../negotiate/negotiation-records.ts';
import type { PeerStore } from '../store/port.ts';
import { cardsOf } from './prompts.ts';
import type { OpenPeer } from './context.ts';
import { escalationOf, matterOf, statusOf } from './statuses.ts';

const opening = { threadId: 'thr_0123456789', own: 'agent:ann@hub', peer: 'agent:bob@hub', role: 'initiator' } as const;
const record = (notice: NegotiationNote['notice'], machine: Partial<MachineRecord['machine']>): MachineRecord => {
  const before = newMachine(openNegotiation(opening, 0));
  return { ...before, machine: { ...before.machine, ...machine }, notes: [{ at: 1, notice, details: { by: 'own' } }] };
};
const stalled = record('stalled', { state: 'STALLED' });
const paused = record('paused', { paused: 'own' });

/** Holds one negotiation. */
function peerWith(value: MachineRecord): OpenPeer {
  const change = putMachine(value) as { key: string };
  const list = async (kind: string) => (kind === 'machine' ? [{ key: change.key, value, version: 1, seq: 1 }] : []);
  return { store: { list, get: async () => undefined } as unknown as PeerStore } as OpenPeer;
}

describe('[A2C-17] [A2C-36] a negotiation that went silent, or that this peer could not go on with,', () => {
  it.each([
    ['isSilent', stalled, true],
    ['isPaused', paused, false],
  ] as const)('asks its person by a card: %s', async (cause, one, hasEnded) => {
    const { id } = escalationOf(one)!;
    expect(matterOf(one)).toEqual({ prompts: [id], isEnded: hasEnded });
    expect(await statusOf(peerWith(one).store, one)).toMatchObject({ prompts: [{ id, kind: 'escalation' }], isEnded: hasEnded });
    const [found] = await cardsOf(peerWith(one), [id], () => 'Bob');
    expect(found).toMatchObject({ id, card: { kind: 'escalation', [cause]: true, peerName: 'Bob' } });
  });

  it('asks nothing where a prompt is open, or where it goes on', () => {
    expect(escalationOf({ ...stalled, openPrompt: 'prm_1' })).toBeUndefined();
    expect(matterOf({ ...stalled, openPrompt: 'prm_1' })).toEqual({ prompts: ['prm_1'], isEnded: false });
    expect(escalationOf(record('stalled', { state: 'NEGOTIATING' }))).toBeUndefined();
    expect(escalationOf(record('paused', { paused: 'peer' }))).toBeUndefined();
  });
});

it('[A2C-20] [A2C-22] a proposal that waits for an answer about the scope is no prompt yet', () => {
  const proposal = { hash: 'h', ownConfirmed: false } as unknown as NonNullable<MachineRecord['machine']['proposal']>;
  const proposed = { ...record('completed', { state: 'PROPOSED', proposal }), openPrompt: 'prm_scope' };
  expect(matterOf(proposed).prompts).toEqual(['prm_scope', 'h']);
  expect(matterOf({ ...proposed, isProposalHeld: true }).prompts).toEqual(['prm_scope']);
});

describe('[A2C-24] the outcome goes to the hub', () => {
  const agreed = (state: MachineRecord['machine']['state'], actions: { action: string; service?: string }[]): MachineRecord => {
    const proposal = { hash: 'h', actions: [] } as unknown as MachineRecord['machine']['proposal'];
    const known = { summary: 'Dinner', details: {}, alternatives: [], reasoning: '', isReceipt: false, actions };
    return { ...record('completed', { state, proposal }), stated: { [audienceField]: '#general at Acme' }, proposals: { h: known } };
  };
  const outcome = async (one: MachineRecord) => (await statusOf(peerWith(one).store, one)).outcome;

  it('with both names, once everything is done', async () => {
    const post = [{ action: 'post_outcome', service: '#general at Acme' }];
    expect(await outcome(agreed('COMPLETED', post))).toBe('Dinner, with Ann and Bob');
    expect(await outcome(agreed('EXECUTING', post))).toBeNull();
  });

  it.each([
    ['names no audience', []],
    ['names another audience', [{ action: 'post_outcome', service: '#everybody at Acme' }]],
    ['posts by another action', [{ action: 'tell_team', service: '#general at Acme' }]],
  ])('and never where the confirmed proposal %s', async (_, actions) => {
    expect(await outcome(agreed('COMPLETED', actions))).toBeNull();
  });
});
