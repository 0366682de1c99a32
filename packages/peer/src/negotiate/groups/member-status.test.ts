import type { NegotiationGroup } from '@parley/core/group';
import { openNegotiation, type Negotiation } from '@parley/core/negotiation';
import { describe, expect, test } from 'vitest';
import type { MachineRecord } from '../negotiation-records.ts';
import { memberStatus, stateOf } from './member-status.ts';

const [own, peer] = ['agent:cem@hub', 'agent:ann@hub'];
const participants = [own, peer, 'agent:bob@hub'].map((agent) => ({ agent, key: '' }));
const opened = openNegotiation({ threadId: 'thr_1', own, peer, role: 'responder', group: { participants } }, 0);

function shown(machine: Partial<Negotiation>, openPrompt: string | null = null): [string, string | null] {
  const record = { machine: { ...opened, ...machine }, openPrompt } as MachineRecord;
  return [stateOf(record), memberStatus(record, [record], own)];
}

const proposal = { hash: 'h', ownConfirmed: false } as Negotiation['proposal'];
const confirmed = { ...proposal!, ownConfirmed: true };
const answered = { own: ['time_windows'], peer: [] };
const without = { shared: 'done', own: 'done', peerDone: true, takesPart: false } as const;

test.each<[string, Partial<Negotiation>, string | null, string, string]>([
  ['is asked what to share', {}, 'prm_1', 'INITIATED', 'waiting'],
  ['is asked once more', { state: 'NEGOTIATING', answered }, 'prm_2', 'NEGOTIATING', 'waiting'],
  ['shared', { state: 'NEGOTIATING', answered }, null, 'NEGOTIATING', 'answered'],
  ['never shared, and the coordinator ended it', { state: 'DECLINED' }, null, 'DECLINED', 'waiting'],
  ['shared, and the coordinator ended it', { state: 'DECLINED', answered }, null, 'DECLINED', 'answered'],
  ['ended it', { isClosing: true }, null, 'DECLINED', 'declined'],
  ['ended it, and got the proposal', { state: 'PROPOSED', isClosing: true, proposal }, null, 'DECLINED', 'declined'],
  ['ended it, and the others agreed', { state: 'COMPLETED', isClosing: true, proposal, execution: without }, null, 'DECLINED', 'declined'],
  ['confirmed before they ended it', { state: 'PROPOSED', isClosing: true, proposal: confirmed }, null, 'PROPOSED', 'declined'],
  ['is asked to confirm', { state: 'PROPOSED', proposal }, null, 'PROPOSED', 'asked'],
  ['confirmed', { state: 'COMPLETED', proposal: confirmed }, null, 'COMPLETED', 'confirmed'],
  ['was too late', { state: 'COMPLETED', proposal, execution: without }, null, 'COMPLETED', 'missed'],
  ['confirmed too late', { state: 'COMPLETED', proposal: confirmed, execution: without }, null, 'COMPLETED', 'missed'],
  [
    'wanted something different, and the others agreed',
    { state: 'COMPLETED', proposal: { ...proposal!, hasOwnConflict: true }, execution: without },
    null,
    'COMPLETED',
    'conflict',
  ],
])('[A2C-27] [A2C-30] a member who %s', (_, machine, prompt, state, status) => expect(shown(machine, prompt)).toEqual([state, status]));

describe('[A2C-30] at the coordinator of a group that ended before a proposal', () => {
  const group = { state: 'DECLINED', proposal: null } as NegotiationGroup;
  const line = (agent: string, machine: Partial<Negotiation>) =>
    ({
      machine: { ...opened, role: 'initiator', own: peer, peer: agent, state: 'DECLINED', ...machine },
      openPrompt: null,
    }) as MachineRecord;
  const shownAt = (bob: Partial<Negotiation>) => {
    const lines = [line(own, {}), line('agent:bob@hub', bob)];
    return participants.map(({ agent }) => memberStatus({ ...lines[0]!, group }, lines, agent));
  };

  test('its person ended it', () => expect(shownAt({})).toEqual(['waiting', 'declined', 'waiting']));
  test('a member did', () => expect(shownAt({ hasPeerDeclined: true })).toEqual(['waiting', 'answered', 'declined']));
});

test('[A2C-27] the outcome shows to each member who else confirmed', () => {
  const execution = { shared: 'done', own: 'done', peerDone: true, counted: [own, peer] } as const;
  const record = {
    machine: { ...opened, state: 'COMPLETED', proposal: confirmed, execution },
    openPrompt: null,
  } as unknown as MachineRecord;
  expect(participants.map(({ agent }) => memberStatus(record, [record], agent))).toEqual(['confirmed', 'confirmed', null]);
});
