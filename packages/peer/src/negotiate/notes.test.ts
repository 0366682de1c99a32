import { openNegotiation } from '@parley/core/negotiation';
import { expect, it } from 'vitest';
import { withNote } from './effects.ts';
import { type NegotiationNote, newMachine } from './negotiation-records.ts';

const opening = { threadId: 'thr_dinner', own: 'agent:ann@localhost', peer: 'agent:bob@localhost', role: 'initiator' } as const;
const note = (notice: NegotiationNote['notice'], at: number): NegotiationNote => ({ at, notice, details: {} });

it('[SYS-6] notes that a peer causes without end push out no alarm', () => {
  let record = withNote(newMachine(openNegotiation(opening, 0)), note('leak_stopped', 1));
  for (let at = 2; at < 500; at += 1) record = withNote(record, note(at % 2 === 0 ? 'memory_changed' : 'intent_changed', at));
  expect(record.notes.map(({ notice }) => notice)).toContain('leak_stopped');
  expect(record.notes).toHaveLength(11);
  expect(record.notes.at(-1)!.at).toBe(499);
});
