// The states of a negotiation between two (A2C-28), and every input that may move one. An input without a row is refused.

export const negotiationStates = [
  'INITIATED',
  'NEGOTIATING',
  'PROPOSED',
  'STALLED',
  'CONFIRMED',
  'EXECUTING',
  'FAILED',
  'ROLLBACK',
  'COMPLETED',
  'DECLINED',
  'EXPIRED',
] as const;
export type NegotiationState = (typeof negotiationStates)[number];

/** Every step there is; an input may take several of them at once. */
export const stateSteps: Readonly<Record<NegotiationState, readonly NegotiationState[]>> = {
  INITIATED: ['NEGOTIATING', 'PROPOSED', 'STALLED', 'DECLINED'],
  NEGOTIATING: ['NEGOTIATING', 'PROPOSED', 'STALLED', 'DECLINED'],
  PROPOSED: ['NEGOTIATING', 'CONFIRMED', 'EXPIRED', 'DECLINED'],
  STALLED: ['NEGOTIATING', 'DECLINED'],
  CONFIRMED: ['EXECUTING'],
  EXECUTING: ['COMPLETED', 'FAILED'],
  FAILED: ['ROLLBACK', 'NEGOTIATING'],
  ROLLBACK: ['NEGOTIATING'],
  COMPLETED: [],
  DECLINED: [],
  EXPIRED: [],
};

export const isEnded = (state: NegotiationState): boolean => stateSteps[state].length === 0;

/** Both have confirmed, and each waits for the other's report. */
export const isExecuting = (state: NegotiationState): boolean => state === 'CONFIRMED' || state === 'EXECUTING';

/** Between two, the initiator is the coordinator. */
export type NegotiationRole = 'initiator' | 'responder';

/** Packets of the peer, by what they say. */
export const packetInputs = [
  'context',
  'processing_error',
  'resolution',
  'confirmed',
  'conflict',
  'declined',
  'outcome_confirmed',
  'outcome_expired',
  'outcome_declined',
  'shared_done',
  'own_done',
  'all_done',
  'peer_failed',
  'peer_undone',
] as const;

/** Events of this side: its brain, its person, its executor, its clock. */
export const localInputs = [
  'send',
  'propose',
  'give_up',
  'confirm',
  'suggest',
  'decline',
  'continue',
  'begin',
  'done',
  'failed',
  'undone',
  'tick',
] as const;
export type InputName = (typeof packetInputs)[number] | (typeof localInputs)[number];

type Ends = readonly NegotiationState[];
interface Cell {
  initiator?: Ends;
  responder?: Ends;
}
type Row = readonly [InputName, from: Ends, Cell];

const talking: Ends = ['INITIATED', 'NEGOTIATING', 'STALLED'];
const open: Ends = [...talking, 'PROPOSED'];
const both = (...ends: Ends): Cell => ({ initiator: ends, responder: ends });
const initiator = (...ends: Ends): Cell => ({ initiator: ends });
const responder = (...ends: Ends): Cell => ({ responder: ends });
const staying = (names: readonly InputName[], states: Ends): Row[] =>
  names.flatMap((name) => states.map((state): Row => [name, [state], both(state)]));

/** Input, states it is valid in, and the states it may end in for each role. A role without ends may not have the input. */
const rows: readonly Row[] = [
  // A negotiation is INITIATED until the responder has sent something.
  ['context', ['INITIATED'], { initiator: ['NEGOTIATING'], responder: ['INITIATED'] }],
  ['context', ['NEGOTIATING', 'STALLED'], both('NEGOTIATING')],
  ['send', ['INITIATED'], { initiator: ['INITIATED'], responder: ['NEGOTIATING'] }],
  ['send', ['NEGOTIATING', 'STALLED'], both('NEGOTIATING')],
  ...staying(['context', 'send'], ['PROPOSED']),
  ...staying(['context'], ['CONFIRMED', 'EXECUTING', 'ROLLBACK']),
  ...staying(['processing_error', 'give_up', 'continue'], open),

  ['resolution', open, both('PROPOSED')],
  ['propose', open, both('PROPOSED')],
  ['confirm', ['PROPOSED'], { initiator: ['PROPOSED', 'CONFIRMED'], responder: ['PROPOSED'] }],
  ['confirmed', ['PROPOSED'], initiator('PROPOSED', 'CONFIRMED')],
  ['suggest', ['PROPOSED'], both('NEGOTIATING')],
  ['conflict', ['PROPOSED'], both('NEGOTIATING')],
  // The coordinator ends a negotiation; the responder's person has declined when the coordinator's answer comes.
  ['decline', open, initiator('DECLINED')],
  ...open.map((state): Row => ['decline', [state], responder(state)]),
  ['declined', open, both('DECLINED')],

  ['outcome_confirmed', ['PROPOSED'], responder('CONFIRMED')],
  // The responder's last word crossed the end of the time: the proposal is open once more, and expires.
  ['outcome_expired', ['PROPOSED', 'NEGOTIATING', 'STALLED'], responder('EXPIRED')],
  ['outcome_declined', open, responder('DECLINED')],
  ['tick', ['INITIATED'], both('INITIATED', 'STALLED')],
  ['tick', ['NEGOTIATING'], both('NEGOTIATING', 'STALLED')],
  ['tick', ['PROPOSED'], { initiator: ['PROPOSED', 'EXPIRED'], responder: ['PROPOSED'] }],
  ...staying(['tick'], ['STALLED', 'CONFIRMED', 'EXECUTING', 'FAILED', 'ROLLBACK', 'COMPLETED', 'DECLINED', 'EXPIRED']),

  ['begin', ['CONFIRMED'], initiator('EXECUTING')],
  ['shared_done', ['CONFIRMED'], responder('EXECUTING')],
  ['done', ['EXECUTING'], { initiator: ['EXECUTING', 'COMPLETED'], responder: ['EXECUTING'] }],
  ['own_done', ['EXECUTING'], initiator('EXECUTING', 'COMPLETED')],
  ['all_done', ['EXECUTING'], responder('COMPLETED')],
  ['failed', ['EXECUTING'], both('ROLLBACK', 'NEGOTIATING')],
  ['peer_failed', ['EXECUTING'], both('ROLLBACK', 'NEGOTIATING')],
  ['peer_failed', ['CONFIRMED'], responder('NEGOTIATING')],
  ['undone', ['ROLLBACK'], both('NEGOTIATING')],
  ...staying(['peer_undone'], ['NEGOTIATING', 'PROPOSED', 'STALLED', 'CONFIRMED', 'EXECUTING', 'ROLLBACK']),
];

/** Whether a role has the input in any state. */
export const isForRole = (input: InputName, role: NegotiationRole): boolean =>
  rows.some(([name, , cell]) => name === input && cell[role] !== undefined);

/** The states in which an input may end; undefined where it is refused. */
export function endsOf(input: InputName, state: NegotiationState, role: NegotiationRole): Ends | undefined {
  return rows.find(([name, from, cell]) => name === input && from.includes(state) && cell[role] !== undefined)?.[2][role];
}
