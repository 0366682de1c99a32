import { expect, test } from 'vitest';
import { wokenWords } from './busy-agent-texts.ts';

const [a, b] = [
  { id: 'a', handle: 'A', woken: 'working' },
  { id: 'b', handle: 'B', woken: 'awaiting_approval' },
] as const;
const [idle, d] = [
  { id: 'c', handle: 'C', woken: null },
  { ...b, id: 'd', handle: 'D' },
];
const works = '^A is at work, woken by an event.';

test.each([
  [[idle], [], null],
  [[a, idle], [], { text: works, yours: false }],
  [[b, d], [], { text: '^B and ^D wait for a person’s approval, woken by an event.', yours: false }],
  [[b, d], ['d', 'b'], { text: '^B and ^D wait for your approval, woken by an event.', yours: true }],
  [[a, b], ['a'], { text: `${works} ^B waits for a person’s approval, woken by an event.`, yours: false }],
  [
    [a, b, d],
    ['d'],
    { text: `${works} ^D waits for your approval, woken by an event. ^B waits for a person’s approval, woken by an event.`, yours: true },
  ],
])(
  '[PRV-11] [IAC-18] those that events have woken are named, with what they do and whose approval they wait for: %j, asked for %j',
  (agents, asked, words) => {
    expect(wokenWords(agents, new Set(asked))).toEqual(words);
  },
);
