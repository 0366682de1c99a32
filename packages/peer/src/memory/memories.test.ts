import { newRelationship } from '@parley/core/memory';
import { openNegotiation } from '@parley/core/negotiation';
import { expect, test } from 'vitest';
import { type MachineRecord, newMachine, putMachine } from '../negotiate/negotiation-records.ts';
import type { LocalPeer } from '../packets/local-peer.ts';
import { listMemories } from './memories.ts';

const bob = 'agent:bob@hub';
const done = (threadId: string, machine: Partial<MachineRecord['machine']>, isReceipt = false): MachineRecord => {
  const before = newMachine(openNegotiation({ threadId, own: 'agent:ann@hub', peer: bob, role: 'responder' }, 1));
  const proposal = { hash: threadId } as NonNullable<MachineRecord['machine']['proposal']>;
  const known = { isReceipt } as MachineRecord['proposals'][string];
  return { ...before, proposals: { [threadId]: known }, machine: { ...before.machine, state: 'COMPLETED', proposal, ...machine } };
};
const group = { participants: [] };
const execution = { shared: 'done', own: 'done', peerDone: true } as const;

async function memoryOf(...records: MachineRecord[]) {
  const rows = { memory: [{ key: bob, value: { ...newRelationship, firstAt: 0 } }], machine: records.map(putMachine) };
  const list = async (kind: string) => (kind === 'memory' || kind === 'machine' ? rows[kind] : []);
  const peer = { parts: { store: { list, get: async () => undefined }, now: () => 2 } } as unknown as LocalPeer;
  return (await listMemories(peer))[0]!;
}

test('[A2C-31] only what a person confirmed counts as agreement, and a member’s decline as declined', async () => {
  const agreed = [1, 2, 3].map((n) => done(`thr_${n}`, { execution }));
  expect(await memoryOf(...agreed)).toMatchObject({
    trust: { level: 'established', signals: ['3 agreements', '0 declined'] },
    preferredResolutionStyle: 'quick_decision',
  });
  const declined = [1, 2, 3].map((n) => done(`thr_${n}`, { group, isClosing: true, execution: { ...execution, takesPart: false } }));
  expect((await memoryOf(...declined)).trust).toEqual({ level: 'new', signals: ['0 agreements', '3 declined'] });
  const others = [
    done('thr_refused', { group, hasPeerDeclined: true, execution }),
    done('thr_without', { group, execution: { ...execution, takesPart: false } }),
    done('thr_uncounted', { group, execution: { ...execution, counted: ['agent:ann@hub', 'agent:cem@hub'] } }),
    done('thr_receipt', { execution }, true),
  ];
  expect((await memoryOf(...others)).trust.signals).toEqual(['0 agreements', '1 declined']);
});
