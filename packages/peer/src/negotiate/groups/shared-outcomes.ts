// What another member of the group says it got (A2C-27).

import { compareOutcome } from '@parley/core/negotiation';
import type { TypedPacket } from '@parley/protocol/relay';
import { negotiationKey } from '../../packets/records.ts';
import { toolsFor } from '../decisions.ts';
import { applyEffect, type Desk } from '../effects.ts';
import type { Negotiations } from '../negotiations.ts';
import { type MachineRecord, putMachine } from '../records.ts';

type OutcomePacket = Extract<TypedPacket, { as: 'resolution_outcome' }>['packet'];

/** `record`: the line with the coordinator. */
export async function takeOtherOutcome(engine: Negotiations, desk: Desk, record: MachineRecord, packet: OutcomePacket): Promise<void> {
  const { machine } = record;
  const compared = compareOutcome(machine, packet, await toolsFor(desk, machine.group!.participants));
  if (compared.verdict !== 'accepted') return;
  let next: MachineRecord = { ...record, machine: compared.negotiation };
  for (const effect of compared.effects) next = await applyEffect(desk, next, effect);
  await desk.staging.commit([putMachine(next)]);
  engine.workSoon(negotiationKey(machine.peer, machine.threadId));
}
