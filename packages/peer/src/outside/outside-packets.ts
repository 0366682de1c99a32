// The packets that the peer of somebody without an agent would have sent. They are made here, from their answer, and travel nowhere.

import type { TypedPacket } from '@parley/protocol/relay';
import type { MachineRecord } from '../negotiate/records.ts';
import { newId } from '../packets/records.ts';
import type { OutsideReply } from './outside-people.ts';

const headOf = ({ machine }: MachineRecord, at: number) => ({
  protocol: 'a2acp/1.0',
  packet_id: newId('pkt'),
  thread_id: machine.threadId,
  from: machine.peer,
  to: machine.own,
  timestamp: new Date(at).toISOString(),
});

export function packetOf(record: MachineRecord, { at, kind, hash, text }: OutsideReply): TypedPacket {
  const head = headOf(record, at);
  if (kind === 'works') return response({ ...head, status: 'confirmed', proposal_hash: hash });
  if (kind === 'cannot') return response({ ...head, status: 'declined', proposal_hash: null, reason_class: 'user_declined' });
  const { name } = record.outside!;
  const escalation = {
    recommend: 'surface_to_users',
    reason: `${name} wants something different`,
    suggested_prompt: `${name} answered: “${text}”. Offer other times, or end it?`,
  };
  return { as: 'context', packet: { ...head, type: 'context', escalation } } as unknown as TypedPacket;
}

const response = (packet: object): TypedPacket =>
  ({ as: 'resolution_response', packet: { ...packet, type: 'resolution_response' } }) as unknown as TypedPacket;

/** Nothing has to be done on their side when both have agreed. */
export const doneByOutside = (record: MachineRecord, at: number): TypedPacket =>
  ({
    as: 'execution_report',
    packet: {
      ...headOf(record, at),
      type: 'execution_report',
      proposal_hash: record.machine.proposal!.hash,
      scope: 'own',
      status: 'done',
    },
  }) as unknown as TypedPacket;
