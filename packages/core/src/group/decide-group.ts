// One input of a group in; its next state, those of its lines, and effects out. Every line is decided by the machine that two peers use;
// the group only says when all lines propose, agree, expire, fail and end together.
// Long because one class decides every input over the same lines.

import { durationMs, proposalHash } from '@parley/protocol/relay';
import { groupResolution, placesOf } from '../negotiation/agreement.ts';
import { decide } from '../negotiation/decide.ts';
import { moveTo } from '../negotiation/draft.ts';
import { type DecisionTools, participantsContent, signConfirmation } from '../negotiation/group-line.ts';
import type {
  InputOf,
  NegotiationEffect,
  NegotiationInput,
  NegotiationNotice,
  NegotiationVerdict,
  ProposalContent,
} from '../negotiation/inputs.ts';
import { negotiationLimits } from '../negotiation/negotiation.ts';
import { isEnded, isExecuting, type NegotiationState } from '../negotiation/states.ts';
import { type Ballot, countBallot } from './ballot.ts';
import { type NegotiationGroup, type GroupLines, lineGroupOf, termsOf, isReadyToPropose, isTalking } from './group.ts';

export type GroupInput =
  /** A packet of a member, or words for one. */
  | { kind: 'line'; peer: string; input: InputOf<'packet'> | InputOf<'send'> | InputOf<'give_up'> | InputOf<'tick'> }
  | { kind: 'propose'; content: ProposalContent }
  /** `isSilence`: too few have answered. */
  | { kind: 'escalate'; details: Record<string, unknown>; isSilence?: boolean }
  | Exclude<NegotiationInput, { kind: 'packet' | 'send' | 'propose' | 'give_up' | 'expire' }>;

/** `peer`: on the line with this member. Null: once, for the coordinator itself. */
export interface GroupEffect {
  peer: string | null;
  effect: NegotiationEffect;
}

export interface GroupDecision {
  verdict: NegotiationVerdict;
  group: NegotiationGroup;
  lines: GroupLines;
  effects: GroupEffect[];
  /** Every state that was entered, in order. */
  moves: NegotiationState[];
}

export function decideGroup(group: NegotiationGroup, lines: GroupLines, input: GroupInput, tools: DecisionTools): GroupDecision {
  const draft = new GroupDraft(group, lines, tools);
  draft.applyClock();
  const before = draft.copy();
  const verdict = draft.take(input);
  const decided = verdict === 'accepted' || input.kind === 'line' ? draft : before;
  decided.settle();
  return { verdict, group: decided.group, lines: decided.lines, effects: decided.effects, moves: decided.moves };
}

class GroupDraft {
  readonly group: NegotiationGroup;
  lines: GroupLines;
  effects: GroupEffect[] = [];
  moves: NegotiationState[] = [];
  readonly #tools: DecisionTools;

  constructor(group: NegotiationGroup, lines: GroupLines, tools: DecisionTools) {
    this.group = structuredClone(group);
    this.lines = lines;
    this.#tools = tools;
  }

  copy(): GroupDraft {
    const copy = new GroupDraft(this.group, this.lines, this.#tools);
    Object.assign(copy, { effects: [...this.effects], moves: [...this.moves] });
    return copy;
  }

  take(input: GroupInput): NegotiationVerdict {
    const { group } = this;
    if (isEnded(group.state) && input.kind !== 'tick') return 'ended';
    switch (input.kind) {
      case 'line':
        if (input.input.kind === 'send' && input.input.type === 'context_request') this.#waitAgain();
        return this.#onLine(input.peer, input.input);
      case 'propose':
        return this.#propose(input.content);
      case 'confirm':
        return this.#confirm(input);
      case 'suggest':
        if (group.state !== 'PROPOSED') return 'not_in_this_state';
        if (group.proposal!.hash !== input.hash) return 'stale';
        group.refusals = 0;
        this.#reopen(input.message);
        return 'accepted';
      case 'decline':
        if (!isTalking(group.state) && group.state !== 'PROPOSED') return 'not_in_this_state';
        this.#decline(input.message);
        return 'accepted';
      case 'continue':
        return this.#goOn();
      // Two people can change what they are about, or split it; a group does neither.
      case 'change_intent':
      case 'fork':
        return 'not_for_this_role';
      case 'escalate':
        if (group.isEscalated) return 'repeated';
        Object.assign(group, { isEscalated: true, isSilent: input.isSilence === true });
        this.#notify('escalated', input.details);
        return 'accepted';
      case 'begin':
      case 'done':
      case 'failed':
      case 'undone':
        return this.#execute(input);
      case 'tick':
        return 'accepted';
    }
  }

  applyClock(): void {
    const { group } = this;
    const { now } = this.#tools;
    if (group.offer && now >= group.offer.until) {
      delete group.offer;
      this.#own({ kind: 'evaluate', needs: [] });
    }
    if (isTalking(group.state) && !group.isPatienceOver && now >= group.answersBy) {
      group.isPatienceOver = true;
      this.#own({ kind: 'evaluate', needs: [] });
    }
    if (group.state !== 'PROPOSED') return;
    const proposal = group.proposal!;
    if (now >= proposal.deadline) return this.#expire();
    if (proposal.remindAt === null || now < proposal.remindAt) return;
    proposal.remindAt = null;
    if (proposal.isOwnAsked && proposal.ownSignature === null) this.#notify('reminder', { hash: proposal.hash });
  }

  /** Where the lines have come to, the group follows. Nothing is left to do after it. */
  settle(): void {
    const { group } = this;
    if (group.state === 'INITIATED' && this.#members.some(({ state }) => state !== 'INITIATED')) this.#moveTo('NEGOTIATING');
    if (isEnded(group.state)) return;
    if (isExecuting(group.state)) return this.#settleExecution();
    if (group.state === 'ROLLBACK') return;
    const ballot = countBallot(group, this.lines);
    if (ballot.failure === 'declined') return this.#decline(undefined);
    if (group.state !== 'PROPOSED') return;
    if (ballot.isAgreed) return this.#agree(ballot);
    if (ballot.failure === 'conflict') return this.#refused();
    this.#ask(ballot.turn);
  }

  get #members() {
    return Object.values(this.lines);
  }

  #moveTo(to: NegotiationState): void {
    moveTo({ value: this.group, moves: this.moves }, to);
  }

  #notify(notice: NegotiationNotice, details: Record<string, unknown>): void {
    this.#own({ kind: 'notify', notice, details });
  }

  #own(effect: NegotiationEffect): void {
    this.effects.push({ peer: null, effect });
  }

  #onLine(peer: string, input: NegotiationInput): NegotiationVerdict {
    const line = Object.hasOwn(this.lines, peer) ? this.lines[peer] : undefined;
    if (!line) return 'wrong_sender';
    const { verdict, negotiation, effects } = decide(line, input, this.#tools);
    this.lines = { ...this.lines, [peer]: negotiation };
    // Actions run once for the whole group.
    for (const effect of effects)
      if (effect.kind !== 'run' && effect.kind !== 'undo') this.effects.push({ peer, effect: this.#withProof(effect) });
    return verdict;
  }

  /** A member may get any packet of a new coordinator first: each of them proves the role. */
  #withProof(effect: NegotiationEffect): NegotiationEffect {
    if (effect.kind !== 'send' || !this.group.transfers) return effect;
    return { ...effect, content: { ...effect.content, ...participantsContent(lineGroupOf(this.group)) } };
  }

  /** The group decides only what every line takes: a refusal is a defect. */
  #must(peer: string, input: NegotiationInput): void {
    const verdict = this.#onLine(peer, input);
    if (verdict !== 'accepted') throw new Error(`The line with ${peer} refuses ${input.kind} in ${this.lines[peer]!.state}: ${verdict}`);
  }

  #propose(content: ProposalContent): NegotiationVerdict {
    const { group } = this;
    const { now, blake2b256 } = this.#tools;
    if (!isTalking(group.state) || group.offer) return 'not_in_this_state';
    const [number, after] = [(group.proposal?.number ?? 0) + 1, group.proposal?.hash ?? null];
    const deadline = now + durationMs(content.confirmation_timeout);
    const expiresAt = new Date(deadline).toISOString();
    const of = { terms: termsOf(group), number, after, expiresAt };
    const resolution = groupResolution({ content, of }, lineGroupOf(group));
    const hash = proposalHash({ ...resolution, thread_id: group.threadId, from: group.own, type: 'resolution' }, blake2b256);
    group.proposal = {
      hash,
      content,
      number,
      after,
      actions: content.actions_on_confirm ?? [],
      expiresAt,
      deadline,
      remindAt: content.on_timeout === 'expire' ? null : Math.floor((now + deadline) / 2),
      isOwnAsked: false,
      ownSignature: null,
    };
    group.isEscalated = false;
    this.#moveTo('PROPOSED');
    return 'accepted';
  }

  /** A member was asked for more, and has as long as before. */
  #waitAgain(): void {
    const { now } = this.#tools;
    Object.assign(this.group, { answersBy: now + this.group.patienceMs, isPatienceOver: false, isEscalated: false });
  }

  /** Those whose turn it is get the proposal. */
  #ask(turn: readonly string[]): void {
    const { group } = this;
    const { proposal } = group;
    for (const agent of turn) {
      if (agent !== group.own) this.#proposeTo(agent);
      else if (!proposal!.isOwnAsked) {
        proposal!.isOwnAsked = true;
        this.#own({ kind: 'ask_confirmation', hash: proposal!.hash });
      }
    }
  }

  #proposeTo(peer: string): void {
    const { proposal } = this.group;
    const { hash, content, number, after, expiresAt } = proposal!;
    if (this.lines[peer]!.proposal?.hash === hash) return;
    this.#must(peer, { kind: 'propose', content, of: { terms: termsOf(this.group), number, after, expiresAt } });
  }

  #confirm({ hash }: InputOf<'confirm'>): NegotiationVerdict {
    const { group } = this;
    if (group.state !== 'PROPOSED') return 'not_in_this_state';
    const proposal = group.proposal!;
    if (proposal.hash !== hash) return 'stale';
    if (proposal.ownSignature !== null) return 'repeated';
    if (!proposal.isOwnAsked) return 'out_of_turn';
    proposal.ownSignature = signConfirmation(group, hash, this.#tools);
    return 'accepted';
  }

  /** Everybody gets the proposal and its outcome, also who was not asked: one hash ends it for all. */
  #agree({ confirmations }: Ballot): void {
    const { group } = this;
    const { hash } = group.proposal!;
    this.#moveTo('CONFIRMED');
    for (const { peer } of this.#members) this.#conclude(peer, { kind: 'confirm', hash, counted: confirmations });
    group.execution = { shared: 'running', own: 'waiting' };
    this.#own({ kind: 'run', hash, scope: 'shared', actions: placesOf(group, 'shared') });
    this.#notify('confirmed', { hash, confirmed: confirmations.map(({ agent }) => agent) });
  }

  /** A member who was not asked gets the outcome before the proposal: it waits there, so that nobody is asked about what has ended. */
  #conclude(peer: string, input: NegotiationInput): void {
    const before = this.effects;
    this.effects = [];
    this.#proposeTo(peer);
    const proposed = this.effects;
    this.effects = [];
    this.#must(peer, input);
    this.effects = [...before, ...this.effects, ...proposed];
  }

  #expire(): void {
    const { hash } = this.group.proposal!;
    this.#withdraw();
    for (const { peer } of this.#members) this.#conclude(peer, { kind: 'expire' });
    this.#moveTo('EXPIRED');
    this.#notify('expired', { hash });
  }

  #withdraw(): void {
    if (this.group.state === 'PROPOSED') this.#own({ kind: 'withdraw_confirmation', hash: this.group.proposal!.hash });
  }

  /** The proposal ends for everybody. Nobody learns who wanted something different, or in which words. */
  #reopen(message: string | undefined): void {
    const { group } = this;
    const { hash } = group.proposal!;
    this.#withdraw();
    for (const { peer, proposal } of this.#members) {
      if (proposal?.hash !== hash) continue;
      const isSaid = proposal.hasPeerConflict === true;
      this.#must(peer, { kind: 'suggest', hash, isSaid, ...(message === undefined ? {} : { message }) });
    }
    this.#moveTo('NEGOTIATING');
    this.#own({ kind: 'evaluate', needs: [] });
  }

  /** Everybody is asked about each proposal: one who refuses all of them disturbs the others no more than agents may (A2C-17). */
  #refused(): void {
    const { group } = this;
    group.refusals = (group.refusals ?? 0) + 1;
    this.#reopen(undefined);
    if (group.refusals < negotiationLimits.refusals) return;
    Object.assign(group, { isEscalated: true, isSilent: false });
    const reason = `${group.refusals} proposals found no agreement`;
    this.#notify('escalated', { by: 'own', reason, suggested_prompt: 'Go on with other times, or leave it?' });
  }

  #decline(message: string | undefined): void {
    this.#withdraw();
    for (const { peer } of this.#members) this.#must(peer, { kind: 'decline', ...(message === undefined ? {} : { message }) });
    this.#moveTo('DECLINED');
    this.#notify('declined', { message });
  }

  #goOn(): NegotiationVerdict {
    const { group } = this;
    if (!isTalking(group.state) && group.state !== 'PROPOSED') return 'not_in_this_state';
    Object.assign(group, { isEscalated: false, refusals: 0 });
    for (const { peer } of this.#members) this.#must(peer, { kind: 'continue' });
    // Those who were silent have as long as before.
    if (isTalking(group.state) && !isReadyToPropose(group, this.lines)) this.#waitAgain();
    this.#own({ kind: 'evaluate', needs: [] });
    return 'accepted';
  }

  #execute(input: InputOf<'begin'> | InputOf<'done'> | InputOf<'failed'> | InputOf<'undone'>): NegotiationVerdict {
    const { group } = this;
    const { execution } = group;
    if (group.proposal?.hash !== input.hash || !execution) return 'stale';
    if (input.kind === 'undone') return this.#undone(input);
    if (!isExecuting(group.state)) return 'not_in_this_state';
    if (input.kind === 'begin') {
      if (group.state !== 'CONFIRMED') return 'not_in_this_state';
      this.#moveTo('EXECUTING');
      for (const { peer } of this.#members) this.#must(peer, input);
      return 'accepted';
    }
    if (group.state !== 'EXECUTING') return 'not_in_this_state';
    if (execution[input.scope] !== 'running') return 'out_of_turn';
    if (input.kind === 'failed') {
      this.#fail(input.constraint, input.completed > 0, input.scope);
      return 'accepted';
    }
    execution[input.scope] = 'done';
    if (input.scope === 'shared') {
      for (const { peer } of this.#members) this.#must(peer, input);
      execution.own = 'running';
      this.#own({ kind: 'run', hash: input.hash, scope: 'own', actions: placesOf(group, 'own') });
    }
    return 'accepted';
  }

  /** The lines hear of the coordinator's own actions at last, so that all of them complete at once. */
  #settleExecution(): void {
    const { group } = this;
    const { hash } = group.proposal!;
    const failed = this.#members.find(({ state }) => !isExecuting(state));
    if (failed) return this.#fail(failed.constraints.at(-1) ?? '', true, 'own');
    if (group.execution!.own !== 'done' || this.#members.some(({ execution }) => !execution!.peerDone)) return;
    for (const { peer } of this.#members) this.#must(peer, { kind: 'done', hash, scope: 'own' });
    this.#moveTo('COMPLETED');
    this.#notify('completed', { hash });
  }

  /** One failure undoes the whole. A member's own words about it stay with the coordinator. */
  #fail(constraint: string, hasToUndo: boolean, scope: 'shared' | 'own'): void {
    const { group } = this;
    const { hash } = group.proposal!;
    const words = 'An action of a participant failed';
    for (const { peer, state, execution } of this.#members) {
      if (!isExecuting(state)) continue;
      const running = execution!.shared === 'running' ? 'shared' : scope;
      this.#must(peer, { kind: 'failed', hash, scope: running, constraint: words, completed: hasToUndo ? 1 : 0 });
    }
    group.constraints = [...group.constraints, constraint];
    this.#moveTo('FAILED');
    this.#notify('failed', { hash, constraint });
    if (!hasToUndo) return this.#negotiateAgain();
    this.#moveTo('ROLLBACK');
    this.#own({ kind: 'undo', hash });
  }

  #undone(input: InputOf<'undone'>): NegotiationVerdict {
    if (this.group.state !== 'ROLLBACK') return 'not_in_this_state';
    for (const { peer, state } of this.#members) if (state === 'ROLLBACK') this.#must(peer, input);
    if (input.irreversible.length > 0) this.#notify('irreversible', { by: 'own', irreversible: input.irreversible });
    this.#negotiateAgain();
    return 'accepted';
  }

  #negotiateAgain(): void {
    const { group } = this;
    this.#moveTo('NEGOTIATING');
    group.execution = null;
    if (group.constraints.length >= negotiationLimits.failures && !group.isEscalated) {
      Object.assign(group, { isEscalated: true, isSilent: false });
      this.#notify('escalated', { constraints: group.constraints });
    }
    this.#own({ kind: 'evaluate', needs: [] });
  }
}
