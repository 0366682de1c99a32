// The states of a negotiation (A2C-28), and every input that may move one. An input without a row is refused.

/** Every step there is; an input may take several of them at once. */
const steps = {
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
} as const;
export type NegotiationState = keyof typeof steps;
export const stateSteps: Readonly<Record<NegotiationState, readonly NegotiationState[]>> = steps;
export const negotiationStates = Object.keys(steps) as NegotiationState[];

export const isEnded = (state: NegotiationState): boolean => stateSteps[state].length === 0;

/** Both have confirmed, and each waits for the other's report. */
export const isExecuting = (state: NegotiationState): boolean => state === 'CONFIRMED' || state === 'EXECUTING';

/** Between two, the initiator is the coordinator. */
export type NegotiationRole = 'initiator' | 'responder';

/** Roles on a line of a group have columns of their own: there only the coordinator proposes, and the group decides about each end. */
export type LineRole = NegotiationRole | 'coordinator' | 'participant';

export const lineRoleOf = ({ role, group }: { role: NegotiationRole; group?: object | undefined }): LineRole =>
  group === undefined ? role : role === 'initiator' ? 'coordinator' : 'participant';

/** Packets of the peer, by what they say. */
export const packetInputs = [
  'context',
  'intent_changed',
  'forked',
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
  'change_intent',
  'fork',
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
  'expire',
  'tick',
] as const;
export type InputName = (typeof packetInputs)[number] | (typeof localInputs)[number];

type Ends = readonly NegotiationState[];
type Cell = Partial<Record<LineRole, Ends>>;
type Row = readonly [InputName, from: Ends, Cell];

const talking: Ends = ['INITIATED', 'NEGOTIATING', 'STALLED'];
const open: Ends = [...talking, 'PROPOSED'];
const initiator = (...ends: Ends): Cell => ({ initiator: ends, coordinator: ends });
const responder = (...ends: Ends): Cell => ({ responder: ends, participant: ends });
const both = (...ends: Ends): Cell => ({ ...initiator(...ends), ...responder(...ends) });
const pair = (...ends: Ends): Cell => ({ initiator: ends, responder: ends });
const coordinator = (...ends: Ends): Cell => ({ coordinator: ends });
const participant = (...ends: Ends): Cell => ({ participant: ends });
const staying = (names: readonly InputName[], states: Ends): Row[] =>
  names.flatMap((name) => states.map((state): Row => [name, [state], both(state)]));

/** Input, states it is valid in, and the states it may end in for each role. A role without ends may not have the input. */
const rows: readonly Row[] = [
  // A negotiation is INITIATED until the responder has sent something.
  ['context', ['INITIATED'], { ...initiator('NEGOTIATING'), ...responder('INITIATED') }],
  ['context', ['NEGOTIATING', 'STALLED'], both('NEGOTIATING')],
  ['send', ['INITIATED'], { ...initiator('INITIATED'), ...responder('NEGOTIATING') }],
  ['send', ['NEGOTIATING', 'STALLED'], both('NEGOTIATING')],
  ...staying(['context', 'send'], ['PROPOSED']),
  ...staying(['context'], ['CONFIRMED', 'EXECUTING', 'ROLLBACK']),
  ...staying(['processing_error', 'give_up'], open),
  ...staying(['continue'], ['INITIATED', 'NEGOTIATING', 'PROPOSED']),
  ['continue', ['STALLED'], both('NEGOTIATING')],

  // A changed intent counters an open proposal. Groups keep theirs.
  ['intent_changed', ['INITIATED'], { initiator: ['NEGOTIATING'], responder: ['INITIATED'] }],
  ['intent_changed', ['NEGOTIATING', 'STALLED'], pair('NEGOTIATING')],
  ['intent_changed', ['PROPOSED'], pair('PROPOSED', 'NEGOTIATING')],
  ['change_intent', ['INITIATED'], { initiator: ['INITIATED'], responder: ['NEGOTIATING'] }],
  ['change_intent', ['NEGOTIATING', 'STALLED', 'PROPOSED'], pair('NEGOTIATING')],
  // A negotiation goes on with what its forks leave.
  ['forked', ['INITIATED'], { initiator: ['NEGOTIATING'], responder: ['INITIATED'] }],
  ['forked', ['NEGOTIATING', 'STALLED'], pair('NEGOTIATING')],
  // It may cross the agreement about its parent: an end would drop one that waits for it.
  ...(['PROPOSED', 'CONFIRMED', 'EXECUTING', 'ROLLBACK'] as const).map((state): Row => ['forked', [state], pair(state)]),
  ['fork', ['INITIATED'], { initiator: ['INITIATED'], responder: ['NEGOTIATING'] }],
  ['fork', ['NEGOTIATING', 'STALLED'], pair('NEGOTIATING')],
  ['fork', ['PROPOSED'], pair('PROPOSED')],

  ['resolution', open, { ...pair('PROPOSED'), ...participant('PROPOSED') }],
  ['propose', open, { ...pair('PROPOSED'), ...coordinator('PROPOSED') }],
  ['confirm', ['PROPOSED'], { ...initiator('PROPOSED', 'CONFIRMED'), ...responder('PROPOSED'), ...coordinator('CONFIRMED') }],
  ['confirmed', ['PROPOSED'], { ...initiator('PROPOSED', 'CONFIRMED'), ...coordinator('PROPOSED') }],
  ['suggest', ['PROPOSED'], both('NEGOTIATING')],
  // One member's word moves no line of a group: the group weighs it with those of the others.
  ['conflict', ['PROPOSED'], { ...both('NEGOTIATING'), ...coordinator('PROPOSED') }],
  // The coordinator ends a negotiation; the responder's person has declined when the coordinator's answer comes.
  ['decline', open, initiator('DECLINED')],
  ...open.map((state): Row => ['decline', [state], responder(state)]),
  ['declined', open, pair('DECLINED')],
  ...open.map((state): Row => ['declined', [state], coordinator(state)]),

  ['outcome_confirmed', ['PROPOSED'], responder('CONFIRMED')],
  // A quorum agreed without a member who wanted something different.
  ['outcome_confirmed', ['NEGOTIATING', 'STALLED'], participant('CONFIRMED')],
  // The responder's last word crossed the end of the time: the proposal is open once more, and expires.
  ['outcome_expired', ['PROPOSED', 'NEGOTIATING', 'STALLED'], responder('EXPIRED')],
  ['outcome_declined', open, responder('DECLINED')],
  ['tick', ['INITIATED'], both('INITIATED', 'STALLED')],
  ['tick', ['NEGOTIATING'], both('NEGOTIATING', 'STALLED')],
  ['tick', ['PROPOSED'], { ...both('PROPOSED'), initiator: ['PROPOSED', 'EXPIRED'] }],
  ['expire', ['PROPOSED'], coordinator('EXPIRED')],
  ...staying(['tick'], ['STALLED', 'CONFIRMED', 'EXECUTING', 'FAILED', 'ROLLBACK', 'COMPLETED', 'DECLINED', 'EXPIRED']),

  ['begin', ['CONFIRMED'], initiator('EXECUTING')],
  ['shared_done', ['CONFIRMED'], responder('EXECUTING')],
  ['done', ['EXECUTING'], { ...initiator('EXECUTING', 'COMPLETED'), ...responder('EXECUTING') }],
  ['own_done', ['EXECUTING'], initiator('EXECUTING', 'COMPLETED')],
  ['all_done', ['EXECUTING'], responder('COMPLETED')],
  ['failed', ['EXECUTING'], both('ROLLBACK', 'NEGOTIATING')],
  ['peer_failed', ['EXECUTING'], both('ROLLBACK', 'NEGOTIATING')],
  ['peer_failed', ['CONFIRMED'], responder('NEGOTIATING')],
  ['undone', ['ROLLBACK'], both('NEGOTIATING')],
  ...staying(['peer_undone'], ['NEGOTIATING', 'PROPOSED', 'STALLED', 'CONFIRMED', 'EXECUTING', 'ROLLBACK']),
];

/** Whether a role has the input in any state. */
export const isForRole = (input: InputName, role: LineRole): boolean =>
  rows.some(([name, , cell]) => name === input && cell[role] !== undefined);

/** The states in which an input may end; undefined where it is refused. */
export function endsOf(input: InputName, state: NegotiationState, role: LineRole): Ends | undefined {
  return rows.find(([name, from, cell]) => name === input && from.includes(state) && cell[role] !== undefined)?.[2][role];
}
