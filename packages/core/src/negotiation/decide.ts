// One input in, the next negotiation and its effects out. The table in states.ts says which input a state takes from which role.

import { proposalHash, type TypedPacket } from '@parley/protocol/relay';
import { confirm, propose, receiveConfirmation, receiveConflict, receiveMemberDecline, receiveResolution, suggest } from './agreement.ts';
import { applyClock } from './clock.ts';
import { type NegotiationDraft, draftOf, notify, remember } from './draft.ts';
import { type DecisionTools, joinGroup } from './group-line.ts';
import { changeIntent, receiveIntentUpdate } from './intent.ts';
import { fork, receiveFork } from './fork.ts';
import { begin, fail, finish, receiveDone, receiveFailure, receiveUndone, rolledBack } from './execution.ts';
import type { NegotiationEffect, NegotiationInput, NegotiationVerdict } from './inputs.ts';
import { type Negotiation, negotiationLimits } from './negotiation.ts';
import { decline, endDeclined, endExpired, receiveOutcome, otherOutcome } from './outcome.ts';
import { packetInputOf, proposalHashIn, mustWait } from './packet-inputs.ts';
import { endsOf, type InputName, isEnded, isForRole, lineRoleOf, type NegotiationState } from './states.ts';
import { absorb, giveUp, goOn, receiveContext, receiveError, send } from './talk.ts';

export interface NegotiationDecision {
  verdict: NegotiationVerdict;
  negotiation: Negotiation;
  effects: NegotiationEffect[];
  /** Every state that was entered, in order. */
  moves: NegotiationState[];
}

/** A refused input changes nothing but what the clock had due before it. */
export function decide(negotiation: Negotiation, input: NegotiationInput, tools: DecisionTools): NegotiationDecision {
  const draft = draftOf(negotiation, tools.now);
  attempt(draft, 'tick', applyClock);
  const verdict = input.kind === 'packet' ? takePacket(draft, input.packet, tools) : takeLocal(draft, input, tools);
  if (verdict === 'accepted' || input.kind === 'packet') takeWaiting(draft, tools);
  return { verdict, negotiation: draft.value, effects: draft.effects, moves: draft.moves };
}

/** The handler works on the draft; after a refusal the draft is as before. */
function attempt(draft: NegotiationDraft, input: InputName, handler: (trial: NegotiationDraft) => NegotiationVerdict): NegotiationVerdict {
  const { state } = draft.value;
  const role = lineRoleOf(draft.value);
  if (isEnded(state) && input !== 'tick') return 'ended';
  const ends = endsOf(input, state, role);
  if (!ends) return isForRole(input, role) ? 'not_in_this_state' : 'not_for_this_role';
  const trial: NegotiationDraft = { ...draftOf(draft.value, draft.now), effects: [...draft.effects], moves: [...draft.moves] };
  const verdict = handler(trial);
  if (verdict !== 'accepted') return verdict;
  if (!ends.includes(trial.value.state)) throw new Error(`${input} does not lead from ${state} to ${trial.value.state} for the ${role}`);
  Object.assign(draft, trial);
  return verdict;
}

function takeLocal(
  draft: NegotiationDraft,
  input: Exclude<NegotiationInput, { kind: 'packet' }>,
  tools: DecisionTools,
): NegotiationVerdict {
  const isForPeople = ['send', 'change_intent', 'fork', 'propose', 'give_up', 'confirm', 'suggest', 'continue', 'decline'].includes(
    input.kind,
  );
  if (draft.value.isClosing && isForPeople) return 'closing';
  return attempt(draft, input.kind, (trial) => {
    switch (input.kind) {
      case 'send':
        return send(trial, input);
      case 'change_intent':
        return changeIntent(trial, input);
      case 'fork':
        return fork(trial, input, tools);
      case 'propose':
        return propose(trial, input, tools.blake2b256);
      case 'give_up':
        return giveUp(trial, input);
      case 'confirm':
        return confirm(trial, input, tools);
      case 'suggest':
        return suggest(trial, input);
      case 'decline':
        return decline(trial, input);
      case 'continue':
        return goOn(trial);
      case 'begin':
        return begin(trial, input);
      case 'done':
        return finish(trial, input);
      case 'failed':
        return fail(trial, input);
      case 'undone':
        return rolledBack(trial, input);
      case 'expire':
        return endExpired(trial);
      case 'tick':
        return 'accepted';
    }
  });
}

function takePacket(draft: NegotiationDraft, typed: TypedPacket, tools: DecisionTools): NegotiationVerdict {
  const { value } = draft;
  const { packet } = typed;
  if (packet.from !== value.peer || packet.to !== value.own || packet.thread_id !== value.threadId) return 'wrong_sender';
  if (isEnded(value.state)) return 'ended';
  if (value.seen.includes(packet.packet_id)) return 'repeated';
  value.seen = remember(value.seen, packet.packet_id);
  const input = packetInputOf(typed);
  if (!input) return 'not_handled';
  joinGroup(value, packet);
  if (!isForRole(input, lineRoleOf(value))) return 'not_for_this_role';
  if (!mustWait(value, typed)) return open(draft, typed, input, tools);
  value.waiting = [...value.waiting, typed].slice(-negotiationLimits.waiting);
  return 'held';
}

/** Packets that came early are read once what they refer to is here. */
function takeWaiting(draft: NegotiationDraft, tools: DecisionTools): void {
  for (;;) {
    const { value } = draft;
    const due = isEnded(value.state) ? [] : value.waiting.filter((one) => !mustWait(value, one));
    // Nobody begins an action whose proposal has failed already.
    const next = due.find((one) => packetInputOf(one) === 'peer_failed') ?? due[0];
    if (!next) return;
    value.waiting = value.waiting.filter((one) => one !== next);
    open(draft, next, packetInputOf(next)!, tools);
  }
}

function open(draft: NegotiationDraft, typed: TypedPacket, input: InputName, tools: DecisionTools): NegotiationVerdict {
  const hash = typed.as === 'resolution' ? proposalHash(typed.packet, tools.blake2b256) : proposalHashIn(typed);
  if (typed.as === 'resolution') draft.value.hashes = remember(draft.value.hashes, hash!);
  const verdict = attempt(draft, input, (trial) => {
    absorb(trial, typed.packet);
    return receive(trial, typed, hash, tools);
  });
  if (verdict === 'false_outcome' || verdict === 'impossible_time' || verdict === 'unsafe_quorum') notify(draft, verdict, { hash });
  const other = verdict === 'second_outcome' && hash !== null ? otherOutcome(draft.value, hash) : undefined;
  if (other) notify(draft, 'second_outcome', { ...other });
  if (input === 'forked' && verdict !== 'accepted') notify(draft, 'fork_refused', { reason: verdict });
  return verdict;
}

function receive(draft: NegotiationDraft, typed: TypedPacket, hash: string | null, tools: DecisionTools): NegotiationVerdict {
  switch (typed.as) {
    case 'processing_error':
      return receiveError(draft);
    case 'intent_update':
      return receiveIntentUpdate(draft, typed.packet);
    case 'thread_fork':
      return receiveFork(draft, typed.packet, tools);
    case 'resolution':
      return receiveResolution(draft, typed.packet, hash!, tools);
    case 'resolution_response': {
      const { status, reason_class: reason, message_to_other_agent: message } = typed.packet;
      if (status === 'confirmed') return receiveConfirmation(draft, hash, typed.packet, tools);
      if (reason === 'scheduling_conflict') return receiveConflict(draft, hash, message);
      return lineRoleOf(draft.value) === 'coordinator' ? receiveMemberDecline(draft, message) : endDeclined(draft, message);
    }
    case 'resolution_outcome':
      return typed.packet.status === 'declined'
        ? endDeclined(draft, typed.packet.message_to_other_agent)
        : receiveOutcome(draft, typed.packet, tools);
    case 'execution_report':
      if (typed.packet.status === 'done') return receiveDone(draft, typed.packet);
      return typed.packet.status === 'failed' ? receiveFailure(draft, typed.packet) : receiveUndone(draft, typed.packet);
    default:
      return receiveContext(draft, typed);
  }
}
