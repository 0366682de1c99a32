import { expect, test } from 'vitest';
import { modelAwayText } from '../negotiate/negotiation-records.ts';
import { modelAwayNote } from './models.ts';
import { noticeText } from './timeline.ts';

const bob = 'agent:bob@hub.example';
const nameOf = (address: string): string => (address === bob ? 'Bob' : address);

test('[A2C-27] a person reads what a peer tried that was no true outcome or no possible proposal', () => {
  expect(noticeText({ notice: 'second_outcome', details: { by: bob, hash: 'x' } }, undefined, nameOf)).toBe(
    'Another member, Bob, got another outcome of this negotiation: ask the others before you rely on yours',
  );
  for (const notice of ['false_outcome', 'unsafe_quorum', 'impossible_time'] as const)
    expect(noticeText({ notice, details: { hash: 'x' } }, undefined, nameOf)).toMatch(/^They /);
});

test('[A2C-35] a packet that waits for a model says so in the seed’s words', () => {
  const details = { problem: 'The model’s server failed (anthropic, 503)' };
  expect(modelAwayNote({ at: 0, notice: 'model_away', details })).toBe(`${modelAwayText} (The model’s server failed (anthropic, 503))`);
  expect(modelAwayText).toBe("I can't process this right now — I'll handle it when I'm back online");
});

test('[A2C-31] a value that has changed is named, with the one before', () => {
  const details = { field: 'dietary', before: 'vegan', value: ['none'] };
  expect(noticeText({ notice: 'memory_changed', details }, undefined, nameOf)).toBe(
    'Something that your peer remembered of them has changed: dietary was “vegan”, they now say “["none"]”',
  );
});
