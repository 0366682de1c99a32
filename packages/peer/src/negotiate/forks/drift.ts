// What a negotiation is about changes: by this side's person, or by the peer. A wider scope waits for the person (A2C-19).

import { visibleFor } from '@parley/core/consent';
import type { NegotiationVerdict } from '@parley/core/negotiation';
import type { FreeFields, Need } from '@parley/protocol/relay';
import { badInput, PeerCallError } from '@parley/protocol';
import { stoppedLine } from '../../packets/peer-outbox.ts';
import type { RemotePeer } from '../../packets/peer-records.ts';
import { applyInput } from '../decisions.ts';
import { confirmationOf, type Desk } from '../effects.ts';
import { audienceField } from '../meetings/intent-words.ts';
import type { Negotiations } from '../negotiations.ts';
import { withdrawPrompt, type ExpansionPrompt, type MachineRecord, putMachine, putPrompt } from '../negotiation-records.ts';
import { askedPrompt, isAsking, strangerFirst } from '../prompts.ts';
import { scopeFor } from '../sharing.ts';
import type { RecordChange } from '../../store/port.ts';

export interface IntentWish {
  /** In the person's own words. */
  words: string;
  needs?: readonly Need[] | undefined;
}

/** The person says what a running negotiation is about now. */
export const changeIntent = (engine: Negotiations, id: string, wish: IntentWish): Promise<MachineRecord> =>
  engine.decide(id, async (record, desk) => {
    mustReach(record, desk.peer);
    await stageIntent(engine, desk, record, wish);
  });

/** Not stored yet. */
export async function stageIntent(
  engine: Negotiations,
  desk: Desk,
  record: MachineRecord,
  { words, needs = [] }: IntentWish,
): Promise<void> {
  const audience = record.stated[audienceField];
  const { stated, intent } = await engine.readRequest(words, typeof audience === 'string' ? audience : undefined, [
    ...record.wanted,
    ...needs,
  ]);
  const { machine } = record;
  if (record.packets === 0 && !machine.fork && machine.role === 'initiator' && !machine.group) {
    // They have not heard of it: it is opened with the new words.
    if (record.openPrompt !== null) await withdrawPrompt(desk.staging, record.openPrompt);
    await desk.staging.commit([
      putMachine({ ...record, intent, stated, wanted: [...record.wanted, ...needs], openPrompt: null, isEvaluationDue: true }),
    ]);
    return;
  }
  const before = { ...record, stated };
  const context = visibleFor(dropAudience(stated), scopeFor(await engine.profile(), desk.peer, before));
  const { verdict } = await applyInput(desk, before, { kind: 'change_intent', intent, needs: [...needs], context, by: 'person' });
  if (verdict !== 'accepted') throw driftRefusal(verdict, record);
}

const dropAudience = (stated: FreeFields): FreeFields => {
  const { [audienceField]: _, ...others } = stated;
  return others;
};

/** As with the first packet: not to somebody whose key is in question, and not before the person decided about a stranger. */
export function mustReach({ machine, mayReachStranger, outside }: MachineRecord, peer: RemotePeer): void {
  if (outside) throw badInput(`${machine.threadId} is with somebody who has no agent. Ask them again instead.`);
  if (peer.alarm) throw stoppedLine(peer.address, peer.alarm.kind);
  if (peer.trust === 'unverified' && mayReachStranger !== true) throw strangerFirst(machine);
}

/** Whether a negotiation goes on with a wider scope, goes back to what it was about, or ends. */
export const answerExpansion = (engine: Negotiations, id: string, answer: NonNullable<ExpansionPrompt['answer']>): Promise<MachineRecord> =>
  engine.decide(
    id,
    async (record, desk) => {
      const prompt = await askedPrompt(engine, record, id);
      if (prompt?.kind !== 'expansion') throw new PeerCallError('unknown_id', `${id} asks nothing about a wider scope.`);
      if (prompt.state !== 'open')
        throw new PeerCallError(
          'answered',
          `${prompt.id} was answered before, or ${record.machine.threadId} has changed since. Nothing changed.`,
        );
      const closed: MachineRecord = { ...record, openPrompt: null, goesOn: true };
      await desk.staging.commit([putPrompt({ ...prompt, state: 'answered', answer })]);
      if (answer === 'keep') await goBack(desk, closed, prompt);
      else if (answer === 'decline' || record.machine.isEscalated) {
        const { verdict } = await applyInput(desk, closed, { kind: answer === 'decline' ? 'decline' : 'continue' });
        if (verdict !== 'accepted') throw driftRefusal(verdict, record);
      } else
        await desk.staging.commit([
          putMachine({ ...closed, isProposalHeld: false, isEvaluationDue: true }),
          ...heldProposal(record, engine.now),
        ]);
    },
    isAsking,
  );

/** They proposed before the person let it go on. */
const heldProposal = (record: MachineRecord, now: number): RecordChange[] =>
  record.isProposalHeld === true && record.machine.proposal ? [putPrompt(confirmationOf(record, record.machine.proposal.hash, now))] : [];

async function goBack(desk: Desk, record: MachineRecord, { before, beforeBy = 'peer', isFork }: ExpansionPrompt): Promise<void> {
  if (!before || isFork) throw badInput(`${record.machine.threadId} was never about anything else. Go on, or decline it.`);
  const { scope_change: _before, ...intent } = before;
  const { verdict, record: kept } = await applyInput(desk, record, { kind: 'change_intent', intent, by: 'person' });
  if (verdict !== 'accepted') throw driftRefusal(verdict, record);
  await desk.staging.commit([putMachine({ ...kept, intentBy: beforeBy })]);
}

const refusals: Partial<Record<NegotiationVerdict, string>> = {
  not_for_this_role: 'more than two people take part. Only a negotiation of two can change what it is about, or be split',
  already_confirmed: 'you confirmed the proposal. Wait for their answer',
  closing: 'you have declined it',
  nothing_changes: 'it is about that already',
  too_many_needs: 'a packet asks for at most 5 fields. Name fewer',
  exchange_limit: 'the agents have used up their exchanges. Continue or decline it first',
  thread_id_in_use: 'another negotiation has the ID of a fork. Try again',
  too_many_forks: 'it was split 8 times already. Open a new negotiation',
  too_deep_fork: 'it is a fork of a fork. Open a new negotiation',
};

export function driftRefusal(verdict: NegotiationVerdict, { machine }: MachineRecord): PeerCallError {
  const reason = refusals[verdict] ?? `it is ${machine.state}. Open a new negotiation`;
  return badInput(`${machine.threadId} cannot change: ${reason}.`);
}
